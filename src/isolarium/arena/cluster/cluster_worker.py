"""What a worker of a cluster does: it says who it is, gets ready for a run, and plays its batches, or solves positions.

That is done in the one thread that Dask gives it, by the same functions as on a machine alone.
"""

import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any, Final, Protocol

from isolarium.agents import AgentFailure, make_agent, parse_spec, warm_up
from isolarium.arena.cluster.file_bundle import Cargo, Unpacked
from isolarium.arena.cluster.worker_answers import (
    MOST_SMALL_BYTES,
    failure_json,
    most_bytes_of_batch,
    read_batch,
    read_solution,
    result_json,
)
from isolarium.arena.game import Game
from isolarium.arena.referee import Batch, PlayedBatch, get_ready, play_batch
from isolarium.compat import keep_to, usable_cores
from isolarium.game.board import Board
from isolarium.game.notation import parse_board
from isolarium.game.position import Position
from isolarium.limits import Limit, Stop, per_second
from isolarium.native.cache import cache_folder
from isolarium.processes.permissions import load_nothing_here
from isolarium.solver.solution import Solution
from isolarium.solver.solver import Solver, load_solver

CALIBRATION: Final = "alphabeta:improved@nodes=20000"
CALIBRATION_BOARD: Final = "7x7"
CALIBRATIONS: Final = 3
CARGO: Final = "cargo"
"""The folder of agents' files, beside compiled code."""
MOST_JOBS: Final = 16
"""Runs for which a worker stays ready at a time."""


def answer(function: Callable[..., Any], *arguments: Any) -> bytes:
    """Call a function, and return its result or its failure as JSON: Dask may lose an error on its way."""
    try:
        return result_json(function(*arguments))
    except Exception as error:
        return failure_json(error)


class Job(Protocol):
    """What the workers of a cluster do for one run: made here, and sent to each of them."""

    @property
    def is_timed(self) -> bool:
        """Whether the clock decides."""

    def get_ready(self, compiles: bool) -> None:
        """Do what is to be done before the first task, on a worker; compile, once for all those of a machine."""

    def do(self, task: Any) -> Any:
        """Do a task, on a worker that is ready."""

    def most_bytes(self, task: Any) -> int:
        """Return how long the answer to a task can be."""

    def read(self, task: Any, data: bytes, most_seconds: float) -> Any:
        """Read the answer to a task, which took no longer than that, in the coordinator.

        Raises:
            ValueError: If this cannot be the result.
            WorkerFailed: If the worker reports a failure.
        """


@dataclass(frozen=True)
class Games:
    """To play batches.

    Attributes:
        players: the agents.
        board: ROWSxCOLS.
        cargo: their files.
        is_timed: whether the clock decides.
    """

    players: tuple[str, ...]
    board: str
    cargo: Cargo
    is_timed: bool

    @cached_property
    def _files(self) -> Unpacked:
        return Unpacked(self.cargo, cache_folder() / CARGO)

    def get_ready(self, compiles: bool) -> None:
        """See `Job`."""
        players = tuple(map(self._files.spec_here, self.players))
        get_ready(players)
        for spec in dict.fromkeys(players) if compiles else ():
            with suppress(AgentFailure):  # it will fail again where it counts
                warm_up(spec, parse_board(self.board))

    def do(self, task: Batch) -> PlayedBatch:
        """Play a batch with the agents' files as they lie here, and name them as they are called there."""
        first, second = map(self._files.spec_here, task.specs)
        played = play_batch(replace(task, specs=(first, second)))
        return replace(played, games=[self._kept(game) for game in played.games])

    def _kept(self, game: Game) -> Game:
        """Return what the record keeps of a game: without a clock, no time that an agent was at work."""
        named = self._files.named_back(game)
        return named if self.is_timed else replace(named, busy_ms=named.times_ms)

    def most_bytes(self, task: Batch) -> int:
        """See `Job`."""
        return most_bytes_of_batch(task)

    def read(self, task: Batch, data: bytes, most_seconds: float) -> PlayedBatch:
        """See `Job`."""
        return read_batch(data, task, most_seconds)


@dataclass(frozen=True)
class Starts:
    """To solve positions of a board, one at a time.

    Attributes:
        board: the board.
        limit: what one position may cost.
    """

    board: Board
    limit: Limit
    is_timed: bool = False

    @cached_property
    def _solver(self) -> Solver:
        return Solver()

    def get_ready(self, compiles: bool) -> None:
        """See `Job`."""
        load_solver(self.board, distance=False)

    def do(self, task: Position) -> Solution:
        """Solve a position; given up once nobody waits for it any more."""
        return self._solver.solve(task, self.limit, _is_unwanted())

    def most_bytes(self, task: Position) -> int:
        """See `Job`."""
        return MOST_SMALL_BYTES

    def read(self, task: Position, data: bytes, most_seconds: float) -> Solution:
        """See `Job`."""
        return read_solution(data, task, self.limit)


def _is_unwanted() -> Stop:
    """Return what tells whether the task that this worker is at was cancelled."""
    from distributed import get_worker  # here: the coordinator imports this module, and not Dask

    worker = get_worker()
    tasks, key = worker.state.tasks, worker.get_current_task()

    def unwanted() -> bool:
        task = tasks.get(key)
        return task is None or task.state == "cancelled"

    return unwanted


_jobs: dict[str, Job] = {}  # by run, the one used last at the end


def prepare(run: str, job: Job, core: int | None, compiles: bool) -> float | None:
    """Get ready for a run: files, a core, compiled code.

    Args:
        run: a name that no other has.
        job: what is to be done.
        core: the one that is this worker's own.
        compiles: whether to compile, once for all the workers of a machine.

    Returns:
        For a timed run, how fast this worker is: nodes a second of a search that is always the same.
    """
    load_nothing_here()
    warnings.simplefilter("ignore")  # the machine that asks shows them, once
    keep_to(usable_cores() if core is None else [core])
    job.get_ready(compiles)
    _jobs[run] = job
    while len(_jobs) > MOST_JOBS:
        del _jobs[next(iter(_jobs))]
    return _calibrate() if job.is_timed else None


def do(run: str, task: Any) -> Any:
    """Do a task of a run for which this worker is ready."""
    job = _jobs[run] = _jobs.pop(run)
    return job.do(task)


@cache
def _calibrate() -> float:
    position = Position.empty(parse_board(CALIBRATION_BOARD))
    agent = make_agent(parse_spec(CALIBRATION))
    agent.new_game(0)
    agent.prepare(position)
    best = 0.0
    for _ in range(CALIBRATIONS):
        began = time.perf_counter()
        nodes = agent.choose(position).report.nodes
        best = max(best, per_second(nodes, time.perf_counter() - began))
    return best
