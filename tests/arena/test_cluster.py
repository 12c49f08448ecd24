"""Runs on a cluster: the same games as here, whoever dies, comes or lies."""

import json
import signal
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from isolab.arena.cluster import Cluster
from isolab.arena.planning import Conditions, match_plan, tournament_plan
from isolab.arena.record import Record
from isolab.arena.runner import RunAborted
from isolab.arena.trust import read_verdicts
from isolab.stats import SprtPlan
from tests.arena.clusters import DaskCluster, dask_cluster
from tests.arena.playing import play, when_played
from tests.arena.processes import wait_until
from tests.command import assert_refused, run_isolab

pytestmark = pytest.mark.slow

CHANCE = match_plan("random", "random", Conditions(pairs=600, board="5x5"))

HEURISTIC = """
from beside import value
from isolab.heuristics import heuristic


@heuristic
def mine(view, own, opp):
    return value
"""
LYING = """
from dataclasses import replace
from isolab.arena import cluster_worker
from isolab.arena.worker import play_batch


def lying(batch):
    played = play_batch(batch)
    first, *rest = played.games
    return replace(played, games=[replace(first, nodes=[7 for _ in first.nodes]), *rest])


cluster_worker.play_batch = lying
"""
OLDER = """
from isolab.arena import cluster_worker

cluster_worker.__version__ = "0.0.1"
"""


