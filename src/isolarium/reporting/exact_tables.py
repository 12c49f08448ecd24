"""Tables of exact values: solved positions, annotated positions, and heuristics compared with them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from isolarium.analysis.calibration import STAGES, Calibrated, Calibration, Figures
from isolarium.reporting.cells import Cell, Value, json_of
from isolarium.reporting.model import (
    Block,
    Column,
    Fact,
    Facts,
    Listing,
    Paragraph,
    Row,
    Table,
    rows_of,
)
from isolarium.solver.all_starts import Findings
from isolarium.solver.solution import Solution, solution_json
from isolarium.solver.start_map import start_wins
from isolarium.stats import RateEstimate
from isolarium.text import counted

# Solved positions


def solution_facts(solution: Solution, distance: bool, time_s: float) -> Iterator[Fact]:
    """A solved position, and if that was asked for how long the game lasts."""
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
    nodes = "none: all starts of this board are known" if looked_up else f"{solution.nodes:,}"
    yield Fact("nodes", (nodes,))
    yield Fact("time", (short_time(time_s),))


def short_time(time_s: float) -> str:
    """A time as measurements are printed: in seconds, or in milliseconds where it is short."""
    return f"{time_s:,.2f} s" if time_s > 1 else f"{time_s * 1e3:.2f} ms"


def _plies(solution: Solution) -> str:
    if solution.plies is None:
        return "unknown within the limit"
    holding = f"; {solution.move} holds out longest" if not solution.wins and solution.move else ""
    return f"{solution.plies} to the end when the winner hurries and the loser delays{holding}"


def solution_line(solution: Solution) -> str:
    """A solved position in a line."""
    answers = {None: "unknown", True: f"wins with {solution.move}", False: "loses"}
    answer = answers[solution.wins]
    if solution.plies is not None:
        answer += f" in {solution.plies} plies"
    return f"{solution.position}  {answer} · {solution.nodes:,} nodes"


def survey_blocks(found: Findings) -> Iterator[Block]:
    """Every start of a board: how many are won, and which break the colour law."""
    mirrors = sum(upset.mirror for upset in found.upsets)
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
        len(found.upsets),
        mirrors,
        len(found.upsets) - mirrors,
    )
    yield Table("survey", "", columns, rows_of(columns, [row]))
    if found.upsets:
        law = "by which who is to move wins where both stand on one colour"
        yield Listing([f"exceptions to the colour law, {law}:"])
    yield Facts([*_upset_facts(found), Fact("nodes", (f"{found.nodes:,}",))])
    if found.solved < found.starts:
        unknown = f"{counted(found.starts - found.solved, 'start')}, within the limit"
        yield Facts([Fact("unknown", (unknown,))])


def _upset_facts(found: Findings) -> Iterator[Fact]:
    for upset in found.upsets:
        solution = upset.solution
        answer = f"to move wins with {solution.move}" if solution.wins else "to move loses"
        mirror = ", a mirror" if upset.mirror else ""
        yield Fact("exception", (f"{solution.position}  {answer}{mirror}",))


def survey_json(found: Findings) -> dict[str, Any]:
    """The same for programs."""
    return {
        "board": str(found.board),
        "starts": found.starts,
        "solved": found.solved,
        "wins": found.wins,
        "nodes": found.nodes,
        "exceptions": [
            {**solution_json(upset.solution), "mirror": upset.mirror} for upset in found.upsets
        ],
    }


# Annotated positions


LABEL_COLUMNS: Final = (
    Column("board", "board", "<"),
    Column("games", "games", form=","),
    Column("positions", "positions", form=","),
    Column("moves", "moves\nsolved", form=","),
    Column("decisive", "decisive", form=","),
    Column("chance", "of their\nmoves win", form=".1%"),
    Column("train", "train", form=","),
    Column("validation", "validation", form=","),
    Column("test", "test", form=","),
    Column("outcomes", "outcomes", form=","),
    Column("given_up", "given up", form=","),
)


def label_table(facts: Mapping[str, Any]) -> Table:
    """What there is of each board, as `labels.json` says."""
    rows = [
        (
            board,
            said["games"],
            said["positions"],
            said["moves"],
            said["decisive"],
            said["chance"],
            *said["splits"].values(),
            said["positions"] - said["exact"],
            said["given_up"],
        )
        for board, said in facts["labels"].items()
    ]
    return Table("labels", "", LABEL_COLUMNS, rows_of(LABEL_COLUMNS, rows))


def label_blocks(facts: Mapping[str, Any], folder: Path) -> Iterator[Block]:
    """The same for people."""
    yield label_table(facts)
    yield Facts([Fact("folder", (str(folder),))])


# Calibrations


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
