"""Routes of the Watch page: runs, their games and reports.

Runs are started, stopped and resumed here too.
"""

import asyncio
from functools import cache
from hmac import compare_digest
from pathlib import Path as FilePath
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Header, Path, Query, Request, Response, WebSocket
from fastapi.responses import RedirectResponse
from pydantic import BaseModel, Field

from isolarium.arena.run_store import REPORT_PAGE
from isolarium.errors import InputError
from isolarium.studies.study_file import read_study, shipped_studies
from isolarium.studies.study_runner import is_study
from isolarium.web.connection_limits import client_of
from isolarium.web.http_errors import (
    BODY_ERRORS,
    FULL,
    HttpError,
    error_responses,
    error_text,
    is_browser,
    waiting_page,
)
from isolarium.web.jobs.commands import PLACES, POLICY, read_report_file, with_back_link
from isolarium.web.jobs.job_queue import answer_unless_gone
from isolarium.web.jobs.start_runs import (
    RunRequest,
    StudyRequest,
    begin_study,
    check_games,
    check_resumable,
    with_paths,
)
from isolarium.web.run_folder import study_of
from isolarium.web.schema import PlayerName, RequestBody, Score
from isolarium.web.services import Services, ServicesDep, services_of

State = Literal["finished", "stopped", "playing", "broken"]


class RunLine(BaseModel):
    """A run in the list, with its error in `problem`.

    `mine` is true if this server plays the run, and `study_report` if the study that contains the
    run has a report. `agents` names the first of the run's `players`, without the parts in
    `left_out`, which they share. `verdict` is empty before the run ends, and until it has been
    computed.
    """

    name: str
    study: str | None
    study_report: bool
    title: str
    kind: Literal["match", "tournament", "gauntlet", "sweep", ""]
    board: str
    agents: list[str]
    players: int
    left_out: str
    verdict: str
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
    """A built-in study."""

    name: str
    title: str
    about: str
    parts: list[StudyPart]


class Runs(BaseModel):
    """The runs, newest first, and the studies that can be started."""

    runs: list[RunLine]
    studies: list[StudyFacts]


Estimate = Annotated[
    dict[str, float | None], Field(description="A figure by name, and the `low` and `high` of its 95% interval.")
]


class ResultTable(BaseModel):
    """A table of a run's report.

    Each column has a key, a heading of one or more lines, and a letter of `align`: < for text, >
    for figures. Each row is given both as text and as values. `best` contains the rows and columns
    of the best figures; the last `footer` rows are totals.
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
    """A sequential test.

    It contains the bounds of the test, and its path: each point is a number of game pairs and the
    log-likelihood ratio.
    """

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
    """The share of games in which a player visited each square, row by row.

    The same share is given for the player's opponents.
    """

    player: int
    games: int
    share: list[float]
    opponents: list[float]


class LiveGame(BaseModel):
    """The game in progress, if games take at least a few seconds."""

    text: str
    labels: list[str]


class Run(BaseModel):
    """Everything about a run except its games."""

    name: str
    study: str | None
    study_report: bool
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
    figure: str
    first_mover_won: float | None
    players: list[str]
    standings: ResultTable
    cross: ResultTable | None
    encounters: ResultTable
    sweep: ResultTable | None
    test: Test | None
    heat: list[Heat]
    has_report: bool
    live: LiveGame | None


class GameLine(BaseModel):
    """A game in the list; players are given by index."""

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
    """Some of a run's games, and their total number."""

    total: int
    offset: int
    games: list[GameLine]


class PlayedMove(BaseModel):
    """A move with its report; moves of the opening have none."""

    move: str
    player: PlayerName
    score: Score
    depth: int | None
    nodes: int | None
    ms: float | None


class PlayedGame(GameLine):
    """A game with its moves and their reports."""

    note: str
    opening: int
    labels: list[str]
    json_text: str = Field(alias="json")
    moves: list[PlayedMove]


class StartedRun(BaseModel):
    """The started run, or the started study with the runs of its parts."""

    name: str
    runs: list[str]


