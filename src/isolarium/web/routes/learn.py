"""Routes of the Learn page: the winners of solved starts, moves in practice, and puzzles."""

from typing import Annotated

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from isolarium.game.board import Board, parse_board, parse_square
from isolarium.solver import start_map as starts_of
from isolarium.solver.puzzles import Puzzle, puzzles
from isolarium.solver.start_map import StartMap
from isolarium.web.connection_limits import client_of
from isolarium.web.http_errors import BODY_ERRORS, HttpError, error_responses
from isolarium.web.jobs.job_queue import answer_unless_gone
from isolarium.web.schema import GameText, PlayerName, RequestBody, player_name, read_any
from isolarium.web.services import ServicesDep


class ExceptionAt(BaseModel):
    """A start that breaks the colour law.

    `mirror` is true if the mirror theorem explains the exception.
    """

    first: str
    second: str
    mirror: bool


class Starts(BaseModel):
    """Who wins each start of a board.

    The counts are up to symmetry. `map` has a line for each first square, row by row. The line has
    a letter for each second square: F if the first player wins, S if the second player wins, - if
    the squares are the same.
    """

    board: str
    starts: int
    wins: int
    exceptions: int
    mirrors: int
    map: list[str]
    exceptions_at: list[ExceptionAt]
    law: str


class ExploreRequest(RequestBody):
    """A game, whose last position is explored."""

    game: GameText


class Choices(BaseModel):
    """How often an agent chose each move in a position."""

    agent: str
    moves: dict[str, int]


class Practice(BaseModel):
    """The moves that agents chose in a position in the runs of this server, up to symmetry."""

    games: int
    agents: list[Choices]


class TrickyStart(BaseModel):
    """A start, who wins it with perfect play, and in how many of its games that player lost."""

    first: str
    second: str
    winner: PlayerName
    games: int
    lost: int


class TrickyStarts(BaseModel):
    """The starts that agents lost most often although they should have won; and all games."""

    games: int
    starts: list[TrickyStart]


class PuzzleList(BaseModel):
    """The difficulty of each puzzle, from easy to hard; puzzles are numbered from 1."""

    count: int
    difficulties: list[int]


class PuzzlePosition(BaseModel):
    """A position in which only one move wins.

    It includes the plies to the win, the puzzle's difficulty, the number of moves to find, and the
    line: those moves with the replies between them.
    """

    number: int
    count: int
    position: str
    to_move: PlayerName
    legal: list[str]
    plies: int
    difficulty: int
    moves: int
    line: list[str]


class PuzzleTry(RequestBody):
    """A move to try; `step` is the number of moves found before it."""

    move: Annotated[str, Field(max_length=10, examples=["e6"])]
    step: Annotated[int, Field(ge=0, le=100)] = 0


class PuzzleAnswer(BaseModel):
    """The answer to a try.

    It states whether the move was right, and contains the right move and, if there are more moves
    to find, the opponent's reply.
    """

    number: int
    move: str
    right: bool
    answer: str
    plies: int
    reply: str | None


LAW = "If both stand on the same colour after the placements, the first player wins; on different colours, the second."

router = APIRouter(prefix="/api", tags=["learn"])


def solved_boards() -> list[str]:
    """Return the boards whose starts are solved."""
    return [str(board) for board in starts_of.solved_boards()]


def puzzle_count() -> int:
    """Return the number of puzzles."""
    return len(puzzles())


@router.get("/starts/{board}", responses=error_responses(404))
def starts(board: str) -> Starts:
    """Return who wins each start of a board."""
    squares = parse_board(board)
    found = starts_of.start_map(squares)
    if found is None:
        known = ", ".join(solved_boards())
        raise HttpError(404, f"{squares}: its starts are not solved; expected one of {known}")
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
    """Return a line for each first square, with a letter for each second square."""
    lines = []
    for first in board.squares:
        wins = found.from_first(first)
        lines.append("".join("-" if second == first else "SF"[wins[second]] for second in board.squares))
    return lines


def _exceptions(found: StartMap, board: Board) -> list[ExceptionAt]:
    return [
        ExceptionAt(first=str(first), second=str(second), mirror=start.mirror)
        for first in board.squares
        for second in board.squares
        if first != second and (start := found.start(first, second)).exception
    ]


@router.get("/starts/{board}/trickiest", responses=error_responses(503))
async def trickiest(board: str, request: Request, services: ServicesDep) -> TrickyStarts:
    """Return the starts of a board that went wrong most often in the runs of this server."""
    asked = {"board": str(parse_board(board)), "runs": str(services.settings.runs)}
    job = services.searches.ask("trickiest", asked, client_of(request))
    return TrickyStarts(**await answer_unless_gone(job, request))


@router.post("/explore", responses=error_responses(*BODY_ERRORS, 503))
async def explore(wanted: ExploreRequest, request: Request, services: ServicesDep) -> Practice:
    """Return the moves that agents chose in a position in the runs of this server."""
    read_any(wanted.game)
    asked = {"game": wanted.game, "runs": str(services.settings.runs)}
    job = services.searches.ask("explore", asked, client_of(request))
    return Practice(**await answer_unless_gone(job, request))


@router.get("/puzzles")
def all_puzzles() -> PuzzleList:
    """Return the difficulty of every puzzle."""
    return PuzzleList(count=len(puzzles()), difficulties=[one.difficulty for one in puzzles()])


@router.get("/puzzles/{number}", responses=error_responses(404))
def puzzle(number: int) -> PuzzlePosition:
    """Return a puzzle: a position in which only one move wins."""
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
        line=[str(move) for move in found.line],
    )


@router.post("/puzzles/{number}", responses=error_responses(*BODY_ERRORS, 404))
def solve(number: int, tried: PuzzleTry) -> PuzzleAnswer:
    """Check a move of a puzzle, and return the opponent's reply."""
    found = _puzzle(number)
    if tried.step >= len(found.moves):
        raise HttpError(422, f"step {tried.step}: expected 0 to {len(found.moves) - 1}")
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
        raise HttpError(404, f"puzzle {number}: expected 1 to {len(puzzles())}")
    return puzzles()[number - 1]
