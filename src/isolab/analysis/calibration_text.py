"""Heuristics against the truth, in words and as plain values."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from isolab.analysis.calibration import Calibrated, Calibration, Figures
from isolab.analysis.calibration_positions import STAGES
from isolab.stats import RateEstimate
from isolab.stats.differences import RateDifference
from isolab.text import counted, signed

Cells = Callable[[Calibrated], list[str]]


def calibration_lines(found: Calibration) -> Iterator[str]:
    """What was asked, and two tables: the best move by stage, and the winner by stage."""
    sample, rows = found.sample, found.rows
    figures = found.baselines[0]
    positions = counted(figures.overall.positions, "solved position")
    yield (
        f"{sample.board} · {positions} of {counted(sample.games, 'game')}, {figures.overall.decided:,} "
        f"of them with moves that win and moves that lose · seed {sample.seed}"
    )
    if sample.given_up:
        yield f"left out: {counted(sample.given_up, 'position')} not solved within the limit"
    stages = [f"{stage}" for stage in STAGES]
    decided = ["positions", f"{figures.overall.decided:,}", ""]
    yield "\nHow often its best move is right, by how much of the board is filled"
    yield from _table(
        ["", "right", "over chance", *stages],
        [
            *([row.name, *_move_cells(row)] for row in rows),
            [*decided, *(f"{stage.decided:,}" for stage in figures.stages)],
        ],
    )
    yield "\nHow often its sign tells the winner, a zero counting half"
    yield from _table(
        ["", "right", "zeros", *stages],
        [
            *([row.name, *_sign_cells(row)] for row in rows),
            ["positions", f"{figures.overall.positions:,}", ""]
            + [f"{stage.positions:,}" for stage in figures.stages],
        ],
    )


def _move_cells(row: Calibrated) -> list[str]:
    gain = row.overall.over_chance
    stages = [_short(stage.right) for stage in row.stages]
    return [_long(row.overall.right), "" if gain is None else signed(str(gain)), *stages]


def _sign_cells(row: Calibrated) -> list[str]:
    stages = [_short(stage.sign) for stage in row.stages]
    return [_long(row.overall.sign), f"{row.overall.zeros:.0%}", *stages]


def _long(rate: RateEstimate | None) -> str:
    return "" if rate is None else str(rate)


def _short(rate: RateEstimate | None) -> str:
    """`88 ± 4`: in percent, with the longer side of the interval; with both ends where that would leave 0 to 100."""
    if rate is None:
        return ""
    right, low, high = (round(100 * share) for share in (rate.rate, rate.low, rate.high))
    error = round(100 * max(rate.high - rate.rate, rate.rate - rate.low))
    if not 0 <= right - error <= right + error <= 100:
        return f"{right} ({low} to {high})"
    return f"{right} ± {error}"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    for row in (heads, *rows):
        first, *others = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield "  ".join([first, *others]).rstrip()


def calibration_json(found: Calibration) -> dict[str, Any]:
    """Everything, as JSON can hold it."""
    sample = found.sample
    return {
        "board": str(sample.board),
        "seed": sample.seed,
        "games": sample.games,
        "positions": len(sample.positions),
        "given_up": sample.given_up,
        "stages": [{"from": stage.low, "below": min(1.0, stage.high)} for stage in STAGES],
        "heuristics": [_row_json(row) for row in found.heuristics],
        "baselines": [_row_json(row) for row in found.baselines],
    }


def _row_json(row: Calibrated) -> dict[str, Any]:
    return {
        "name": row.name,
        **_figures_json(row.overall),
        "by_stage": [_figures_json(stage) for stage in row.stages],
    }


def _figures_json(figures: Figures) -> dict[str, Any]:
    return {
        "positions": figures.positions,
        "decided": figures.decided,
        "best_move_right": _rate_json(figures.right),
        "over_chance": _gain_json(figures.over_chance),
        "sign_right": _rate_json(figures.sign),
        "zeros": figures.zeros,
    }


def _rate_json(rate: RateEstimate | None) -> dict[str, float] | None:
    return None if rate is None else {"rate": rate.rate, "low": rate.low, "high": rate.high}


def _gain_json(gain: RateDifference | None) -> dict[str, float | None] | None:
    if gain is None:
        return None
    known = gain.low > float("-inf")
    low, high = (gain.low, gain.high) if known else (None, None)
    return {"difference": gain.difference, "low": low, "high": high}
