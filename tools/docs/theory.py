"""The tables and pictures of `docs/explanation/exact-values.md`: boards, experiments and the oracle's record.

The text between a comment such as `<!-- boards -->` and the next `<!-- end -->` is replaced.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from isolarium.game.board import Board, Square, parse_board, parse_square
from isolarium.game.notation import parse_position
from isolarium.game.position import Player, Position
from isolarium.game.svg import CELL, GAP, LABELS, PLAYER_COLOURS, colour, draw_svg
from isolarium.solver.start_map import FILE, same_colour, start_map
from isolarium.solver.survey import read_survey, summarize_survey
from isolarium.stats import RateEstimate

EVIDENCE = Path("docs/evidence")
ORACLE = EVIDENCE / "oracle.jsonl"
PLIES = EVIDENCE / "plies.jsonl"
BROKEN = EVIDENCE / "broken_law.jsonl"
LEAST_POSITIONS = 100
"""Rows with fewer positions are left out."""
COUNTS = ("first to move wins", "exceptions to the law", "of these, mirrors", "nodes")
NODES_A_SECOND = 7.5e6
"""Measured on one core of a shared machine."""
PLACE = re.compile(r"<!-- (\w+) -->\n.*?<!-- end -->", re.DOTALL)


def filled(page: str) -> str:
    """Return a page with its tables."""
    tables = {"boards": boards, "surveys": surveys, "plies": plies, "broken": broken, "oracle": oracle}
    return in_places(page, tables)


def in_places(page: str, tables: Mapping[str, Callable[[], Iterator[str]]]) -> str:
    """Return a page with each table in its place."""

    def table(asked: re.Match[str]) -> str:
        lines = "\n".join(tables[asked[1]]())
        return f"<!-- {asked[1]} -->\n{lines}\n<!-- end -->"

    return PLACE.sub(table, page)


def boards() -> Iterator[str]:
    """Yield the rows of the solved boards, by the number of squares."""
    yield row("board", "starts", *COUNTS)
    yield row(*["---:"] * 6)
    for said in sorted(_lines(FILE), key=lambda said: parse_board(said["board"]).size):
        upsets = said["exceptions"]
        mirrors = sum(upset["mirror"] for upset in upsets)
        counts = said["starts"], said["wins"], len(upsets), mirrors, said["nodes"]
        yield row(said["board"], *(f"{count:,}" for count in counts))


def survey_path(board: Board) -> Path:
    """Return the path of a large board's evidence."""
    return EVIDENCE / f"starts-{board}.jsonl"


def surveys() -> Iterator[str]:
    """Yield the surveys of large boards, the largest first."""
    boards = [parse_board(path.stem.partition("-")[2]) for path in EVIDENCE.glob("starts-*.jsonl")]
    for number, board in enumerate(sorted(boards, key=lambda board: -board.size)):
        yield from ([""] if number else [])
        yield from survey(board)


def survey(board: Board) -> Iterator[str]:
    """Yield the solved part of a board, and the expected cost of the rest."""
    found = summarize_survey(board, read_survey(survey_path(board), board))
    mirrors = [upset.mirror for upset in found.exceptions]
    left, mean = found.starts - found.solved, found.nodes / found.solved
    yield f"### {board}: {found.solved:,} of {found.starts:,} starts solved\n"
    yield row("starts", "solved", *COUNTS)
    yield row(*["---:"] * 6)
    counts = found.starts, found.solved, found.wins, len(mirrors), sum(mirrors), found.nodes
    yield row(*(f"{count:,}" for count in counts))
    each = f"A start takes {mean / 1e6:.0f} million nodes on average, {mean / NODES_A_SECOND:.0f} s on one core"
    hours = left * mean / NODES_A_SECOND / 3600
    rest = f": the other {left} are likely to take {hours:.1f} hours on one core" if left else ""
    yield f"\n{each}{rest}."
    strange = [f"`{upset.solution.position}`" for upset in found.exceptions if not upset.mirror]
    yield f"Exceptions that no mirror explains: {', '.join(strange) or ('none so far' if left else 'none')}."


