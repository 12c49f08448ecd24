"""Build the documentation site in build/docs/site from the repository's Markdown.

    python -m tools.build_site     exit status 1 if a link is broken or a page would fetch external files

Pages are stored as they are read in a clone. Before Zensical builds them, links that lead out of `docs` are redirected
to the site's copies, pictures with a dark version are joined by it, and GitHub's Markdown is converted to
Python-Markdown's where the two differ. Above a code block `game` appears its board, to step through and to solve.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from os.path import relpath
from pathlib import Path, PurePosixPath
from typing import Final
from urllib.parse import urlencode

from isolarium.game.svg import style
from isolarium.web.site import write_site

SETTINGS: Final = Path("docs/zensical.toml")
SHEET: Final = "site.css"
"""The site's style sheet, which follows the tokens that pages and reports share."""
PROJECT: Final = Path("build/docs")
SOURCE: Final = PROJECT / "source"
SITE: Final = PROJECT / "site"
DOCS: Final = PurePosixPath("docs")
ELSEWHERE: Final = {
    "README.md": "readme.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security-policy.md",
    "src/isolarium/web/pages/icon.svg": "icon.svg",
}
"""Files outside `docs` and their names in the site. Other files are copied if a page links to them."""

NAVIGATED: Final = re.compile(r'^(\s*)(?:\{ "[^"]*" = )?"([^"]+\.md)"')
CODE: Final = re.compile(r"^( *)(```+)[^\n]*\n.*?^\1\2$|(`+)(?:(?!\n\n).)+?\3", re.MULTILINE | re.DOTALL)
BOARDS: Final = "boards"
"""The folder of the pages as plain files in the site."""
GAME: Final = re.compile(r"^```game\n(.+)\n```$", re.MULTILINE)
PICTURE: Final = re.compile(r"(!\[[^\]]*\])\(([^)\s]+)\.png\)")
LINK: Final = re.compile(r"(?<=\]\()([^)\s]+)(?=\))")
HIDDEN_LIST: Final = re.compile(r"^(?![\s*-]|\d+\. )(.+)\n(?=(?:[*-]|\d+\.) )", re.MULTILINE)
"""The end of a paragraph directly above a list, which Python-Markdown would not recognise as a list."""
FETCHED: Final = {"link": "href", "script": "src", "img": "src", "source": "src", "iframe": "src"}
STYLED: Final = re.compile(r"(?:@import|url\()\s*['\"]?(?:https?:)?//[^'\")]+")


class BrokenLinkError(Exception):
    """A link to a missing file."""


def in_site(path: PurePosixPath) -> PurePosixPath:
    """Return the path of a repository file in the site."""
    if path.is_relative_to(DOCS):
        return path.relative_to(DOCS)
    return PurePosixPath(ELSEWHERE.get(str(path), path))


def turned(link: str, page: PurePosixPath) -> str:
    """Return a page's link, adjusted for the site."""
    target, mark, anchor = link.partition("#")
    if "://" in link or link.startswith("mailto:") or not target:
        return link
    path = PurePosixPath(relpath(Path(page.parent, target)))
    if Path(path).is_dir():
        path /= "index.md"
    if not Path(path).is_file():
        raise BrokenLinkError(f"{page}: no such file: {link}")
    bring(path)
    return relpath(in_site(path), in_site(page).parent) + mark + anchor


def bring(path: PurePosixPath) -> None:
    """Copy a file of the repository into the site."""
    place = SOURCE / in_site(path)
    if not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, place)


def in_both_schemes(picture: re.Match[str], page: PurePosixPath) -> str:
    """Return a picture, with its dark variant if there is one."""
    shown, path = picture.groups()
    if not Path(page.parent, f"{path}-dark.png").exists():
        return picture[0]
    return f"{shown}({path}.png#only-light) {shown}({path}-dark.png#only-dark)"


def with_board(block: re.Match[str], page: PurePosixPath) -> str:
    """Return a game's code block below its board."""
    game = block[1]
    embed = relpath(PurePosixPath(BOARDS, "embed.html"), in_site(page).parent)
    address = f"{embed}?{urlencode({'game': game}, safe='/:')}"
    frame = f'<iframe class="game" src="{address}" title="The game {game}" loading="lazy"></iframe>'
    return f"{frame}\n\n```text\n{game}\n```"


