"""The documents hold together: links and anchors lead somewhere, commands can be typed, every page is in the site."""

import re
import shlex
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
from typer import TyperException

from isolarium import parse_position
from isolarium.cli.app import COMMANDS, load_command
from isolarium.heuristics import seen

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])
NAMES = [page.relative_to(ROOT).as_posix() for page in PAGES]
FENCED = re.compile(r"^( *)(```+)(\w*)\n(.*?)^\1\2$", re.MULTILINE | re.DOTALL)
ELSEWHERE = ("http://", "https://", "mailto:")


def prose(page: Path) -> str:
    """A page without its code."""
    return re.sub(r"(`+).+?\1", "", FENCED.sub("", page.read_text(encoding="utf-8")))


def anchors(page: Path) -> set[str]:
    """The names that GitHub gives to a page's headings."""
    found: dict[str, int] = {}
    text = FENCED.sub("", page.read_text(encoding="utf-8"))
    for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE):
        shown = re.sub(r"\[(.+?)\]\(.+?\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", shown.lower()).replace(" ", "-")
        found[name] = found.get(name, -1) + 1
    return {f"{name}-{n}" if n else name for name, last in found.items() for n in range(last + 1)}


def broken_links(page: Path) -> Iterator[str]:
    for picture, link in re.findall(r"(!?)\[[^\]]*\]\(([^)\s]+)\)", prose(page)):
        if link.startswith(ELSEWHERE):
            if picture:
                yield f"{link}: a picture from elsewhere"
            continue
        target, _, anchor = link.partition("#")
        path = page.parent / target if target else page
        if path.is_dir():
            path /= "index.md"
        if not path.is_file():
            yield f"{link}: no such file"
        elif anchor and anchor not in anchors(path):
            yield f"{link}: no such heading"


def test_no_text_installs_isolarium_by_its_bare_name() -> None:
    by_name = re.compile(r"(pip|pipx|tool)\s+(install|run)\s+'?isolarium\b|uvx\s+isolarium\b")
    code = [path for path in (ROOT / "src").rglob("*.py") if path.is_file()]
    found = [path for path in [*PAGES, *code] if by_name.search(path.read_text(encoding="utf-8"))]
    assert found == []


def test_optional_dependencies_are_installed_as_extras() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = settings["project"]["optional-dependencies"]
    names = {re.split(r"[\[<>=; ]", one)[0] for extra in extras.values() for one in extra}
    by_name = re.compile(rf"pip install ({'|'.join(names)})\b")
    code = (ROOT / "src").rglob("*.py")
    found = [path for path in [*PAGES, *code] if by_name.search(path.read_text(encoding="utf-8"))]
    assert found == []


@pytest.mark.parametrize("name", NAMES)
def test_links_lead_somewhere(name: str) -> None:
    assert list(broken_links(ROOT / name)) == []


def links(page: Path) -> set[Path]:
    """The pages that a page links to."""
    found = re.findall(r"\]\(([^)\s#]+\.md)(?:#[^)]*)?\)", prose(page))
    return {(page.parent / link).resolve() for link in found if not link.startswith(ELSEWHERE)}


def test_every_page_is_within_two_clicks_of_the_front_page() -> None:
    reached = {DOCS / "index.md"}
    for _ in range(2):
        reached |= {link for page in reached for link in links(page)}
    assert [page for page in PAGES if page.resolve() not in reached] == []


@pytest.mark.parametrize("name", NAMES)
def test_blocks_with_a_prompt_are_marked_as_console(name: str) -> None:
    """So that the site's copy button leaves the prompt out."""
    text = (ROOT / name).read_text(encoding="utf-8")
    blocks = [(language, code) for _, _, language, code in FENCED.findall(text)]
    assert [code for language, code in blocks if "$ " in code[:2] and language != "console"] == []


