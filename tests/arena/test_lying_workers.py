"""Workers of a cluster that lie: the run names them and ends with correct games."""

import os
import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from isolarium.arena import Conditions
from isolarium.arena.cluster.remote_solver import Doubted, survey_on
from isolarium.arena.cluster.remote_workers import Cluster
from isolarium.arena.plan import match_plan
from isolarium.arena.provenance import read_verdicts
from isolarium.arena.results import read_results
from isolarium.arena.run_db import Record
from isolarium.errors import RunAborted
from isolarium.game.board import Board
from isolarium.limits import Limit
from isolarium.reporting.run_summary import run_facts
from isolarium.solver.solution import Solution
from isolarium.solver.start_map import starts
from isolarium.solver.survey import survey
from tests.arena.clusters import DaskCluster, dask_cluster
from tests.arena.liars import HONEST_TYPES, LIES, executing, returning_code
from tests.arena.playing import play
from tests.samples import sample

pytestmark = pytest.mark.slow

PLAN = match_plan("random", "random", Conditions(pairs=300, board="4x4"))
WHY = {
    "shortened moves": "its games are invalid: game 0, ",
    "another winner": "its games are invalid: game 0, ",
    "another pair": "its games are invalid: game 0, ",
    "one game for all": "its games are invalid: game 0, ",
    "an unknown reason": "its games are invalid: a batch with reasons out of range",
    "a flipped bit": "its games are invalid: a batch of games that is not what was written",
    "a time that is a text": "its answer is invalid: result.seconds: '0.1': expected a number",
    "a time without end": "its answer is invalid: result.seconds: inf: expected a finite number",
    "no JSON": "its answer is invalid: Invalid JSON",
    "too many bytes": "its answer is invalid: it returned 16,",
    "an object": "its answer is invalid: it returned a list; expected bytes",
}
SOLVING = """
def answer(function, *arguments):
    told = honest["answer"](function, *arguments)
    if function.__name__ != "do":
        return told
    begun.touch()
    return {lie}

here.answer = answer
"""
NO_SOLUTIONS = {
    "a move that is not legal": 'told.replace(b\'"move": "\', b\'"move": "z\')',
    "nothing known without a limit": 'b\'{"result": {"wins": null, "move": null, "nodes": 1}}\'',
    "a win without a move": 'b\'{"result": {"wins": true, "move": null, "nodes": 1}}\'',
    "a loss with a move": 'b\'{"result": {"wins": false, "move": "a1", "nodes": 1}}\'',
    "less than no nodes": 'b\'{"result": {"wins": false, "move": null, "nodes": -1}}\'',
    "no solution": "b'{\"result\": 7}'",
    "nothing": 'b"{}"',
}


@pytest.fixture(scope="module")
def two_workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    with dask_cluster(tmp_path_factory.mktemp("dask"), workers=2) as started:
        yield started


@pytest.fixture
def lost_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    """A cluster of one worker for one test alone: what the worker gets into it stays there."""
    with dask_cluster(tmp_path_factory.mktemp("lost"), workers=1) as started:
        yield started


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> str:
    return play(tmp_path_factory.mktemp("undisturbed"), PLAN, workers=1)


def _check_named(run: Path, worker: str, why: str) -> None:
    """Check that a run has refused only that worker, for that reason, and that its summary says so."""
    with closing(Record(run)) as record:
        (output,) = read_verdicts(record).refused
        shown = [part for fact in run_facts(read_results(record)) for part in fact.parts]
    assert f"{worker}: {why}" in output
    assert re.search(r"; its \d+ games were played again by others$", output)
    assert output in shown


@pytest.mark.parametrize("lie", sample(LIES, 4))
def test_a_worker_that_lies_is_named_and_everything_it_played_is_played_again(
    lie: str, tmp_path: Path, undisturbed: str, two_workers: DaskCluster
) -> None:
    with two_workers.misbehaving(LIES[lie]) as odd, closing(Cluster(two_workers.address, checked=0.0)) as cluster:
        assert play(tmp_path, PLAN, cluster=cluster) == undisturbed
    _check_named(tmp_path, odd, WHY[lie])


def test_an_object_executes_nothing_here(tmp_path: Path, undisturbed: str, two_workers: DaskCluster) -> None:
    lie = returning_code(_creating(tmp_path))
    with two_workers.misbehaving(lie) as odd, closing(Cluster(two_workers.address, checked=0.0)) as cluster:
        relay = str(cluster.relay.number)
        assert play(tmp_path / "run", PLAN, cluster=cluster) == undisturbed
    assert not {str(os.getpid()), relay} & {path.name for path in tmp_path.iterdir()}
    _check_named(tmp_path / "run", odd, "its answer is invalid: it returned an object; expected bytes")


def test_code_that_a_worker_gets_into_the_relay_writes_nothing(
    tmp_path: Path, undisturbed: str, lost_cluster: DaskCluster
) -> None:
    with (
        lost_cluster.several_misbehaving([executing(_creating(tmp_path))], HONEST_TYPES, honest=0),
        closing(Cluster(lost_cluster.address)) as cluster,
    ):
        assert play(tmp_path / "run", PLAN, cluster=cluster) == undisturbed
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def _creating(folder: Path) -> str:
    """Return a text that creates a file with the number of the process that executes it."""
    return f"import os; open({str(folder)!r} + f'/{{os.getpid()}}', 'w').close()"


@pytest.mark.parametrize(
    ("code", "output"),
    [
        ("__import__('os')._exit(0)", "the relay of tcp://127.0.0.1:{port} has ended"),
        (
            "[one.send_bytes(b'!') for one in __import__('gc').get_objects() if type(one).__name__ == 'Inbox']",
            "the relay of tcp://127.0.0.1:{port} sent something invalid: Invalid JSON",
        ),
    ],
)
def test_a_worker_that_takes_over_the_relay_ends_the_run_with_a_line_and_it_can_be_resumed(
    code: str, output: str, tmp_path: Path, undisturbed: str, lost_cluster: DaskCluster
) -> None:
    output = output.format(port=lost_cluster.address.rpartition(":")[2])
    with (
        lost_cluster.several_misbehaving([executing(code)], HONEST_TYPES, honest=0),
        closing(Cluster(lost_cluster.address)) as cluster,
        pytest.raises(RunAborted, match=output),
    ):
        play(tmp_path, PLAN, cluster=cluster)
    assert play(tmp_path, PLAN, workers=1) == undisturbed


@pytest.mark.parametrize("lie", sample(NO_SOLUTIONS, 2))
def test_a_worker_that_returns_no_solution_is_named_and_its_starts_are_solved_by_others(
    lie: str, two_workers: DaskCluster
) -> None:
    board = Board(3, 4)
    with (
        two_workers.misbehaving(SOLVING.format(lie=NO_SOLUTIONS[lie])) as odd,
        closing(Cluster(two_workers.address, checked=0.0)) as cluster,
    ):
        output = list(survey_on(cluster, board, starts(board), None, Limit()))
    (doubted,) = [one for one in output if isinstance(one, Doubted)]
    assert doubted.worker == odd
    assert f"{odd}: its answer is invalid: " in doubted.why
    solved = {one.position: one for one in output if isinstance(one, Solution)}
    assert solved == {one.position: one for one in survey(starts(board), None, 1)}