def converted(text: str, page: PurePosixPath) -> str:
    """Return a page's text for Python-Markdown."""
    text = GAME.sub(lambda block: with_board(block, page), text)
    codes: list[str] = []

    def keep(code: re.Match[str]) -> str:
        is_inline = bool(code[3])
        codes.append(code[0].replace(r"\|", "|") if is_inline else code[0])
        return f"\0{len(codes) - 1}\0"

    prose = CODE.sub(keep, text).replace(r"\<", "&lt;")
    prose = PICTURE.sub(lambda picture: in_both_schemes(picture, page), prose)
    prose = LINK.sub(lambda link: turned(link[1], page), prose)
    prose = HIDDEN_LIST.sub(r"\1\n\n", prose)
    return re.sub("\0(\\d+)\0", lambda place: codes[int(place[1])], prose)


def navigation(settings: str) -> str:
    """Return the settings without entries for missing pages, and with patterns expanded."""
    lines: list[str] = []
    for line in settings.splitlines():
        entry = NAVIGATED.match(line)
        if entry and "*" in entry[2]:
            pages = sorted(page.relative_to(SOURCE).as_posix() for page in SOURCE.glob(entry[2]))
            lines += [f'{entry[1]}"{page}",' for page in pages]
        elif entry and not (SOURCE / entry[2]).exists():
            print(f"left out of the navigation: {entry[2]} does not exist")
        else:
            lines.append(line)
    text = re.sub(r'^ *\{ "[^"]*" = \[\n *\] \},\n', "", "\n".join(lines), flags=re.MULTILINE)
    return text.replace("[project]\n", '[project]\ndocs_dir = "source"\nsite_dir = "site"\n', 1)


def prepare() -> None:
    """Write the input of Zensical.

    Raises:
        BrokenLinkError: If a link of a page leads to a missing file.
    """
    shutil.rmtree(PROJECT, ignore_errors=True)
    shutil.copytree("docs", SOURCE, ignore=shutil.ignore_patterns(SETTINGS.name))
    others = [PurePosixPath(name) for name in ELSEWHERE if Path(name).exists()]
    for path in others:
        bring(path)
    pages = [PurePosixPath(path) for path in Path("docs").rglob("*.md")]
    pages += [path for path in others if path.suffix == ".md"]
    for page in pages:
        text = converted(Path(page).read_text(encoding="utf-8"), page)
        (SOURCE / in_site(page)).write_text(text, encoding="utf-8")
    sheet = SOURCE / SHEET
    sheet.write_text(style() + sheet.read_text(encoding="utf-8"), encoding="utf-8")
    settings = navigation(SETTINGS.read_text(encoding="utf-8"))
    (PROJECT / SETTINGS.name).write_text(settings, encoding="utf-8")


class Fetches(HTMLParser):
    """Collects the addresses that a page loads from other hosts."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep the address that a tag loads, if it is on another host."""
        address = dict(attrs).get(FETCHED.get(tag, "")) or ""
        if address.startswith(("http:", "https:", "//")):
            self.addresses.append(address)


def fetched_from_elsewhere() -> Iterator[str]:
    """Yield a line for each address on another host that the site would load."""
    for path in SITE.rglob("*.html"):
        page = Fetches()
        page.feed(path.read_text(encoding="utf-8"))
        yield from (f"{path} would fetch {address}" for address in page.addresses)
        if 'class="mermaid"' in path.read_text(encoding="utf-8"):
            yield f"{path} would fetch the Mermaid library"
    for path in SITE.rglob("*.css"):
        yield from (f"{path} would fetch {address}" for address in STYLED.findall(path.read_text(encoding="utf-8")))


def main() -> int:
    """Build the site; return the exit status."""
    try:
        prepare()
    except BrokenLinkError as broken:
        print(broken, file=sys.stderr)
        return 1
    zensical = Path(sys.executable).parent / "zensical"
    built = subprocess.run([zensical, "build", "--strict"], cwd=PROJECT, check=False)
    if built.returncode:
        return 1
    write_site(SITE / BOARDS)
    found = list(fetched_from_elsewhere())
    print(*found, sep="\n", file=sys.stderr, end="\n" if found else "")
    print(f"To read it, run: {sys.executable} -m http.server --bind 127.0.0.1 --directory {SITE} 8080")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
