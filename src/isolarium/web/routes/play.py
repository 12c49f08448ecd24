"""Routes of the Play and Analyse pages: reading games and agents, moves, their values, and best lines."""

from typing import Annotated, Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from isolarium.game.board import parse_board
from isolarium.game.position import Outcome, Position
from isolarium.game.record import GameRecord, format_game_json, format_replay
from isolarium.web import schema
from isolarium.web.connection_limits import client_of
from isolarium.web.http_errors import BODY_ERRORS, error_responses
from isolarium.web.jobs.job_queue import answer_unless_gone
from isolarium.web.schema import (
    AgentText,
    GameText,
    HeuristicText,
    PlayerName,
    RequestBody,
    Score,
    Seed,
    check_quick,
    player_name,
    read_any,
)
from isolarium.web.services import Services, ServicesDep


class ReadRequest(RequestBody):
    """A request to parse text as a game."""

    text: GameText
    board: Annotated[str, Field(max_length=20, examples=["7x7"])] | None = None


class End(BaseModel):
    """The outcome of a game."""

    winner: PlayerName
    reason: str


class ReadGame(BaseModel):
    """A game in every notation, with its current position."""

    text: str
    json_text: str = Field(serialization_alias="json")
    replay: str | None
    start: str
    board: str
    moves: list[str]
    position: str
    to_move: PlayerName
    legal: list[str]
    outcome: End | None


class AgentRequest(RequestBody):
    """A request to check an agent's spec."""

    agent: AgentText


class ReadAgent(BaseModel):
    """An agent's full spec."""

    agent: str


class MoveRequest(RequestBody):
    """A request for an agent's move in a game."""

    game: GameText
    agent: AgentText
    seed: Seed = 1


class Report(BaseModel):
    """An agent's search report."""

    score: Score
    depth: int
    nodes: int
    ms: float
    pv: list[str]
    proven: bool
    plies: int | None


class Move(BaseModel):
    """A move with its report."""

    move: str
    agent: str
    report: Report
    stopped: bool


router = APIRouter(prefix="/api")


@router.post("/read", tags=["play"], responses=error_responses(*BODY_ERRORS))
def read(wanted: ReadRequest) -> ReadGame:
    """Read a game in any notation."""
    board = None if wanted.board is None else parse_board(wanted.board)
    game = read_any(wanted.text, board)
    position, outcome = game.position, game.outcome()
    return ReadGame(
        text=str(game),
        json_text=format_game_json(game),
        replay=format_replay(game) if _starts_empty(game) else None,
        start=str(game.start.board) if _starts_empty(game) else str(game.start),
        board=str(game.start.board),
        moves=[str(move) for move in game.moves],
        position=str(position),
        to_move=player_name(position.to_move),
        legal=[] if outcome else [str(move) for move in position.legal_moves()],
        outcome=None if outcome is None else _end(outcome),
    )


def _end(outcome: Outcome) -> End:
    return End(winner=player_name(outcome.winner), reason=str(outcome.reason))


def _starts_empty(game: GameRecord) -> bool:
    return game.start == Position.empty(game.start.board)


@router.post("/agent", tags=["play"], responses=error_responses(*BODY_ERRORS, 503))
async def agent(wanted: AgentRequest, request: Request, services: ServicesDep) -> ReadAgent:
    """Check an agent's spec, and return it in full."""
    return ReadAgent(agent=await _full(wanted.agent, request, services))


@router.post("/move", tags=["play"], responses=error_responses(*BODY_ERRORS, 503))
async def move(wanted: MoveRequest, request: Request, services: ServicesDep) -> Move:
    """Return an agent's move in a game."""
    full = await _full(wanted.agent, request, services)
    spec, game = services.policy.agent(wanted.agent), read_any(wanted.game)
    job = services.think(spec, str(game), game.start.board, wanted.seed, client_of(request))
    found = await answer_unless_gone(job, request)
    return Move(agent=full, **found)


async def _full(text: str, request: Request, services: Services) -> str:
    """Return an agent's full spec; a worker loads the file that it names, if any."""
    spec = services.policy.agent(text)
    if not spec.is_third_party:
        return str(spec)
    full = services.policy.full(text)
    job = services.searches.ask("read_agent", {"agent": full}, client_of(request))
    return str((await answer_unless_gone(job, request))["agent"])


class ValuesRequest(RequestBody):
    """A request for the value of every legal move."""

    game: GameText
    exact: bool = True
    heuristics: Annotated[list[HeuristicText], Field(max_length=schema.HEURISTICS)] = Field(default_factory=list)
    searches: Annotated[list[AgentText], Field(max_length=schema.SEARCHES)] = Field(default_factory=list)
    seed: Seed = 1


Value = Literal["wins", "loses", "unknown"]


class MoveValue(BaseModel):
    """The value of a move for the player who makes it."""

    move: str
    value: Value
    plies: int | None
    heuristics: list[Score]
    searches: list[Score]


class Values(BaseModel):
    """The values of a position and its moves for the player to move.

    `stopped` is true if time ran out before all searches had finished; some values are then missing
    or less precise.
    """

    position: str
    to_move: PlayerName
    value: Value
    plies: int | None
    nodes: int
    ms: float
    stopped: bool
    moves: list[MoveValue]


class LineRequest(RequestBody):
    """A request for the best line from the end of a game."""

    game: GameText


class Line(BaseModel):
    """The best line from a position; empty if the winner is not proven.

    From index `exact` on, `moves` is the quickest win against the longest resistance. Before that
    index, the winner's moves are proven to win, and the loser's moves leave the fewest winning
    replies found. `ends` is true if the last move ends the game.
    """

    position: str
    to_move: PlayerName
    value: Value
    moves: list[str]
    exact: int
    ends: bool


@router.post("/values", tags=["analyse"], responses=error_responses(*BODY_ERRORS, 503))
async def values(wanted: ValuesRequest, request: Request, services: ServicesDep) -> Values:
    """Return the value of every legal move."""
    read_any(wanted.game)
    for text in wanted.searches:
        check_quick(services.policy.agent(text))
    job_request = wanted.model_dump() | {
        "heuristics": [services.policy.heuristic(text) for text in wanted.heuristics],
        "searches": [services.policy.full(text) for text in wanted.searches],
    }
    job = services.searches.ask("values", job_request, client_of(request))
    return Values(**await answer_unless_gone(job, request))


@router.post("/line", tags=["analyse"], responses=error_responses(*BODY_ERRORS, 503))
async def line(wanted: LineRequest, request: Request, services: ServicesDep) -> Line:
    """Return the best line: the quickest win against the longest resistance."""
    read_any(wanted.game)
    job = services.searches.ask("best_line", wanted.model_dump(), client_of(request))
    return Line(**await answer_unless_gone(job, request))
