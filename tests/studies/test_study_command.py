"""`isolarium study` from beginning to end: tiny studies, interrupted and resumed."""

import json
import re
import subprocess
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from shutil import copytree, rmtree

import pexpect
import pytest

from isolarium.arena.run_db import FILE_NAME, Record
from isolarium.errors import InputError
from isolarium.studies.study_file import find_study
from isolarium.studies.study_runner import begin_study, find_study_run
from isolarium.web.agent_policy import AgentPolicy
from isolarium.web.jobs.start_runs import check_resumable
from tests.command import COMMAND, PATIENCE_S, environment, run_isolarium
from tests.in_process import run_here

pytestmark = pytest.mark.slow

TINY = """
title = "Chance against chance"

[agents]
One = "random"
Two = "random"
Three = "random"

[[part]]
name = "gauntlet"
title = "Two against one"
format = "gauntlet"
board = "5x5"
agents = ["One", "Two"]
opponents = ["Three"]
pairs = 2
seed = 3
baseline = "One"
heat_map = true

[[part.claim]]
source = "a report"
games = 10
won.One = 9

[[part.session]]
source = "One beat Two in 3 of 4"
agent = "One"
than = "Two"
games = 4
better = 3
of = 4
rates = [[75.0, 50.0], [50.0, 50.0]]

[[part]]
name = "everybody"
format = "round robin"
board = "5x5"
agents = ["One", "Two", "Three"]
pairs = 2
self_play = true

[[part]]
name = "two"
format = "match"
board = "5x5"
agents = ["One", "Two"]
pairs = 2
"""
PARTS = ["gauntlet", "everybody", "two"]


@dataclass(frozen=True)
class Played:
    """A study that was played to its end, what it printed, and its page with drawn charts."""

    folder: Path
    stdout: str
    page: str


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """The tiny study; tests that change its folder copy it first."""
    result, folder = run_tiny(tmp_path_factory.mktemp("played"), TINY, run=run_isolarium)
    assert result.returncode == 0, result.stderr
    return Played(folder, result.stdout, (folder / "report.html").read_text(encoding="utf-8"))


Run = Callable[..., "subprocess.CompletedProcess[str]"]


def run_tiny(
    place: Path, text: str, *options: str, run: Run = run_here
) -> "tuple[subprocess.CompletedProcess[str], Path]":
    """Play a study in a folder below `place`."""
    file, runs = place / "tiny.toml", place / "runs"
    file.write_text(text, encoding="utf-8")
    result = run("study", str(file), "--runs", str(runs), "--workers", "1", *options)
    [folder] = runs.iterdir()
    return result, folder


Here = Callable[..., tuple[int, str, str]]


@pytest.fixture
def here() -> Here:
    """Runs the command in this process, for what needs no other; its status, stdout and stderr."""

    def run(*arguments: str | Path) -> tuple[int, str, str]:
        done = run_here(*map(str, arguments))
        return done.returncode, done.stdout, done.stderr

    return run


def games_of(folder: Path) -> list[object]:
    with closing(Record(folder)) as record:
        return [(game.encounter, game.pair, game.leg, game.moves) for game in record.games()]


@pytest.mark.slow
def test_tables_are_shown_and_everything_is_kept(played: Played) -> None:
    folder, stdout = played.folder, played.stdout
    assert (folder / "study.toml").read_text(encoding="utf-8") == TINY
    assert [path.parent.name for path in sorted(folder.glob(f"*/{FILE_NAME}"))] == sorted(PARTS)
    assert "Two against one" in stdout
    assert "5x5 · nodes=8000 · 2 pairs per encounter · 8 games" in stdout
    assert "90% (" in stdout
    assert "inside the noise" in stdout
    assert str(folder) in stdout.splitlines()[-1]
    with closing(Record(folder / "gauntlet")) as record:
        assert record.plan.study["text"] == TINY


LIMITED = """
title = "Which limit"

[agents]
Named = "alphabeta:open@nodes=7"
Booked = "alphabeta:open@book"

[[part]]
name = "all"
format = "gauntlet"
board = "5x5"
agents = ["Named", "Booked"]
opponents = ["alphabeta:improved", "random"]
pairs = 1
"""


@pytest.mark.slow
def test_a_limit_is_for_agents_that_name_none(tmp_path: Path) -> None:
    result, folder = run_tiny(tmp_path, LIMITED, "--limit", "depth=1")
    assert result.returncode == 0, result.stderr
    with closing(Record(folder / "all")) as record:
        limits = [spec.partition("@")[2] for spec in record.plan.players]
    assert limits == ["nodes=7", "depth=1,book", "depth=1", ""]


@pytest.mark.slow
def test_json_has_the_figures(played: Played, here: Here) -> None:
    status, stdout, _ = here("study", played.folder, "--json")
    found = json.loads(stdout)
    assert status == 0
    assert (found["study"], found["games"], found["finished"]) == ("tiny", 36, True)
    [claim] = found["parts"][0]["claims"]
    assert (claim["won"], claim["games"], claim["agent"]) == (9, 10, "One")
    [cell] = [c for c in found["parts"][0]["cells"] if c["agent"] == "One"]
    assert sum(cell["pairs"]) == 2
    assert cell["rate"] == claim["ours"] == (2 * cell["pairs"][0] + cell["pairs"][1]) / 4
    [session] = found["parts"][0]["sessions"]
    assert (session["better"], session["of"]) == (3, 4)


@pytest.mark.slow
def test_markdown_is_tables(played: Played, here: Here) -> None:
    lines = here("study", played.folder, "--markdown")[1].splitlines()
    assert lines[0] == "## Chance against chance"
    assert "| agent | win rate | pairs split | vs One |  | mean depth | plays |" in lines