class Nothing(RequestBody):
    """An empty request body."""


class RunChange(BaseModel):
    """The next state of a run."""

    name: str
    state: Literal["stopping", "playing"]


MOST_GAMES = 200

router = APIRouter(prefix="/api/runs", tags=["watch"])
Name = Annotated[str, Path(max_length=210)]


def check_token(services: ServicesDep, x_isolarium_token: Annotated[str, Header(max_length=200)] = "") -> None:
    """Check the token for starting, stopping or resuming a run.

    Raises:
        HttpError: If the token is wrong.
    """
    expected = services.settings.token
    if not compare_digest(x_isolarium_token.encode(), expected.encode()) and expected:
        raise HttpError(
            403, "starting, stopping and resuming runs requires the token in the address that the server printed"
        )


MayPlay = [Depends(check_token)]


@router.get("", responses=error_responses(503))
async def runs(request: Request, services: ServicesDep) -> Runs:
    """List the runs, and the studies that can be started."""
    job = services.reading.ask("list_runs", {"runs": str(services.settings.runs)}, client_of(request))
    found = await answer_unless_gone(job, request)
    lines = [RunLine(**services.complete(line["name"], line)) for line in found["runs"]]
    return Runs(runs=lines, studies=await asyncio.to_thread(known_studies))


@cache
def known_studies() -> list[StudyFacts]:
    """Return the built-in studies."""
    studies = [read_study(path) for path in shipped_studies().values()]
    return [
        StudyFacts(
            name=study.name,
            title=study.title,
            about=study.about,
            parts=[StudyPart(name=part.name, title=part.title, games=study.games(part)) for part in study.parts],
        )
        for study in studies
    ]


@router.get("/{name}", responses=error_responses(404, 503))
async def run(name: Name, request: Request, services: ServicesDep) -> Run:
    """Return everything about a run except its games."""
    folder = services.run_names.folder(name)
    job = services.reading.ask("read_run", {"folder": str(folder)}, client_of(request))
    found = await answer_unless_gone(job, request)
    return Run(**services.complete(name, found["run"]))


@router.websocket("/{name}/live")
async def live(socket: WebSocket, name: str) -> None:
    """Send everything about a run except its games, now and after every change."""
    await services_of(socket).live_runs.watch(name, socket)


@router.get("/{name}/games", responses=error_responses(404, 503))
async def games(
    name: Name,
    request: Request,
    services: ServicesDep,
    offset: Annotated[int, Query(ge=0, le=10**9)] = 0,
    limit: Annotated[int, Query(ge=1, le=MOST_GAMES)] = 50,
    show: Show = "all",
    agent: Annotated[int | None, Query(ge=0, le=10**6)] = None,
) -> Games:
    """List some of a run's games.

    `show` selects the games: `all` for every game; `upsets` for games won by the player with the
    smaller share of wins in this run; `given away` for games lost by the player who wins the
    opening with perfect play, if known; `time` for games lost on time; and `mistakes` for those of
    the last 200 games in which a move gave a win away, as far as the positions can be solved.
    `agent` selects one player's games or mistakes.
    """
    wanted = {"folder": str(services.run_names.folder(name)), "offset": offset, "limit": limit}
    wanted |= {"show": show, "agent": agent}
    queue = services.searches if show == "mistakes" else services.reading
    job = queue.ask("read_games", wanted, client_of(request))
    found = await answer_unless_gone(job, request)
    return Games(**found)


@router.get("/{name}/games/{number}", responses=error_responses(404, 503))
async def game(
    name: Name, number: Annotated[int, Path(ge=1, le=10**9)], request: Request, services: ServicesDep
) -> PlayedGame:
    """Return a game with the reports of its moves."""
    wanted = {"folder": str(services.run_names.folder(name)), "number": number}
    job = services.reading.ask("read_game", wanted, client_of(request))
    try:
        return PlayedGame(**await answer_unless_gone(job, request))
    except InputError as error:
        raise HttpError(404, error_text(error)) from None


