"""Routes of Watch: runs, their games and reports; starting, stopping and resuming them."""

import asyncio
from functools import cache
from hmac import compare_digest
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Header, Path, Query, Request, Response, WebSocket
from fastapi.responses import RedirectResponse
from pydantic import BaseModel, Field

from isolarium.arena.run_store import REPORT_PAGE
from isolarium.errors import InputError
from isolarium.studies.study_file import read_study, shipped_studies
from isolarium.web.http_errors import FULL, OF_BODIES, Refused, problems, told
from isolarium.web.jobs.reports import POLICY, with_way_back
from isolarium.web.jobs.start_runs import (
    RunRequest,
    StudyRequest,
    begin_study,
    check_games,
    check_resumable,
    with_paths,
)
from isolarium.web.jobs.websocket_jobs import answer_unless_gone
from isolarium.web.rate_limits import client_of
from isolarium.web.run_folder import study_of
from isolarium.web.schema import PlayerName, RequestBody, Score
from isolarium.web.services import Served, services_of

State = Literal["finished", "stopped", "playing", "broken"]


class RunLine(BaseModel):
    """A run in one line; `problem` says what went wrong, `mine` that this server plays it."""

    name: str
    study: str | None
    title: str
    started: str
    games: int
    games_planned: int
    state: State
    mine: bool
    problem: str


class StudyPart(BaseModel):
    """A part of a study."""

    name: str
    title: str
    games: int


class StudyFacts(BaseModel):
    """A study that comes with Isolarium."""

    name: str
    title: str
    about: str
    parts: list[StudyPart]


class Runs(BaseModel):
    """The runs there are, the one begun last first, and the studies that could be begun."""

    runs: list[RunLine]
    studies: list[StudyFacts]


Estimate = Annotated[
    dict[str, float | None],
    Field(
        description="A figure, by what it is called, and the `low` and `high` of its 95% interval."
    ),
]


class ResultTable(BaseModel):
    """A table of a run's report.

    Each column has a name for programs, a heading of one or more lines, and a letter of `align`: < for words, > for
    figures. A row is given as texts and as values. `best` are the places, row and column, of the best figures; the last
    rows, `footer` of them, sum the others up.
    """

    name: str
    title: str
    keys: list[str]
    columns: list[str]
    align: str
    rows: list[list[str]]
    values: list[list[Estimate | int | float | str | None]]
    best: list[tuple[int, int]]
    footer: int
    notes: list[str]


class Test(BaseModel):
    """A sequential test: its bounds, and its path as pairs of a number of pairs and the ratio after it."""

    elo0: float
    elo1: float
    normalised: bool
    alpha: float
    beta: float
    lower: float
    upper: float
    llr: float
    state: str
    pairs: int
    path: list[tuple[int, float]]


class Heat(BaseModel):
    """For each square, row by row, the share of the games in which a player, or its opponents, went there."""

    player: int
    games: int
    share: list[float]
    opponents: list[float]


class LiveGame(BaseModel):
    """The game that is being played, as far as it has come, where games take seconds."""

    text: str
    labels: list[str]


class Run(BaseModel):
    """Everything about a run but its games."""

    name: str
    study: str | None
    title: str
    state: State
    mine: bool
    problem: str
    stage: Literal["starting", "playing", ""]
    started: str
    board: str
    format: str
    openings: str
    plies: int
    seed: int
    pairs: int
    games: int
    games_planned: int
    pairs_done: int
    rate: float | None
    seconds_left: float | None
    verdict: str
    first_mover_won: float | None
    players: list[str]
    standings: ResultTable
    cross: ResultTable | None
    encounters: ResultTable
    test: Test | None
    heat: list[Heat]
    has_report: bool
    live: LiveGame | None


class GameLine(BaseModel):
    """A game in one line; the players by their places."""

    number: int
    encounter: int
    pair: int
    game: int
    first: int
    second: int
    winner: PlayerName
    reason: str
    length: int
    text: str


Show = Literal["all", "upsets", "mistakes", "given away", "time"]


class Games(BaseModel):
    """Some of a run's games, and how many there are of their kind."""

    total: int
    offset: int
    games: list[GameLine]


