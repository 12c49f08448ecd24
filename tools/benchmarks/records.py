"""Measure the results database of a run of many games, played at random in columns.

    python -m tools.benchmarks.records [--games 1000000]

Each line is a process of its own: its processor time, and the most memory that it used.
"""

import argparse
import sys
from contextlib import closing
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from subprocess import run
from tempfile import TemporaryDirectory
from time import process_time
from typing import Final

import numpy as np

from isolarium.arena import Conditions
from isolarium.arena.batch_codec import to_bytes
from isolarium.arena.game_batch import GameBatch
from isolarium.arena.lines import Lines
from isolarium.arena.plan import match_plan
from isolarium.arena.run_db import FILE_NAME, Record
from isolarium.arena.schedule import Span
from isolarium.arena.tally import FailureStreaks, Tally
from isolarium.game.board import Board

AGENTS: Final = ("alphabeta:improved@nodes=1000", "alphabeta:open@nodes=1000")
PAIRS_AT_ONCE: Final = 1024
STEPS: Final = ("create", "count", "page", "results", "report", "csv", "json", "frame")


def main() -> None:
    """Print all measurements."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=1_000_000)
    parser.add_argument("--step", choices=STEPS, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step:
        _measure(options.step, options.folder, options.games)
        return
    with TemporaryDirectory() as folder:
        for step in STEPS:
            arguments = ["--games", str(options.games), "--step", step, "--folder", folder]
            run([sys.executable, "-m", "tools.benchmarks.records", *arguments], check=True)


def _measure(step: str, folder: Path, games: int) -> None:
    began = process_time()
    note = _create(folder / "run", games // 2) if step == "create" else _read(step, folder)
    seconds, memory = process_time() - began, getrusage(RUSAGE_SELF).ru_maxrss // 1024
    print(f"{step:<8} {seconds:>7.2f} s {memory:>5} MB  {note}", flush=True)


def _read(step: str, folder: Path) -> str:
    from isolarium import read_run
    from isolarium.analysis.run_statistics import overview_of
    from isolarium.arena.export import WRITERS
    from isolarium.arena.results import read_results
    from isolarium.reporting.run_report import write_report

    with closing(Record(folder / "run")) as record:
        match step:
            case "count":
                return f"{record.count():,} games"
            case "page":
                return f"{len(list(record.games(skip=record.count() - 50, most=20)))} games"
            case "results":
                return f"{read_results(record).duplicates} duplicates"
            case "report":
                return write_report(record, folder / "report", None, overview_of(record)).page.name
            case "frame":
                frame = read_run(folder / "run").records("games").to_polars()
                return f"a data frame of {len(frame):,} rows"
        with (folder / step).open("w", encoding="utf-8") as file:
            WRITERS[step](record, file, True)
        return f"{(folder / step).stat().st_size / 1e6:,.0f} MB"


def _create(folder: Path, pairs: int) -> str:
    plan = match_plan(*AGENTS, Conditions(pairs=pairs))
    chance, coordinating = np.random.default_rng(1), 0.0
    with closing(Record.create(folder, plan)) as record:
        tally = Tally(plan, record.clusters())
        streaks = FailureStreaks(plan, tally.is_done)
        for first in range(0, pairs, PAIRS_AT_ONCE):
            span = Span(0, first, min(first + PAIRS_AT_ONCE, pairs))
            openings = record.opening_lines.part(span.first, span.end)
            data = to_bytes(_played(record.board, openings, first, chance))
            began = process_time()
            batch = record.read_batch(data, span)
            record.add_batch(batch, data)
            tally.add_batch(batch)
            streaks.add(batch)
            coordinating += process_time() - began
        record.finish("2026-11-15T12:00:00+00:00")
    size = (folder / FILE_NAME).stat().st_size / plan.games
    return f"coordinator {plan.games / coordinating:,.0f} games a second; {size:.1f} bytes a game"


def _played(board: Board, openings: Lines, first_pair: int, chance: np.random.Generator) -> GameBatch:
    """Return both legs of each pair, played at random, with made-up scores, depths and nodes."""
    lines = openings.take(np.repeat(np.arange(len(openings)), 2))
    games, size = np.arange(len(lines)), board.size
    reach = np.full((size, 8), size)
    for square in board.squares:
        targets = [board.index(other) for other in board.knight_moves(square)]
        reach[board.index(square), : len(targets)] = targets
    blank = np.ones((len(lines), size + 1), dtype=np.bool_)
    blank[:, size] = False
    blank[np.repeat(games, lines.lengths), lines.squares] = False
    mover, other = (lines.squares[lines.starts[1:] - back].astype(np.int64) for back in (2, 1))
    made = np.full((len(lines), size), size)
    going, ply = games, 0
    while going.size:
        is_open = blank[going[:, None], reach[mover[going]]]
        weights = np.where(is_open, chance.random(is_open.shape), -1.0)
        going, best = (going[weights.max(axis=1) >= 0], weights.argmax(axis=1)[weights.max(axis=1) >= 0])
        to = reach[mover[going], best]
        made[going, ply], blank[going, to] = to, False
        mover[going], other[going] = other[going], to
        ply += 1
    moves = Lines.of_lengths(made[made < size].astype(np.uint8), (made < size).sum(axis=1))
    count = moves.squares.size
    return GameBatch.of_span(
        board,
        0,
        first_pair,
        (0, 1),
        openings,
        moves,
        winners=(1 - (lines.lengths + moves.lengths) % 2).astype(np.uint8),
        reasons=np.zeros(len(lines), dtype=np.uint8),
        scores=chance.integers(-6, 7, count).astype(np.float64),
        kinds=np.zeros(count, dtype=np.uint8),
        depths=chance.integers(3, 9, count),
        nodes=chance.integers(300, 1001, count),
        seconds=(1.0, 1.0),
    )


if __name__ == "__main__":
    main()
