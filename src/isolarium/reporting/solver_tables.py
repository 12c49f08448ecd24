"""What the solver found: of one position, and of every start of a board."""

from collections.abc import Iterator
from typing import Any

from isolarium.reporting.model import Block, Column, Fact, Facts, Listing, Table, rows_of
from isolarium.solver.all_starts import Findings
from isolarium.solver.solution import Solution, solution_json
from isolarium.solver.start_map import start_wins
from isolarium.text import counted


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
