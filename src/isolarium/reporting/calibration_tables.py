"""Heuristics against the truth: how often their best move is right, and how often their sign tells the winner."""

from collections.abc import Callable, Sequence
from typing import Any

from isolarium.analysis.calibration import Calibrated, Calibration, Figures
from isolarium.analysis.calibration_positions import STAGES
from isolarium.reporting.cells import Cell, Value, json_of
from isolarium.reporting.model import Block, Column, Paragraph, Row, Table
from isolarium.stats import RateEstimate
from isolarium.text import counted


def calibration_blocks(found: Calibration) -> list[Block]:
    """What was asked, and two tables: the best move by stage, and the winner by stage."""
    sample, overall = found.sample, found.baselines[0].overall
    told = (
        f"{sample.board} · {counted(overall.positions, 'solved position')} of {counted(sample.games, 'game')}, "
        f"{overall.decided:,} of them with moves that win and moves that lose · seed {sample.seed}"
    )
    if sample.given_up:
        told += f" · left out: {counted(sample.given_up, 'position')} not solved within the limit"
    return [Paragraph(told), *calibration_tables(found)]


def calibration_tables(found: Calibration) -> tuple[Table, Table]:
    """The best move by stage, and the winner by stage; the last row of each is how many positions that rests on."""
    return _moves_table(found), _signs_table(found)


def _moves_table(found: Calibration) -> Table:
    title = "How often its best move is right, by how much of the board is filled"
    columns = _columns("over_chance")
    rows: list[Row] = [
        _row(row, lambda stage: stage.right)
        | {"over_chance": None if row in found.baselines else row.overall.over_chance}
        for row in found.rows
    ]
    rows.append(_positions(found, lambda figures: figures.decided))
    return Table("moves", title, columns, rows, footer=1)


def _signs_table(found: Calibration) -> Table:
    title = "How often its sign tells the winner, a zero counting half"
    columns = _columns("zeros")
    rows: list[Row] = [
        _row(row, lambda stage: stage.sign) | {"zeros": row.overall.zeros} for row in found.rows
    ]
    rows.append(_positions(found, lambda figures: figures.positions))
    return Table("signs", title, columns, rows, footer=1)


def _columns(second: str) -> Sequence[Column]:
    return (
        Column("name", "", "<", repeats=True),
        Column("right", "right", "<"),
        Column(second, second.replace("_", " "), "<", form=".0%"),
        *(Column(f"stage_{number}", f"{stage}", "<") for number, stage in enumerate(STAGES, 1)),
    )


def _row(row: Calibrated, right: Callable[[Figures], RateEstimate | None]) -> dict[str, Value]:
    stages = {f"stage_{number}": _short(right(stage)) for number, stage in enumerate(row.stages, 1)}
    return {"name": row.name, "right": right(row.overall), **stages}


def _positions(found: Calibration, count: Callable[[Figures], int]) -> Row:
    """How many positions each figure rests on."""
    figures = found.baselines[0]
    stages = {f"stage_{number}": count(stage) for number, stage in enumerate(figures.stages, 1)}
    return {"name": "positions", "right": count(figures.overall), **stages}


def _short(rate: RateEstimate | None) -> Cell | None:
    """`88 ± 4`: in percent, with the longer side of the interval; with both ends where that would leave 0 to 100."""
    if rate is None:
        return None
    right, low, high = (round(100 * share) for share in (rate.rate, rate.low, rate.high))
    error = round(100 * max(rate.high - rate.rate, rate.rate - rate.low))
    if not 0 <= right - error <= right + error <= 100:
        return Cell(rate, f"{right} ({low} to {high})")
    return Cell(rate, f"{right} ± {error}")


def calibration_json(found: Calibration) -> dict[str, Any]:
    """Everything, as JSON can hold it."""
    sample = found.sample
    whole: dict[str, Any] = json_of(
        {
            "board": str(sample.board),
            "seed": sample.seed,
            "games": sample.games,
            "positions": len(sample.positions),
            "given_up": sample.given_up,
            "stages": [{"from": stage.low, "below": min(1.0, stage.high)} for stage in STAGES],
            "heuristics": [_row_json(row) for row in found.heuristics],
            "baselines": [_row_json(row) for row in found.baselines],
        }
    )
    return whole


def _row_json(row: Calibrated) -> dict[str, Any]:
    stages = [_figures_json(stage) for stage in row.stages]
    return {"name": row.name, **_figures_json(row.overall), "by_stage": stages}


def _figures_json(figures: Figures) -> dict[str, Any]:
    return {
        "positions": figures.positions,
        "decided": figures.decided,
        "best_move_right": figures.right,
        "over_chance": figures.over_chance,
        "sign_right": figures.sign,
        "zeros": figures.zeros,
    }
