"""The documents hold together: links and anchors lead somewhere, commands can be typed, every page is in the site."""

import re
import shlex
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatch
from itertools import product
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
from typer import TyperException

from isolarium import parse_position
from isolarium.cli.app import load_command
from isolarium.cli.commands import COMMANDS
from isolarium.game.record import parse_game
from isolarium.heuristics import seen
from tools.build_site import GAME, converted

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
    (code,) = (code for *_, code in FENCED.findall(page) if code.startswith("# chaser.py"))
    assert not (ROOT / "examples" / "chaser.py").exists()  # copying an example must not overwrite it
    names: dict[str, Any] = {}
    exec(code, names)
    position = parse_position("7/7/2A4/3x3/4B2/7/7 a")
    assert names["chaser"](*seen(position)) == 8 - 2 * 8


CODE_SPAN = re.compile(r"`([\w./-]+)`")
FILE_NAME = re.compile(r"[\w./-]*\w\.(py|js|json|jsonl|toml|html|md|txt|c|cu|cuh|svg)|[\w-]+(/[\w-]+)*/")
NAMED_IN = re.compile(r"((?:`\w+`(?:, and | and | or |, )?)+) in (`[\w./-]+\.\w+`(?:,? and (?:in )?`[\w./-]+\.\w+`)*)")
ENGINEERING = ("CONTRIBUTING.md", "docs/explanation/architecture.md", "docs/explanation/deliberate-copies.md")


def source(name: str) -> Path | None:
    """The file or folder of the repository that a page means; code is within `src/isolarium`."""
    places = (ROOT / name, ROOT / "src" / "isolarium" / name)
    return next((place for place in places if place.exists()), None)


def names_and_files(text: str) -> Iterator[tuple[str, str]]:
    """Yield each name with each file, where a text says that some names are in some files."""
    for names, files in NAMED_IN.findall(" ".join(text.split())):
        yield from product(CODE_SPAN.findall(names), CODE_SPAN.findall(files))


def is_defined(name: str, file: str) -> bool:
    path = source(file)
    return path is not None and bool(re.search(rf"\b{name}\b", path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", ENGINEERING)
def test_files_that_the_engineering_pages_name_exist(name: str) -> None:
    spans = CODE_SPAN.findall((ROOT / name).read_text(encoding="utf-8"))
    names = {span for span in spans if FILE_NAME.fullmatch(span)}
    assert len(names) > 3
    assert [one for one in names if source(one) is None] == []


@pytest.mark.parametrize("name", ENGINEERING)
def test_names_that_the_engineering_pages_give_are_in_their_files(name: str) -> None:
    found = list(names_and_files((ROOT / name).read_text(encoding="utf-8")))
    assert [one for one in found if not is_defined(*one)] == []


@pytest.mark.parametrize("name", ENGINEERING)
def test_commands_that_the_engineering_pages_name_exist(name: str) -> None:
    page = " ".join((ROOT / name).read_text(encoding="utf-8").split())
    modules = [module.replace(".", "/") for module in re.findall(r"python -m (tools[\w.]+)", page)]
    assert [one for one in modules if not any(ROOT.glob(f"{one}*"))] == []


def additions() -> dict[str, str]:
    """The lists of files to change, by the thing to add."""
    page = (DOCS / "explanation" / "architecture.md").read_text(encoding="utf-8")
    _, *entries = page.partition("## To add a")[2].split("\n### ")
    return {entry.partition("\n")[0]: entry.partition("\n")[2] for entry in entries}


@pytest.mark.parametrize("thing", additions())
def test_each_list_of_files_to_change_is_in_order(thing: str) -> None:
    steps = re.findall(r"^(\d+)\. (\w+:)?", additions()[thing], re.MULTILINE)
    assert [int(number) for number, _ in steps] == list(range(1, len(steps) + 1))
    kinds = [kind for _, kind in steps if kind in ("Tests:", "Recorded:", "Documentation:")]
    assert [kind for _, kind in steps][-len(kinds) :] == kinds  # after the source files
    assert kinds == [kind for kind in ("Tests:", "Recorded:", "Documentation:") if kind in kinds]
    assert kinds[:1] == ["Tests:"]


def test_the_lists_of_files_to_change_name_enough() -> None:
    found = [one for text in additions().values() for one in names_and_files(text)]
    assert len(found) > 60


def test_tests_that_compare_deliberate_copies_exist() -> None:
    page = (DOCS / "explanation" / "deliberate-copies.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| ")][1:]
    assert len(rows) > 10
    for row in rows:
        files = [span for span in CODE_SPAN.findall(row) if span.startswith("tests/")]
        code = "".join((ROOT / file).read_text(encoding="utf-8") for file in files)
        for test in re.findall(r"`(test_\w+)`", row):
            assert f"def {test}(" in code, test


def test_files_that_the_security_page_names_exist() -> None:
    names = re.findall(r"`([\w./]+\.py)`", (DOCS / "explanation/security.md").read_text(encoding="utf-8"))
    files = set(names) - {"typer.py"}  # an example
    assert [name for name in files if not ((ROOT / name).exists() or (ROOT / "tests" / name).exists())] == []


def test_games_become_boards_of_the_site() -> None:
    page = "Look:\n\n```game\n7x7: d4 b3\n```\n"
    found = converted(page, PurePosixPath("docs/how-to/solve.md"))
    assert 'src="../boards/embed.html?game=7x7:+d4+b3"' in found
    assert "```text\n7x7: d4 b3\n```" in found


@pytest.mark.parametrize("name", NAMES)
def test_games_on_boards_are_games(name: str) -> None:
    for block in GAME.findall((ROOT / name).read_text(encoding="utf-8")):
        assert str(parse_game(block)) == block
