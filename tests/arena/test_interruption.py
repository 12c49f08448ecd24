"""Runs that are interrupted and killed from outside: nothing is lost, nothing stays behind."""

import os
import signal
from pathlib import Path

import pytest

from tests.arena.playing import exported
from tests.arena.processes import (
    descendants,
    games_in,
    is_alive,
    name_of,
    running,
    the_run,
    wait_until,
    workers_of,
)
from tests.command import run_isolab

pytestmark = pytest.mark.slow

AGENTS = ("random", "random", "--board", "6x6", "--pairs", "2000")
MATCH = ("match", *AGENTS, "--workers", "2", "--no-accuracy")
HEURISTIC = """
from isolab.heuristics import heuristic


@heuristic
def mine(view, own, opp):
    return 1.0
"""


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> str:
    runs = tmp_path_factory.mktemp("undisturbed")
    result = run_isolab(*MATCH, "--runs", str(runs))
    assert result.returncode == 0
    return exported(_folder(runs))


def _folder(runs: Path) -> Path:
    folder = the_run(runs)
    assert folder is not None
    return folder


def _resume(runs: Path) -> str:
    result = run_isolab("resume", "last", "--runs", str(runs))
    assert (result.returncode, result.stderr.count("Traceback")) == (0, 0)
    return exported(_folder(runs))


def test_ctrl_c_keeps_what_is_finished_and_resume_goes_on(tmp_path: Path, undisturbed: str) -> None:
    with running(*MATCH, "--runs", str(tmp_path)) as run:
        wait_until(lambda: games_in(tmp_path) > 0, 60, "a first game")
        os.killpg(run.pid, signal.SIGINT)  # as a terminal does
        shown, told = run.communicate(timeout=60)
    assert run.returncode == 130
    assert "Traceback" not in told
    assert "not finished" in shown
    assert "isolab resume goes on with it" in shown
    assert "what agents have printed" not in shown
    assert 0 < games_in(tmp_path) < 4000
    assert _resume(tmp_path) == undisturbed


def test_ctrl_c_before_the_first_game_is_quiet(tmp_path: Path) -> None:
    with running(*MATCH, "--runs", str(tmp_path)) as run:
        wait_until(lambda: bool(workers_of(run.pid)), 60, "a first worker")
        os.killpg(run.pid, signal.SIGINT)
        _, told = run.communicate(timeout=60)
    assert run.returncode == 130
    assert "Traceback" not in told


def test_killed_at_once_and_amid_games(tmp_path: Path, undisturbed: str) -> None:
    with running(*MATCH, "--runs", str(tmp_path)) as run:
        wait_until(lambda: the_run(tmp_path) is not None, 60, "a record")
        os.kill(run.pid, signal.SIGKILL)
    for games in (1, 1500):
        with running("resume", "last", "--runs", str(tmp_path)) as run:
            wait_until(lambda games=games: games_in(tmp_path) >= games, 60, "games")  # type: ignore[misc]
            os.kill(run.pid, signal.SIGKILL)
    assert _resume(tmp_path) == undisturbed


def test_a_killed_worker_is_replaced(tmp_path: Path, undisturbed: str) -> None:
    with running(*MATCH, "--runs", str(tmp_path)) as run:
        for games in (1, 1500):
            wait_until(lambda games=games: games_in(tmp_path) >= games, 60, "games")  # type: ignore[misc]
            os.kill(workers_of(run.pid)[0], signal.SIGKILL)
        _, told = run.communicate(timeout=60)
    assert (run.returncode, told.count("Traceback")) == (0, 0)
    assert exported(_folder(tmp_path)) == undisturbed


def test_a_second_resume_of_a_living_run_is_refused(tmp_path: Path) -> None:
    slow = ("match", "mcts@nodes=50k", "random", "--runs", str(tmp_path))
    with running(*slow):
        wait_until(lambda: games_in(tmp_path) > 0, 60, "a first game")
        result = run_isolab("resume", "last", "--runs", str(tmp_path))
        listed = run_isolab("runs", "--runs", str(tmp_path)).stdout
    assert result.returncode == 2
    assert "this run is being played by another process" in result.stderr
    assert "playing" in listed


def test_everything_ends_within_2_s_of_the_runs_death(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(HEURISTIC, encoding="utf-8")
    agents = (f"alphabeta:{file}:mine@nodes=3m", "strong:improved@nodes=30m")
    with running("match", *agents, "--runs", str(tmp_path), "--workers", "2") as run:
        wait_until(lambda: _hosts(run.pid) >= 2, 120, "both workers' agents")
        started = descendants(run.pid)
        os.kill(run.pid, signal.SIGKILL)
        wait_until(lambda: not any(map(is_alive, started)), 2, "the end of all processes")


def _hosts(process: int) -> int:
    """How many workers have their foreign agent at work."""
    return sum(
        any("isolab.agents.host" in name_of(child) for child in descendants(worker))
        for worker in workers_of(process)
    )
