"""Routes for play: what agents there are, reading games, moves, thinking; other pages use them too."""

from dataclasses import asdict
from functools import cache, lru_cache

from fastapi import APIRouter, Request, Response, WebSocket

from isolarium import __version__
from isolarium.agents.levels import HINT_AGENT, LEVELS
from isolarium.game.board import MAX_SIDE, MIN_SIDE
from isolarium.game.notation import parse_board
from isolarium.game.outcome import Outcome
from isolarium.game.position import Position
from isolarium.game.record import GameRecord, format_game_json, format_replay
from isolarium.heuristics.catalogue import catalogue
from isolarium.heuristics.definition import Heuristic
from isolarium.heuristics.description import parameters_of
from isolarium.spec.parser import FORM
from isolarium.spec.registry import SEARCHES, Option, SearchKind
from isolarium.web.bundles import ASK_AGAIN, Packed, packed, sent
from isolarium.web.http_errors import OF_BODIES, problems
from isolarium.web.jobs.job_queue import Job
from isolarium.web.jobs.websocket_jobs import Conversation, answer_unless_gone
from isolarium.web.quotas import FIXED, read_any
from isolarium.web.rate_limits import Client, client_of
from isolarium.web.routes.learn import puzzle_count, solved_boards
from isolarium.web.schemas import facts, play_schema
from isolarium.web.schemas.common import player_name
from isolarium.web.services import Served, Services, services_of

router = APIRouter(prefix="/api", tags=["play"])


@router.get("/agents", response_model=facts.Agents, responses=problems())
def agents(request: Request, services: Served) -> Response:
    """What agents are made of, levels of play, and what a request may ask for."""
    known = facts.Agents(
        version=__version__,
        needs_token=bool(services.settings.token),
        embeds=bool(services.settings.embed),
        form=FORM,
        searches=searches(),
        heuristics=heuristics(),
        levels=[facts.Level(**asdict(level)) for level in LEVELS],
        guests=services.guests.specs(),
        hint=HINT_AGENT,
        limits=facts.Caps(),
        boards=facts.Boards(least=MIN_SIDE, most=MAX_SIDE, solved=solved_boards()),
        puzzles=puzzle_count(),
    )
    told = services.trust.names.shown(known.model_dump_json().encode())
    return sent(request, _packed(told), ASK_AGAIN)


@lru_cache(maxsize=4)
def _packed(text: bytes) -> Packed:
    return packed(text, ".json")


@cache
def searches() -> list[facts.SearchFacts]:
    """Every search."""
    return [_search(kind) for kind in SEARCHES.values()]


@cache
def heuristics() -> list[facts.HeuristicFacts]:
    """Every heuristic that comes with Isolarium."""
    return [_heuristic(one) for one in catalogue().values()]


def _search(kind: SearchKind) -> facts.SearchFacts:
    return facts.SearchFacts(
        name=kind.name,
        about=kind.about,
        takes_heuristic=kind.takes_heuristic,
        takes_limit=kind.takes_limit,
        ends_at_depth=kind.ends_at_depth,
        default_nodes=kind.default_nodes,
        example=kind.example,
        options=[
            _option(name, option) for name, option in kind.options.items() if name not in FIXED
        ],
    )


def _option(name: str, option: Option) -> facts.OptionFacts:
    is_switch = isinstance(option.default, bool)
    takes = "true or false" if is_switch else f"from {option.least:g} to {option.most:g}"
    return facts.OptionFacts(name=name, default=option.default, about=option.about, takes=takes)


def _heuristic(heuristic: Heuristic) -> facts.HeuristicFacts:
    return facts.HeuristicFacts(
        name=heuristic.name,
        family=heuristic.family,
        formula=heuristic.formula,
        about=heuristic.about.partition("\n")[0],
        parameters=[
            facts.ParameterFacts(name=one.name, default=one.default, takes=one.takes)
            for one in parameters_of(heuristic)
        ],
    )


@router.post("/read", responses=problems(*OF_BODIES))
def read(wanted: play_schema.ReadRequest) -> play_schema.ReadGame:
    """A text of any notation as a game."""
    board = None if wanted.board is None else parse_board(wanted.board)
    game = read_any(wanted.text, board)
    position, outcome = game.position, game.outcome()
    return play_schema.ReadGame(
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


def _end(outcome: Outcome) -> play_schema.End:
    return play_schema.End(winner=player_name(outcome.winner), reason=str(outcome.reason))


def _starts_empty(game: GameRecord) -> bool:
    return game.start == Position.empty(game.start.board)


@router.post("/agent", responses=problems(*OF_BODIES, 503))
async def agent(
    wanted: play_schema.AgentRequest, request: Request, services: Served
) -> play_schema.ReadAgent:
    """An agent's spec, if it is one and may be asked for a move."""
    return play_schema.ReadAgent(agent=await _full(wanted.agent, request, services))


@router.post("/move", responses=problems(*OF_BODIES, 503))
async def move(
    wanted: play_schema.MoveRequest, request: Request, services: Served
) -> play_schema.Move:
    """An agent's move in a game."""
    full = await _full(wanted.agent, request, services)
    found = await answer_unless_gone(_thinking(wanted, services, client_of(request)), request)
    return play_schema.Move(agent=full, **found)


async def _full(text: str, request: Request, services: Services) -> str:
    """An agent's spec in full; where that takes loading a file, a worker does so."""
    spec = services.trust.agent(text)
    if not spec.is_foreign:
        return str(spec)
    full = services.trust.full(text)
    job = services.deep.ask("read_agent", {"agent": full}, client_of(request))
    return str((await answer_unless_gone(job, request))["agent"])


@router.websocket("/think")
async def think(socket: WebSocket) -> None:
    """The same, told of as it goes on."""
    services, client = services_of(socket), client_of(socket)

    def begin(wanted: play_schema.ThinkRequest) -> Job:
        return _thinking(wanted, services, client)

    await Conversation(socket, play_schema.ThinkRequest, begin).run()


def _thinking(wanted: play_schema.MoveRequest, services: Services, client: Client) -> Job:
    spec = services.trust.agent(wanted.agent)
    game = read_any(wanted.game)
    return services.think(spec, str(game), game.start.board, wanted.seed, client)
