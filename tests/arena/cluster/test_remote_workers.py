"""Runs on a cluster: the same games as locally, although workers die, join, hang, fail or lie."""

import os
import re
import signal
import socket
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from math import inf
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

import isolarium
from isolarium.arena import Conditions
from isolarium.arena.cluster import relay
from isolarium.arena.cluster.remote_solver import Doubted, survey_on
from isolarium.arena.cluster.remote_workers import Cluster, ClusterWorkers, TimeLimit
from isolarium.arena.local_workers import Joined, Returned
from isolarium.arena.plan import Plan, match_plan, tournament_plan
from isolarium.arena.provenance import read_verdicts
from isolarium.arena.run_db import Record
from isolarium.errors import InputError, RunAborted
from isolarium.game.board import Board
from isolarium.game.position import Reason
from isolarium.limits import Limit
from isolarium.processes import forkserver
from isolarium.processes.worker import Worker
from isolarium.solver.start_map import starts
from isolarium.solver.survey import SurveyFile, survey
from isolarium.stats import SprtPlan
from isolarium.studies.tuning_config import Tuning
from isolarium.studies.tuning_runner import CONFIRMATION, begin_tuning, play_tuning
from tests.arena.clusters import DaskCluster, dask_cluster
from tests.arena.playing import exported, play, when_played
from tests.arena.processes import family, games_in, is_alive, running, wait_until
from tests.command import assert_refused, run_isolarium
from tests.samples import sample

pytestmark = pytest.mark.slow

CHANCE = match_plan("random", "random", Conditions(pairs=300, board="4x4"))

AGENT = """
from beside import last


class CustomPlayer:
    def __init__(self, *_, **__):
        pass

    def get_move(self, game, *_):
        moves = sorted(game.get_legal_moves())
        return last(moves) if moves else (-1, -1)
"""
BESIDE = """
def last(moves):
    return moves[-1]
"""
LYING = """
from dataclasses import replace

from isolarium.arena.batch_codec import to_bytes

def do(run, task):
    begun.touch()
    done = honest["do"](run, task)
    if not hasattr(done, "games"):
        return replace(done, nodes=done.nodes + 1)
    games = task.read(done.games)
    return replace(done, games=to_bytes(replace(games, nodes=games.nodes + 7)))

here.do = do
"""
HANGING = """
here.wakes = Event()

def do(run, task):
    begun.touch()
    here.wakes.wait()

here.do = do
"""
WAKING = "here.wakes.set()"
KEEPING_ANSWERS = """
from asyncio import Event as Never
from distributed import get_worker

async def keep(*_, **__):
    await Never().wait()

def do(run, task):
    here.handlers = get_worker().handlers
    here.handlers.setdefault("given", here.handlers["get_data"])
    here.handlers["get_data"] = keep
    begun.touch()
    return honest["do"](run, task)

here.do = do
"""
GIVING_ANSWERS = """
here.handlers["get_data"] = here.handlers.pop("given")
"""
FAILING = """
def do(run, task):
    begun.touch()
    raise OSError("no space left on device")

here.do = do
"""
OTHER = """
import isolarium, numba, platform

honest.setdefault("versions", (isolarium.__version__, numba.__version__, platform.python_version_tuple))
{other}
told = platform.python_version_tuple

def python_version_tuple():
    begun.touch()
    return told()

platform.python_version_tuple = python_version_tuple
"""
SAME = """
import isolarium, numba, platform

isolarium.__version__, numba.__version__, platform.python_version_tuple = honest["versions"]
"""


