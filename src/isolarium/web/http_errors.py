"""Error responses: a status and a one-line message."""

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

from isolarium.errors import InputError, fault_in_words, is_full
from isolarium.safe_files import MOST_OWN, read_small

RETRY_S: Final = 1
BUSY: Final = 503
FULL: Final = 507
BODY_ERRORS: Final = (408, 413, 415)
"""The errors of a request body: too slow, too large, or not JSON."""
KINDS_OF_RUNS: Final = ("match", "study")
"""Prefixes that Pydantic adds to the field names of a request for a run."""
ERROR_PREFIX: Final = "isolarium: "
"""The start of a command's error message."""
ADVICE: Final = r"(?:; | \()isolarium [a-z]"
"""The text with which a message's suggestion of a command starts."""
INDEX: Final = Path(__file__).parent / "pages" / "index.html"
"""The HTML that all pages share."""
PAGE: Final = """<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>{title} · Isolarium</title>
    <link rel="icon" href="/pages/icon.svg" type="image/svg+xml">
    <link rel="stylesheet" href="/pages/shared/tokens.css">
    <link rel="stylesheet" href="/pages/shared/base.css">
    <link rel="stylesheet" href="/pages/shared/parts.css">
    <script src="/pages/shared/theme.js"></script>
  </head>
  <body>
    <header class="top">
      <a class="name" href="/play"><img src="/pages/icon.svg" alt="" width="26" height="26">Isolarium</a>
      {navigation}
    </header>
    <main id="main">
      <div class="stack">
        <h1>{title}</h1>
        {content}
      </div>
    </main>
  </body>
</html>
"""

_log = logging.getLogger(__name__)


class Problem(BaseModel):
    """An error message."""

    error: str


class HttpError(Exception):
    """An error response; its message is one line."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def error_responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the error statuses of an operation, for its OpenAPI description."""
    return {status: {"model": Problem} for status in (403, 422, *statuses)}


def status_of(error: Exception) -> int:
    """Return the HTTP status for an error."""
    if isinstance(error, HttpError):
        return error.status
    if isinstance(error, OSError):
        return FULL
    if isinstance(error, HTTPException) and error.status_code != 400:  # 400: not JSON
        return error.status_code
    return 422


def error_text(error: Exception) -> str:
    """Return an error's message on one line, safe for any encoding."""
    if isinstance(error, RequestValidationError | ValidationError):
        text = _first_fault(error)
    elif isinstance(error, HTTPException):
        text = str(error.detail)
    elif isinstance(error, InputError):
        text = error.without_commands
    elif isinstance(error, OSError):
        text = f"{error.strerror}: the server cannot write to its disk"
    else:
        text = str(error)
    return " ".join(text.encode("utf-8", "backslashreplace").decode().split())


def command_error_text(stderr: bytes, place: Path) -> str:
    """Return a command's last error message, without suggested commands or paths.

    Args:
        stderr: The command's stderr.
        place: The folder of its run.
    """
    text = stderr.decode(errors="replace").strip()
    last = text.splitlines()[-1] if text else ""
    if not last.startswith(ERROR_PREFIX):
        _log.error("a command failed: %s", text or "no message")
        return "a bug in Isolarium; see the server's log"
    message = re.split(ADVICE, last.removeprefix(ERROR_PREFIX))[0]
    return message.replace(f"{place}/", "")


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


def error_response(error: Exception) -> JSONResponse:
    """Return the JSON response for an error."""
    status = status_of(error)
    headers = dict(getattr(error, "headers", None) or {})
    if status == BUSY:
        headers["Retry-After"] = str(RETRY_S)
    return JSONResponse({"error": error_text(error)}, status, headers)


def error_page(error: Exception) -> HTMLResponse:
    """Return the HTML page for an error."""
    status = status_of(error)
    title = "Page not found" if status == 404 else "This page cannot be shown"
    message = error_text(error)
    if isinstance(error, HTTPException) and status == 404:
        message = "There is no page at this address. The links above lead to Isolarium's pages."
    return _page(title, f'<p class="error">{escape(message)}</p>', status)


def waiting_page(title: str) -> HTMLResponse:
    """Return a page for content that is being made; the browser requests it again."""
    answer = _page(title, f'<progress aria-label="{title}"></progress>', 202)
    answer.headers["Refresh"] = str(RETRY_S)
    return answer


def _page(title: str, content: str, status: int) -> HTMLResponse:
    page = PAGE.format(title=title, content=content, navigation=_navigation())
    return HTMLResponse(page, status)


def _navigation() -> str:
    """Return the navigation links that every page shows."""
    page = read_small(INDEX, MOST_OWN, follow_links=True).decode()
    start, _, _ = page.partition("</nav>")
    return f"{start[start.index('<nav') :]}</nav>"


def is_browser(request: Request) -> bool:
    """Return whether a visitor opened the address in a browser.

    Requests from the pages' scripts accept JSON instead.
    """
    return request.method == "GET" and "text/html" in request.headers.get("accept", "")


def install_handlers(app: FastAPI) -> None:
    """Install handlers for all errors except bugs."""

    async def respond(request: Request, error: Exception) -> Response:
        if isinstance(error, OSError) and not is_full(error):
            raise error
        return error_page(error) if is_browser(request) else error_response(error)

    for kind in (InputError, OSError, HttpError, RequestValidationError, HTTPException):
        app.add_exception_handler(kind, respond)
