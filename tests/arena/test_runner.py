"""Runs: the same games with any workers, after crashes and interruptions."""

import json
import os
import re
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from isolarium.analysis.run_statistics import overview_of
from isolarium.arena import Conditions, runner
from isolarium.arena.local_workers import LOG_NAME
from isolarium.arena.plan import match_plan, tournament_plan
from isolarium.arena.referee import Batch, PlayedBatch
from isolarium.arena.run_db import Record
from isolarium.arena.runner import Progress, play_run
from isolarium.arena.schedule import Schedule, Span
from isolarium.arena.session import Session
from isolarium.errors import InputError, RunAborted
from isolarium.game.position import Reason
from isolarium.processes.worker import Worker
from isolarium.reporting.run_report import report_document
from isolarium.stats import SprtPlan
from tests.arena.players import miscount, play_others
from tests.arena.playing import exported, fill_disk, games_of, play, when_played
from tests.arena.processes import kill, own_workers, wait_until
from tests.playing import made_up_row

pytestmark = pytest.mark.slow

HEURISTIC = """
from isolarium.heuristics import heuristic


@heuristic
def mine(view, own, opp):
    return 0.0
"""

CHANCE = match_plan("random", "random", Conditions(pairs=600, board="5x5"))

SEARCHES = tournament_plan(
    [
        "strong:improved@nodes=300",
        "mcts@nodes=300",
        "minmax_approximation:ratio@nodes=100",
        "alphabeta:free_moves(2, 3, 1.2)@nodes=50",
    ],
    Conditions(pairs=3, board="5x6", plies=1),
)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What a run of `CHANCE` leaves if nothing happens to it."""
    return play(tmp_path_factory.mktemp("undisturbed"), CHANCE, workers=1)


WRONG_BATCHES = {
    miscount: r"a worker returned game 0, [02], 0: a game that did not end this way: ",
    play_others: "a worker returned game 0, ",
}


@pytest.mark.parametrize(("wrong", "output"), WRONG_BATCHES.items())
def test_a_batch_that_is_not_what_was_asked_for_ends_the_run_in_one_line(
    wrong: Callable[[Batch], PlayedBatch],
    output: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    undisturbed: str,
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(runner, "play_batch", wrong)
        with pytest.raises(RunAborted) as caught:
            play(tmp_path, CHANCE)
    assert re.search(f"of random against random: {output}", str(caught.value))
    assert str(caught.value).endswith("; this is a bug in Isolarium, please report it")
    assert str(caught.value).isprintable()
    assert play(tmp_path, CHANCE) == undisturbed


def test_a_run_on_a_system_that_counts_no_load_can_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "load", lambda: None)
    play(tmp_path, match_plan("random", "random", Conditions(pairs=1, board="5x5")))
    with closing(Record(tmp_path)) as record:
        [sitting] = record.sittings()
        assert sitting["load"] is None
        output = repr(report_document(record, overview_of(record)))
    assert "workers 2" in output
    assert "load None" not in output


def test_every_game_is_there_once(undisturbed: str) -> None:
    games = json.loads(undisturbed)["games"]
    assert [(game["pair"], game["game"]) for game in games] == [(pair, leg) for pair in range(1, 601) for leg in (1, 2)]


def test_sides_are_swapped_within_a_pair(undisturbed: str) -> None:
    games = json.loads(undisturbed)["games"]
    for one, other in zip(games[::2], games[1::2], strict=True):
        assert one["opening"] == other["opening"]
        assert (one["first"], one["second"]) == (other["second"], other["first"])


@pytest.mark.slow
def test_no_search_carries_anything_from_game_to_game(tmp_path: Path) -> None:
    one, two = (play(tmp_path / str(workers), SEARCHES, workers) for workers in (1, 2))
    assert one == two
    assert len(json.loads(one)["games"]) == SEARCHES.games


def test_a_run_that_was_stopped_goes_on(tmp_path: Path, undisturbed: str) -> None:
    play(tmp_path, CHANCE, stop=lambda: games_of(tmp_path) > 0)
    assert 0 < games_of(tmp_path) < CHANCE.games
    assert play(tmp_path, CHANCE) == undisturbed


def kill_a_worker() -> None:
    wait_until(lambda: bool(own_workers()), "a worker")
    kill(own_workers()[0])


def test_a_killed_worker_loses_only_its_batch(tmp_path: Path, undisturbed: str) -> None:
    assert play(tmp_path, CHANCE, stop=when_played(tmp_path, 1, kill_a_worker)) == undisturbed


def test_a_worker_killed_while_it_starts_loses_nothing(tmp_path: Path, undisturbed: str) -> None:
    killing = when_played(tmp_path, 0, kill_a_worker)
    assert play(tmp_path, CHANCE, workers=1, stop=killing) == undisturbed


def kill_all_workers() -> bool:
    for worker in own_workers():
        kill(worker)
    return False


def test_an_interrupt_while_workers_begin_leaves_none_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun = list[Worker]()

    def begin(*arguments: Any, **named: Any) -> Worker:
        if begun:
            raise KeyboardInterrupt
        begun.append(Worker(*arguments, **named))
        return begun[0]

    monkeypatch.setattr("isolarium.arena.local_workers.Worker", begin)
    with closing(Session.begin(CHANCE, tmp_path).record) as record, pytest.raises(KeyboardInterrupt):
        play_run(record, workers=2)
    assert begun[0].line.closed  # which is when it is gone


def test_a_batch_over_which_every_worker_dies_ends_the_run(tmp_path: Path) -> None:
    plan = match_plan("mcts@nodes=1e12", "random", Conditions(pairs=5, board="13x13"))
    with pytest.raises(RunAborted, match=r"5 workers died over pairs 1 to 1 of mcts.* against"):
        play(tmp_path / "run", plan, workers=1, stop=kill_all_workers)


LEAVING = """
import os

