"""Tables of solved positions, annotated positions and calibrations of heuristics."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from isolarium.analysis.calibration import STAGES, Calibrated, Calibration, Figures
from isolarium.reporting.cells import Cell, Value, json_of
from isolarium.reporting.model import Block, Column, Fact, Facts, Listing, Paragraph, Row, Table, rows_of
from isolarium.solver.solution import Solution, solution_json
from isolarium.solver.start_map import start_wins
from isolarium.solver.survey import SurveySummary
from isolarium.stats import RateEstimate
from isolarium.text import counted

# Solved positions


def solution_facts(solution: Solution, distance: bool, time_s: float) -> Iterator[Fact]:
    """Yield the facts of a solved position.

    Args:
        solution: The solution.
        distance: Whether to include the number of plies to the end.
        time_s: The solving time.
    """
    player = f"{solution.position.to_move} ({'AB'[solution.position.to_move]}), to move,"
    yield Fact("position", (str(solution.position),))
    if solution.wins is None:
        answer = "unknown within the limit"
    else:
        answer = f"{player} wins with {solution.move}" if solution.wins else f"{player} loses"
    yield Fact("answer", (answer,))
    if distance and solution.wins is not None:
        yield Fact("plies", (_plies(solution),))
    looked_up = solution.position.placing and start_wins(solution.position) is not None
    nodes = "none (looked up: all starts of this board are solved)" if looked_up else f"{solution.nodes:,}"
    yield Fact("nodes", (nodes,))
    yield Fact("time", (short_time(time_s),))


def short_time(time_s: float) -> str:
    """Format a time in seconds, or in milliseconds up to one second."""
    return f"{time_s:,.2f} s" if time_s > 1 else f"{time_s * 1e3:.2f} ms"


def _plies(solution: Solution) -> str:
    if solution.plies is None:
        return "unknown within the limit"
    delays = f"; {solution.move} delays longest" if not solution.wins and solution.move else ""
    return f"{solution.plies} to the end with best play by both{delays}"


def solution_line(solution: Solution) -> str:
    """Return a solved position as one line."""
    answers = {None: "unknown", True: f"wins with {solution.move}", False: "loses"}
    answer = answers[solution.wins]
    if solution.plies is not None:
        answer += f" in {solution.plies} plies"
    return f"{solution.position}  {answer} · {solution.nodes:,} nodes"


def survey_blocks(found: SurveySummary) -> Iterator[Block]:
    """Yield the number of won starts of a board, and the exceptions to the colour law."""
    mirrors = sum(upset.mirror for upset in found.exceptions)
    columns = (
        Column("board", "board"),
        Column("starts", "starts"),
        Column("solved", "solved"),
        Column("wins", "to move wins"),
        Column("exceptions", "exceptions"),
        Column("mirrors", "mirrors"),
        Column("others", "others"),
    )
    row = (
        str(found.board),
        found.starts,
        found.solved,
        found.wins,
        len(found.exceptions),
        mirrors,
        len(found.exceptions) - mirrors,
    )
    yield Table("survey", "", columns, rows_of(columns, [row]))
    if found.exceptions:
        law = "the player to move wins if both stand on the same colour, and loses otherwise"
        yield Listing([f"exceptions to the colour law ({law}):"])
    yield Facts([*_upset_facts(found), Fact("nodes", (f"{found.nodes:,}",))])
    if found.solved < found.starts:
        unknown = f"{counted(found.starts - found.solved, 'start')} not solved within the limit"
        yield Facts([Fact("unknown", (unknown,))])


def _upset_facts(found: SurveySummary) -> Iterator[Fact]:
    for upset in found.exceptions:
        solution = upset.solution
        answer = f"wins with {solution.move}" if solution.wins else "loses"
        mirror = " (mirror position)" if upset.mirror else ""
        yield Fact("exception", (f"{solution.position}: the player to move {answer}{mirror}",))


def survey_json(found: SurveySummary) -> dict[str, Any]:
    """Return the survey of a board as JSON."""
    return {
        "board": str(found.board),
        "starts": found.starts,
        "solved": found.solved,
        "wins": found.wins,
        "nodes": found.nodes,
        "exceptions": [{**solution_json(upset.solution), "mirror": upset.mirror} for upset in found.exceptions],
    }


# Annotated positions


LABEL_COLUMNS: Final = (
    Column("board", "board", "<"),
    Column("games", "games", form=","),
    Column("positions", "positions", form=","),
    Column("moves", "moves\nsolved", form=","),
    Column("decisive", "decisive", form=","),
    Column("chance", "winning\nmoves", form=".1%"),
    Column("train", "train", form=","),
    Column("validation", "validation", form=","),
    Column("test", "test", form=","),
    Column("outcomes", "outcomes", form=","),
    Column("given_up", "given up", form=","),
)


def label_table(facts: Mapping[str, Any]) -> Table:
    """Return a table with a row for each board of `labels.json`."""
    rows = [
        (
            board,
            counts["games"],
            counts["positions"],
            counts["moves"],
            counts["decisive"],
            counts["chance"],
            *counts["splits"].values(),
            counts["positions"] - counts["exact"],
            counts["given_up"],
        )
        for board, counts in facts["labels"].items()
    ]
    return Table("labels", "", LABEL_COLUMNS, rows_of(LABEL_COLUMNS, rows))


def label_blocks(facts: Mapping[str, Any], folder: Path) -> Iterator[Block]:
    """Yield the table and the folder of annotated positions."""
    yield label_table(facts)
    yield Facts([Fact("folder", (str(folder),))])


# Calibrations


def calibration_blocks(found: Calibration) -> list[Block]:
    """Return the tables of a calibration below a description of its sample."""
    sample, overall = found.sample, found.baselines[0].overall
    about = (
        f"{sample.board} · {counted(overall.positions, 'solved position')} from {counted(sample.games, 'game')}, "
        f"{overall.decided:,} of them with both winning and losing moves · seed {sample.seed}"
    )
    if sample.given_up:
        about += f" · excluded: {counted(sample.given_up, 'position')} not solved within the limit"
    return [Paragraph(about), *calibration_tables(found)]


def calibration_tables(found: Calibration) -> tuple[Table, Table]:
    """Return the tables of best moves and of predicted winners by stage.

    The last row of each table gives the number of positions.
    """
    return _moves_table(found), _signs_table(found)


def _moves_table(found: Calibration) -> Table:
    title = "How often the best-rated move wins, by share of blocked squares"
    columns = _columns("over_chance")
    rows: list[Row] = [
        _row(row, lambda stage: stage.right)
        | {"over_chance": None if row in found.baselines else row.overall.over_chance}
        for row in found.rows
    ]
    rows.append(_positions(found, lambda figures: figures.decided))
    return Table("moves", title, columns, rows, footer=1)


def _signs_table(found: Calibration) -> Table:
    title = "How often the sign of the value predicts the winner (zero counts half)"
    columns = _columns("zeros")
    rows: list[Row] = [_row(row, lambda stage: stage.sign) | {"zeros": row.overall.zeros} for row in found.rows]
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
    """Return the row with the number of positions behind each figure."""
    figures = found.baselines[0]
    stages = {f"stage_{number}": count(stage) for number, stage in enumerate(figures.stages, 1)}
    return {"name": "positions", "right": count(figures.overall), **stages}


def _short(rate: RateEstimate | None) -> Cell | None:
    """Format a rate in percent, such as `88 ± 4`.

    The ± is the longer side of the interval. Near 0 and 100, both ends are shown instead.
    """
    if rate is None:
        return None
    right, low, high = (round(100 * share) for share in (rate.rate, rate.low, rate.high))
    error = round(100 * max(rate.high - rate.rate, rate.rate - rate.low))
    if not 0 <= right - error <= right + error <= 100:
        return Cell(rate, f"{right} ({low} to {high})")
    return Cell(rate, f"{right} ± {error}")


def calibration_json(found: Calibration) -> dict[str, Any]:
    """Return a calibration as JSON."""
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
