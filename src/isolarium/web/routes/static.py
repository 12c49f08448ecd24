"""The pages: files of one folder, as they are or in packs, and nothing outside it."""

from functools import lru_cache
from pathlib import Path
from typing import Final

from fastapi import APIRouter, Request, Response

from isolarium.safe_files import MOST_OWN, read_small
from isolarium.web.bundles import ASK_AGAIN, FOR_GOOD, STYLE, TYPES, Packed, Pages, packed, sent
from isolarium.web.http_errors import Refused
from isolarium.web.request_checks import HEADERS, POLICY
from isolarium.web.services import Served

FOLDER: Final = Path(__file__).parents[1] / "pages"
METHODS: Final = ["GET", "HEAD"]
PAGES: Final = Pages(FOLDER)

router = APIRouter(include_in_schema=False)


PLACES: Final = ("play", "analyse", "watch", "learn", "friend")


def pack_pages() -> None:
    """Have what every place needs first packed before somebody asks."""
    edition = PAGES.edition()
    for place in PLACES:
        edition.page(place)
        edition.pack(f"-/{place}.js")
    edition.pack(STYLE)


@router.api_route("/", methods=METHODS)
@router.api_route("/play", methods=METHODS)
@router.api_route("/analyse", methods=METHODS)
@router.api_route("/watch", methods=METHODS)
@router.api_route("/learn", methods=METHODS)
@router.api_route("/friend", methods=METHODS)
def shell(request: Request) -> Response:
    """The one page that all places share; each asks for a pack of its own."""
    place = request.url.path.strip("/") or "play"
    return sent(request, PAGES.edition().page(place), ASK_AGAIN)


@router.api_route("/embed", methods=METHODS)
def embed(request: Request, services: Served) -> Response:
    """A game in the pages of those sites that the operator has named."""
    sites = services.settings.embed
    if not sites:
        raise Refused(404, "boards are not to be had in other pages here: --embed names who may")
    answer = sent(request, PAGES.edition().page("embed", "embed.html"), ASK_AGAIN)
    ancestors = f"frame-ancestors 'self' {' '.join(sites)}"
    answer.headers[POLICY] = HEADERS[POLICY].replace("frame-ancestors 'none'", ancestors)
    answer.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return answer


@router.api_route("/packs/{version}/{name:path}", methods=METHODS)
def pack(request: Request, version: str, name: str) -> Response:
    """What a page asks for, under an address that it keeps for good."""
    edition = PAGES.edition()
    found = edition.pack(name)
    if found is None:
        raise Refused(404, f"{name[:100]!r}: no such page")
    # Who has had a page open since before the files changed gets what there is now.
    return sent(request, found, FOR_GOOD if version == edition.version else "no-store")


@router.api_route("/favicon.ico", methods=METHODS)
def icon(request: Request) -> Response:
    """What browsers ask for by themselves."""
    return _file(request, "icon.svg")


@router.api_route("/pages/{path:path}", methods=METHODS)
def file(request: Request, path: str) -> Response:
    """A module, a style sheet, a picture, as it was written."""
    return _file(request, path)


def _file(request: Request, path: str) -> Response:
    found = find(path)
    if found is None:
        raise Refused(404, f"{path[:100]!r}: no such page")
    status = found.stat()
    return sent(request, _read(found, status.st_mtime_ns, status.st_size), ASK_AGAIN)


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
def _read(path: Path, changed_ns: int, size: int) -> Packed:
    """A file as it was at that time."""
    return packed(read_small(path, MOST_OWN, follow_links=True), path.suffix)
