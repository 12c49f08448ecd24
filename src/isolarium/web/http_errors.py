"""What goes wrong, in the one shape that people get to see: a status and one line."""

import logging
import re
from html import escape
from pathlib import Path
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from pydantic import BaseModel, ValidationError
from starlette.exceptions import HTTPException

from isolarium.errors import InputError, is_full
from isolarium.validation_messages import fault_in_words

RETRY_S: Final = 1
BUSY: Final = 503
FULL: Final = 507
OF_BODIES: Final = (408, 413, 415)
"""What may be wrong with a body: it comes too slowly, is too large, or is not JSON."""
KINDS_OF_RUNS: Final = ("match", "study")
"""What Pydantic puts before a field of theirs."""
COMPLAINT: Final = "isolarium: "
"""How a command's complaint begins."""
ADVICE: Final = r"(?:; | \()isolarium [a-z]"
"""Where one goes on with what to type."""
PAGE: Final = """<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>{title} · Isolarium</title>
    <link rel="icon" href="/pages/icon.svg" type="image/svg+xml">
    <link rel="stylesheet" href="/pages/shared/base.css">
    <link rel="stylesheet" href="/pages/shared/parts.css">
    <script src="/pages/shared/theme.js"></script>
  </head>
  <body>
    <header class="top">
      <a class="name" href="/play"><img src="/pages/icon.svg" alt="" width="26" height="26">Isolarium</a>
      <nav aria-label="Places">
        <a href="/play">Play</a>
        <a href="/analyse">Analyse</a>
        <a href="/watch">Watch</a>
        <a href="/learn">Learn</a>
      </nav>
    </header>
    <main id="main">
      <div class="stack">
        <h1>{title}</h1>
        <p class="error">{error}</p>
      </div>
    </main>
  </body>
</html>
"""

_log = logging.getLogger(__name__)


class Problem(BaseModel):
    """What went wrong."""

    error: str


class Refused(Exception):  # noqa: N818 # the request may be at fault, or the moment
    """A request that is not answered; its message is one line."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The statuses besides success that an operation may end with, for its description."""
    return {status: {"model": Problem} for status in (403, 422, *statuses)}


def status_of(error: Exception) -> int:
    """The status that says what an error means."""
    if isinstance(error, Refused):
        return error.status
    if isinstance(error, OSError):
        return FULL
    if (
        isinstance(error, HTTPException) and error.status_code != 400
    ):  # which is a body that is not JSON
        return error.status_code
    return 422


def told(error: Exception) -> str:
    """An error in one line that any encoding can hold."""
    if isinstance(error, RequestValidationError | ValidationError):
        text = _first_fault(error)
    elif isinstance(error, HTTPException):
        text = str(error.detail)
    elif isinstance(error, InputError):
        text = error.without_commands
    elif isinstance(error, OSError):
        text = f"{error.strerror}: what was asked for cannot be written here"
    else:
        text = str(error)
    return " ".join(text.encode("utf-8", "backslashreplace").decode().split())


def told_by_command(stderr: bytes, place: Path) -> str:
    """What a command of ours complained of last, for people who neither typed it nor know where its files are.

    Args:
        stderr: what it wrote there.
        place: the folder that its run is in.
    """
    text = stderr.decode(errors="replace").strip()
    last = text.splitlines()[-1] if text else ""
    if not last.startswith(COMPLAINT):
        _log.error("a command ended badly: %s", text or "it said nothing")
        return "a bug in Isolarium; the server's log says more"
    said = re.split(ADVICE, last.removeprefix(COMPLAINT))[0]
    return said.replace(f"{place}/", "")


def _first_fault(error: RequestValidationError | ValidationError) -> str:
    faults = error.errors()
    if faults[0]["type"] == "json_invalid":
        return "the body is not JSON; expected a JSON object"
    steps = [str(step) for step in faults[0]["loc"] if step not in ("body", "query", "path")]
    if steps[1:] and steps[0] in KINDS_OF_RUNS:
        del steps[0]
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    place = f"{'.'.join(steps)[:80]}: " if steps else ""
    return f"{place}{fault_in_words(faults)}{more}"


def answer(error: Exception) -> JSONResponse:
    """An error as a response."""
    status = status_of(error)
    headers = dict(getattr(error, "headers", None) or {})
    if status == BUSY:
        headers["Retry-After"] = str(RETRY_S)
    return JSONResponse({"error": told(error)}, status, headers)


def page(error: Exception) -> HTMLResponse:
    """The same for people who look at it in a browser."""
    status = status_of(error)
    title = "There is no such page" if status == 404 else "This cannot be shown"
    said = told(error)
    if isinstance(error, HTTPException) and status == 404:
        said = "The address is none of Isolarium's: the places above are."
    return HTMLResponse(PAGE.format(title=title, error=escape(said)), status)


def _is_browser(request: Request) -> bool:
    """Whether somebody goes there; what pages ask for themselves is JSON."""
    return request.method == "GET" and "text/html" in request.headers.get("accept", "")


def install(app: FastAPI) -> None:
    """Have every error that is not a bug answered so."""

    async def respond(request: Request, error: Exception) -> Response:
        if isinstance(error, OSError) and not is_full(error):
            raise error
        return page(error) if _is_browser(request) else answer(error)

    for kind in (InputError, OSError, Refused, RequestValidationError, HTTPException):
        app.add_exception_handler(kind, respond)
