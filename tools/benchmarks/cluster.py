"""What a cluster costs: games a second beside those of processes, and the most that one coordinator can take in.

The ceilings are measured with empty games: batches that come back at once, with games of 40 moves in them. They are for
a core that the coordinator has to itself, by the processor's time that it takes; over Dask, with the scheduler's.
"""

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from os import getloadavg
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from isolab.arena import cluster_worker
from isolab.arena.cluster import Cluster
from isolab.arena.game_row import NO_TROUBLES, GameRow
from isolab.arena.plan import Plan
from isolab.arena.planning import Conditions, match_plan
from isolab.arena.record import FILE_NAME, Record
from isolab.arena.runner import Progress, play_run
from isolab.arena.schedule import TASK_S
from isolab.arena.worker import Batch, PlayedBatch
from isolab.arena.workers import Came, Event, Played
from isolab.game.outcome import Player, Reason

WORKERS = 2
TURNS = 4
PAIRS = 2500
MOVES = 40
AGENTS = ("alphabeta:improved@nodes=1000", "alphabeta:open@nodes=1000")


def main() -> None:
    """Print all of it."""
    with closing(Cluster(f"local:{WORKERS}")) as cluster:
        _compare(cluster)
        for name, one, most in (
            ("the coordinator alone", _Empty(TASK_S), _Empty(0.0)),
            ("over Dask", _emptied(cluster, TASK_S), _emptied(cluster, 0.0)),
        ):
            with one as slow:
                batches = _ceiling(1000, slow) / 2
            with most as quick:
                games = _ceiling(20_000, quick)
            print(f"{name:<22} {batches:>8,.0f} batches a second   {games:>8,.0f} games a second")


def _compare(cluster: Cluster) -> None:
    plan = match_plan(*AGENTS, Conditions(pairs=PAIRS))
    _rate(plan, cluster)  # everything compiled and loaded
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


def _ceiling(pairs: int, cluster: Any) -> float:
    """Games that a second of the processor's time is enough for."""
    plan = match_plan(*AGENTS, Conditions(pairs=pairs))
    began = time.process_time()
    _rate(plan, cluster)
    return plan.games / (time.process_time() - began)


def _rate(plan: Plan, cluster: Any) -> tuple[float, float]:
    """Games a second since the first began, and bytes a game in the record."""
    last = list[Progress]()
    with TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        with closing(Record.create(run, plan, plan.openings_in_order())) as record:
            empty = (run / FILE_NAME).stat().st_size
            play_run(record, WORKERS, last.append, cluster=cluster)
        size = (run / FILE_NAME).stat().st_size - empty
    return last[-1].rate, size / plan.games


class _Empty:
    """A cluster of no machines, whose games take no time.

    Args:
        seconds: how long each batch says that it took, which decides how large the next are.
    """

    name, checked = "empty", 0.0

    def __init__(self, seconds: float) -> None:
        self.speeds: dict[str, float] = {}
        self.coming = 0
        self._seconds = seconds
        self._told: list[Event] = [Came(str(number)) for number in range(WORKERS)]

    def __enter__(self) -> "_Empty":
        return self

    def __exit__(self, *_: object) -> None:
        """End nothing."""

    def count(self) -> int:
        return WORKERS

    def workers(self, *_: object) -> "_Empty":
        return self

    def submit(self, worker: str, number: int, batch: Batch) -> None:
        self._told.append(Played(worker, number, _empty_games(batch, self._seconds)))

    def hear(self, _: float) -> list[Event]:
        told, self._told = self._told, []
        return told

    def stop(self) -> None:
        """End nothing."""


@contextmanager
def _emptied(cluster: Cluster, seconds: float) -> Iterator[Cluster]:
    """A real cluster, whose games take no time within the block."""
    client = cluster._client

    def empty() -> None:
        cluster_worker.play_batch = lambda batch: _empty_games(batch, seconds)  # type: ignore[attr-defined] # for the block

    checked, cluster.checked = cluster.checked, 0.0
    client.run(empty)
    yield cluster
    cluster.checked = checked


def _empty_games(batch: Batch, seconds: float) -> PlayedBatch:
    values: list[Any] = [1234] * MOVES
    times = [0.123] * MOVES
    game = GameRow(
        *(batch.encounter, batch.first_pair, 0, ("a1",) * MOVES, Player.FIRST, Reason.NO_MOVES, ""),
        *(values, [7] * MOVES, values, times, times),
    )
    games = [
        replace(game, pair=batch.first_pair + place, leg=leg)
        for place in range(len(batch.openings))
        for leg in (0, 1)
    ]
    return PlayedBatch(games, seconds, NO_TROUBLES)


if __name__ == "__main__":
    began = time.monotonic()
    main()
    print(f"in {time.monotonic() - began:.0f} s")
