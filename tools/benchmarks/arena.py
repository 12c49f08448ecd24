"""Measure matches: games in compiled code beside the referee in Python, and the cost as runs grow.

    python -m tools.benchmarks.arena [GAMES]              both ways of playing
    python -m tools.benchmarks.arena growth [MOST]        the cost as runs grow

Both ways: three matches of GAMES games (20,000) on 7x7, each played by two workers both ways in turn. A worker's share
is measured in this process, without sending or storing. Processor times of this process are those of the coordinator,
which checks, stores and counts.

Growth: the command `isolarium match` with 1,000 nodes a move, for 10^3 games and ten times as many up to MOST (10^6),
start-up included: two minutes on two cores. It writes `docs/images/arena-growth.svg`. Processor times are of all
processes; the time on the clock is drawn only if nothing else was running.
"""

import resource
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from os import getloadavg
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any, Final, NamedTuple
from unittest.mock import patch

import altair as alt

from isolarium.arena import Conditions, runner
from isolarium.arena.batch_codec import to_bytes
from isolarium.arena.compiled_games import play_compiled
from isolarium.arena.game import NO_TROUBLES
from isolarium.arena.game_batch import GameBatch
from isolarium.arena.lines import Lines
from isolarium.arena.plan import match_plan
from isolarium.arena.referee import Batch, PlayedBatch, play_batch, play_in_python
from isolarium.arena.run_db import Record
from isolarium.game.board import parse_board
from isolarium.reporting.chart import Heading, finished, lines_of_agents, svg_of

WORKERS: Final = 2
TURNS: Final = 2
SAMPLE: Final = 200
"""The pairs by which a worker's share is measured."""
MATCHES: Final = (
    ("random", "random"),
    ("greedy:open", "greedy:improved"),
    ("alphabeta:improved@nodes=1000", "alphabeta:open@nodes=1000"),
)
GAMES: Final = 20_000
LEAST, MOST = 1000, 1_000_000
MOST_LOAD: Final = 1.5
PROCESSORS: Final = "of all processors"
CLOCK: Final = "on the clock"
PICTURE: Final = Path("docs/images/arena-growth.svg")


class Cost(NamedTuple):
    """The cost of a run.

    Attributes:
        drawing_s: The time on the clock to draw and store the openings.
        wall_s: The time on the clock to play, with the start of the workers.
        own_s: The processor time of this process for both.
        bytes: The size of the run's folder.
    """

    drawing_s: float
    wall_s: float
    own_s: float
    bytes: int


def main() -> None:
    """Print the measurements."""
    words = sys.argv[1:]
    print(f"load {getloadavg()[0]:.1f} before")
    if words[:1] == ["growth"]:
        grow(int(words[1]) if words[1:] else MOST)
    else:
        for specs in MATCHES:
            compare(specs, int(words[0]) if words else GAMES)
    print(f"load {getloadavg()[0]:.1f} after")


def compare(specs: tuple[str, str], games: int) -> None:
    """Print what a match costs in Python and in compiled code."""
    ways = {"Python": play_by_referee, "compiled": play_batch}
    batch = first_pairs(specs)
    for way in ways.values():
        run(specs, LEAST, way)  # Compiles, and fills caches
    shares = (worker_rate(batch, lambda: play_in_python(batch)[0]), worker_rate(batch, lambda: played(batch)))
    print(f"{specs[0]} v {specs[1]}, {games:,} games")
    print(f"  a worker alone: {shares[0]:,.0f} games a second in Python, {shares[1]:,.0f} compiled")
    costs = {name: list[Cost]() for name in ways}
    for _ in range(TURNS):
        for name, way in ways.items():
            costs[name].append(run(specs, games, way))
    for name, found in costs.items():
        best = min(found, key=lambda cost: cost.drawing_s + cost.wall_s)
        print(
            f"  {name:<9} {best.drawing_s + best.wall_s:8.2f} s, of which openings {best.drawing_s:.2f} s;"
            f" coordinator {1e6 * best.own_s / games:,.0f} µs and {best.bytes / games:,.0f} bytes a game"
        )


