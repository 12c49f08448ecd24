"""The jobs of a cluster's worker: playing batches or solving positions.

A worker runs in a single Dask thread and calls the same functions as local workers.
"""

import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any, Final, Protocol

from isolarium.agents import AgentFailure, make_agent, parse_spec
from isolarium.arena.batch_codec import to_bytes
from isolarium.arena.cluster.file_bundle import FileBundle, UnpackedBundle
from isolarium.arena.cluster.worker_answers import (
    MOST_SMALL_BYTES,
    MOST_TEXT,
    failure_json,
    most_bytes_of_batch,
    read_batch,
    read_solution,
    result_json,
)
from isolarium.arena.referee import Batch, PlayedBatch, compile_agent, get_ready, play_batch, plays_compiled
from isolarium.compat import pin_to_cores, usable_cores
from isolarium.game.board import Board
from isolarium.game.notation import parse_board
from isolarium.game.position import Position
from isolarium.limits import Limit, Stop, per_second
from isolarium.native.cache import cache_folder
from isolarium.processes.code_loader import load_nothing_here
from isolarium.solver.solution import Solution
from isolarium.solver.solver import Solver, load_solver
from isolarium.text import shortened

CALIBRATION: Final = "alphabeta:improved@nodes=20000"
CALIBRATION_BOARD: Final = "7x7"
CALIBRATIONS: Final = 3
BUNDLES: Final = "bundles"
"""The folder of agents' files, beside compiled code."""
MOST_JOBS: Final = 16
"""The number of runs that a worker keeps prepared at the same time."""


def answer(function: Callable[..., Any], *arguments: Any) -> bytes:
    """Call a function, and return its result or its error as bytes.

    Dask itself sometimes loses exceptions.
    """
    try:
        return result_json(function(*arguments))
    except Exception as error:
        return failure_json(error)


class Job(Protocol):
    """The job of a cluster's workers in one run.

    The coordinator creates the job and sends it to each worker.
    """

    @property
    def is_timed(self) -> bool:
        """Whether the agents' moves depend on the clock."""

    def get_ready(self, compiles: bool) -> None:
        """Prepare a worker for its first task.

        `compiles` is true for one worker on each machine.
        """

    def do(self, task: Any) -> Any:
        """Perform a task on a worker that is ready."""

    def most_bytes(self, task: Any) -> int:
        """Return the maximum length of the answer to a task."""

    def read(self, task: Any, data: bytes, most_seconds: float) -> Any:
        """Parse the answer to a task, in the coordinator.

        Args:
            task: The task.
            data: The answer.
            most_seconds: The time since the task was sent, which limits reported times.

        Raises:
            ValueError: If the answer is invalid or impossible.
            WorkerFailed: If the worker reports a failure.
        """


@dataclass(frozen=True)
class Games:
    """The job of playing batches.

    Attributes:
        players: The agents.
        board: ROWSxCOLS.
        files: The agents' files.
        is_timed: Whether the agents' moves depend on the clock.
    """

    players: tuple[str, ...]
    board: str
    files: FileBundle
    is_timed: bool

    @cached_property
    def _unpacked(self) -> UnpackedBundle:
        return UnpackedBundle(self.files, cache_folder() / BUNDLES)

    def get_ready(self, compiles: bool) -> None:
        """See `Job`."""
        players = tuple(map(self._unpacked.spec_here, self.players))
        compiled = not self.is_timed and plays_compiled(players, 0)
        get_ready(players, self._unpacked.own, compiled=compiled)
        for spec in dict.fromkeys(players) if compiles else ():
            with suppress(AgentFailure):  # A real failure recurs in a game, where it counts.
                compile_agent(spec, players, parse_board(self.board), compiled)

    def do(self, task: Batch) -> PlayedBatch:
        """Play a batch with the agents' files on this machine.

        The games' notes use the coordinator's file names.
        """
        first, second = map(self._unpacked.spec_here, task.specs)
        played = play_batch(replace(task, specs=(first, second)))
        if task.compiled and (first, second) == task.specs:  # There are no notes.
            return played
        games = task.read(played.games)
        if not games.notes:
            return played
        notes = {place: shortened(self._unpacked.named_back(note), MOST_TEXT) for place, note in games.notes.items()}
        return replace(played, games=to_bytes(replace(games, notes=notes)))

    def most_bytes(self, task: Batch) -> int:
        """See `Job`."""
        return most_bytes_of_batch(task)

    def read(self, task: Batch, data: bytes, most_seconds: float) -> PlayedBatch:
        """See `Job`."""
        return read_batch(data, task, most_seconds)


@dataclass(frozen=True)
class Starts:
    """The job of solving positions of a board, one at a time.

    Attributes:
        board: The board.
        limit: The limit for one position.
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
        """Solve a position, unless the task is cancelled."""
        return self._solver.solve(task, self.limit, _is_cancelled())

    def most_bytes(self, task: Position) -> int:
        """See `Job`."""
        return MOST_SMALL_BYTES

    def read(self, task: Position, data: bytes, most_seconds: float) -> Solution:
        """See `Job`."""
        return read_solution(data, task, self.limit)


def _is_cancelled() -> Stop:
    """Return a function that checks whether this worker's current task was cancelled."""
    from distributed import get_worker  # Imported here: the coordinator imports this module but must not load Dask.

    worker = get_worker()
    tasks, key = worker.state.tasks, worker.get_current_task()

    def is_cancelled() -> bool:
        task = tasks.get(key)
        return task is None or task.state == "cancelled"

    return is_cancelled


_jobs: dict[str, Job] = {}  # By run, ordered by last use


def prepare(run: str, job: Job, core: int | None, compiles: bool) -> float | None:
    """Get ready for a run: unpack files, reserve a core, compile code.

    Args:
        run: The run's unique name.
        job: The job to do for the run.
        core: This worker's own core, if it has one.
        compiles: Whether to compile, on behalf of all workers of this machine.

    Returns:
        For a timed run, this worker's speed: the nodes per second of a fixed search.
    """
    load_nothing_here()
    warnings.simplefilter("ignore")  # The coordinator shows warnings once.
    pin_to_cores(usable_cores() if core is None else [core])
    job.get_ready(compiles)
    _jobs[run] = job
    while len(_jobs) > MOST_JOBS:
        del _jobs[next(iter(_jobs))]
    return _calibrate() if job.is_timed else None


def do(run: str, task: Any) -> Any:
    """Perform a task of a run for which this worker is ready."""
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
