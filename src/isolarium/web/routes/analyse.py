"""Routes for analysis: what moves are worth, best play, and games against the truth."""

from fastapi import APIRouter, Request, WebSocket

from isolarium.web.http_errors import OF_BODIES, problems
from isolarium.web.jobs.job_queue import Job
from isolarium.web.jobs.websocket_jobs import Conversation, answer_unless_gone
from isolarium.web.quotas import check_quick, read_any
from isolarium.web.rate_limits import client_of
from isolarium.web.schemas import analyse_schema
from isolarium.web.services import Served, services_of

router = APIRouter(prefix="/api", tags=["analyse"])


@router.post("/values", responses=problems(*OF_BODIES, 503))
async def values(
    wanted: analyse_schema.ValuesRequest, request: Request, services: Served
) -> analyse_schema.Values:
    """What every legal move is worth."""
    read_any(wanted.game)
    for text in wanted.searches:
        check_quick(services.trust.agent(text))
    asked = wanted.model_dump() | {
        "heuristics": [services.trust.heuristic(text) for text in wanted.heuristics],
        "searches": [services.trust.full(text) for text in wanted.searches],
    }
    job = services.deep.ask("values", asked, client_of(request))
    return analyse_schema.Values(**await answer_unless_gone(job, request))


@router.post("/line", responses=problems(*OF_BODIES, 503))
async def line(
    wanted: analyse_schema.LineRequest, request: Request, services: Served
) -> analyse_schema.Line:
    """Best play for both: the quickest win against the longest resistance."""
    read_any(wanted.game)
    job = services.deep.ask("best_line", wanted.model_dump(), client_of(request))
    return analyse_schema.Line(**await answer_unless_gone(job, request))


@router.websocket("/analyse")
async def analyse(socket: WebSocket) -> None:
    """A game against the truth, move by move."""
    services, client = services_of(socket), client_of(socket)

    def begin(wanted: analyse_schema.AnalyseRequest) -> Job:
        read_any(wanted.game)
        asked = wanted.model_dump(exclude={"id"})
        if wanted.heuristic is not None:
            asked["heuristic"] = services.trust.heuristic(wanted.heuristic)
        return services.deep.ask("analyse", asked, client)

    await Conversation(socket, analyse_schema.AnalyseRequest, begin, one_at_a_time=True).run()
