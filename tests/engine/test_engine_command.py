"""`isolab engine` as other programs have it."""

import pytest

from tests.command import assert_refused, run_isolab

pytestmark = pytest.mark.slow


def test_it_is_talked_to_in_lines() -> None:
    result = run_isolab("engine", "--board", "3x4", answers="ugi\nisready\nquit\nugi\n")
    lines = result.stdout.splitlines()
    assert (result.returncode, result.stderr) == (0, "")
    assert "option name board type string default 3x4" in lines
    assert lines[-2:] == ["ugiok", "readyok"]


def test_it_ends_with_its_input_even_while_it_thinks() -> None:
    result = run_isolab("engine", answers="go infinite\n")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.splitlines()[-1].startswith("bestmove ")


WRONG = {
    "agent": (["--agent", "alphabeta:opne"], "'open'"),
    "board": (["--board", "2x2"], "3 to 13"),
}


@pytest.mark.parametrize(("arguments", "named"), WRONG.values(), ids=WRONG.keys())
def test_what_it_cannot_be_started_with_is_refused(arguments: list[str], named: str) -> None:
    assert_refused(run_isolab("engine", *arguments), named)
