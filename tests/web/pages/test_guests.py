"""Agents in files that the operator allows: in the list of opponents, and on the board."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from isolarium.web.agent_policy import FileAgents
from tests.web.pages.watched_page import Watched
from tests.web.serving import Server, serving

pytestmark = pytest.mark.slow

OWN_AGENT = """
class Base:
    def start(self, board, seed):
        pass

class Least(
    Base,
):
    def choose(self, position, limit):
        return min(position.legal_moves())

def choose(position):
    return min(position.legal_moves())
"""
AGENT = """
class CustomPlayer:
    def get_move(self, game, time_left):
        return min(game.get_legal_moves(), default=(-1, -1))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with agents, and files that are none."""
    folder = tmp_path_factory.mktemp("guests") / "class"
    for name in ("ann", "bob"):
        (folder / name).mkdir(parents=True)
        (folder / name / "game_agent.py").write_text(AGENT)
    (folder / "least.py").write_text(OWN_AGENT)
    (folder / "notes.py").write_text("raise SystemExit('loaded')")
    (folder / "sample_players.py").write_text(AGENT)
    (folder / "with, comma.py").write_text(AGENT)
    return folder


@pytest.fixture(scope="module")
def allowing(folder: Path) -> Iterator[Server]:
    with serving(folder.parent / "runs", "--allow", str(folder)) as server:
        yield server


def test_guests_are_found_by_their_text(folder: Path) -> None:
    expected = [f"course:{folder / name / 'game_agent.py'}" for name in ("ann", "bob")]
    assert FileAgents([folder]).specs() == [f"agent:{folder}/least.py:Least", *expected]


def test_nothing_is_listed_where_nothing_is_allowed(server: Server) -> None:
    assert server.get("/api/agents").json()["guests"] == []


def test_a_guest_is_chosen_from_the_list_and_answers(visit: Callable[..., Watched], allowing: Server) -> None:
    watched = visit("/play?first=person&second=greedy:open", at=allowing)
    watched.open_setup()
    chosen = watched.page.get_by_label("Orange: agents in files")
    chosen.select_option(label="ann/game_agent.py")
    spec = "course:ann/game_agent.py"
    expect(watched.page.get_by_label("Orange: agent spec")).to_have_value(spec)
    watched.page.locator("form").get_by_role("button", name="New game").click()
    expect(watched.page).to_have_url(re.compile("second=course"))
    watched.square("c3").click()
    watched.expect_headline("^Your move$")
    assert watched.query("second") == spec


def test_a_guest_plays_over_http_and_nobody_is_told_where_it_is(allowing: Server, folder: Path) -> None:
    game = {"game": "5x5: c3 a1 d5", "seed": 1}
    answer = allowing.post("/api/move", {**game, "agent": "agent:least.py:Least"})
    assert (answer.status_code, answer.json().get("move")) == (200, "c2"), answer.text
    short, output = "course:bob/game_agent.py", "course:bob/game_agent.py:CustomPlayer@calls=9"
    for spec in (f"{short}@calls=9", f"course:{folder / 'bob' / 'game_agent.py'}@calls=9"):
        answer = allowing.post("/api/move", {"game": "5x5: c3 a1 d5", "agent": spec, "seed": 1})
        assert answer.status_code == 200, answer.text
        assert (answer.json()["move"], answer.json()["agent"]) == ("c2", output)
    assert short in allowing.get("/api/agents").json()["guests"]
    wanted = {"kind": "match", "first": f"{short}@calls=9", "second": "random", "board": "5x5"}
    run = allowing.post("/api/runs", {**wanted, "pairs": 1}).json()["name"]
    shown = allowing.get(f"/api/runs/{run}")
    assert shown.json()["players"][0].startswith(short)
    assert str(folder) not in shown.text + allowing.get("/api/runs").text
