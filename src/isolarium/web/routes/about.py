"""Routes for the data that every page loads first, and for the state of the server."""

from dataclasses import asdict
from functools import cache, lru_cache

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field

from isolarium import __version__
from isolarium.agents.levels import HINT_AGENT, LEVELS
from isolarium.game.board import MAX_SIDE, MIN_SIDE
from isolarium.heuristics.definition import Heuristic
from isolarium.heuristics.description import parameters_of
from isolarium.heuristics.lookup import catalogue
from isolarium.spec.parser import FORM
from isolarium.spec.registry import SEARCHES, Option, SearchKind
from isolarium.web import schema
from isolarium.web.bundles import REVALIDATE, Asset, asset, asset_response
from isolarium.web.http_errors import BUSY, error_responses
from isolarium.web.routes.learn import puzzle_count, solved_boards
from isolarium.web.schema import FIXED
from isolarium.web.services import ServicesDep


class OptionFacts(BaseModel):
    """A parameter of a search."""

    name: str
    default: bool | float
    about: str
    takes: str


class SearchFacts(BaseModel):
    """A search."""

    name: str
    about: str
    takes_heuristic: bool
    takes_limit: bool
    ends_at_depth: bool
    default_nodes: int
    example: str
    options: list[OptionFacts]


class ParameterFacts(BaseModel):
    """A parameter of a heuristic."""

    name: str
    default: str
    takes: str


class HeuristicFacts(BaseModel):
    """A heuristic."""

    name: str
    family: str
    formula: str
    about: str
    parameters: list[ParameterFacts]


class Level(BaseModel):
    """A level of play."""

    level: int
    name: str
    agent: str
    about: str
    elo: dict[str, int] = Field(description="How far it is above the first level, by board.")


class Caps(BaseModel):
    """The limits of a request."""

    nodes: int = schema.NODES
    ms: int = schema.MS
    depth: int = schema.DEPTH
    calls: int = schema.CALLS
    game_chars: int = schema.GAME_CHARS
    pairs: int = schema.PAIRS
    heuristics: int = schema.HEURISTICS
    searches: int = schema.SEARCHES


class Boards(BaseModel):
    """The supported boards, with sides from `least` to `most`.

    All starts of the `solved` boards are solved.
    """

    least: int
    most: int
    solved: list[str]


class Agents(BaseModel):
    """The data that every page loads first."""

    version: str
    needs_token: bool
    embeds: bool
    form: str
    searches: list[SearchFacts]
    heuristics: list[HeuristicFacts]
    levels: list[Level]
    guests: list[str] = Field(description="Course agents, and classes that choose moves, in the allowed folders.")
    hint: str = Field(description="The agent whose move is the hint.")
    limits: Caps
    boards: Boards
    puzzles: int


class QueueHealth(BaseModel):
    """The worker processes of a queue: in total, ready and busy.

    The number of waiting requests is included as well.
    """

    workers: int
    ready: int
    at_work: int
    waiting: int


class Health(BaseModel):
    """The state of the server."""

    version: str
    searches: QueueHealth
    reading: QueueHealth


router = APIRouter(prefix="/api")


@router.get("/agents", response_model=Agents, responses=error_responses(), tags=["play"])
def agents(request: Request, services: ServicesDep) -> Response:
    """List searches, heuristics, levels of play, and the limits of a request."""
    known = known_agents(
        needs_token=bool(services.settings.token),
        embeds=bool(services.settings.embed),
        guests=services.file_agents.specs(),
    )
    text = services.policy.names.shown(known.model_dump_json().encode())
    return asset_response(request, _asset(text), REVALIDATE)


def known_agents(*, needs_token: bool, embeds: bool, guests: list[str]) -> Agents:
    """Return the data that every page loads first."""
    return Agents(
        version=__version__,
        needs_token=needs_token,
        embeds=embeds,
        form=FORM,
        searches=searches(),
        heuristics=heuristics(),
        levels=[Level(**asdict(level)) for level in LEVELS],
        guests=guests,
        hint=HINT_AGENT,
        limits=Caps(),
        boards=Boards(least=MIN_SIDE, most=MAX_SIDE, solved=solved_boards()),
        puzzles=puzzle_count(),
    )


@lru_cache(maxsize=4)
def _asset(text: bytes) -> Asset:
    return asset(text, ".json")


@cache
def searches() -> list[SearchFacts]:
    """Return every search."""
    return [_search(kind) for kind in SEARCHES.values()]


@cache
def heuristics() -> list[HeuristicFacts]:
    """Return every built-in heuristic."""
    return [_heuristic(one) for one in catalogue().values()]


def _search(kind: SearchKind) -> SearchFacts:
    return SearchFacts(
        name=kind.name,
        about=kind.about,
        takes_heuristic=kind.takes_heuristic,
        takes_limit=kind.takes_limit,
        ends_at_depth=kind.ends_at_depth,
        default_nodes=kind.default_nodes,
        example=kind.example,
        options=[_option(name, option) for name, option in kind.options.items() if name not in FIXED],
    )


def _option(name: str, option: Option) -> OptionFacts:
    is_switch = isinstance(option.default, bool)
    takes = "true or false" if is_switch else f"from {option.least:g} to {option.most:g}"
    return OptionFacts(name=name, default=option.default, about=option.about, takes=takes)


def _heuristic(heuristic: Heuristic) -> HeuristicFacts:
    return HeuristicFacts(
        name=heuristic.name,
        family=heuristic.family,
        formula=heuristic.formula,
        about=heuristic.about.partition("\n")[0],
        parameters=[
            ParameterFacts(name=one.name, default=one.default, takes=one.takes) for one in parameters_of(heuristic)
        ],
    )


@router.get("/health", responses={**error_responses(), BUSY: {"model": Health}}, tags=["health"])
def health(services: ServicesDep, response: Response) -> Health:
    """Report the state of the workers; status 503 while a queue has no ready worker."""
    queues = {name: queue.facts() for name, queue in services.queues().items()}
    if not all(queue["ready"] for queue in queues.values()):
        response.status_code = BUSY
    return Health.model_validate({"version": __version__, **queues})
