"""Windows of all sizes: boards that fit, names that can be read, and nothing that sticks out."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, ViewportSize, expect

from isolarium.arena.plan import Format, Plan
from tests.playing import Wanderer, play_run_here
from tests.web.pages.test_all_pages import open_ready
from tests.web.pages.watched_page import Watched
from tests.web.serving import Server

pytestmark = pytest.mark.slow

Visit = Callable[..., Watched]

ON_ITS_SIDE = ViewportSize(width=844, height=390)
SHORT = [  # two phones on their side, and a laptop at 200%
    ON_ITS_SIDE,
    ViewportSize(width=667, height=375),
    ViewportSize(width=720, height=450),
]
WITH_BOARD = ["play", "analyse", "watch games", "learn"]
AGENT = "alphabeta:improved@nodes=1000"


def size_of(locator: Locator) -> tuple[float, float]:
    """How wide and how high something is drawn."""
    box = locator.bounding_box()
    assert box is not None
    return box["width"], box["height"]


@pytest.mark.parametrize("name", WITH_BOARD)
def test_a_board_fits_short_windows(visit: Visit, name: str) -> None:
    watched = open_ready(visit, name)
    board = watched.page.locator(".board-frame").first
    for window in SHORT:
        watched.page.set_viewport_size(window)
        board.scroll_into_view_if_needed()
        expect(board).to_be_in_viewport(ratio=0.99)
        assert size_of(board)[0] > 220
        assert watched.page.evaluate("document.documentElement.scrollWidth") <= window["width"]


@pytest.mark.parametrize(
    ("board", "size"),
    [
        ("7x7", ON_ITS_SIDE),
        ("7x7", ViewportSize(width=320, height=640)),
        ("13x3", ViewportSize(width=1280, height=800)),
        ("13x3", ViewportSize(width=390, height=844)),
    ],
)
def test_names_of_players_can_be_read(visit: Visit, board: str, size: ViewportSize) -> None:
    watched = visit(f"/play?game={board}:+a1&first=person&second={AGENT}", viewport=size)
    watched.expect_headline("^(Your move|Orange to place)$")
    you, agent = (watched.page.locator(".player .who").nth(at) for at in (0, 1))
    expect(you).to_have_text("You")
    for who in (you, agent):
        cut = who.evaluate("who => who.scrollWidth > who.clientWidth + 1")
        assert not cut
    assert size_of(agent)[0] > 70


def test_forced_colours_tell_the_turn_and_the_sheet(visit: Visit) -> None:
    """Where all borders have one colour, only what is marked has a thick one."""
    watched = open_ready(visit, "analyse", forced_colors="active")
    page = watched.page
    width = "one => getComputedStyle(one).borderBottomWidth"
    assert page.locator(".player.turn").evaluate(width) == "4px"
    assert page.locator(".player:not(.turn)").evaluate(width) == "1px"
    tabs = page.locator(".tabs button")
    assert tabs.evaluate_all(f"tabs => tabs.map({width})") == ["4px", *["0px"] * 4]
    places = page.locator(".top nav a")
    assert places.evaluate_all(f"places => places.map({width})") == ["0px", "4px", *["0px"] * 3]


@pytest.fixture(scope="session")
def gauntlet(server: Server) -> str:
    """A run of twenty agents with long names against five."""
    names = ["corner_penalty", "fill_diagonal", "lookahead_weighted", "cut_off_reachable"]
    agents = [f"alphabeta:{name}@nodes={nodes}000" for name in names for nodes in range(1, 6)]
    opponents = ["random", "minimax:improved@depth=3", "minimax:open@depth=3", "greedy:open"]
    plan = Plan(Format.GAUNTLET, tuple(agents), tuple(opponents), board="5x5", pairs=1)
    folder = Path(server.runs) / "2026-11-14-gauntlet"
    return play_run_here(folder, plan, [Wanderer() for _ in plan.players]).name


def broken_words(table: Locator) -> list[str]:
    """The words of the names in a table that do not stand on one line."""
    found: list[str] = table.locator("tbody th").evaluate_all(
        """names => names.flatMap((name) => [...name.childNodes].filter((one) => one.nodeType === 3).flatMap((text) =>
          [...text.data.matchAll(/\\w+/g)].filter((word) => {
            const range = document.createRange();
            range.setStart(text, word.index);
            range.setEnd(text, word.index + word[0].length);
            return range.getClientRects().length > 1;
          }).map(([word]) => word)))"""
    )
    return found


@pytest.mark.parametrize("width", [390, 820, 1440])
def test_tables_of_many_agents_scroll_in_their_own_boxes(visit: Visit, gauntlet: str, width: int) -> None:
    window = ViewportSize(width=width, height=900)
    page = visit(f"/watch?run={gauntlet}", viewport=window).page
    for label in ("Standings", "Cross table", "Encounters"):
        box = page.get_by_role("region", name=label)
        expect(box).to_be_visible()
        assert size_of(box)[0] <= width
        assert size_of(box)[1] <= 900
        assert broken_words(box) == []
    cross = page.get_by_role("region", name="Cross table")
    expect(cross.locator("tbody tr")).to_have_count(20)
    expect(cross.locator("thead th")).to_have_count(8)


def test_a_tournament_says_what_came_of_it_in_a_sentence(visit: Visit, server: Server, gauntlet: str) -> None:
    output = server.get(f"/api/runs/{gauntlet}").json()["verdict"]
    assert " " in output
    expect(visit(f"/watch?run={gauntlet}").page.locator(".verdict-line")).to_have_text(output)
