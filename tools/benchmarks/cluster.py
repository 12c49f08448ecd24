"""Measure a cluster: games per second compared with processes, and a coordinator's throughput.

The throughput is measured with games that take no time: workers return prepared lines of some 40 moves. It assumes
a core for the process alone, and is computed from processor time.
"""

import time
from contextlib import closing
from functools import cache
from os import getloadavg
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import numpy as np
from distributed import Client
from numpy.typing import NDArray

from isolarium.arena import Conditions, schedule
from isolarium.arena.batch_codec import to_bytes
from isolarium.arena.cluster import cluster_worker
from isolarium.arena.cluster.remote_workers import Cluster
from isolarium.arena.game import NO_TROUBLES
from isolarium.arena.game_batch import GameBatch
from isolarium.arena.lines import Lines
from isolarium.arena.local_workers import Joined, Returned, WorkerEvent
from isolarium.arena.plan import Plan, match_plan
from isolarium.arena.referee import Batch, PlayedBatch
from isolarium.arena.run_db import FILE_NAME, Record
from isolarium.arena.runner import Progress, play_run
from isolarium.compat import processor_clock
from isolarium.game.board import parse_board, parse_square
from isolarium.game.position import Player, Position
from tests.arena.clusters import dask_cluster

WORKERS = 2
TURNS = 3
PAIRS = 50_000
AGENTS = ("alphabeta:improved@nodes=1000", "alphabeta:open@nodes=1000")


def main() -> None:
    """Print all measurements."""
    with closing(Cluster(f"local:{WORKERS}")) as cluster:
        _compare(cluster)
    alone = (_small_batches(_Empty()), _ceilings(20_000, _Empty()))
    _print_ceilings(["the coordinator alone"], *alone)
    with (
        TemporaryDirectory() as folder,
        dask_cluster(Path(folder), WORKERS) as started,
        closing(Cluster(started.address, checked=0.0)) as cluster,
    ):
        _empty_workers(started.address)
        number = cluster.relay.number
        both = (_small_batches(cluster, number), _ceilings(20_000, cluster, number))
        _print_ceilings(["over Dask: coordinator", "over Dask: relay"], *both)


def _compare(cluster: Cluster) -> None:
    plan = match_plan(*AGENTS, Conditions(pairs=PAIRS))
    _rate(match_plan(*AGENTS, Conditions(pairs=2500)), cluster)  # warm up: compile and load everything
    used: dict[str, Cluster | None] = {"processes": None, "Dask": cluster}
    rates: dict[str, list[float]] = {name: [] for name in used}
    size, before = 0.0, getloadavg()[0]
    for turn in range(TURNS):
        for name in list(used)[:: -1 if turn % 2 else 1]:
            rate, size = _rate(plan, used[name])
            rates[name].append(rate)
    print(f"load                   {before:>8.1f} before, {getloadavg()[0]:.1f} after")
    for name, found in rates.items():
        each = ", ".join(f"{rate:,.0f}" for rate in found)
        print(f"{WORKERS} workers, {name:<10} {median(found):>8,.0f} games a second   ({each})")
    shares = [dask / here for here, dask in zip(*rates.values(), strict=True)]
    each = ", ".join(f"{100 * share:.0f}%" for share in shares)
    print(f"Dask for processes     {100 * median(shares):>7.0f}%   ({each})")
    print(f"record                 {size:>8,.0f} bytes a game")


def _print_ceilings(names: list[str], in_small: list[float], in_large: list[float]) -> None:
    for name, small, large in zip(names, in_small, in_large, strict=True):
        print(f"{name:<22} {small / 2:>8,.0f} batches a second   {large:>8,.0f} games a second")


def _small_batches(cluster: Any, *others: int | None) -> list[float]:
    """Return the result of `_ceilings` for batches of one pair."""
    with patch.object(schedule, "MOST_PAIRS", 1):
        return _ceilings(1000, cluster, *others)