@pytest.fixture(scope="module")
def two_workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    """Two workers and their scheduler; whoever takes one away adds another."""
    with dask_cluster(tmp_path_factory.mktemp("dask"), workers=2) as started:
        yield started


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What a run of `CHANCE` leaves on this machine."""
    return play(tmp_path_factory.mktemp("undisturbed"), CHANCE, workers=1)


def test_a_tournament_is_the_same_game_for_game_with_files_that_travel(
    tmp_path: Path, two_workers: DaskCluster
) -> None:
    (tmp_path / "beside.py").write_text(BESIDE, encoding="utf-8")
    (tmp_path / "mine.py").write_text(AGENT, encoding="utf-8")
    plan = tournament_plan(
        [f"course:{tmp_path}/mine.py@calls=50", "greedy:open", "alphabeta:improved@nodes=30"],
        Conditions(pairs=3, board="4x4"),
    )
    here = play(tmp_path / "here", plan, workers=1)
    with closing(Cluster(two_workers.address, checked=1.0)) as cluster:
        assert play(tmp_path / "there", plan, cluster=cluster) == here
    with closing(Record(tmp_path / "there")) as record:
        found = read_verdicts(record)
        assert {game.reason for game in record.games()} == {Reason.NO_MOVES}
    assert found.checked > 0
    assert not found.differed


def test_a_test_ends_at_the_same_pair(tmp_path: Path, two_workers: DaskCluster) -> None:
    conditions = Conditions(pairs=2000, board="5x5")
    plan = match_plan("greedy:improved", "random", conditions, SprtPlan(0, 60))
    here = play(tmp_path / "here", plan, workers=1)
    with closing(Cluster(str(two_workers.file))) as cluster:
        assert play(tmp_path / "there", plan, cluster=cluster) == here


def test_a_match_from_python_and_a_tuning_run_are_the_same_too(tmp_path: Path, two_workers: DaskCluster) -> None:
    there = isolarium.match("random", "random", pairs=3, board="3x3", cluster=two_workers.address)
    here = isolarium.match("random", "random", pairs=3, board="3x3", workers=1)
    assert exported(there.folder) == exported(here.folder)
    counts: dict[str, Any] = {"trials": 2, "round": 2, "pairs": 2, "confirm": 2}
    tuning = Tuning("greedy:aggressive(weight={0..4})", against="random", board="4x4", **counts)
    tuned, also_tuned = (begin_tuning(tuning, tmp_path / where) for where in ("here", "there"))
    with closing(Cluster(two_workers.address)) as cluster:
        found = play_tuning(also_tuned, cluster=cluster)
    assert found.trials == play_tuning(tuned, workers=1).trials
    played = [exported(one.folder / CONFIRMATION) for one in (tuned, also_tuned)]
    assert played[0] == played[1]


def test_timed_games_have_a_core_each_and_the_speed_of_their_worker_is_kept(
    tmp_path: Path, two_workers: DaskCluster
) -> None:
    from distributed import Client  # takes long to import

    plan = match_plan("random", "random", Conditions(pairs=4, board="3x3", move_ms=5000))
    with closing(Cluster(two_workers.address)) as cluster:
        play(tmp_path, plan, cluster=cluster)
    with closing(Record(tmp_path)) as record:
        names = record.facts_beginning("played by ")
        kept = [record.json_fact(name, None) for name in names]
        played = {name.split()[2] for name in names}
    assert all(one["nodes_a_second"] > 0 for one in kept)
    pairs = [pair for one in kept for _, first, end in one["batches"] for pair in range(first, end)]
    assert sorted(pairs) == [0, 1, 2, 3]
    with Client(two_workers.address) as client:
        cores = [client.submit(os.sched_getaffinity, 0, pure=False, workers=[worker]).result() for worker in played]
    assert all(len(own) == 1 for own in cores)
    assert len(set.union(*cores)) == len(cores)


def test_one_worker_killed_and_one_added_lose_and_double_no_game(
    tmp_path: Path, undisturbed: str, two_workers: DaskCluster
) -> None:
    def change() -> None:
        two_workers.workers.pop(0).kill()
        two_workers.add_worker()

    with closing(Cluster(two_workers.address)) as cluster:
        run = tmp_path / "run"
        assert play(run, CHANCE, stop=when_played(run, 1, change), cluster=cluster) == undisturbed


def test_when_the_scheduler_is_killed_the_run_goes_on_with_another(
    tmp_path: Path, undisturbed: str, two_workers: DaskCluster
) -> None:
    run = tmp_path / "run"
    with (
        dask_cluster(tmp_path / "dask", workers=1) as started,
        closing(Cluster(started.address)) as cluster,
        pytest.raises(RunAborted, match=r"the scheduler of tcp://127\.0\.0\.1:\d+ is gone"),
    ):
        play(run, CHANCE, stop=when_played(run, 1, started.scheduler.kill), cluster=cluster)
    with closing(Cluster(two_workers.address)) as cluster:
        assert play(run, CHANCE, cluster=cluster) == undisturbed


def test_a_silent_worker_is_dropped(tmp_path: Path, undisturbed: str, two_workers: DaskCluster) -> None:
    worker, run = two_workers.workers[0], tmp_path / "run"
    silent = when_played(run, 1, lambda: worker.send_signal(signal.SIGSTOP))
    try:
        with closing(Cluster(two_workers.address, silent_s=15.0)) as cluster:
            assert play(run, CHANCE, stop=silent, cluster=cluster) == undisturbed
    finally:
        worker.send_signal(signal.SIGCONT)


def test_missing_answers_do_not_delay_others(two_workers: DaskCluster) -> None:
    board = Board(3, 3)
    with (
        two_workers.misbehaving(KEEPING_ANSWERS, GIVING_ANSWERS) as odd,
        closing(Cluster(two_workers.address)) as cluster,
    ):
        workers = cluster.solvers(board, Limit())
        came = set[str]()
        while len(came) < 2:
            came |= {event.worker for event in workers.poll(60.0) if isinstance(event, Joined)}
        (other,) = came - {odd}
        position = starts(board)[0]
        for number in range(20):
            workers.submit(odd, number, position)
        workers.submit(other, 20, position)
        heard = [event.number for event in workers.poll(60.0) if isinstance(event, Returned)]
        workers.stop()
    assert heard == [20]


class _Impatient(Cluster):
    """One that has no patience with one of its workers."""

    hangs = ""

    def workers(self, plan: Plan, files: Mapping[str, bytes], time_limit: TimeLimit) -> ClusterWorkers:
        return super().workers(plan, files, lambda worker, _: 0 if worker == self.hangs else inf)


def test_a_worker_that_hangs_is_named_and_its_batches_are_played_by_another(
    tmp_path: Path, undisturbed: str, two_workers: DaskCluster
) -> None:
    with two_workers.misbehaving(HANGING, WAKING) as odd, closing(_Impatient(two_workers.address)) as cluster:
        cluster.hangs = odd
        assert play(tmp_path, CHANCE, cluster=cluster) == undisturbed
    assert _refused(tmp_path, odd) == "it failed: no answer after 0 s"


def test_a_worker_that_fails_is_named_and_its_batches_are_played_by_another(
    tmp_path: Path, undisturbed: str, two_workers: DaskCluster
) -> None:
    with two_workers.misbehaving(FAILING) as odd, closing(Cluster(two_workers.address)) as cluster:
        assert play(tmp_path, CHANCE, cluster=cluster) == undisturbed
    assert _refused(tmp_path, odd) == "it failed: OSError: no space left on device"


OTHER_VERSIONS = [
    ("isolarium.__version__ = '0.1'", "it has isolarium 0.1; expected isolarium "),
    ("del isolarium.__version__", "it has no isolarium; expected isolarium "),
    ("numba.__version__ = '0.1'", "it has numba 0.1; expected numba "),
    ("platform.python_version_tuple = lambda: ('3', '1', '0')", "it has python 3.1; expected python "),
]


@pytest.mark.parametrize(("other", "output"), sample(OTHER_VERSIONS, 2))
def test_a_worker_with_another_version_is_refused_by_name(
    other: str, output: str, tmp_path: Path, undisturbed: str, two_workers: DaskCluster
) -> None:
    with (
        two_workers.misbehaving(OTHER.format(other=other), SAME) as odd,
        closing(Cluster(two_workers.address)) as cluster,
    ):
        assert play(tmp_path, CHANCE, cluster=cluster) == undisturbed
    assert _refused(tmp_path, odd).startswith(output)


def _refused(run: Path, worker: str) -> str:
    """Why the only worker that a run has refused was, which is that one."""
    with closing(Record(run)) as record:
        (output,) = read_verdicts(record).refused
    named, _, why = output.partition(f" at {worker}: ")
    assert named.startswith("worker worker-")
    return why


def test_a_lying_workers_games_are_played_again(tmp_path: Path, undisturbed: str, two_workers: DaskCluster) -> None:
    with two_workers.misbehaving(LYING) as odd, closing(Cluster(two_workers.address, checked=1.0)) as cluster:
        assert play(tmp_path, CHANCE, cluster=cluster) == undisturbed
    with closing(Record(tmp_path)) as record:
        assert read_verdicts(record).differed.keys() == {odd}


def test_starts_are_solved_as_locally_without_a_liars_answers(tmp_path: Path, two_workers: DaskCluster) -> None:
    board = Board(3, 4)
    here = {solution.position: solution for solution in survey(starts(board), None, 1)}
    with (
        two_workers.misbehaving(LYING) as odd,
        closing(Cluster(two_workers.address, checked=1.0)) as cluster,
        closing(SurveyFile(tmp_path / "starts", board)) as file,
    ):
        output = list(survey_on(cluster, board, starts(board), file, Limit()))
    assert [one.worker for one in output if isinstance(one, Doubted)] == [odd]
    with closing(SurveyFile(tmp_path / "starts", board)) as file:
        assert file.solutions == here


def test_the_command_solves_on_a_local_cluster() -> None:
    command = ("solve", "--board", "3x4", "--all", "--json")
    there = run_isolarium(*command, "--cluster", "local:1")
    assert there.returncode == 0, there.stderr
    assert there.stdout == run_isolarium(*command).stdout


def test_a_local_cluster_ends_with_a_killed_command(tmp_path: Path) -> None:
    command = ("match", "random", "random", "--pairs", "100000", "--runs", str(tmp_path))
    with running(*command, "--cluster", "local:1", new_interpreter=True) as run:
        wait_until(lambda: games_in(tmp_path) > 0, "a game")
        started = family(run.pid)
        os.kill(run.pid, signal.SIGKILL)
        wait_until(lambda: not any(map(is_alive, started)), "the end of all processes")
    assert len(started) >= 3  # a fork server, the relay, and a worker


def test_the_relay_has_limited_memory_and_no_terminal(
    two_workers: DaskCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    from isolarium.arena.cluster.relay_main import MEMORY_BYTES  # imports Dask

    monkeypatch.setattr(relay, "Worker", Worker)
    monkeypatch.setattr(forkserver, "_ours", [])  # as for users, whose relay imports Dask within its sandbox
    with closing(Cluster(two_workers.address)) as cluster:
        process = Path(f"/proc/{cluster.relay.number}")
        (line,) = re.findall(r"Max data size +(\d+)", (process / "limits").read_text())
        streams = {str((process / "fd" / str(stream)).readlink()) for stream in range(3)}
    assert int(line) == MEMORY_BYTES
    assert streams == {os.devnull}


def test_when_the_relay_is_killed_the_run_ends_with_a_line_and_goes_on_with_another(
    tmp_path: Path, undisturbed: str, two_workers: DaskCluster
) -> None:
    def kill_relay() -> None:
        assert cluster.relay.number is not None
        os.kill(cluster.relay.number, signal.SIGKILL)

    with (
        closing(Cluster(two_workers.address)) as cluster,
        pytest.raises(RunAborted, match=r"the relay of tcp://127\.0\.0\.1:\d+ has ended"),
    ):
        play(tmp_path, CHANCE, stop=when_played(tmp_path, 1, kill_relay), cluster=cluster)
    with closing(Cluster(two_workers.address)) as cluster:
        assert play(tmp_path, CHANCE, cluster=cluster) == undisturbed


@pytest.mark.parametrize(
    "address",
    [
        *("nowhere.json", "local:none", "udp://127.0.0.1:9", "tcp://127.0.0.1:x", "tcp://"),
        *("local:257", f"local:{'9' * 5000}", f"tcp://127.0.0.1:{'9' * 5000}"),
    ],
)
def test_an_invalid_cluster_address_is_named(address: str) -> None:
    with pytest.raises(InputError, match=address[:50]):
        Cluster(address)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"address": 3}', '{"address": "tcp://127.0.0.1:9"}'])
def test_a_file_that_no_scheduler_wrote_is_named(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "scheduler.json").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=r"scheduler\.json"):
        Cluster("scheduler.json")


@pytest.mark.parametrize("answer", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b""])
def test_a_server_that_is_not_a_scheduler_is_refused(answer: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        def greet() -> None:
            with suppress(OSError):  # closed
                while True:
                    connection, _ = server.accept()
                    with connection:
                        connection.sendall(answer)

        Thread(target=greet, daemon=True).start()
        with pytest.raises(InputError, match=f"{port}': no scheduler answers there"):
            Cluster(f"tcp://127.0.0.1:{port}")
        server.shutdown(socket.SHUT_RDWR)


def test_a_server_that_stops_answering_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isolarium.arena.cluster.remote_workers.CONNECT_S", 0.5)
    monkeypatch.setattr(relay, "CLOSE_S", 0.5)
    held = list[socket.socket]()
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        def greet() -> None:
            with suppress(OSError):  # closed
                while True:
                    held.append(server.accept()[0])
                    held[-1].sendall(b"+OK\r\n")  # a length has 8 bytes

        Thread(target=greet, daemon=True).start()
        with pytest.raises(InputError, match=f"{port}': no scheduler answers there"):
            Cluster(f"tcp://127.0.0.1:{port}")
        server.shutdown(socket.SHUT_RDWR)
    for connection in held:
        connection.close()


def test_a_server_that_never_answers_is_refused() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with pytest.raises(InputError, match=f"{port}': no scheduler answers there"):
            Cluster(f"tcp://127.0.0.1:{port}")


def test_a_cluster_that_is_not_there_is_named_and_nothing_is_written(tmp_path: Path) -> None:
    command = ("match", "random", "greedy:open", "--runs", str(tmp_path / "runs"))
    assert_refused(run_isolarium(*command, "--cluster", "tcp://127.0.0.1:9"), "tcp://127.0.0.1:9")
    assert not (tmp_path / "runs").exists()
