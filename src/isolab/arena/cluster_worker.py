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

from distributed import Worker, get_worker

from isolab.agents import AgentFailure, make_agent, parse_spec, warm_up
from isolab.arena.cargo import Cargo, Unpacked
from isolab.arena.worker import Batch, PlayedBatch, get_ready, play_batch
from isolab.game.board import Board
from isolab.game.notation import parse_board
from isolab.game.position import Position
from isolab.limits import Limit, Stop
from isolab.native.cache import cache_folder
from isolab.permits import load_nothing_here
from isolab.solver.solution import Solution
from isolab.solver.solver import Solver, load_solver
from isolab.speed import per_second
from isolab.system import keep_to, usable_cores

_INTRODUCE: Final = """
import os, platform, socket

def version(name):
    try:
        return __import__(name).__version__
    except Exception:
        return ""

try:
    from distributed import get_worker
    name = str(get_worker().name)
except Exception:  # of no cluster
    name = ""
try:
    from isolab.native.cache import cache_folder
    folder = cache_folder()
except Exception:
    folder = None
try:
    cores = sorted(os.sched_getaffinity(os.getpid()))
except AttributeError:  # on systems that do not tell
    cores = range(os.cpu_count() or 1)
said = (
    name,
    f"{socket.gethostname()} {folder}",
    tuple(cores),
    version("isolab"),
    version("numba"),
    ".".join(platform.python_version_tuple()[:2]),
)
"""
CALIBRATION: Final = "alphabeta:improved@nodes=20000"
CALIBRATION_BOARD: Final = "7x7"
CALIBRATIONS: Final = 3
CARGO: Final = "cargo"
"""The folder of agents' files, beside compiled code."""
MOST_JOBS: Final = 16
"""Runs for which a worker stays ready at a time."""


INTRODUCTION: Final = f"(lambda scope: exec({_INTRODUCE!r}, scope) or scope['said'])({{}})"
"""An expression: what an `Introduction` is made of, in words that any Python understands, with any Isolab or none."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a worker answers; where it failed, how: Dask may lose an error on its way, and whoever waits, waits on."""

    value: Any = None
    failure: str | None = None


def answer(function: Callable[..., Any], *arguments: Any) -> Answer:
    """Do something, and tell how it went."""
    try:
        return Answer(function(*arguments))
    except Exception as error:
        return Answer(failure=f"{type(error).__name__}: {error}")


@dataclass(frozen=True, slots=True)
class Introduction:
    """Who a worker is.

    Attributes:
        name: what its cluster calls it.
        machine: where it is; workers of one machine share what is compiled.
        cores: those that it may use.
        isolab: the version; empty if it has none.
        numba: the same.
        python: the version, without the last number.
    """

    name: str
    machine: str
    cores: tuple[int, ...]
    isolab: str
    numba: str
    python: str

    def difference(self, other: "Introduction") -> str | None:
        """In what another's games might differ from ours; None if in nothing that is known."""
        for name in ("isolab", "python", "numba"):
            found, expected = getattr(other, name), getattr(self, name)
            if found != expected:
                has = f"{name} {found}" if found else f"no {name}"
                return f"it has {has}; expected {name} {expected}"
        return None


def introduce() -> Introduction:
    """Say who this process is."""
    return Introduction(*eval(INTRODUCTION))


class Job(Protocol):
    """What the workers of a cluster do for one run: made here, and sent to each of them."""

    @property
    def is_timed(self) -> bool:
        """Whether the clock decides."""

    def get_ready(self, compiles: bool) -> None:
        """Do what is to be done before the first task, on a worker; compile, once for all those of a machine."""

    def do(self, task: Any) -> Any:
        """Do a task, on a worker that is ready."""


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
        return replace(played, games=[self._files.named_back(game) for game in played.games])


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
        return self._solver.solve(task, self.limit, _is_unwanted(get_worker()))


def _is_unwanted(worker: Worker) -> Stop:
    """What says whether the task that a worker is at was taken back."""
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
