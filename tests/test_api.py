"""Runs from Python: objects that show themselves, from scripts of any kind."""

import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isolarium
from isolarium.arena.run_db import FILE_NAME
from isolarium.heuristics.catalogue.mobility import normalised, ratio
from isolarium.heuristics.lookup import catalogue
from tests.command import PATIENCE_S, environment

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def match() -> "isolarium.api.Match":
    workers: Any = np.int64(1)  # as a program may have it
    return isolarium.match("greedy:open", "random", pairs=30, board="5x5", workers=workers)


def test_a_match_has_its_figures(match: "isolarium.api.Match") -> None:
    assert match.finished
    assert match.pairs.pairs == 30
    assert match.rate.low < match.rate.rate < match.rate.high
    assert match.elo.elo > 0
    assert match.superiority is not None
    assert match.superiority > 0.9
    assert match.verdict.startswith("better (LOS ")
    assert len(list(match.games())) == 60


def test_a_match_shows_itself(match: "isolarium.api.Match") -> None:
    assert repr(match).startswith("greedy:open  vs  random\nverdict      better (LOS ")
    assert "\nplayed       5x5 · 30 pairs · seed 1" in repr(match)
    html = match._repr_html_()
    assert html.count("<table") == html.count("</table>") == 1
    assert "<b>greedy:open  vs  random</b>" in html
    assert str(match.folder) not in repr(match)


def test_a_run_goes_with_its_object_unless_it_is_to_be_kept(tmp_path: Path) -> None:
    passing = isolarium.match("random", "random", pairs=1, board="3x3", workers=1)
    folder = passing.folder
    assert (folder / FILE_NAME).is_file()
    del passing
    assert not folder.exists()
    kept = isolarium.match("random", "random", pairs=1, board="3x3", workers=1, runs=tmp_path)
    assert kept.folder.parent == tmp_path
    assert str(kept.folder) in repr(kept)
    folder = kept.folder
    del kept
    assert (folder / FILE_NAME).is_file()


FORKING = """
import os, sys
from copy import copy
import isolarium

played = isolarium.match("random", "random", pairs=1, board="3x3", workers=1)
folder, same = played.folder, copy(played)
del played
child = os.fork()
if child == 0:
    sys.exit(0)
os.waitpid(child, 0)
print(len([*same.games()]))
del same
print(folder.exists())
"""


