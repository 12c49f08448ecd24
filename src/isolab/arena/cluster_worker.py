"""What a worker of a cluster does: it says who it is, gets ready for a run, and plays its batches.

Its games are played in the one thread that Dask gives it, by the same function as in processes of our own.
"""

import os
import platform
import socket
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

import numba
from distributed import get_worker

from isolab import __version__
from isolab.agents import AgentFailure, make_agent, parse_spec, warm_up
from isolab.arena.cargo import Cargo, Unpacked
from isolab.arena.worker import Batch, PlayedBatch, get_ready, play_batch
from isolab.game.notation import parse_board
from isolab.game.position import Position
from isolab.native.cache import cache_folder
from isolab.permits import load_nothing_here
from isolab.speed import per_second

CALIBRATION: Final = "alphabeta:improved@nodes=20000"
CALIBRATION_BOARD: Final = "7x7"
CALIBRATIONS: Final = 3


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
        isolab: the version.
        numba: the version.
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
                return f"it has {name} {found}; expected {expected}"
        return None


def introduce(name: str = "") -> Introduction:
    """Say who this process is; a worker of a cluster is called as that calls it."""
    return Introduction(
        name,
        f"{socket.gethostname()} {cache_folder()}",
        tuple(sorted(os.sched_getaffinity(os.getpid()))),
        __version__,
        numba.__version__,
        ".".join(platform.python_version_tuple()[:2]),
    )


def introduce_worker() -> Introduction:
    """Say who this worker is."""
    return introduce(str(get_worker().name))


@dataclass(frozen=True, slots=True)
class Kit:
    """What a worker needs before its first batch of a run.

    Attributes:
        run: a name that no other has.
        players: the agents.
        board: ROWSxCOLS.
        cargo: their files.
        is_timed: whether the clock decides.
    """

    run: str
    players: tuple[str, ...]
    board: str
    cargo: Cargo
    is_timed: bool


_unpacked: dict[str, Unpacked] = {}


def prepare(kit: Kit, core: int | None, compiles: bool) -> float | None:
    """Get ready for a run: files, a core, compiled code.

    Args:
        kit: what is needed.
        core: the one that is this worker's own.
        compiles: whether to compile, once for all the workers of a machine.

    Returns:
        For a timed run, how fast this worker is: nodes a second of a search that is always the same.
    """
    load_nothing_here()
    warnings.simplefilter("ignore")  # the machine that asks shows them, once
    own = os.sched_getaffinity(os.getpid()) if core is None else {core}
    os.sched_setaffinity(0, own)  # of this thread, and of what it starts
    folder = Path(get_worker().local_directory) / f"isolab-{kit.run}"
    _unpacked[kit.run] = Unpacked(kit.cargo, folder)
    players = tuple(map(_unpacked[kit.run].spec_here, kit.players))
    get_ready(players)
    for spec in dict.fromkeys(players) if compiles else ():
        with suppress(AgentFailure):  # it will fail again where it counts
            warm_up(spec, parse_board(kit.board))
    return _calibrate() if kit.is_timed else None


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


def play(run: str, batch: Batch) -> PlayedBatch:
    """Play a batch with the agents' files as they lie here, and name them as they are called there."""
    unpacked = _unpacked[run]
    first, second = map(unpacked.spec_here, batch.specs)
    played = play_batch(replace(batch, specs=(first, second)))
    return replace(played, games=[unpacked.named_back(game) for game in played.games])