def plies() -> Iterator[str]:
    """Yield the rows of how long the stealer takes to win."""
    yield row("board", "starts that follow the law", "least", "median", "most", "mean", "of the blanks")
    yield row(*["---:"] * 7)
    for said in sorted(_lines(PLIES), key=lambda said: (said["squares"], said["board"])):
        starts = f"{said['stealer']} of {said['starts']}{'' if said['all'] else ', chosen at random'}"
        counts = (f"{said[key]:g}" for key in ("least", "median", "most"))
        share = said["mean"] / (said["squares"] - 2)
        yield row(said["board"], starts, *counts, f"{said['mean']:.1f}", f"{share:.0%}")


def broken() -> Iterator[str]:
    """Yield the rows of positions that break the law, by blank squares and reason, for both kinds of games."""
    reasons = ("stuck", "apart", "mirror", "soon", "space", "other")
    yield row("board", "blanks", "positions", "break the law", "share", *reasons)
    yield row(*["---:"] * (5 + len(reasons)))
    found = dict[tuple[str, int], Counter[str]]()
    for said in _lines(BROKEN):
        counts = {key: said[key] for key in ("positions", "broken", *reasons)}
        found.setdefault((said["board"], said["blanks"]), Counter()).update(counts)
    for (board, blanks), sums in sorted(found.items(), key=lambda one: (one[0][0], -one[0][1])):
        if sums["positions"] >= LEAST_POSITIONS:
            share = f"{sums['broken'] / sums['positions']:.1%}"
            each = (str(sums[reason]) for reason in reasons)
            yield row(board, str(blanks), str(sums["positions"]), str(sums["broken"]), share, *each)


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def oracle() -> Iterator[str]:
    """Yield the rows of the oracle's opponents and its results."""
    yield row("opponent", "pairs", "won openings won", "lost openings won", "share (95%)")
    yield row("---", *["---:"] * 4)
    met = _lines(ORACLE)
    for said in sorted(met, key=lambda said: (-said["pairs"], -said["lost_openings_share"][0])):
        yield row(*oracle_cells(said))
    had, won = (sum(said[key] for said in met) for key in ("won_openings", "won_openings_won"))
    yield f"\nOf {had:,} openings that were won for it, the oracle won {won:,}."


def oracle_cells(said: dict[str, Any]) -> Sequence[str]:
    """Return the cells of the row for an opponent."""
    return (
        f"`{said['opponent']}`",
        str(said["pairs"]),
        f"{said['won_openings_won']} of {said['won_openings']}",
        f"{said['lost_openings_won']} of {said['lost_openings']}",
        str(RateEstimate(*said["lost_openings_share"])),
    )


def row(*cells: str) -> str:
    """Return a row of a Markdown table."""
    return f"| {' | '.join(cells)} |"


# Pictures


DARK = colour("grid")
WON = (colour("win"), colour("loss"))
"""The players' colours, paler, for the winner from a square."""
INK = colour("ink")
PAPER = colour("drawn-paper")


def drawings() -> dict[str, str]:
    """Return all pictures as SVG by file name."""
    return {
        "theory-stealer.svg": role("7/7/2A4/3B3/7/7/7 a"),
        "theory-runner.svg": role("7/7/2AB3/7/7/7/7 a"),
        "theory-starts-c3.svg": starts_from("c3"),
        "theory-starts-d4.svg": starts_from("d4"),
        "theory-half-turn.svg": answered("6/1A4/6/6/4B1/6 a", "a4 f3 c5 d2"),
        "theory-reflection.svg": answered("6/A4B/6/6/6/6 a", "c3 d3 b5 e5"),
        "theory-centre.svg": answered("7/7/1B5/3A3/7/7/7 a", "f5 c5 e3 b7 f1"),
    }


def role(text: str) -> str:
    """Return a position on a chessboard with both players' targets, and the squares that both can reach."""
    position = parse_position(text)
    board = position.board
    assert position.mover is not None
    assert position.other is not None
    dark = [square for square in board.squares if not same_colour(square, Square(0, 0))]
    both = position.legal_mask & board.knight_mask(position.other)
    other = board.squares_in(board.knight_mask(position.other) & position.blank)
    return under(
        over(draw_svg(position), [*dots(other, position.to_move.other), *rings(board, both)]),
        (cell(square, DARK) for square in dark if position.is_blank(square)),
    )