def test_a_run_stays_for_its_copies_and_a_forked_process_removes_nothing(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(FORKING)
    done = _run(script)
    assert (done.stdout.split(), done.returncode) == (["2", "False"], 0)


def test_a_tournament_shows_itself() -> None:
    played = isolarium.tournament(["random", "greedy:open", "greedy:improved"], pairs=10, board="5x5", workers=1)
    assert played.ratings is not None
    assert played.ratings.table[-1].agent == "random"
    assert set(played.rates) == {"random", "greedy:open", "greedy:improved"}
    assert played.rates["random"].rate < 0.5
    assert "win rate against" in repr(played)
    assert played._repr_html_().count("<table>") == 2
    assert played.verdict in repr(played)


def test_a_sweep_has_a_line_for_each_value() -> None:
    played = isolarium.sweep("mcts(c={})@nodes=20", "0.5,1", against="random", pairs=5, workers=1)
    assert "\n0.5  " in repr(played)
    assert len(played.rates) == 3


def test_a_tuning_run_says_what_was_chosen_and_the_confirmed_interval() -> None:
    tuned = isolarium.tune(
        "greedy:aggressive(weight={-2|1|2})",
        against="random",
        trials=3,
        pairs=20,
        confirm=20,
        seed=2,
        board=isolarium.Board(5, 5),
        workers=1,
    )
    assert tuned.agent == f"greedy:aggressive(weight={tuned.values['weight']})"
    assert repr(tuned).startswith("tuning of greedy:aggressive(weight={-2|1|2})\ntried        3 trials")
    assert tuned.answer in repr(tuned)
    assert str(tuned.folder) not in repr(tuned)
    assert tuned._repr_html_().count("<table>") == 1
    assert tuned.rate is not None
    assert tuned.to_json()["score"]["rate"] == pytest.approx(tuned.rate.rate, abs=1e-4)
    folder = tuned.folder
    assert (folder / "confirmation" / FILE_NAME).is_file()
    del tuned
    assert not folder.exists()


class Unspeakable:
    def __repr__(self) -> str:
        raise RuntimeError("nothing to see here")


BAD: dict[str, Callable[[], object]] = {
    "nothing to tune": lambda: isolarium.tune("greedy:aggressive"),
    "a number to tune": lambda: isolarium.tune(3),  # type: ignore[arg-type]
    "an unknown way": lambda: isolarium.tune("greedy:aggressive(weight={0..4})", on="luck"),
    "a round of nothing": lambda: isolarium.tune("greedy:aggressive(weight={0..4})", round=0),
    "a text for a gain": lambda: isolarium.tune("greedy:aggressive(weight={0..4})", gain="x"),  # type: ignore[arg-type]
    "agent": lambda: isolarium.match("random", "rndom"),
    "test": lambda: isolarium.match("random", "random", test=(20, 0)),
    "openings": lambda: isolarium.match("random", "random", openings="/nowhere"),
    "one agent": lambda: isolarium.tournament("random"),
    "no place": lambda: isolarium.sweep("mcts", "1,2", against="random"),
    "numbers for agents": lambda: isolarium.match(3, 4),  # type: ignore[arg-type]
    "no agents": lambda: isolarium.tournament(3),  # type: ignore[arg-type]
    "a number among agents": lambda: isolarium.tournament(["random", 3]),  # type: ignore[list-item]
    "a text for pairs": lambda: isolarium.match("random", "random", pairs="x"),  # type: ignore[arg-type]
    "a fraction of pairs": lambda: isolarium.match("random", "random", pairs=1.5),  # type: ignore[arg-type]
    "True pairs": lambda: isolarium.match("random", "random", pairs=True),
    "pairs below 1": lambda: isolarium.match("random", "random", pairs=-1),
    "no workers": lambda: isolarium.match("random", "random", workers=0),
    "workers below 0": lambda: isolarium.tournament(["random", "greedy:open"], workers=-1),
    "a text for workers": lambda: isolarium.match("random", "random", workers="2"),  # type: ignore[arg-type]
    "a number for a cluster": lambda: isolarium.match("random", "random", cluster=4),  # type: ignore[arg-type]
    "no such cluster": lambda: isolarium.match("random", "random", cluster="nowhere.json"),
    "a cluster and workers": lambda: isolarium.match("random", "random", cluster="local:2", workers=2),
    "a number for a board": lambda: isolarium.match("random", "random", board=7),  # type: ignore[arg-type]
    "a text for a seed": lambda: isolarium.match("random", "random", seed="x"),  # type: ignore[arg-type]
    "no openings": lambda: isolarium.match("random", "random", openings=None),  # type: ignore[arg-type]
    "a text for plies": lambda: isolarium.match("random", "random", plies="2"),  # type: ignore[arg-type]
    "a text for time": lambda: isolarium.match("random", "random", move_ms="2"),  # type: ignore[arg-type]
    "a number for a limit": lambda: isolarium.match("random", "random", limit=8000),  # type: ignore[arg-type]
    "a number for a name": lambda: isolarium.match("random", "random", name=3),  # type: ignore[arg-type]
    "a null in a folder": lambda: isolarium.match("random", "random", runs="\0"),
    "a name too long": lambda: isolarium.read_run("x" * 5000),
    "a number for a folder": lambda: isolarium.match("random", "random", runs=3),  # type: ignore[arg-type]
    "a text for progress": lambda: isolarium.match("random", "random", progress="no"),  # type: ignore[arg-type]
    "a number for a test": lambda: isolarium.match("random", "random", test=5),  # type: ignore[arg-type]
    "texts for a test": lambda: isolarium.match("random", "random", test=("a", "b")),  # type: ignore[arg-type]
    "a number for a field": lambda: isolarium.tournament(["random"], field=3),  # type: ignore[arg-type]
    "a text for self_play": lambda: isolarium.tournament(["random"], self_play="yes"),  # type: ignore[arg-type]
    "a number for a template": lambda: isolarium.sweep(3, "1,2", against="random"),  # type: ignore[arg-type]
    "numbers for values": lambda: isolarium.sweep("mcts(c={})", 1, against="random"),  # type: ignore[arg-type]
    "a function that is no heuristic": lambda: isolarium.match(len, "random"),
    "a number past all numbers": lambda: isolarium.match("random", "random", pairs=10**5000),
    "workers past all numbers": lambda: isolarium.match("random", "random", workers=10**5000),
    "a time past all numbers": lambda: isolarium.match("random", "random", move_ms=10**400),
    "milliseconds past all numbers": lambda: isolarium.solve("3x3", ms=10**400),
    "a board past all numbers": lambda: isolarium.Board(10**5000, 3),
    "a square past all numbers": lambda: isolarium.Board(3, 3).square(10**5000),
    "a move past all numbers": lambda: isolarium.parse_start("3x3").play(10**5000),  # type: ignore[arg-type]
    "a square of letters": lambda: isolarium.Board(3, 3).index(isolarium.Square("a", "b")),  # type: ignore[arg-type]
    "no squares": lambda: isolarium.Board(3, 3).mask_of(None),  # type: ignore[arg-type]
    "labels in a null": lambda: isolarium.label("3x3", "\0"),
    "labels in half a letter": lambda: isolarium.label("3x3", "\ud800"),
    "labels in a name too long": lambda: isolarium.label("3x3", "x" * 5000),
    "a seed of labels past all numbers": lambda: isolarium.label("3x3", "labels", seed=10**400),
    "read labels in a null": lambda: isolarium.read_labels("\0"),
    "openings without an end": lambda: isolarium.match("random", "random", openings="/dev/zero"),
    "a cluster without an end": lambda: isolarium.match("random", "random", cluster="/dev/zero"),
    "a survey without an end": lambda: isolarium.survey("3x3", out="/dev/zero"),
    "a text for a square": lambda: isolarium.parse_start("3x3").is_legal("a1"),  # type: ignore[arg-type]
    "what cannot be shown": lambda: isolarium.match(Unspeakable(), "random"),  # type: ignore[arg-type]
    "a position of a number": lambda: isolarium.parse_position(3),  # type: ignore[arg-type]
    "a start of nothing": lambda: isolarium.parse_start(None),  # type: ignore[arg-type]
    "a game of bytes": lambda: isolarium.read_game(b"7x7: d4"),  # type: ignore[arg-type]
    "a game on a text": lambda: isolarium.read_game("[[3, 3]]", "7x7"),  # type: ignore[arg-type]
    "what is no game": lambda: isolarium.format_game(3),  # type: ignore[arg-type]
    "what is no position": lambda: isolarium.format_position("7x7"),  # type: ignore[arg-type]
    "a board of texts": lambda: isolarium.Board("7", "7"),  # type: ignore[arg-type]
    "a position on a text": lambda: isolarium.Position.empty("7x7"),  # type: ignore[arg-type]
    "a move that is a list": lambda: isolarium.parse_start("3x3").play([0, 0]),  # type: ignore[arg-type]
    "a square of no number": lambda: isolarium.Board(3, 3).square(-1),
    "a knight off the board": lambda: isolarium.Board(3, 3).knight_moves(isolarium.Square(3, 0)),
    "a number to move": lambda: isolarium.Position(isolarium.Board(3, 3), 511, None, None, 0),  # type: ignore[arg-type]
    "an ending of a text": lambda: isolarium.GameRecord(isolarium.parse_start("3x3"), (), "x"),  # type: ignore[arg-type]
    "a game from a number": lambda: isolarium.GameRecord(3),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("call", BAD.values(), ids=BAD.keys())
def test_bad_input_is_told_in_one_line_before_anything_is_played(call: Callable[[], object]) -> None:
    with pytest.raises(isolarium.InputError) as caught:
        call()
    assert "\n" not in str(caught.value)


FREER = """
from isolarium.heuristics import heuristic, mobility


@heuristic
def freer(view, own, opp):
    return mobility(view, own) - 0.5 * mobility(view, opp)
"""


def test_a_heuristic_of_a_module_plays_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_heuristics.py").write_text(FREER)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    freer = import_module("my_heuristics").freer
    played = isolarium.match(freer, catalogue()["open"], limit="nodes=20", pairs=1, board="3x3")
    assert played.results.plan.agents == ("alphabeta:own:freer@nodes=20", "alphabeta:open@nodes=20")
    assert played.finished


def test_a_heuristic_of_the_catalogue_plays_by_its_name() -> None:
    played = isolarium.tournament(
        [ratio, catalogue()["center"]], against=normalised, limit="nodes=20", pairs=1, board="3x3"
    )
    assert played.results.plan.players == tuple(
        f"alphabeta:{name}@nodes=20" for name in ("ratio", "center", "normalised")
    )


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
        "import isolarium\n"
        "print('begun')\n"
        "print(isolarium.match('random', 'random', pairs=4, board='3x3', workers=2).pairs.pairs)\n"
    )
    result = _run(script)
    assert result.stdout == "begun\n4\n"
    assert result.stderr == ""


def test_a_process_that_imports_its_parents_script_is_told_so(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import multiprocessing, isolarium\n"
        "if __name__ == '__mp_main__':\n"
        "    isolarium.match('random', 'random', pairs=1)\n"
        "child = multiprocessing.get_context('spawn').Process(target=print)\n"
        "child.start()\n"
        "child.join()\n"
    )
    output = _run(script).stderr.splitlines()[-1]
    assert output.startswith("isolarium.errors.InputError: games were started while multiprocessing")
    assert output.endswith('put them under if __name__ == "__main__":')


def test_progress_is_a_line_that_goes_away(capsys: pytest.CaptureFixture[str]) -> None:
    isolarium.match("random", "random", pairs=2, board="3x3", workers=1, progress=True)
    output = capsys.readouterr().err
    assert "4 of 4 games" in output
    assert output.endswith("\r")
    assert output.rstrip("\r").endswith(" ")
