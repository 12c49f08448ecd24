"""`isolarium engine` in its own process."""

import json
from pathlib import Path

import pytest

from tests.command import COMMAND, run_isolarium

pytestmark = pytest.mark.slow


def test_it_answers_lines() -> None:
    result = run_isolarium("engine", "--board", "3x4", answers="ugi\nisready\nquit\nugi\n")
    lines = result.stdout.splitlines()
    assert (result.returncode, result.stderr) == (0, "")
    assert "option name board type string default 3x4" in lines
    assert lines[-2:] == ["ugiok", "readyok"]


def test_it_ends_with_its_input_even_during_a_search() -> None:
    result = run_isolarium("engine", answers="go infinite\n")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.splitlines()[-1].startswith("bestmove ")


def test_it_plays_a_match_and_the_same_seed_reproduces_the_games(tmp_path: Path) -> None:
    agents = (f"engine:{COMMAND} engine(agent=alphabeta:improved)", "random")
    options = ("--limit", "nodes=50", "--board", "5x5", "--pairs", "4", "--no-accuracy")
    exports = []
    for workers in ("1", "2"):
        runs = ("--runs", str(tmp_path / workers))
        match = run_isolarium("match", *agents, *options, "--workers", workers, *runs)
        assert match.returncode == 0
        exports.append(run_isolarium("export", "last", "--json", "--no-times", *runs).stdout)
    assert exports[0] == exports[1]
    games = json.loads(exports[0])["games"]
    assert len(games) == 8
    assert {game["reason"] for game in games} == {"no moves"}


def test_messages_of_a_program_go_into_the_log_of_the_run(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\necho cannot play today >&2\n", encoding="utf-8")
    program.chmod(0o755)
    match = ("match", f"engine:{program}", "random", "--board", "3x3", "--pairs", "1")
    result = run_isolarium(*match, "--no-accuracy", "--runs", str(tmp_path / "runs"))
    assert "its program ended (exit status 0); it printed nothing" in " ".join(result.stdout.split())
    (log,) = tmp_path.glob("runs/*/agents.log")
    assert "cannot play today" in log.read_text(encoding="utf-8")
