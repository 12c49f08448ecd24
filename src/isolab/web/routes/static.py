"""The pages: files of one folder, and nothing outside it."""

from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Final

from fastapi import APIRouter, Request, Response

from isolab.web.problems import Refused

FOLDER: Final = Path(__file__).parents[1] / "pages"
TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
METHODS: Final = ["GET", "HEAD"]

router = APIRouter(include_in_schema=False)


@router.api_route("/", methods=METHODS)
@router.api_route("/play", methods=METHODS)
@router.api_route("/analyse", methods=METHODS)
@router.api_route("/watch", methods=METHODS)
@router.api_route("/learn", methods=METHODS)
@router.api_route("/friend", methods=METHODS)
def shell(request: Request) -> Response:
    """The one page that all places share."""
    return _file(request, "index.html")


@router.api_route("/favicon.ico", methods=METHODS)
def icon(request: Request) -> Response:
    """What browsers ask for by themselves."""
    return _file(request, "icon.svg")


@router.api_route("/pages/{path:path}", methods=METHODS)
def file(request: Request, path: str) -> Response:
    """A module, a style sheet, a picture."""
    return _file(request, path)


def _file(request: Request, path: str) -> Response:
    found = find(path)
    if found is None:
        raise Refused(404, f"{path[:100]!r}: no such page")
    status = found.stat()
    content, tag = _read(found, status.st_mtime_ns, status.st_size)
    headers = {"ETag": tag, "Cache-Control": "no-cache"}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return Response(content, media_type=TYPES[found.suffix], headers=headers)


def find(path: str) -> Path | None:
    """The file of that path within the pages; None where there is none to be shown."""
    parts = path.split("/")
    if not all(
        part.isprintable() and part and part[0] != "." and "\\" not in part for part in parts
    ):
        return None
    found = FOLDER.joinpath(*parts)
    if found.suffix not in TYPES or len(path) > 200 or not found.is_file():
        return None
    return found if found.resolve().is_relative_to(FOLDER.resolve()) else None


@lru_cache(maxsize=256)
def _read(path: Path, changed_ns: int, size: int) -> tuple[bytes, str]:
    """A file as it was at that time, and its tag."""
    content = path.read_bytes()
    return content, f'"{sha256(content).hexdigest()[:20]}"'
