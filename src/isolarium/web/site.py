"""The pages as plain files, without a server: Play, Analyse, Learn and the embedded board.

All addresses are relative, so the files work from any folder of any host. The engine in the browser
answers what the server would. A service worker caches the files of one version together, so the
site works offline after the first visit, and can be installed.
"""

import json
import re
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from isolarium.errors import InputError
from isolarium.removal import remove_tree
from isolarium.web.bundles import PageBundle
from isolarium.web.request_checks import HEADERS, POLICY
from isolarium.web.routes import about, learn
from isolarium.web.routes.static import PAGES

PLACES: Final = ("play", "analyse", "learn")
ADDRESS: Final = "packs"
WORKER: Final = "service_worker.js"
MARK: Final = "site.json"
"""The file that shows that a folder holds a site, and its version."""
MANIFEST: Final = "manifest.json"
_LINK_TO_SERVER: Final = re.compile(rf'^ *<a href="/(?!(?:{"|".join(PLACES)})")\w+".*\n', re.MULTILINE)
_LINK: Final = re.compile(rf'href="/({"|".join(PLACES)})"')
_COLOUR: Final = "#1b1f24"


@dataclass(frozen=True)
class Site:
    """A written site.

    Attributes:
        folder: Its folder.
        version: The digest of its files.
        files: The number of files.
        size: Their size in bytes.
    """

    folder: Path
    version: str
    files: int
    size: int


def write_site(folder: Path) -> Site:
    """Write the site into a folder, which is empty, missing or holds an earlier version.

    Raises:
        InputError: If the folder holds anything else, or cannot be written.
    """
    if folder.exists() and not (folder / MARK).is_file() and any(_entries(folder)):
        raise InputError(f"{folder}: not empty; expected a new folder or an earlier site")
    files = site_files()
    version = json.loads(files[MARK])["version"]
    try:
        remove_tree(folder / ADDRESS)
        for name, content in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    except OSError as error:
        raise InputError(f"{folder}: {error.strerror}; expected a folder to write to") from None
    return Site(folder, version, len(files), sum(map(len, files.values())))


def _entries(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError as error:
        raise InputError(f"{folder}: {error.strerror}; expected a folder") from None


def site_files() -> dict[str, bytes]:
    """Return the site's files by path."""
    bundle = PageBundle({**PAGES.bundle().files, **_data()})
    pages = {f"{place}.html": _page(bundle.html(place, "index.html", ADDRESS)) for place in PLACES}
    pages["index.html"] = pages["play.html"]
    pages["embed.html"] = _page(bundle.html("embed", "embed.html", ADDRESS))
    files = {name: html.encode() for name, html in pages.items()}
    for name in sorted(bundle.names(PLACES)):
        asset = bundle.file(name)
        assert asset is not None
        files[f"{ADDRESS}/{bundle.version}/{name}"] = asset.content
    icon = f"{ADDRESS}/{bundle.version}/icon.svg"
    files[MANIFEST] = json.dumps(_manifest(icon), indent=1).encode()
    version = sha256(b"".join(sha256(files[name]).digest() for name in sorted(files)))
    known = {"version": version.hexdigest()[:16], "files": sorted(files)}
    files[WORKER] = bundle.files[f"site/{WORKER}"].replace(b"{}", json.dumps(known).encode(), 1)
    files[MARK] = json.dumps(known).encode()
    return files


def _page(html: str) -> str:
    """Return a page for the site: its policy, its manifest, and links to files."""
    html = html.replace("<html ", '<html data-site="" ', 1)
    html = _LINK.sub(r'href="./\1.html"', _LINK_TO_SERVER.sub("", html))
    policy = "; ".join(part for part in HEADERS[POLICY].split("; ") if "frame-ancestors" not in part)
    head = (
        f'<meta http-equiv="{POLICY}" content="{policy}">\n'
        f'    <link rel="manifest" href="{MANIFEST}">\n    <meta charset="utf-8">'
    )
    return html.replace('<meta charset="utf-8">', head, 1)


def _manifest(icon: str) -> dict[str, object]:
    return {
        "name": "Isolarium",
        "short_name": "Isolarium",
        "description": "Knight Isolation: play it, analyse it, and learn what is known exactly.",
        "start_url": "./play.html",
        "scope": "./",
        "display": "standalone",
        "background_color": _COLOUR,
        "theme_color": _COLOUR,
        "icons": [{"src": icon, "sizes": "any", "type": "image/svg+xml", "purpose": "any"}],
    }


def _data() -> dict[str, bytes]:
    """Return the answers of the server's routes that the pages need, as files."""
    known = about.known_agents(needs_token=False, embeds=True, guests=[])
    all_puzzles = learn.all_puzzles().model_dump()
    each = [learn.puzzle(number).model_dump() for number in range(1, all_puzzles["count"] + 1)]
    starts = {f"starts/{board}": learn.starts(board) for board in learn.solved_boards()}
    answers = {"agents": known.model_dump(), "puzzles": {**all_puzzles, "puzzles": each}}
    answers |= {name: found.model_dump() for name, found in starts.items()}
    return {f"data/{name}.json": json.dumps(answer, separators=(",", ":")).encode() for name, answer in answers.items()}
