"""Routes of Learn: who wins each start of a solved board, and puzzles."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, Field

from isolarium.game.board import Board
from isolarium.game.notation import parse_board, parse_square
from isolarium.solver import start_map as starts_of
from isolarium.solver.puzzles import Puzzle, puzzles
from isolarium.solver.start_map import StartMap
from isolarium.web.http_errors import OF_BODIES, Refused, problems
from isolarium.web.schema import PlayerName, RequestBody, player_name


class ExceptionAt(BaseModel):
    """A pair of placements where the colour law is wrong; `mirror` says that the mirror theorem explains it."""

    first: str
    second: str
    mirror: bool


class Starts(BaseModel):
    """Who wins each pair of placements.

    The counts are up to symmetry. `map` has a line for each first square, row by row, with a letter for each second
    square: F where the first player wins, S where the second does, - where they are the same.
    """

    board: str
    starts: int
    wins: int
    exceptions: int
    mirrors: int
    map: list[str]
    exceptions_at: list[ExceptionAt]
    law: str


class PuzzleList(BaseModel):
    """How hard each puzzle is, the first one's number being 1; they go from easy to hard."""

    count: int
    difficulties: list[int]


class PuzzlePosition(BaseModel):
    """A position in which only one move wins, in how many plies, how hard it is, and how many moves are to be found."""

    number: int
    count: int
    position: str
    to_move: PlayerName
    legal: list[str]
    plies: int
    difficulty: int
    moves: int


class PuzzleTry(RequestBody):
    """A move to be tried; `step` is how many of the moves were found before it."""

    move: Annotated[str, Field(max_length=10, examples=["e6"])]
    step: Annotated[int, Field(ge=0, le=100)] = 0


class PuzzleAnswer(BaseModel):
    """Whether it was right, and what is; while there are more moves to find, what the other replies."""

    number: int
    move: str
    right: bool
    answer: str
    plies: int
    reply: str | None


LAW = (
    "Where both stand on the same colour after the placements the first player wins, on different "
    "colours the second."
)

router = APIRouter(prefix="/api", tags=["learn"])


def solved_boards() -> list[str]:
    """The boards whose starts are known."""
    return [str(board) for board in starts_of.solved_boards()]


def puzzle_count() -> int:
    """How many puzzles there are."""
    return len(puzzles())


@router.get("/starts/{board}", responses=problems(404))
def starts(board: str) -> Starts:
    """Who wins each pair of placements on a board."""
    squares = parse_board(board)
    found = starts_of.start_map(squares)
    if found is None:
        known = ", ".join(solved_boards())
        raise Refused(404, f"{squares}: its starts are not solved; expected one of {known}")
    return Starts(
        board=str(squares),
        starts=found.starts,
        wins=found.wins,
        exceptions=found.exceptions,
        mirrors=found.mirrors,
        map=_winners(found, squares),
        exceptions_at=_exceptions(found, squares),
        law=LAW,
    )


def _winners(found: StartMap, board: Board) -> list[str]:
    """For each first square a line with a letter for each second square."""
    lines = []
    for first in board.squares:
        wins = found.from_first(first)
        lines.append(
            "".join("-" if second == first else "SF"[wins[second]] for second in board.squares)
        )
    return lines


def _exceptions(found: StartMap, board: Board) -> list[ExceptionAt]:
    return [
        ExceptionAt(first=str(first), second=str(second), mirror=start.mirror)
        for first in board.squares
        for second in board.squares
        if first != second and (start := found.start(first, second)).exception
    ]


@router.get("/puzzles")
def all_puzzles() -> PuzzleList:
    """How hard every puzzle is, from the first on."""
    return PuzzleList(count=len(puzzles()), difficulties=[one.difficulty for one in puzzles()])


@router.get("/puzzles/{number}", responses=problems(404))
def puzzle(number: int) -> PuzzlePosition:
    """A position in which only one move wins."""
    found = _puzzle(number)
    position = found.position
    return PuzzlePosition(
        number=number,
        count=len(puzzles()),
        position=str(position),
        to_move=player_name(position.to_move),
        legal=[str(move) for move in position.legal_moves()],
        plies=found.plies,
        difficulty=found.difficulty,
        moves=len(found.moves),
    )


@router.post("/puzzles/{number}", responses=problems(*OF_BODIES, 404))
def solve(number: int, tried: PuzzleTry) -> PuzzleAnswer:
    """Whether a move is the one that wins, and what the other answers."""
    found = _puzzle(number)
    if tried.step >= len(found.moves):
        raise Refused(422, f"step {tried.step}: expected 0 to {len(found.moves) - 1}")
    move = parse_square(tried.move, found.position.board)
    found.turns[tried.step].play(move)
    right = move == found.moves[tried.step]
    replies = found.line[2 * tried.step + 1 :]
    return PuzzleAnswer(
        number=number,
        move=str(move),
        right=right,
        answer=str(found.moves[tried.step]),
        plies=found.plies - 2 * tried.step,
        reply=str(replies[0]) if right and replies else None,
    )


def _puzzle(number: int) -> Puzzle:
    if not 1 <= number <= len(puzzles()):
        raise Refused(404, f"puzzle {number}: expected 1 to {len(puzzles())}")
    return puzzles()[number - 1]