def _ceilings(pairs: int, cluster: Any, *others: int | None) -> list[float]:
    """Return the games per second of processor time: of this process, and of others."""
    plan = match_plan(*AGENTS, Conditions(pairs=pairs))
    for opening in plan.draw_openings():
        _line(plan.board, str(opening))
    clocks = [time.process_time_ns, *filter(None, map(processor_clock, others))]
    preparing.clear()
    began = [clock() for clock in clocks]
    _rate(plan, cluster)
    spent = [clock() - before for clock, before in zip(clocks, began, strict=True)]
    spent[0] -= sum(preparing)  # A worker's part, if this process prepared games
    return [plan.games * 1e9 / nanoseconds for nanoseconds in spent]


def _rate(plan: Plan, cluster: Any) -> tuple[float, float]:
    """Return games a second, and bytes per game in the database."""
    last = list[Progress]()
    with TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        with closing(Record.create(run, plan)) as record:
            empty = (run / FILE_NAME).stat().st_size
            play_run(record, WORKERS, last.append, cluster=cluster)
        size = (run / FILE_NAME).stat().st_size - empty
    return last[-1].rate, size / plan.games


class _Empty:
    """A cluster of no machines, whose games take no time."""

    name, checked = "empty", 0.0

    def __init__(self) -> None:
        self.speeds: dict[str, float] = {}
        self.starting = 0
        self._events: list[WorkerEvent] = [Joined(str(number)) for number in range(WORKERS)]

    def count(self) -> int:
        return WORKERS

    def workers(self, *_: object) -> "_Empty":
        return self

    def submit(self, worker: str, number: int, batch: Batch) -> None:
        self._events.append(Returned(worker, number, _empty_games(batch)))

    def poll(self, _: float) -> list[WorkerEvent]:
        events, self._events = self._events, []
        return events

    def stop(self) -> None:
        """Do nothing."""


def _empty_workers(address: str) -> None:
    """Make the workers of a real cluster return prepared games."""

    def empty() -> None:
        from tools.benchmarks import cluster as here  # a worker has a different main module

        cluster_worker.play_batch = here._empty_games  # type: ignore[attr-defined]

    with Client(address) as client:
        client.wait_for_workers(WORKERS)
        client.run(empty)


def _empty_games(batch: Batch) -> PlayedBatch:
    began = time.process_time_ns()
    board = parse_board(batch.board)
    lines = [_line(batch.board, " ".join(text)) for text in batch.openings.texts(board)]
    moves = Lines.of([line for line, _ in lines for _ in (0, 1)])
    count, games = moves.squares.size, len(moves)
    columns = GameBatch.of_span(
        board,
        batch.encounter,
        batch.first_pair,
        batch.players,
        batch.openings,
        moves,
        winners=np.repeat(np.array([winner for _, winner in lines], dtype=np.uint8), 2),
        reasons=np.zeros(games, dtype=np.uint8),
        scores=(_VALUES[:count] % 20).astype(np.float64),
        kinds=np.zeros(count, dtype=np.uint8),
        depths=_VALUES[:count] % 9,
        nodes=_VALUES[:count],
        seconds=(0.5, 0.5),
    )
    found = PlayedBatch(to_bytes(columns), 0.0, NO_TROUBLES)
    preparing.append(time.process_time_ns() - began)
    return found


_VALUES = np.random.default_rng(1).integers(200, 1001, 1 << 20)
preparing = list[int]()
"""The processor time for the prepared games of each batch, in nanoseconds."""


@cache
def _line(board: str, opening: str) -> tuple[NDArray[np.uint8], Player]:
    """Return a long game from an opening; players move where they have fewest next moves."""
    position, moves = Position.empty(parse_board(board)), list[int]()
    for square in opening.split():
        position = position.play(parse_square(square, position.board))
    while (outcome := position.outcome()) is None:
        blank, masks = position.blank, position.board.knight_mask
        least = min(position.legal_moves(), key=lambda to: (masks(to) & blank).bit_count())
        moves.append(position.board.index(least))
        position = position.play(least)
    return np.array(moves, dtype=np.uint8), outcome.winner


if __name__ == "__main__":
    began = time.monotonic()
    main()
    print(f"in {time.monotonic() - began:.0f} s")
