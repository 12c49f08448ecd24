"""Routes of the pages' files, single or bundled."""

from functools import lru_cache
from pathlib import Path
from typing import Final

from fastapi import APIRouter, Request, Response

from isolarium.safe_files import MOST_OWN, read_small
from isolarium.solver.book import FOLDER as BOOKS
from isolarium.solver.start_map import FILE as STARTS
from isolarium.web.bundles import IMMUTABLE, REVALIDATE, STYLE, TYPES, Asset, PageFolder, asset, asset_response
from isolarium.web.http_errors import HttpError
from isolarium.web.request_checks import HEADERS, POLICY
from isolarium.web.services import ServicesDep

FOLDER: Final = Path(__file__).parents[1] / "pages"
METHODS: Final = ["GET", "HEAD"]
DATA: Final = {f"engine/data/{path.name}": path for path in (STARTS, *sorted(BOOKS.glob("book-*.bin")))}
"""The data of the engine in the browser: solved starts and opening books."""
PAGES: Final = PageFolder(FOLDER, DATA)
PLACES: Final = tuple(sorted(page.parent.name for page in FOLDER.glob("*/page.js")))
"""The pages by name; each is at the address of that name."""

router = APIRouter(include_in_schema=False)


def build_bundles() -> None:
    """Build the bundles that every page needs first."""
    bundle = PAGES.bundle()
    for place in PLACES:
        bundle.page(place)
        bundle.file(f"-/{place}.js")
    bundle.file(STYLE)


def shell(request: Request) -> Response:
    """Send the HTML that all pages share; each page loads its own bundle."""
    place = request.url.path.strip("/") or "play"
    return asset_response(request, PAGES.bundle().page(place), REVALIDATE)


for address in ("", *PLACES):
    router.add_api_route(f"/{address}", shell, methods=METHODS)


@router.api_route("/embed", methods=METHODS)
def embed(request: Request, services: ServicesDep) -> Response:
    """Send a game to embed in other sites, if the operator allows it."""
    sites = services.settings.embed
    if not sites:
        raise HttpError(404, "this server does not allow embedding; --embed names the sites that may")
    answer = asset_response(request, PAGES.bundle().page("embed", "embed.html"), REVALIDATE)
    ancestors = f"frame-ancestors 'self' {' '.join(sites)}"
    answer.headers[POLICY] = HEADERS[POLICY].replace("frame-ancestors 'none'", ancestors)
    answer.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return answer


@router.api_route("/packs/{version}/{name:path}", methods=METHODS)
def pack(request: Request, version: str, name: str) -> Response:
    """Send a bundle or a file, at an address that browsers can cache permanently."""
    bundle = PAGES.bundle()
    found = bundle.file(name)
    if found is None:
        raise HttpError(404, f"{name[:100]!r}: no such page")
    # A page opened before the files changed gets the current ones, uncached.
    return asset_response(request, found, IMMUTABLE if version == bundle.version else "no-store")


@router.api_route("/favicon.ico", methods=METHODS)
def icon(request: Request) -> Response:
    """Send the icon that browsers request by themselves."""
    return _file(request, "icon.svg")


@router.api_route("/pages/{path:path}", methods=METHODS)
def file(request: Request, path: str) -> Response:
    """Send a single file."""
    return _file(request, path)


def _file(request: Request, path: str) -> Response:
    found = find(path)
    if found is None:
        raise HttpError(404, f"{path[:100]!r}: no such page")
    status = found.stat()
    return asset_response(request, _read(found, status.st_mtime_ns, status.st_size), REVALIDATE)


def find(path: str) -> Path | None:
    """Return the file at a path within the pages.

    The result is None if there is no such file, or if it must not be served.
    """
    if path in DATA:
        return DATA[path]
    parts = path.split("/")
    if not all(part.isprintable() and part and part[0] != "." and "\\" not in part for part in parts):
        return None
    found = FOLDER.joinpath(*parts)
    if found.suffix not in TYPES or len(path) > 200 or not found.is_file():
        return None
    return found if found.resolve().is_relative_to(FOLDER.resolve()) else None


@lru_cache(maxsize=256)
def _read(path: Path, changed_ns: int, size: int) -> Asset:
    """Return a file, cached by its time of change and size."""
    return asset(read_small(path, MOST_OWN, follow_links=True), path.suffix)