@pytest.fixture(scope="module")
def two_workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    with dask_cluster(tmp_path_factory.mktemp("dask"), workers=2) as started:
        yield started


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What a run of `CHANCE` leaves on this machine."""
    return play(tmp_path_factory.mktemp("undisturbed"), CHANCE)


def test_a_tournament_is_the_same_game_for_game_with_files_that_travel(
    tmp_path: Path, two_workers: DaskCluster
) -> None:
    (tmp_path / "beside.py").write_text("value = 1.0", encoding="utf-8")
    (tmp_path / "mine.py").write_text(HEURISTIC, encoding="utf-8")
    plan = tournament_plan(
        [f"greedy:{tmp_path}/mine.py:mine", "mcts@nodes=100", "strong:improved@nodes=100"],
        Conditions(pairs=4, board="5x5"),
    )
    here = play(tmp_path / "here", plan)
    with closing(Cluster(two_workers.address, checked=1.0)) as cluster:
        assert play(tmp_path / "there", plan, cluster=cluster) == here
    with closing(Record(tmp_path / "there")) as record:
        found = read_verdicts(record)
        assert record.is_finished
    assert found.checked > 0
    assert not found.differed


def test_a_test_ends_at_the_same_pair(tmp_path: Path, two_workers: DaskCluster) -> None:
    conditions = Conditions(pairs=2000, board="5x5")
    plan = match_plan("greedy:improved", "random", conditions, SprtPlan(0, 60))
    here = play(tmp_path / "here", plan)
    with closing(Cluster(str(two_workers.file))) as cluster:
        assert play(tmp_path / "there", plan, cluster=cluster) == here


def test_timed_games_have_a_core_each_and_the_speed_of_their_worker_is_kept(
    tmp_path: Path, two_workers: DaskCluster
) -> None:
    plan = match_plan("random", "random", Conditions(pairs=4, board="3x3", move_ms=5000))
    with closing(Cluster(two_workers.address)) as cluster:
        play(tmp_path, plan, cluster=cluster)
    with closing(Record(tmp_path)) as record:
        kept = [record.json_fact(name, None) for name in record.facts_beginning("played by ")]
    assert kept
    assert all(one["nodes_a_second"] > 0 for one in kept)
    pairs = [pair for one in kept for _, first, end in one["batches"] for pair in range(first, end)]
    assert sorted(pairs) == [0, 1, 2, 3]


def test_one_worker_killed_and_one_added_lose_and_double_no_game(
    tmp_path: Path, undisturbed: str
) -> None:
    with (
        dask_cluster(tmp_path / "dask", workers=2) as started,
        closing(Cluster(started.address)) as cluster,
    ):

        def change() -> None:
            started.workers[0].send_signal(signal.SIGKILL)
            started.add_worker()

        run = tmp_path / "run"
        assert play(run, CHANCE, stop=when_played(run, 1, change), cluster=cluster) == undisturbed


def test_when_the_scheduler_is_killed_the_run_goes_on_with_another(
    tmp_path: Path, undisturbed: str
) -> None:
    run = tmp_path / "run"
    with (
        dask_cluster(tmp_path / "one", workers=1) as started,
        closing(Cluster(started.address)) as cluster,
        pytest.raises(RunAborted, match=r"the scheduler of tcp://127\.0\.0\.1:\d+ is gone"),
    ):
        play(run, CHANCE, stop=when_played(run, 1, started.scheduler.kill), cluster=cluster)
    with (
        dask_cluster(tmp_path / "other", workers=1) as started,
        closing(Cluster(started.address)) as cluster,
    ):
        assert play(run, CHANCE, cluster=cluster) == undisturbed


def test_a_worker_that_falls_silent_is_not_waited_for(tmp_path: Path, undisturbed: str) -> None:
    with (
        dask_cluster(tmp_path / "dask", workers=2) as started,
        closing(Cluster(started.address, silent_s=4.0)) as cluster,
    ):
        run = tmp_path / "run"
        silent = when_played(run, 1, lambda: started.workers[0].send_signal(signal.SIGSTOP))
        assert play(run, CHANCE, stop=silent, cluster=cluster) == undisturbed


def test_a_worker_that_lies_is_found_out_and_its_games_are_played_again(
    tmp_path: Path, undisturbed: str
) -> None:
    with dask_cluster(tmp_path / "dask", workers=1) as started:
        started.add_worker(LYING)
        with closing(Cluster(started.address, checked=1.0)) as cluster:
            wait_until(lambda: cluster.count() == 2, "both workers")
            assert play(tmp_path / "run", CHANCE, cluster=cluster) == undisturbed
    with closing(Record(tmp_path / "run")) as record:
        found = read_verdicts(record)
    assert len(found.differed) == 1


def test_where_there_is_no_other_worker_this_machine_finds_it_out(tmp_path: Path) -> None:
    plan = match_plan("random", "random", Conditions(pairs=3, board="3x3"))
    with dask_cluster(tmp_path / "dask") as started:
        started.add_worker(LYING)
        with closing(Cluster(started.address, checked=1.0)) as cluster:
            told = r"no worker is left to play: the games of tcp://.* were not what they should be"
            with pytest.raises(RunAborted, match=told):
                play(tmp_path / "run", plan, cluster=cluster)
    with closing(Record(tmp_path / "run")) as record:
        assert record.count() == 0


def test_a_worker_of_another_version_is_refused_by_name(tmp_path: Path) -> None:
    with dask_cluster(tmp_path / "dask") as started:
        started.add_worker(OLDER)
        with closing(Cluster(started.address)) as cluster:
            told = r"worker worker-0 at tcp://.*: it has isolab 0\.0\.1; expected "
            with pytest.raises(RunAborted, match=told):
                play(tmp_path / "run", CHANCE, cluster=cluster)


def test_the_command_plays_on_a_cluster_of_its_own(tmp_path: Path) -> None:
    runs = str(tmp_path / "runs")
    plan = ("match", "random", "greedy:open", "--pairs", "3", "--board", "4x4", "--no-accuracy")
    result = run_isolab(*plan, "--runs", runs, "--cluster", "local:1", "--json")
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["games"] == 6


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nowhere.json", "local:none"])
def test_a_cluster_that_is_not_there_is_named_and_nothing_is_written(
    address: str, tmp_path: Path
) -> None:
    runs = tmp_path / "runs"
    command = ("match", "random", "greedy:open", "--runs", str(runs), "--cluster", address)
    assert_refused(run_isolab(*command), address)
    assert not runs.exists()
