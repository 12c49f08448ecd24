"""Runs from Python: objects that show themselves, from scripts of any kind."""

import subprocess
import sys
from pathlib import Path

import pytest

import isolab
from isolab.arena.record import FILE_NAME
from tests.command import PATIENCE_S, environment

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def match() -> "isolab.api.Match":
    return isolab.match("greedy:open", "random", pairs=30, board="5x5", workers=1)


def test_a_match_has_its_figures(match: "isolab.api.Match") -> None:
    assert match.finished
    assert match.pairs.pairs == 30
    assert match.rate.low < match.rate.rate < match.rate.high
    assert match.elo.elo > 0
    assert match.superiority > 0.9
    assert match.verdict.startswith("better (LOS ")
    assert len(list(match.games())) == 60


def test_a_match_shows_itself(match: "isolab.api.Match") -> None:
    assert repr(match).startswith("greedy:open  vs  random\nplayed       5x5 · 30 pairs · seed 1")
    html = match._repr_html_()
    assert html.count("<table") == html.count("</table>") == 1
    assert "<b>greedy:open  vs  random</b>" in html
    assert str(match.folder) not in repr(match)


def test_a_run_goes_with_its_object_unless_it_is_to_be_kept(tmp_path: Path) -> None:
    passing = isolab.match("random", "random", pairs=1, board="3x3", workers=1)
    folder = passing.folder
    assert (folder / FILE_NAME).is_file()
    del passing
    assert not folder.exists()
    kept = isolab.match("random", "random", pairs=1, board="3x3", workers=1, runs=tmp_path)
    assert kept.folder.parent == tmp_path
    assert str(kept.folder) in repr(kept)
    folder = kept.folder
    del kept
    assert (folder / FILE_NAME).is_file()


def test_a_tournament_shows_itself() -> None:
    played = isolab.tournament(
        ["random", "greedy:open", "greedy:improved"], pairs=10, board="5x5", workers=1
    )
    assert played.ratings is not None
    assert played.ratings.table[-1].agent == "random"
    assert set(played.rates) == {"random", "greedy:open", "greedy:improved"}
    assert played.rates["random"].rate < 0.5
    assert "won by row against" in repr(played)
    assert played._repr_html_().count("<table>") == 2
    assert played.verdict in repr(played)


def test_a_sweep_has_a_line_for_each_value() -> None:
    played = isolab.sweep("mcts(c={})@nodes=20", "0.5,1", against="random", pairs=5, workers=1)
    assert "\n0.5  " in repr(played)
    assert len(played.rates) == 3


@pytest.mark.parametrize(
    "call",
    [
        lambda: isolab.match("random", "rndom"),
        lambda: isolab.match("random", "random", test=(20, 0)),
        lambda: isolab.match("random", "random", openings="/nowhere"),
        lambda: isolab.tournament("random"),
        lambda: isolab.sweep("mcts", "1,2", against="random"),
    ],
    ids=["agent", "test", "openings", "one agent", "no place"],
)
def test_bad_input_is_told_before_anything_is_played(call: object) -> None:
    assert callable(call)
    with pytest.raises(isolab.InputError):
        call()


def _run(script: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        text=True,
        env=environment(),
        timeout=PATIENCE_S,
        check=False,
    )


def test_a_script_needs_no_guard(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import isolab\n"
        "print('begun')\n"
        "print(isolab.match('random', 'random', pairs=4, board='3x3', workers=2).pairs.pairs)\n"
    )
    result = _run(script)
    assert result.stdout == "begun\n4\n"
    assert result.stderr == ""


def test_a_process_that_imports_its_parents_script_is_told_so(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import multiprocessing, isolab\n"
        "if __name__ == '__mp_main__':\n"
        "    isolab.match('random', 'random', pairs=1)\n"
        "child = multiprocessing.get_context('spawn').Process(target=print)\n"
        "child.start()\n"
        "child.join()\n"
    )
    told = _run(script).stderr.splitlines()[-1]
    assert told.startswith("isolab.errors.InputError: games started while a process")
    assert told.endswith('expected them under if __name__ == "__main__":')


def test_progress_is_a_line_that_goes_away(capsys: pytest.CaptureFixture[str]) -> None:
    isolab.match("random", "random", pairs=2, board="3x3", workers=1, progress=True)
    told = capsys.readouterr().err
    assert "4 of 4 games" in told
    assert told.endswith("\r")
    assert told.rstrip("\r").endswith(" ")
