"""The jobs of a cluster's worker: playing batches or solving positions.

A worker runs in a single Dask thread and calls the same functions as local workers.
"""

import os
import re
import tempfile
import time
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Protocol

from isolarium.agents import AgentFailure, make_agent, parse_spec
from isolarium.arena.batch_codec import to_bytes
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
from isolarium.errors import InputError
from isolarium.game.board import Board, parse_board
from isolarium.game.position import Position
from isolarium.limits import Limit, Stop, per_second
from isolarium.native.cache import cache_folder
from isolarium.processes.code_loader import load_nothing_here
from isolarium.processes.own_code import Packed
from isolarium.removal import remove_tree
from isolarium.safe_files import file_holds
from isolarium.solver.solution import Solution
from isolarium.solver.solver import Solver, load_solver
from isolarium.spec.parser import OWN, tree_of
from isolarium.text import shortened

PRIVATE: Final = 0o700
READABLE: Final = 0o600
ATTEMPTS: Final = 3
"""How often to retry unpacking if another process changes or removes the files."""
KEPT_S: Final = 90 * 86400.0
"""How long files are kept on a machine after their last use."""


@dataclass(frozen=True, slots=True)
class BundledFile:
    """A file of a bundle.

    Attributes:
        path: The file's resolved path on the coordinator's machine.
        content: The file's content.
        mode: The file's permissions; an engine must be executable.
        digest: A digest of the content.
    """

    path: str
    content: bytes
    mode: int
    digest: str


@dataclass(frozen=True, slots=True)
class FileBundle:
    """The files that a run's agents need in addition to Isolarium.

    Attributes:
        files: The files.
        names: The file names in specs, with each file's path on the coordinator's machine.
        own: The objects of the user's program named in specs.
    """

    files: tuple[BundledFile, ...]
    names: Mapping[str, str]
    own: tuple[Packed, ...] = ()

    @property
    def digest(self) -> str:
        """A digest of all files, their paths and permissions."""
        parts = sorted((file.path, file.digest, file.mode) for file in self.files)
        return sha256(repr(parts).encode()).hexdigest()


def bundle_files(contents: Mapping[str, bytes], named: set[str], own: tuple[Packed, ...] = ()) -> FileBundle:
    """Bundle the files that agents need.

    Args:
        contents: The contents, by name, of the files named in specs and of the files that those load.
        named: The file names in specs.
        own: The objects of the user's program named in specs.

    Raises:
        InputError: If a file is outside the folders of the files named in specs, where workers would not find it.
    """
    paths = {name: Path(name).expanduser().resolve() for name in contents}
    folders = {paths[name].parent for name in named}
    for name, path in paths.items():
        if not any(path.is_relative_to(folder) for folder in folders):
            problem = "an agent loads it from outside its folder, so other machines cannot find it"
            raise InputError(f"{name}: {problem}; move it beside the file that loads it")
    files = tuple(
        BundledFile(str(path), contents[name], path.stat().st_mode & PRIVATE, sha256(contents[name]).hexdigest())
        for name, path in paths.items()
    )
    return FileBundle(files, {name: str(paths[name]) for name in sorted(named)}, own)


class UnpackedBundle:
    """A bundle in its folder on a worker's machine.

    Args:
        bundle: The bundle.
        folder: The folder of this machine's bundles, which is created with access for its owner only.

    Raises:
        OSError: If the files cannot be written, or if they change afterwards.
    """

    def __init__(self, bundle: FileBundle, folder: Path) -> None:
        here = _unpack(bundle, folder.resolve()) if bundle.files else folder
        self._places = {name: f"{here}{path}" for name, path in bundle.names.items()}
        # A worker plays many runs, and two runs may use the same name for different objects.
        self.own = tuple(replace(one, name=f"{one.name}_{one.digest[:16]}") for one in bundle.own)
        for before, here_named in zip(bundle.own, self.own, strict=True):
            self._places[f"{OWN}:{before.name}"] = f"{OWN}:{here_named.name}"
        self._names = {place: name for name, place in self._places.items()}

    def spec_here(self, spec: str) -> str:
        """Return a spec with the paths on this machine."""
        tree = tree_of(spec)
        named = (*tree.files, *(f"{OWN}:{name}" for name in tree.own))
        return _replaced(spec, {name: self._places[name] for name in named})

    def named_back(self, note: str) -> str:
        """Return a game's note with the names used on the coordinator's machine."""
        return _replaced(note, self._names)


def _unpack(bundle: FileBundle, folder: Path) -> Path:
    """Unpack a bundle into its own folder, and return the folder.

    Other workers may unpack the same bundle at the same time.

    Raises:
        OSError: If the bundle cannot be unpacked.
    """
    folder.mkdir(PRIVATE, parents=True, exist_ok=True)
    folder.chmod(PRIVATE)
    _remove_old(folder)
    place = folder / bundle.digest
    for _ in range(ATTEMPTS):
        if not place.is_dir():
            own = Path(tempfile.mkdtemp(dir=folder))
            _write(bundle, own)
            try:
                own.rename(place)
            except OSError:  # Another process created it first.
                remove_tree(own)
        if _is_intact(bundle, place):
            os.utime(place)
            return place
        remove_tree(place)
    raise OSError("the files of agents do not stay as they were sent")


def _write(bundle: FileBundle, own: Path) -> None:
    for file in bundle.files:
        place = Path(f"{own}{file.path}")
        place.parent.mkdir(PRIVATE, parents=True, exist_ok=True)
        place.write_bytes(file.content)
        place.chmod(file.mode | READABLE)


def _is_intact(bundle: FileBundle, folder: Path) -> bool:
    return all(file_holds(Path(f"{folder}{file.path}"), file.content) for file in bundle.files)


def _remove_old(folder: Path) -> None:
    for place in folder.iterdir():
        with suppress(OSError):
            if time.time() - place.stat().st_mtime > KEPT_S:
                remove_tree(place)


def _replaced(text: str, others: Mapping[str, str]) -> str:
    """Return text with some words replaced, starting with the longest."""
    if not others:
        return text
    words = "|".join(map(re.escape, sorted(others, key=len, reverse=True)))
    return re.sub(words, lambda found: others[found[0]], text)


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
