"""Routes of the Write page: heuristics written in the browser, for the operator of the server."""

import asyncio
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from pydantic import BaseModel, Field

from isolarium.errors import InputError
from isolarium.web.connection_limits import client_of
from isolarium.web.http_errors import BODY_ERRORS, FULL, HttpError, error_responses
from isolarium.web.jobs.job_queue import answer_unless_gone
from isolarium.web.routes.watch import check_token
from isolarium.web.schema import GameText, RequestBody, Score, read_any
from isolarium.web.services import ServicesDep

MOST_CHARS = 40_000

DraftText = Annotated[str, Field(min_length=1, max_length=MOST_CHARS)]
FunctionName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,59}$")]


class Writing(BaseModel):
    """Whether heuristics can be written here, and the names of the folders to save them in."""

    allowed: bool
    folders: list[str]


class DraftRequest(RequestBody):
    """A draft and a game, whose last position's moves are evaluated."""

    text: DraftText
    function: FunctionName | None = None
    game: GameText


class DraftMove(BaseModel):
    """A move and its value for the player who makes it."""

    move: str
    value: Score


class DraftProblem(BaseModel):
    """What is wrong with a draft: an error, or a warning that it runs slowly."""

    line: int | None
    message: str
    error: bool


class DraftValues(BaseModel):
    """The heuristics of a draft, and the values of one of them."""

    functions: list[str]
    function: str
    moves: list[DraftMove]
    problem: DraftProblem | None


class KeptRequest(RequestBody):
    """A draft that is to play games."""

    text: DraftText
    function: FunctionName


class SaveRequest(RequestBody):
    """A draft to save in one of the folders, by its index."""

    text: DraftText
    folder: Annotated[int, Field(ge=0, le=1000)] = 0
    name: Annotated[str, Field(max_length=80)]


class Saved(BaseModel):
    """The file of a draft, as written in specs."""

    file: str


router = APIRouter(prefix="/api/write", tags=["write"])


def check_allowed(services: ServicesDep) -> None:
    """Check that heuristics may be written on this server.

    Raises:
        HttpError: If they may not.
    """
    if not services.settings.may_write:
        raise HttpError(403, "writing is off, because others can reach this server; start it with --allow-write")


MayWrite = [Depends(check_allowed), Depends(check_token)]


@router.get("")
def writing(services: ServicesDep) -> Writing:
    """Return whether heuristics can be written here."""
    settings = services.settings
    folders = [folder.resolve().name for folder in settings.allow] if settings.may_write else []
    return Writing(allowed=settings.may_write, folders=folders)


@router.post("/values", responses=error_responses(*BODY_ERRORS, 503, FULL), dependencies=MayWrite)
async def values(wanted: DraftRequest, request: Request, services: ServicesDep) -> DraftValues:
    """Return the value of every legal move by a draft."""
    read_any(wanted.game)
    file = await asyncio.to_thread(services.drafts.typed, wanted.text)
    asked = {"file": str(file), "function": wanted.function or "", "game": wanted.game}
    job = services.searches.ask("draft_values", asked, client_of(request))
    return DraftValues(**await answer_unless_gone(job, request))


@router.post("/draft", responses=error_responses(*BODY_ERRORS, FULL), dependencies=MayWrite)
async def keep(wanted: KeptRequest, services: ServicesDep) -> Saved:
    """Write a draft to a file that a run can play."""
    file = await asyncio.to_thread(services.drafts.kept, wanted.text, wanted.function)
    return Saved(file=str(file))


@router.post("/file", responses=error_responses(*BODY_ERRORS, 409, FULL), dependencies=MayWrite)
async def save(wanted: SaveRequest, services: ServicesDep) -> Saved:
    """Save a draft as a file in one of the folders of --allow."""
    folders = services.settings.allow
    if wanted.folder >= len(folders):
        raise HttpError(409, "no such folder; start the server with --allow FOLDER to save there")
    folder: Path = folders[wanted.folder].resolve()
    try:
        file = await asyncio.to_thread(services.drafts.save, wanted.text, folder, wanted.name)
    except InputError as error:
        raise HttpError(409, str(error)) from None
    return Saved(file=str(file))
