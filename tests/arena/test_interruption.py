"""Runs that are interrupted and killed from outside: nothing is lost, nothing stays behind."""

import os
import re
import signal
from contextlib import suppress
from pathlib import Path

import pytest

from tests.arena.playing import exported
from tests.arena.processes import family, games_in, is_alive, name_of, running, the_run, wait_until, workers_of
from tests.command import PATIENCE_S, complaints, run_isolarium

pytestmark = pytest.mark.slow

MATCH = (
    *("match", "alphabeta:improved@nodes=3000", "alphabeta:open@nodes=3000"),
    *("--board", "6x6", "--pairs", "400"),
    *("--workers", "2", "--no-accuracy"),
)
ENDLESS = (
    *("tournament", "random", "random", "mcts@nodes=1e15"),
    *("--board", "9x11", "--pairs", "5", "--workers", "2"),
)
"""After the first pair of random moves, both workers are at a game that nobody lives to see the end of."""
HEURISTIC = """
from isolarium.heuristics import heuristic


@heuristic
def mine(view, own, opp):
    return 1.0
"""


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> str:
    runs = tmp_path_factory.mktemp("undisturbed")
    result = run_isolarium(*MATCH, "--runs", str(runs))
    assert result.returncode == 0
    return exported(_folder(runs))


def _folder(runs: Path) -> Path:
    folder = the_run(runs)
    assert folder is not None
    return folder


def _wait_for_games(runs: Path, games: int) -> None:
    wait_until(lambda: games_in(runs) >= games, f"{games} games")


def test_ctrl_c_keeps_what_is_finished_and_resume_goes_on(tmp_path: Path) -> None:
    for games, command in ((2, ENDLESS), (4, ("resume", "last", "--workers", "2"))):
        with running(*command, "--runs", str(tmp_path)) as run:
            _wait_for_games(tmp_path, games)
            os.killpg(run.pid, signal.SIGINT)  # as a terminal does
            shown, output = run.communicate(timeout=PATIENCE_S)
        assert run.returncode == 130
        assert "Traceback" not in output
        assert "not finished" in shown
        assert re.search(r"isolarium\s+resume\s+\S+\s+continues\s+it", shown)
        assert "the agents' output" not in shown
        assert games_in(tmp_path) == games


def test_ctrl_c_before_the_first_game_is_quiet(tmp_path: Path) -> None:
    with running(*ENDLESS, "--runs", str(tmp_path)) as run:
        wait_until(lambda: bool(workers_of(run.pid)), "a first worker")
        os.killpg(run.pid, signal.SIGINT)
        _, output = run.communicate(timeout=PATIENCE_S)
    assert run.returncode == 130
    assert "Traceback" not in output


def test_a_run_that_is_terminated_leaves_nothing_behind_and_says_nothing(tmp_path: Path) -> None:
    with running(*ENDLESS, "--runs", str(tmp_path)) as run:
        _wait_for_games(tmp_path, 2)
        os.kill(run.pid, signal.SIGTERM)
        shown, output = run.communicate(timeout=PATIENCE_S)
    assert run.returncode == 143
    assert (shown, complaints(output)) == ("", [])


def test_a_terminated_process_group_exits_as_a_terminated_command(tmp_path: Path) -> None:
    with running(*ENDLESS, "--runs", str(tmp_path)) as run:
        _wait_for_games(tmp_path, 2)
        os.killpg(run.pid, signal.SIGTERM)  # the fork server and the workers receive it, too
        shown, output = run.communicate(timeout=PATIENCE_S)
    assert run.returncode == 143
    assert (shown, complaints(output)) == ("", [])


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGKILL])
def test_ended_at_any_moment_it_goes_on_to_the_same_games(
    tmp_path: Path, undisturbed: str, ending: signal.Signals
) -> None:
    """At once, and amid games; it does no harm if they are all played by then."""
    with running(*MATCH, "--runs", str(tmp_path)) as run:
        wait_until(lambda: the_run(tmp_path) is not None, "a record")
        os.kill(run.pid, ending)
        run.communicate(timeout=PATIENCE_S)
    for games in (1, 300):
        with running("resume", "last", "--runs", str(tmp_path)) as run:
            _wait_for_games(tmp_path, games)
            with suppress(ProcessLookupError):
                os.kill(run.pid, ending)
            run.communicate(timeout=PATIENCE_S)
    result = run_isolarium("resume", "last", "--runs", str(tmp_path))
    assert (result.returncode, result.stderr.count("Traceback")) == (0, 0)
    assert exported(_folder(tmp_path)) == undisturbed


def test_a_killed_worker_is_replaced(tmp_path: Path) -> None:
    with running(*ENDLESS, "--runs", str(tmp_path)) as run:
        _wait_for_games(tmp_path, 2)
        before = workers_of(run.pid)
        os.kill(before[0], signal.SIGKILL)
        wait_until(lambda: not {*workers_of(run.pid)} <= {*before}, "another worker")
        os.killpg(run.pid, signal.SIGINT)
        _, output = run.communicate(timeout=PATIENCE_S)
    assert (run.returncode, output.count("Traceback")) == (130, 0)


def test_a_second_resume_of_a_living_run_is_refused(tmp_path: Path) -> None:
    with running(*ENDLESS, "--runs", str(tmp_path)):
        _wait_for_games(tmp_path, 2)
        result = run_isolarium("resume", "last", "--runs", str(tmp_path))
        listed = run_isolarium("runs", "--runs", str(tmp_path)).stdout
    assert result.returncode == 2
    assert "another process is playing this run" in result.stderr
    assert "playing" in listed


def test_all_processes_end_with_the_run(tmp_path: Path) -> None:
    """Within 2 s, says `tools/proofs/kill_runs.py`; here it is enough that nobody thinks to the end."""
    file = tmp_path / "mine.py"
    file.write_text(HEURISTIC, encoding="utf-8")
    agents = (f"alphabeta:{file}:mine@nodes=1e15", "strong:improved@nodes=1e15")
    command = ("match", *agents, "--runs", str(tmp_path), "--workers", "2")
    with running(*command, new_interpreter=True) as run:
        wait_until(lambda: _hosts(run.pid) >= 2, "both workers' agents")
        started = family(run.pid)
        os.kill(run.pid, signal.SIGKILL)
        wait_until(lambda: not any(map(is_alive, started)), "the end of all processes")


def _hosts(process: int) -> int:
    """Return how many third-party agents run, each with its supervisor; Linux keeps 15 characters of a name."""
    return sum(name_of(child) == "agents.subproce" for child in family(process)) // 2
