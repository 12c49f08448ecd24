"""Routes of Analyse: the values of moves, the best line, and the review of a game."""

from typing import Annotated, Literal

from fastapi import APIRouter, Request, WebSocket
from pydantic import BaseModel, Field

from isolarium.web import quotas
from isolarium.web.http_errors import OF_BODIES, problems
from isolarium.web.jobs.job_queue import Job
from isolarium.web.jobs.websocket_jobs import Conversation, answer_unless_gone
from isolarium.web.quotas import check_quick, read_any
from isolarium.web.rate_limits import client_of
from isolarium.web.schema import (
    AgentText,
    GameText,
    HeuristicText,
    JobId,
    PlayerName,
    RequestBody,
    Score,
    Seed,
)
from isolarium.web.services import Served, services_of


class ValuesRequest(RequestBody):
    """What is wanted of every legal move."""

    game: GameText
    exact: bool = True
    heuristics: Annotated[list[HeuristicText], Field(max_length=quotas.HEURISTICS)] = Field(
        default_factory=list
    )
    searches: Annotated[list[AgentText], Field(max_length=quotas.SEARCHES)] = Field(
        default_factory=list
    )
    seed: Seed = 1


Value = Literal["wins", "loses", "unknown"]


class MoveValue(BaseModel):
    """What a move is worth to the player who makes it."""

    move: str
    value: Value
    plies: int | None
    heuristics: list[Score]
    searches: list[Score]


class Values(BaseModel):
    """What a position and its moves are worth to the player to move.

    `stopped` says that time was up before all searches were through: moves may have no value by them, or a poorer one.
    """

    position: str
    to_move: PlayerName
    value: Value
    plies: int | None
    nodes: int
    ms: float
    stopped: bool
    moves: list[MoveValue]


class AnalyseRequest(RequestBody):
    """A game to be marked, on a WebSocket."""

    id: JobId
    game: GameText
    heuristic: HeuristicText | None = None
    first_ply: Annotated[int, Field(ge=1, le=1000, description="The first move to be marked.")] = 1


class LineRequest(RequestBody):
    """A game to be played to its end by both as well as can be."""

    game: GameText


class Line(BaseModel):
    """Best play for both from a position on, as far as who wins is proven: no moves where it is not.

    `moves` from the place `exact` on, counted from 0, are the quickest win against the longest resistance. Those of the
    winner before it win too; those of the loser leave as few winning replies as could be found. `ends` says that the
    last one ends the game.
    """

    position: str
    to_move: PlayerName
    value: Value
    moves: list[str]
    exact: int
    ends: bool


router = APIRouter(prefix="/api", tags=["analyse"])


@router.post("/values", responses=problems(*OF_BODIES, 503))
async def values(wanted: ValuesRequest, request: Request, services: Served) -> Values:
    """What every legal move is worth."""
    read_any(wanted.game)
    for text in wanted.searches:
        check_quick(services.trust.agent(text))
    asked = wanted.model_dump() | {
        "heuristics": [services.trust.heuristic(text) for text in wanted.heuristics],
        "searches": [services.trust.full(text) for text in wanted.searches],
    }
    job = services.deep.ask("values", asked, client_of(request))
    return Values(**await answer_unless_gone(job, request))


@router.post("/line", responses=problems(*OF_BODIES, 503))
async def line(wanted: LineRequest, request: Request, services: Served) -> Line:
    """Best play for both: the quickest win against the longest resistance."""
    read_any(wanted.game)
    job = services.deep.ask("best_line", wanted.model_dump(), client_of(request))
    return Line(**await answer_unless_gone(job, request))


@router.websocket("/analyse")
async def analyse(socket: WebSocket) -> None:
    """A game against the truth, move by move."""
    services, client = services_of(socket), client_of(socket)

    def begin(wanted: AnalyseRequest) -> Job:
        read_any(wanted.game)
        asked = wanted.model_dump(exclude={"id"})
        if wanted.heuristic is not None:
            asked["heuristic"] = services.trust.heuristic(wanted.heuristic)
        return services.deep.ask("analyse", asked, client)

    await Conversation(socket, AnalyseRequest, begin, one_at_a_time=True).run()