@router.get("/{name}/report", responses=error_responses(404), status_code=307, response_class=Response)
def report(name: Name, services: ServicesDep) -> RedirectResponse:
    """Redirect to the report of a run or a study."""
    services.run_names.folder_or_study(name)
    return RedirectResponse(f"/api/runs/{name}/report/", 307)


@router.get("/{name}/report/{path:path}", include_in_schema=False)
async def report_file(name: Name, path: str, request: Request, services: ServicesDep) -> Response:
    """Return a file of the report of a run or a study; without a path, its page."""
    folder = services.run_names.folder_or_study(name)
    if is_study(folder):
        return await _study_report_file(name, folder, path, services)
    job = services.reading.ask("read_run", {"folder": str(folder)}, client_of(request))
    found = await answer_unless_gone(job, request)
    client, is_finished = client_of(request), found["run"]["state"] == "finished"
    if not path and is_browser(request):
        page = await services.reports.page(folder, found["mark"], client, is_finished=is_finished)
        if page is None:
            return waiting_page("Writing the report…")
        return _report_response(*page, f"/watch?run={name}")
    content, kind = await services.reports.file(
        folder, found["mark"], path or REPORT_PAGE, client, is_finished=is_finished
    )
    return _report_response(content, kind, "" if path else f"/watch?run={name}")


async def _study_report_file(name: str, folder: FilePath, path: str, services: Services) -> Response:
    """Return a file of a study's report; each part uses the report of its run."""
    part, _, file = path.partition("/")
    if file and part not in PLACES:
        services.run_names.folder(f"{name}~{part}")
        return RedirectResponse(f"/api/runs/{name}~{part}/report/{'' if file == REPORT_PAGE else file}", 307)
    if not (folder / REPORT_PAGE).is_file():
        raise HttpError(404, "the study has no report yet; it is written after its last game")
    content, kind = await asyncio.to_thread(read_report_file, folder, path or REPORT_PAGE)
    return _report_response(content, kind, "" if path else "/watch")


def _report_response(content: bytes, kind: str, back: str) -> Response:
    """Return a file of a report, with a link back if it is the page."""
    if back:
        content = with_back_link(content, back)
    return Response(content, media_type=kind, headers={"Content-Security-Policy": POLICY})


@router.post("", status_code=201, responses=error_responses(*BODY_ERRORS, 409, 503, FULL), dependencies=MayPlay)
async def begin(wanted: RunRequest, request: Request, services: ServicesDep) -> StartedRun:
    """Start a match, a tournament, a sweep or a study."""
    with services.launcher.place():  # Before anything is written, so that the run can start
        if isinstance(wanted, StudyRequest):
            name, parts = await asyncio.to_thread(begin_study, wanted, services.settings)
        else:
            wanted = with_paths(wanted, services.policy)
            check_games(wanted, services.policy)
            job_request = {"wanted": wanted.model_dump(), "runs": str(services.settings.runs)}
            job = services.searches.ask("begin_games", job_request, client_of(request))
            name = (await job.answer())["name"]
            parts = [name]
        await services.launcher.play(name, has_place=True)
    return StartedRun(name=name, runs=parts)


@router.post("/{name}/stop", status_code=202, responses=error_responses(*BODY_ERRORS, 404, 409), dependencies=MayPlay)
def stop(name: Name, wanted: Nothing, services: ServicesDep) -> RunChange:
    """Stop a run; its progress is saved."""
    services.run_names.folder_or_study(name)
    services.launcher.stop(name)
    return RunChange(name=name, state="stopping")


@router.post(
    "/{name}/resume", status_code=202, responses=error_responses(*BODY_ERRORS, 404, 409, 503), dependencies=MayPlay
)
async def resume(name: Name, wanted: Nothing, services: ServicesDep) -> RunChange:
    """Resume a run, or the study that it is part of."""
    services.run_names.folder_or_study(name)
    whole = study_of(name) or name
    folder = services.run_names.folder_or_study(whole)
    await asyncio.to_thread(check_resumable, folder, services.policy)
    await services.launcher.play(whole)
    return RunChange(name=name, state="playing")
