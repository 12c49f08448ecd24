"""What goes wrong, as people who have no command line before them are told of it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from isolarium.arena.run_db import Record
from isolarium.arena.run_store import find_run
from isolarium.errors import InputError, located
from isolarium.heuristics import lookup
from isolarium.studies.study_file import find_study
from isolarium.web.http_errors import command_error_text, error_response


def error_of(call: Callable[[], object]) -> InputError:
    with pytest.raises(InputError) as raised:
        call()
    return raised.value


def over_http(error: InputError) -> str:
    said: str = json.loads(bytes(error_response(error).body))["error"]
    return said


def test_no_command_is_named_over_http(tmp_path: Path) -> None:
    for call in (
        lambda: find_run("last", tmp_path),
        lambda: find_run("zzzqqq", tmp_path),
        lambda: find_study("zzzqqq"),
        lambda: lookup.find("zzzqqq"),
        lambda: Record(tmp_path),
    ):
        error = error_of(call)
        assert "isolarium" in str(error).replace(str(tmp_path), "")
        assert "isolarium" not in over_http(error).replace(str(tmp_path), "")


def test_what_is_said_elsewhere_stays_when_it_is_said_where() -> None:
    def fail() -> None:
        with located("part one"):
            raise InputError("no such box", advice="; isolarium boxes", elsewhere="; open the lid")

    error = error_of(fail)
    assert str(error) == "part one: no such box; isolarium boxes"
    assert over_http(error) == "part one: no such box; open the lid"


@pytest.mark.parametrize(
    ("stderr", "output"),
    [
        ("isolarium: PLACE/x: not the folder of a run; isolarium runs lists them", "x: not the folder of a run"),
        ("isolarium: no heuristic named 'y' (isolarium heuristics lists them)", "no heuristic named 'y'"),
        ("isolarium: a worker died; isolarium resume PLACE/x goes on", "a worker died"),
        ("Compiling...\nisolarium: PLACE/x: No space left on device\n", "x: No space left on device"),
    ],
)
def test_what_a_command_complains_of_is_told_without_commands_and_folders(
    tmp_path: Path, stderr: str, output: str
) -> None:
    said = stderr.replace("PLACE", str(tmp_path)).encode()
    assert command_error_text(said, tmp_path) == output


@pytest.mark.parametrize("stderr", ["", "Traceback (most recent call last):\n  ...\nKeyError: 'secret'"])
def test_a_commands_bug_is_for_the_log(caplog: pytest.LogCaptureFixture, stderr: str) -> None:
    assert "secret" not in command_error_text(stderr.encode(), Path("runs"))
    assert (stderr or "no message") in caplog.text
