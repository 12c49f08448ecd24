"""Routes of agents: reading games and agents, and choosing moves."""

from typing import Annotated

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from isolarium.game.notation import parse_board
from isolarium.game.position import Outcome, Position
from isolarium.game.record import GameRecord, format_game_json, format_replay
from isolarium.web.http_errors import BODY_ERRORS, error_responses
from isolarium.web.jobs.job_queue import answer_unless_gone
from isolarium.web.quotas import read_any
from isolarium.web.rate_limits import client_of
from isolarium.web.schema import AgentText, GameText, PlayerName, RequestBody, Score, Seed, player_name
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


router = APIRouter(prefix="/api", tags=["play"])


@router.post("/read", responses=error_responses(*BODY_ERRORS))
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


@router.post("/agent", responses=error_responses(*BODY_ERRORS, 503))
async def agent(wanted: AgentRequest, request: Request, services: ServicesDep) -> ReadAgent:
    """Check an agent's spec, and return it in full."""
    return ReadAgent(agent=await _full(wanted.agent, request, services))


@router.post("/move", responses=error_responses(*BODY_ERRORS, 503))
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