def grow(most: int) -> None:
    """Print what a match costs as it grows, and draw it if there are at least three sizes."""
    is_idle = getloadavg()[0] < MOST_LOAD
    print("games       on the clock    games a second   processors      peak memory   bytes a game")
    rows, games = list[dict[str, Any]](), LEAST
    while games <= most:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        began = perf_counter()
        with TemporaryDirectory() as folder:
            options = ("--pairs", str(games // 2), "--workers", str(WORKERS), "--no-accuracy", "--runs", folder)
            command = [sys.executable, "-m", "isolarium", "match", *MATCHES[2], *options]
            subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
            clock_s = perf_counter() - began
            size = sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file())
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        processor_s = after.ru_utime + after.ru_stime - used.ru_utime - used.ru_stime
        print(
            f"{games:<9,} {clock_s:12.2f} s    {games / clock_s:14,.0f}   {processor_s:8.2f} s"
            f"  {after.ru_maxrss / 1024:11,.0f} MiB   {size / games:12,.0f}",
            flush=True,
        )
        rows.append({"games": games, "seconds": processor_s, "agent": PROCESSORS})
        if is_idle:
            rows.append({"games": games, "seconds": clock_s, "agent": CLOCK})
        games *= 10
    if len({row["games"] for row in rows}) >= 3:
        PICTURE.write_text(growth(rows), encoding="utf-8")


def growth(rows: list[dict[str, Any]]) -> str:
    """Return the chart of the times of growing matches."""
    x, y = (
        alt.X("games:Q", title="games", scale=alt.Scale(type="log"), axis=alt.Axis(format="~s")),
        alt.Y("seconds:Q", title="seconds", scale=alt.Scale(type="log")),
    )
    names = list(dict.fromkeys(row["agent"] for row in rows))
    drawing = lines_of_agents(names, x, y, 280)
    matched = " against ".join(MATCHES[2])
    heading = Heading(PICTURE.stem, "Time of a match, start-up included", [f"{matched}, 7x7, {WORKERS} workers"])
    spoken = "; ".join(f"{row['games']:,} games: {row['seconds']:.1f} s {row['agent']}" for row in rows)
    return svg_of(finished(drawing, rows, heading, spoken))


def run(specs: tuple[str, str], games: int, way: Callable[[Batch], PlayedBatch]) -> Cost:
    """Play a match with two workers."""
    plan = match_plan(*specs, Conditions(pairs=games // 2))
    with TemporaryDirectory() as name, patch.object(runner, "play_batch", way):
        folder, began, used = Path(name), perf_counter(), process_time()
        with closing(Record.create(folder, plan)) as record:
            drawn = perf_counter()
            runner.play_run(record, WORKERS)
        ended = perf_counter()
        size = sum(file.stat().st_size for file in folder.iterdir())
        return Cost(drawn - began, ended - drawn, process_time() - used, size)


def play_by_referee(batch: Batch) -> PlayedBatch:
    """Play a batch as `play_batch` does, but in Python."""
    began = perf_counter()
    games, _ = play_in_python(batch)
    return PlayedBatch(to_bytes(games), perf_counter() - began, NO_TROUBLES)


def played(batch: Batch) -> GameBatch:
    """Play a batch in compiled code."""
    games = play_compiled(batch)
    assert games is not None
    return games


def worker_rate(batch: Batch, play: Callable[[], GameBatch]) -> float:
    """Return the games per second of processor time, encoding included; the best of a few."""
    best = 0.0
    for _ in range(3):
        began = process_time()
        to_bytes(play())
        best = max(best, 2 * len(batch.openings) / (process_time() - began))
    return best


def first_pairs(specs: tuple[str, str]) -> Batch:
    """Return the first pairs of a match as one batch."""
    plan = match_plan(*specs, Conditions(pairs=SAMPLE))
    board = parse_board(plan.board)
    openings = plan.draw_openings()
    lines = Lines.of([[board.index(move) for move in one.moves] for one in openings])
    return Batch(0, specs, (0, 1), plan.board, plan.seed, None, False, 0, lines)


if __name__ == "__main__":
    from tools.benchmarks import arena  # Workers import `play_by_referee` by the module's name.

    arena.main()