@pytest.mark.slow
def test_a_finished_study_is_shown_again(played: Played, here: Here) -> None:
    assert here("study", played.folder)[:2] == (0, played.stdout)


@pytest.mark.slow
def test_page_links_the_reports_of_the_parts(played: Played) -> None:
    links = set(re.findall(r'href="([^"#]+)"', played.page))
    assert {f"{part}/report.html" for part in PARTS} <= links
    for link in links:
        assert (played.folder / link).is_file()
    assert str(played.folder / "report.html") in played.stdout


@pytest.mark.slow
def test_the_first_chart_is_drawn_for_phones_too(played: Played) -> None:
    _, _, narrow = played.page.partition('<div class="narrow"><svg ')
    assert 'aria-label="Published figures minus ours' in narrow.partition("</svg>")[0]


@pytest.mark.slow
def test_one_part_only(tmp_path: Path) -> None:
    result, folder = run_tiny(tmp_path, TINY, "--part", "two", "--quick", "--json")
    [part] = json.loads(result.stdout)["parts"]
    assert (part["name"], part["games"]) == ("two", 2)
    assert [path.parent.name for path in folder.glob(f"*/{FILE_NAME}")] == ["two"]


@pytest.mark.slow
def test_a_study_that_lost_parts_is_gone_on_with(played: Played, tmp_path: Path) -> None:
    folder = tmp_path / "runs" / played.folder.name
    copytree(played.folder, folder)
    rmtree(folder / "everybody")
    rmtree(folder / "two")
    resumed = run_here("resume", folder.name, "--runs", str(folder.parent), "--workers", "1")
    assert resumed.returncode == 0, resumed.stderr
    for part in PARTS:
        assert games_of(folder / part) == games_of(played.folder / part)


@pytest.mark.slow
def test_interrupt_keeps_what_is_finished(tmp_path: Path) -> None:
    # The first game of two never ends: on so large a board it proves nothing.
    endless = TINY.replace('Two = "random"', 'Two = "mcts@nodes=1e15"').replace("5x5", "8x8")
    (tmp_path / "tiny.toml").write_text(endless)
    runs = tmp_path / "runs"
    arguments = ["study", str(tmp_path / "tiny.toml"), "--runs", str(runs), "--workers", "1"]
    with pexpect.spawn(
        COMMAND, arguments, encoding="utf-8", env=environment(), dimensions=(40, 200), timeout=PATIENCE_S
    ) as terminal:
        terminal.expect("2 of 8 games")
        terminal.sendintr()
        terminal.expect("continues it")
        terminal.expect(pexpect.EOF)
        terminal.wait()
        assert terminal.exitstatus == 130
    [folder] = runs.iterdir()
    assert len(games_of(folder / "gauntlet")) == 2
    assert not (folder / "two").exists()


def test_list_has_every_study_and_part(here: Here) -> None:
    listed = here("study")[1]
    as_json = json.loads(here("study", "--json")[1])
    assert as_json[0]["name"] == "course"
    for one in as_json:
        assert f"\n{one['name']} " in f"\n{listed}"
        for part in one["parts"]:
            assert part["title"] in listed


@pytest.mark.slow
def test_settings_of_a_study_under_way_cannot_be_changed(played: Played, here: Here) -> None:
    status, _, stderr = here("study", played.folder, "--limit", "ms=1")
    assert status == 2
    assert "this study has already begun; leave out --limit" in stderr


def test_study_with_broken_settings_is_one_line(tmp_path: Path, here: Here) -> None:
    (tmp_path / "study.toml").write_text(TINY, encoding="utf-8")
    (tmp_path / "settings.json").write_text("{}", encoding="utf-8")
    status, _, stderr = here("study", tmp_path)
    assert status == 2
    assert stderr.count("\n") == 1
    assert "settings.json" in stderr


DEEP = b"[" * 200_000
MANY = b"9" * 5000
HALF = b'{"name": "\\ud800", "limit": "", "scale": 1, "parts": []}'


@pytest.mark.parametrize(
    ("name", "content"),
    [("settings.json", one) for one in (b"", b"{", b"\xff", DEEP, MANY, HALF, b" " * (1 << 21))]
    + [("settings.json", one) for one in (b'{"name": 1, "parts": []}', b'{"name": "", "parts": 1}')]
    + [("settings.json", b'{"name": "x", "scale": 1e999, "parts": []}')]
    + [("study.toml", one) for one in (b"\xff", b"a = " + DEEP, b"a = " + MANY)],
)
def test_a_damaged_study_is_one_line_whoever_looks_at_it(tmp_path: Path, here: Here, name: str, content: bytes) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "study.toml").write_text(TINY, encoding="utf-8")
    (folder / "settings.json").write_text('{"name": "x", "parts": []}', encoding="utf-8")
    (folder / name).write_bytes(content)
    for command in ("resume", "study"):
        status, _, stderr = here(command, folder)
        assert (status, stderr.count("\n")) == (2, 1)
        assert f"{name}: " in stderr
    if name == "settings.json":
        with pytest.raises(InputError, match=rf"^mine/{name}: [^\n]*expected"):
            check_resumable(folder, AgentPolicy())


def test_a_study_is_found_by_its_name_without_the_date(tmp_path: Path) -> None:
    begun = begin_study(find_study("report-000"), tmp_path)
    assert find_study_run("report-000", tmp_path) == begun.folder
    assert find_study_run(begun.folder.name, tmp_path) == begun.folder
    assert find_study_run("report-001", tmp_path) is None
