"""Routes for runs: which there are, what they say, live, their games and reports; to start, stop and resume them."""

import asyncio
from functools import cache
from hmac import compare_digest
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Path, Query, Request, Response, WebSocket
from fastapi.responses import RedirectResponse

from isolarium.arena.run_store import REPORT_PAGE
from isolarium.errors import InputError
from isolarium.studies.study_file import read_study, shipped_studies
from isolarium.web.http_errors import FULL, OF_BODIES, Refused, problems, told
from isolarium.web.jobs.reports import POLICY, with_way_back
from isolarium.web.jobs.start_runs import begin_study, check_games, check_resumable, with_paths
from isolarium.web.jobs.websocket_jobs import answer_unless_gone
from isolarium.web.rate_limits import client_of
from isolarium.web.run_folder import study_of
from isolarium.web.schemas import watch_schema
from isolarium.web.services import Served, services_of

MOST_GAMES = 200

router = APIRouter(prefix="/api/runs", tags=["watch"])
Name = Annotated[str, Path(max_length=210)]


def check_token(
    services: Served, x_isolarium_token: Annotated[str, Header(max_length=200)] = ""
) -> None:
    """See that who starts, stops or resumes a run may.

    Raises:
        Refused: the token is wrong.
    """
    expected = services.settings.token
    if not compare_digest(x_isolarium_token.encode(), expected.encode()) and expected:
        raise Refused(
            403,
            "runs are started, stopped and resumed here only with the token in the address that the server printed",
        )


MayPlay = [Depends(check_token)]


@router.get("", responses=problems(503))
async def runs(request: Request, services: Served) -> watch_schema.Runs:
    """The runs there are, and the studies that could be begun."""
    job = services.reading.ask(
        "list_runs", {"runs": str(services.settings.runs)}, client_of(request)
    )
    found = await answer_unless_gone(job, request)
    lines = [
        watch_schema.RunLine(**services.complete(line["name"], line)) for line in found["runs"]
    ]
    return watch_schema.Runs(runs=lines, studies=await asyncio.to_thread(known_studies))


@cache
def known_studies() -> list[watch_schema.StudyFacts]:
    """The studies that come with Isolarium."""
    studies = [read_study(path) for path in shipped_studies().values()]
    return [
        watch_schema.StudyFacts(
            name=study.name,
            title=study.title,
            about=study.about,
            parts=[
                watch_schema.StudyPart(
                    name=part.name, title=part.title, games=study.plan(part).games
                )
                for part in study.parts
            ],
        )
        for study in studies
    ]


@router.get("/{name}", responses=problems(404, 503))
async def run(name: Name, request: Request, services: Served) -> watch_schema.Run:
    """Everything about a run but its games."""
    folder = services.names.folder(name)
    job = services.reading.ask("read_run", {"folder": str(folder)}, client_of(request))
    found = await answer_unless_gone(job, request)
    return watch_schema.Run(**services.complete(name, found["run"]))


@router.websocket("/{name}/live")
async def live(socket: WebSocket, name: str) -> None:
    """The same whenever it changes."""
    await services_of(socket).followers.watch(name, socket)


@router.get("/{name}/games", responses=problems(404, 503))
async def games(
    name: Name,
    request: Request,
    services: Served,
    offset: Annotated[int, Query(ge=0, le=10**9)] = 0,
    limit: Annotated[int, Query(ge=1, le=MOST_GAMES)] = 50,
    show: watch_schema.Show = "all",
    agent: Annotated[int | None, Query(ge=0, le=10**6)] = None,
) -> watch_schema.Games:
    """Some of its games.

    Of all, of `upsets`, which the one won that won the smaller share of its games in this run, of those in which the
    player to win by perfect play from the opening on lost, where that is known, or of those lost on `time`; and of
    those only, with `agent`, in which this one of the run's players played. Or of the last 200 those with `mistakes`,
    moves that gave a win away, by anybody or by `agent`, as far as their positions can be solved.
    """
    wanted = {"folder": str(services.names.folder(name)), "offset": offset, "limit": limit}
    wanted |= {"show": show, "agent": agent}
    lane = services.deep if show == "mistakes" else services.reading
    job = lane.ask("read_games", wanted, client_of(request))
    found = await answer_unless_gone(job, request)
    return watch_schema.Games(**found)