def starts_from(first: str) -> str:
    """Return the winners of all starts with one first square; exceptions are ringed."""
    board = Board(7, 7)
    known, stands = start_map(board), parse_square(first, board)
    assert known is not None
    position = Position.empty(board).play(stands)
    truths = [known.start(stands, square) for square in position.legal_moves()]
    upsets = board.mask_of(truth.second for truth in truths if truth.exception)
    colours = (cell(truth.second, WON[not truth.first_wins]) for truth in truths)
    return under(over(draw_svg(position, legal=False), rings(board, upsets)), colours)


def answered(text: str, line: str) -> str:
    """Return a position with the moves that follow, as lines for each player."""
    position = parse_position(text)
    board = position.board
    ways: dict[Player, list[Square]] = {
        Player.FIRST: [position.first] if position.first else [],
        Player.SECOND: [position.second] if position.second else [],
    }
    after = position
    for move in line.split():
        ways[after.to_move].append(parse_square(move, board))
        after = after.play(ways[after.to_move][-1])
    drawn = [arrow for player in Player for arrow in arrows(ways[player], player)]
    return over(draw_svg(position, legal=False), drawn)


def under(drawing: str, shapes: Iterable[str]) -> str:
    """Return the drawing with shapes below the pieces."""
    lines = drawing.split("\n")
    cells = [place for place, line in enumerate(lines) if line.startswith('<rect x="')]
    at = next(place for place in cells if place + 1 not in cells) + 1
    return "\n".join([*lines[:at], *shapes, *lines[at:]])


def over(drawing: str, shapes: Iterable[str]) -> str:
    """Return the drawing with shapes above everything."""
    return "\n".join([*drawing.split("\n")[:-1], *shapes, "</svg>"])


def cell(square: Square, colour: str) -> str:
    """Return a coloured square."""
    x, y = LABELS + square.col * CELL + GAP / 2, LABELS + square.row * CELL + GAP / 2
    return f'<rect x="{x:g}" y="{y:g}" width="{CELL - GAP:g}" height="{CELL - GAP:g}" fill="{colour}"/>'


def centre(square: Square) -> tuple[float, float]:
    """Return the centre of a square."""
    return LABELS + (square.col + 0.5) * CELL, LABELS + (square.row + 0.5) * CELL


def dots(squares: Iterable[Square], player: Player) -> Iterator[str]:
    """Yield small squares on the targets of the player not to move."""
    for square in squares:
        x, y = centre(square)
        yield (f'<rect x="{x - 5:g}" y="{y + 9:g}" width="10" height="10" rx="2" fill="{PLAYER_COLOURS[player]}"/>')


def rings(board: Board, mask: int) -> Iterator[str]:
    """Yield rings around squares."""
    for square in board.squares_in(mask):
        x, y = centre(square)
        yield (
            f'<rect x="{x - 19:g}" y="{y - 19:g}" width="38" height="38" rx="6" fill="none" '
            f'stroke="{INK}" stroke-width="2.5"/>'
        )


def arrows(way: list[Square], player: Player) -> Iterator[str]:
    """Yield a player's moves as lines with a number at each end."""
    colour = PLAYER_COLOURS[player]
    for number, (start, end) in enumerate(pairwise(way), start=1):
        (x0, y0), (x1, y1) = centre(start), centre(end)
        length = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5
        gone, left = (18 / length if number == 1 else 13 / length), 1 - 13 / length
        yield (
            f'<line x1="{x0 + gone * (x1 - x0):.1f}" y1="{y0 + gone * (y1 - y0):.1f}" '
            f'x2="{x0 + left * (x1 - x0):.1f}" y2="{y0 + left * (y1 - y0):.1f}" '
            f'stroke="{colour}" stroke-width="2.5" stroke-linecap="round"/>'
        )
        yield f'<circle cx="{x1:g}" cy="{y1:g}" r="12" fill="{PAPER}" stroke="{colour}" stroke-width="2.5"/>'
        yield (
            f'<text x="{x1:g}" y="{y1:g}" dy=".35em" text-anchor="middle" font-size="14" font-weight="600" '
            f'font-family="system-ui, Segoe UI, Helvetica, Arial, sans-serif" fill="{INK}">{number}</text>'
        )
