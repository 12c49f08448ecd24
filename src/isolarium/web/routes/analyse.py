"""Routes of analysis: values of moves, and best lines."""

from typing import Annotated, Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from isolarium.web import quotas
from isolarium.web.http_errors import BODY_ERRORS, error_responses
from isolarium.web.jobs.job_queue import answer_unless_gone
from isolarium.web.quotas import check_quick, read_any
from isolarium.web.rate_limits import client_of
from isolarium.web.schema import AgentText, GameText, HeuristicText, PlayerName, RequestBody, Score, Seed
from isolarium.web.services import ServicesDep


class ValuesRequest(RequestBody):
    """A request for the value of every legal move."""

    game: GameText
    exact: bool = True
    heuristics: Annotated[list[HeuristicText], Field(max_length=quotas.HEURISTICS)] = Field(default_factory=list)
    searches: Annotated[list[AgentText], Field(max_length=quotas.SEARCHES)] = Field(default_factory=list)
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


router = APIRouter(prefix="/api", tags=["analyse"])


@router.post("/values", responses=error_responses(*BODY_ERRORS, 503))
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


@router.post("/line", responses=error_responses(*BODY_ERRORS, 503))
async def line(wanted: LineRequest, request: Request, services: ServicesDep) -> Line:
    """Return the best line: the quickest win against the longest resistance."""
    read_any(wanted.game)
    job = services.searches.ask("best_line", wanted.model_dump(), client_of(request))
    return Line(**await answer_unless_gone(job, request))