@router.get("/{name}/games/{number}", responses=problems(404, 503))
async def game(
    name: Name,
    number: Annotated[int, Path(ge=1, le=10**9)],
    request: Request,
    services: Served,
) -> watch_schema.PlayedGame:
    """One of its games, with what the players said of their moves."""
    wanted = {"folder": str(services.names.folder(name)), "number": number}
    job = services.reading.ask("read_game", wanted, client_of(request))
    try:
        return watch_schema.PlayedGame(**await answer_unless_gone(job, request))
    except InputError as error:
        raise Refused(404, told(error)) from None


@router.get("/{name}/report", responses=problems(404), status_code=307, response_class=Response)
def report(name: Name, services: Served) -> RedirectResponse:
    """Its report: a page beside its charts and tables."""
    services.names.folder(name)
    return RedirectResponse(f"/api/runs/{name}/report/", 307)


@router.get("/{name}/report/{path:path}", include_in_schema=False)
async def report_file(name: Name, path: str, request: Request, services: Served) -> Response:
    """A file of its report; without a path, the page."""
    folder = services.names.folder(name)
    job = services.reading.ask("read_run", {"folder": str(folder)}, client_of(request))
    found = await answer_unless_gone(job, request)
    content, kind = await services.reports.file(
        folder,
        found["mark"],
        path or REPORT_PAGE,
        client_of(request),
        is_finished=found["run"]["state"] == "finished",
    )
    if not path:
        content = with_way_back(content, name)
    return Response(content, media_type=kind, headers={"Content-Security-Policy": POLICY})


@router.post(
    "", status_code=201, responses=problems(*OF_BODIES, 409, 503, FULL), dependencies=MayPlay
)
async def begin(
    wanted: watch_schema.RunRequest, request: Request, services: Served
) -> watch_schema.Begun:
    """Begin a match, a tournament, a sweep or a study."""
    with services.launcher.place():  # before anything is written: nobody would play the rest
        if isinstance(wanted, watch_schema.StudyRequest):
            name, parts = await asyncio.to_thread(begin_study, wanted, services.settings)
        else:
            wanted = with_paths(wanted, services.trust)
            check_games(wanted, services.trust)
            asked = {"wanted": wanted.model_dump(), "runs": str(services.settings.runs)}
            job = services.deep.ask("begin_games", asked, client_of(request))
            name = (await job.answer())["name"]
            parts = [name]
        await services.launcher.play(name, has_place=True)
    return watch_schema.Begun(name=name, runs=parts)


@router.post(
    "/{name}/stop", status_code=202, responses=problems(*OF_BODIES, 404, 409), dependencies=MayPlay
)
def stop(name: Name, wanted: watch_schema.Nothing, services: Served) -> watch_schema.Going:
    """Have a run end in good order."""
    services.names.folder_or_study(name)
    services.launcher.stop(name)
    return watch_schema.Going(name=name, state="stopping")


@router.post(
    "/{name}/resume",
    status_code=202,
    responses=problems(*OF_BODIES, 404, 409, 503),
    dependencies=MayPlay,
)
async def resume(name: Name, wanted: watch_schema.Nothing, services: Served) -> watch_schema.Going:
    """Go on with a run, or with the study that it is part of."""
    services.names.folder_or_study(name)
    whole = study_of(name) or name
    folder = services.names.folder_or_study(whole)
    await asyncio.to_thread(check_resumable, folder, services.trust)
    await services.launcher.play(whole)
    return watch_schema.Going(name=name, state="playing")