class PlayedMove(BaseModel):
    """A move, and what was said of it; nothing of those of the opening."""

    move: str
    player: PlayerName
    score: Score
    depth: int | None
    nodes: int | None
    ms: float | None


class PlayedGame(GameLine):
    """A game with everything that is known of it."""

    note: str
    opening: int
    labels: list[str]
    json_text: str = Field(alias="json")
    moves: list[PlayedMove]


class Begun(BaseModel):
    """What was begun: a run, or a study with the runs that are its parts."""

    name: str
    runs: list[str]


class Nothing(RequestBody):
    """Nothing more to say."""


class Going(BaseModel):
    """What a run is about to do."""

    name: str
    state: Literal["stopping", "playing"]


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
async def runs(request: Request, services: Served) -> Runs:
    """The runs there are, and the studies that could be begun."""
    job = services.reading.ask(
        "list_runs", {"runs": str(services.settings.runs)}, client_of(request)
    )
    found = await answer_unless_gone(job, request)
    lines = [RunLine(**services.complete(line["name"], line)) for line in found["runs"]]
    return Runs(runs=lines, studies=await asyncio.to_thread(known_studies))


@cache
def known_studies() -> list[StudyFacts]:
    """The studies that come with Isolarium."""
    studies = [read_study(path) for path in shipped_studies().values()]
    return [
        StudyFacts(
            name=study.name,
            title=study.title,
            about=study.about,
            parts=[
                StudyPart(name=part.name, title=part.title, games=study.plan(part).games)
                for part in study.parts
            ],
        )
        for study in studies
    ]


@router.get("/{name}", responses=problems(404, 503))
async def run(name: Name, request: Request, services: Served) -> Run:
    """Everything about a run but its games."""
    folder = services.names.folder(name)
    job = services.reading.ask("read_run", {"folder": str(folder)}, client_of(request))
    found = await answer_unless_gone(job, request)
    return Run(**services.complete(name, found["run"]))


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
    show: Show = "all",
    agent: Annotated[int | None, Query(ge=0, le=10**6)] = None,
) -> Games:
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
    return Games(**found)


@router.get("/{name}/games/{number}", responses=problems(404, 503))
async def game(
    name: Name,
    number: Annotated[int, Path(ge=1, le=10**9)],
    request: Request,
    services: Served,
) -> PlayedGame:
    """One of its games, with what the players said of their moves."""
    wanted = {"folder": str(services.names.folder(name)), "number": number}
    job = services.reading.ask("read_game", wanted, client_of(request))
    try:
        return PlayedGame(**await answer_unless_gone(job, request))
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
async def begin(wanted: RunRequest, request: Request, services: Served) -> Begun:
    """Begin a match, a tournament, a sweep or a study."""
    with services.launcher.place():  # before anything is written: nobody would play the rest
        if isinstance(wanted, StudyRequest):
            name, parts = await asyncio.to_thread(begin_study, wanted, services.settings)
        else:
            wanted = with_paths(wanted, services.trust)
            check_games(wanted, services.trust)
            asked = {"wanted": wanted.model_dump(), "runs": str(services.settings.runs)}
            job = services.deep.ask("begin_games", asked, client_of(request))
            name = (await job.answer())["name"]
            parts = [name]
        await services.launcher.play(name, has_place=True)
    return Begun(name=name, runs=parts)


@router.post(
    "/{name}/stop", status_code=202, responses=problems(*OF_BODIES, 404, 409), dependencies=MayPlay
)
def stop(name: Name, wanted: Nothing, services: Served) -> Going:
    """Have a run end in good order."""
    services.names.folder_or_study(name)
    services.launcher.stop(name)
    return Going(name=name, state="stopping")


@router.post(
    "/{name}/resume",
    status_code=202,
    responses=problems(*OF_BODIES, 404, 409, 503),
    dependencies=MayPlay,
)
async def resume(name: Name, wanted: Nothing, services: Served) -> Going:
    """Go on with a run, or with the study that it is part of."""
    services.names.folder_or_study(name)
    whole = study_of(name) or name
    folder = services.names.folder_or_study(whole)
    await asyncio.to_thread(check_resumable, folder, services.trust)
    await services.launcher.play(whole)
    return Going(name=name, state="playing")