def leaving(position):
    os._exit(1)

def broken(position):
    raise ValueError("broken")
"""


def test_a_run_that_is_removed_as_its_workers_begin_says_so(tmp_path: Path) -> None:
    def remove() -> bool:
        shutil.rmtree(tmp_path / "run", ignore_errors=True)
        return False

    with pytest.raises(RunAborted, match="removed while the run was played; its games are lost"):
        play(tmp_path / "run", CHANCE, workers=1, stop=remove)


def test_a_file_that_ends_its_process_costs_games_and_no_worker(tmp_path: Path) -> None:
    file = tmp_path / "leaving.py"
    file.write_text(LEAVING, encoding="utf-8")
    plan = match_plan(f"agent:{file}:leaving", "random", Conditions(pairs=2, board="3x3"))
    play(tmp_path / "run", plan, workers=1)
    with closing(Record(tmp_path / "run")) as record:
        assert record.is_finished
        assert {str(game.reason) for game in record.games()} == {"crash"}


BROKEN = """
from isolarium.heuristics import heuristic


@heuristic
def mine(view, own, opp):
    if own != opp:
        raise ValueError("broken")
    return 0.0
"""


def test_a_heuristic_that_fails_ends_the_run_at_once_and_shows_its_line(tmp_path: Path) -> None:
    file = tmp_path / "broken.py"
    file.write_text(BROKEN, encoding="utf-8")
    plan = match_plan(f"greedy:{file}:mine", "random", Conditions(pairs=500, board="3x4"))
    message = r'mine: ValueError: broken \(broken\.py, line 8: raise ValueError\("broken"\)\)$'
    with pytest.raises(RunAborted, match=message):
        play(tmp_path / "run", plan)
    assert games_of(tmp_path / "run") == 0


def test_an_agent_that_fails_in_game_after_game_ends_the_run_which_can_go_on(tmp_path: Path) -> None:
    file, run = tmp_path / "broken.py", tmp_path / "run"
    file.write_text(LEAVING, encoding="utf-8")
    plan = match_plan(f"agent:{file}:broken", "random", Conditions(pairs=20_000, board="3x4"))
    output = r"^agent:.*broken\.py:broken failed in 10 games in a row: ValueError: broken"
    with pytest.raises(RunAborted, match=output):
        play(run, plan)
    before = games_of(run)
    assert 10 <= before < plan.games
    with pytest.raises(RunAborted, match=output):
        play(run, plan)
    assert before + 10 <= games_of(run) < plan.games


def test_a_run_whose_games_are_all_played_is_finished_though_its_agent_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Schedule, "_span", lambda *_: Span(0, 0, 6))
    file, run = tmp_path / "broken.py", tmp_path / "run"
    file.write_text(LEAVING, encoding="utf-8")
    play(run, match_plan(f"agent:{file}:broken", "random", Conditions(pairs=6, board="3x4")))
    with closing(Record(run)) as record:
        assert (record.is_finished, record.count()) == (True, 12)


def test_a_test_ends_at_the_same_pair_whatever_the_workers(tmp_path: Path) -> None:
    plan = match_plan("greedy:improved", "random", Conditions(pairs=2000, board="5x5"), SprtPlan(0, 60))
    one, two = (play(tmp_path / str(workers), plan, workers) for workers in (1, 2))
    assert one == two
    assert 10 < len(json.loads(one)["games"]) < plan.games
    with closing(Record(tmp_path / "2")) as record:
        assert record.is_finished


def test_killed_between_the_decision_and_its_note(tmp_path: Path) -> None:
    plan = match_plan("greedy:improved", "random", Conditions(pairs=2000, board="5x5"), SprtPlan(0, 60))
    finished = play(tmp_path, plan)
    with closing(Record(tmp_path, writes=True)) as record:
        openings = record.openings()
        record.add(
            made_up_row(
                (0, game.pair + 700, game.leg), openings[game.pair + 700], plan.board, game.winner, Reason.RESIGNATION
            )
            for game in list(record.games())
        )
        with record._base.changes():
            record._base.remove("facts", "name = ?", ["finished"])
    assert exported(tmp_path) != finished
    assert play(tmp_path, plan) == finished


def test_workers_of_a_timed_run_have_a_core_each(tmp_path: Path) -> None:
    plan = match_plan("random", "random", Conditions(pairs=60, move_ms=5000))
    cores: list[set[int]] = []
    others = set(own_workers())  # of servers and clusters of other tests

    def affinities() -> list[set[int]]:
        return [os.sched_getaffinity(worker) for worker in own_workers() if worker not in others]

    def look() -> bool:
        one_each = [1] * len(os.sched_getaffinity(0))
        wait_until(lambda: [*map(len, affinities())] == one_each, "workers that have begun")
        cores.extend(affinities())
        return True

    play(tmp_path, plan, workers=99, stop=look)
    assert sorted(core for own in cores for core in own) == sorted(os.sched_getaffinity(0))


def test_an_agent_that_has_changed_is_not_played_on(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(HEURISTIC, encoding="utf-8")
    plan = match_plan(f"greedy:{file}:mine", "random", Conditions(pairs=2))
    play(tmp_path / "run", plan, workers=1, stop=lambda: True)
    file.write_text(HEURISTIC.replace("0.0", "1.0"), encoding="utf-8")
    with pytest.raises(InputError, match="it has changed; restore it as it was"):
        play(tmp_path / "run", plan, workers=1)


HELPED = """
from helpers import value
from elsewhere import other
from isolarium.heuristics import heuristic