def shown_commands(page: Path) -> Iterator[str]:
    """The commands in a page's blocks of code, after a `$` or in lines of their own."""
    for _, _, language, code in FENCED.findall(page.read_text(encoding="utf-8")):
        if language in ("", "console"):
            yield from re.findall(r"^(?:\$ )?(isolarium [a-z]+(?: .+)?)$", code, re.MULTILINE)


@pytest.mark.parametrize("name", NAMES)
def test_commands_can_be_typed(name: str) -> None:
    for line in shown_commands(ROOT / name):
        _, command, *arguments = shlex.split(line)
        assert command in COMMANDS, line
        try:
            load_command(command).make_context(command, arguments)
        except TyperException as error:
            pytest.fail(f"{line}: {error.format_message()}")


def navigated(entry: Any) -> Iterator[str]:
    """The pages and patterns of an entry of the navigation."""
    if isinstance(entry, str):
        yield entry
    else:
        for part in entry.values() if isinstance(entry, dict) else entry:
            yield from navigated(part)


def test_every_page_is_in_the_navigation_once() -> None:
    settings = tomllib.loads((DOCS / "zensical.toml").read_text(encoding="utf-8"))
    entries = list(navigated(settings["project"]["nav"]))
    for page in DOCS.rglob("*.md"):
        name = page.relative_to(DOCS).as_posix()
        assert [fnmatch(name, entry) for entry in entries].count(True) == 1, name


def test_the_first_heuristic_is_one() -> None:
    page = (DOCS / "tutorials" / "first-five-minutes.md").read_text(encoding="utf-8")
    (code,) = (code for *_, code in FENCED.findall(page) if code.startswith("# my_heuristic.py"))
    names: dict[str, Any] = {}
    exec(code, names)
    position = parse_position("7/7/2A4/3x3/4B2/7/7 a")
    assert names["chaser"](*seen(position)) == 8 - 2 * 8


CODE_SPAN = re.compile(r"`([\w./-]+)`")
FILE_NAME = re.compile(r"[\w./-]*\w\.(py|js|json|jsonl|toml|html|md)|[\w-]+(/[\w-]+)*/")
NAMED_IN = re.compile(
    r"`(\w+)`(?:,? and)? in `([\w./-]+\.(?:py|js))`(?: and in `([\w./-]+\.(?:py|js))`)?"
)
ENGINEERING = ("CONTRIBUTING.md", "docs/explanation/architecture.md")


def source(name: str) -> Path | None:
    """The file or folder of the repository that a page means."""
    places = (ROOT / name, ROOT / "src" / "isolarium" / name)
    return next((place for place in places if place.exists()), None)


@pytest.mark.parametrize("name", ENGINEERING)
def test_files_that_the_engineering_pages_name_exist(name: str) -> None:
    spans = CODE_SPAN.findall((ROOT / name).read_text(encoding="utf-8"))
    names = {span for span in spans if FILE_NAME.fullmatch(span)}
    assert len(names) > 3
    basenames = {path.name for path in (ROOT / "src").rglob("*")}
    missing = {one.rstrip("/") for one in names if source(one) is None}
    assert missing - basenames == set()


def test_names_in_the_table_of_additions_are_in_their_files() -> None:
    page = (ROOT / ENGINEERING[1]).read_text(encoding="utf-8").partition("## To add a")[2]
    found = [(word, file) for word, *files in NAMED_IN.findall(page) for file in files if file]
    assert len(found) > 20
    for word, file in found:
        path = source(file)
        assert path is not None, file
        assert re.search(rf"\b{word}\b", path.read_text(encoding="utf-8")), (word, file)


def test_files_that_the_security_page_names_exist() -> None:
    names = re.findall(
        r"`([\w./]+\.py)`", (DOCS / "explanation/security.md").read_text(encoding="utf-8")
    )
    files = set(names) - {"typer.py"}  # an example
    assert [
        name for name in files if not ((ROOT / name).exists() or (ROOT / "tests" / name).exists())
    ] == []