@heuristic
def mine(view, own, opp):
    return value(view) + other
"""
HELPER = """
from deeper import constant
from isolarium.heuristics import helper


@helper
def value(view):
    return constant
"""


@pytest.mark.parametrize("edited", ["helpers.py", "deeper.py", "../lib/elsewhere.py"])
def test_a_file_that_an_agents_file_imports_may_not_change_either(
    edited: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "me@home"
    for path, text in {
        "mine.py": HELPED,
        "helpers.py": HELPER,
        "deeper.py": "constant = 1.0",
        "../lib/elsewhere.py": "other = 1.0",
    }.items():
        (folder / path).resolve().parent.mkdir(exist_ok=True)
        (folder / path).resolve().write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path / "lib")
    plan = match_plan(f"greedy:{folder}/mine.py:mine", "random", Conditions(pairs=2, board="3x3"))
    play(tmp_path / "run", plan, workers=1, stop=lambda: True)
    with (folder / edited).open("a", encoding="utf-8") as file:
        file.write("\n")
    with pytest.raises(InputError, match=f"{Path(edited).name}: it has changed; restore it as"):
        play(tmp_path / "run", plan, workers=1)


def test_a_file_that_takes_a_helpers_place_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(f"from json import dumps\n{HEURISTIC}", encoding="utf-8")
    plan = match_plan(f"greedy:{tmp_path}/mine.py:mine", "random", Conditions(pairs=2))
    play(tmp_path / "run", plan, workers=1, stop=lambda: True)
    (tmp_path / "json.py").write_text("dumps = 0", encoding="utf-8")
    with pytest.raises(InputError, match=r"json\.py: an agent loads this file; expected only"):
        play(tmp_path / "run", plan, workers=1)


def test_what_agents_print_is_kept_apart(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "loud.py"
    file.write_text(f"print('hello')\n{HEURISTIC}", encoding="utf-8")
    plan = match_plan(f"greedy:{file}:mine", "random", Conditions(pairs=2, board="3x3"))
    capfd.readouterr()
    play(tmp_path / "run", plan, workers=1)
    assert "hello" in (tmp_path / "run" / LOG_NAME).read_text()
    assert capfd.readouterr().out == ""


def test_circumstances_are_stored_for_every_session(tmp_path: Path) -> None:
    plan = match_plan("random", "random", Conditions(pairs=5, board="3x3"))
    play(tmp_path, plan, workers=1, stop=lambda: True)
    play(tmp_path, plan, workers=1)
    with closing(Record(tmp_path)) as record:
        sittings = json.loads(record.fact("circumstances") or "")
    assert [sitting["games_before"] for sitting in sittings] == [0, 0]
    assert {sitting["workers"] for sitting in sittings} == {1}
    assert not (tmp_path / LOG_NAME).exists()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", sittings[0]["since"])


def test_a_run_whose_folder_is_removed_ends_and_says_so(tmp_path: Path) -> None:
    plan = match_plan("random", "random", Conditions(pairs=400, board="5x5"))
    folder = tmp_path / "run"

    def removed(progress: Progress) -> None:
        if progress.played and folder.exists():
            shutil.rmtree(folder)

    with (
        closing(Record.create(folder, plan)) as record,
        pytest.raises(RunAborted, match="removed while the run was played"),
    ):
        play_run(record, 1, removed)


def test_a_disk_that_is_full_ends_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = match_plan("random", "random", Conditions(pairs=400, board="5x5"))
    Record.create(tmp_path, plan).close()
    fill_disk(monkeypatch)
    with closing(Record(tmp_path, writes=True)) as record, pytest.raises(RunAborted, match="No space left on device"):
        play_run(record, 1)


@pytest.mark.parametrize("statement", ["BEGIN EXCLUSIVE", "PRAGMA wal_checkpoint(TRUNCATE)"])
def test_a_disk_that_fills_up_while_a_run_is_created_leaves_no_folder(
    statement: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Full(sqlite3.Connection):
        def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
            if sql == statement:
                raise sqlite3.OperationalError("database or disk is full")
            return super().execute(sql, *values)

    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=Full))
    with pytest.raises(OSError, match="No space left on device"):
        Session.begin(match_plan("random", "random", Conditions(pairs=9, board="5x5")), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_is_full_from_the_start_leaves_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill_disk(monkeypatch)
    with pytest.raises(OSError, match="No space left on device"):
        Session.begin(match_plan("random", "random", Conditions(pairs=9, board="5x5")), tmp_path)
    assert list(tmp_path.iterdir()) == []
