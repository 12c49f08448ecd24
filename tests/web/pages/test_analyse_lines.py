"""Analyse, beyond the game itself: variations, the graph as a slider, best play, the engine's opinion, the editor."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.web.pages.test_all_pages import findings
from tests.web.pages.watched_page import BLANK, PHONE, UNKNOWN_MARK, ScriptedEngine, Watched

pytestmark = pytest.mark.slow

Visit = Callable[..., Watched]

# Both give the win away: Orange by b3, Blue by c6, where f5 keeps it.
GAME = "7x7: d4 b3 c6 d2"


def test_mistakes_in_variations_are_marked_and_gone_to(visit: Visit) -> None:
    watched = visit(f"/analyse?game=7x7:+d4+b3+f5&line={GAME}&at=2")
    page = watched.page
    side = page.locator(".moves .side")
    expect(side.get_by_role("button", name=re.compile("^c6. Mistake"))).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".line")).to_have_text("Blue played f5. Right: it keeps the win.")
    page.get_by_role("button", name="Variation ↓").click()
    expect(page.locator(".line")).to_contain_text("Blue played c6 in a variation. Mistake")
    expect(page.locator(".graph")).to_have_accessible_name(re.compile("mistakes at ply 2, 3"))
    page.reload()  # the address holds the variation to its end, and where in it we are
    expect(side).to_have_text(re.compile(r"^c6\?d2"))
    expect(page.locator(".line")).to_contain_text("Blue played c6 in a variation")
    page.keyboard.press("M")
    expect(page.locator(".line")).to_contain_text("Orange played b3. Mistake")


@pytest.mark.parametrize("options", [{}, PHONE], ids=["mouse", "touch"])
def test_the_graph_is_dragged_and_moved_by_keys(visit: Visit, options: dict[str, Any]) -> None:
    page = visit(f"/analyse?game={GAME}", **options).page
    line, graph = page.locator(".line"), page.get_by_role("slider", name=re.compile("^Evaluation"))
    expect(line).to_contain_text("Start of the game.")
    graph.scroll_into_view_if_needed()
    box = graph.bounding_box()
    assert box is not None
    at = [(box["x"] + box["width"] * ply / 8, box["y"] + 20) for ply in (1, 5, 7)]
    drag(page, at, lambda: expect(line).to_contain_text("Orange played d2"), bool(options))
    expect(graph).to_have_attribute("aria-valuetext", re.compile("^ply 4 of 4: Orange played d2"))
    graph.focus()
    page.keyboard.press("ArrowLeft")
    expect(line).to_contain_text("Blue played c6")
    page.keyboard.press("PageUp")
    expect(line).to_contain_text("Start of the game.")


def drag(page: Page, points: list[tuple[float, float]], there: Callable[[], None], touch: bool) -> None:
    """Press at the first point, move through the others, see where that led, and let go."""
    if touch:
        hand = page.context.new_cdp_session(page)

        def send(kind: str, *at: tuple[float, float]) -> None:
            touches = [{"x": x, "y": y} for x, y in at]
            hand.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})

        send("touchStart", points[0])
        for point in points[1:]:
            send("touchMove", point)
        there()
        send("touchEnd")
        return
    page.mouse.move(*points[0])
    page.mouse.down()
    for point in points[1:]:
        page.mouse.move(*point)
    there()
    page.mouse.up()


def test_a_refutation_is_a_line_to_step_through(visit: Visit) -> None:
    game = "5x5: c3 a2 b1 c1"  # to its end it is known how soon
    watched = visit(f"/analyse?game={game}&at=2", **PHONE)
    page = watched.page
    line = page.locator(".line")
    best = page.get_by_role("button", name="Best line")
    expect(best).to_be_enabled()
    best.tap()
    expect(line).to_have_text(re.compile(r"^Best line: (Blue|Orange) wins in \d+\. .* delays as long as possible\."))
    plies = int(line.inner_text().split(" wins in ")[1].split(".")[0])
    page.keyboard.press("End")
    watched.expect_headline("has won$")
    assert len(watched.query("line").split()) == 1 + 2 + plies
    expect(page.locator(".sure.proven")).to_be_hidden()  # it is over
    page.reload()
    watched.expect_headline("has won$")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".sure.proven")).to_be_visible()


class Unsolved:
    """An engine that solves nothing, and searches as deep as it is told to."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.engine = ScriptedEngine(page, self._answer)
        self.held: list[int] | None = None  # the requests that are not answered before they are let go

    def _answer(self, asked: dict[str, Any]) -> list[dict[str, Any]]:
        if asked["kind"] == "mark":
            return [UNKNOWN_MARK]
        if asked["kind"] == "values":
            move = {"move": "d3", "value": "unknown", "plies": None, "heuristics": [1, 2], "searches": []}
            facts = {"position": "", "to_move": "first", "nodes": 1, "ms": 1.0, "stopped": False}
            return [{**facts, "value": "unknown", "plies": None, "moves": [move]}]
        if "ms=" in asked["agent"]:
            return []
        if self.held is None:
            return [BRIEF]
        self.held.append(asked["id"])
        return []

    def let_go(self) -> None:
        """Answer what was held back, and hold nothing back any more."""
        held, self.held = self.held or [], None
        for request in held:
            self.engine.say(request, BRIEF)

    def think(self, **report: Any) -> None:
        """Say how far the search of the position on the board is."""
        while not (deep := [one for one in self.engine.asked if "ms=" in one.get("agent", "")]):
            self.page.wait_for_timeout(20)
        self.engine.say(deep[-1]["id"], {"kind": "thinking", **REPORT, **report})


REPORT = {"nodes": 1000, "ms": 500, "pv": ["d3", "c4"], "proven": False, "plies": None}
BRIEF = {"kind": "move", "move": "d3", "stopped": False, "report": {**REPORT, "score": -2.0, "depth": 4}}


def test_past_solving_the_engine_says_what_it_thinks_and_how_sure_it_is(visit: Visit) -> None:
    watched = visit(BLANK, alone=True)
    page = watched.page
    engine = Unsolved(page)
    engine.held = []
    page.goto("/analyse?game=9x9:+e5+b2&at=2")
    watched.expect_headline("^Blue to move: not solved$")
    card, bars = page.locator(".engine"), page.locator(".graph rect.by-search")
    expect(card).to_contain_text("Searching…")
    engine.let_go()
    engine.think(score=1.5, depth=5)
    expect(card).to_contain_text("◌ by search Blue stands at +1.5")
    engine.think(score=2.5, depth=9, pv=["d3", "c4", "f2"])
    expect(card).to_contain_text("Blue stands at +2.5")
    expect(card).to_contain_text("9 plies deep, 1,000 positions")
    expect(card).to_contain_text("Two scales: the squares show improved's value")
    expect(page.locator(".sure.proven")).to_be_hidden()
    expect(page.locator(".arrow.by-search")).to_have_count(1)
    expect(bars).to_have_count(1)
    assert findings(page) == []
    page.emulate_media(color_scheme="dark")
    assert findings(page, runOnly=["color-contrast"]) == []
    page.get_by_role("button", name="Stop searching").click()
    expect(page.get_by_role("button", name="Search again")).to_be_visible()
    assert any(one.get("stop") for one in engine.engine.asked)
    page.get_by_role("button", name="Best line").click()
    expect(page.locator(".line")).to_contain_text("Best line, found by search")
    assert watched.query("game") == "9x9: e5 b2 d3 c4 f2"
    page.get_by_role("button", name="Search again").click()
    expect(page.get_by_role("button", name="Stop searching")).to_be_visible()
    engine.think(score="loss 6", depth=9, proven=True, plies=6)
    watched.expect_headline("^Orange to move and lose in 6$")
    expect(page.locator(".sure.proven")).to_be_visible()
    expect(page.locator(".sure.by-search")).to_be_hidden()
    expect(page.locator(".graph .truth.first")).to_have_count(1)
    expect(bars).not_to_have_count(0)


def test_a_position_is_put_together_and_what_is_wrong_with_it_explained(visit: Visit) -> None:
    watched = visit("/analyse")
    page = watched.page
    page.get_by_role("button", name="Set up a position").click()
    problem, use = page.locator("form .error").last, page.get_by_role("button", name="Analyse this")
    page.get_by_label("Rows").fill("99")
    page.keyboard.press("Tab")
    expect(problem).to_have_text("Rows: enter a whole number from 3 to 13.")
    expect(use).to_be_disabled()
    page.get_by_label("Rows").fill("4")
    page.keyboard.press("Tab")
    page.get_by_label("Columns").fill("4")
    page.keyboard.press("Tab")
    watched.square("a1").click()
    expect(watched.square("a1")).to_have_accessible_name("a1, blocked")
    watched.square("b1").click()
    watched.square("b1").click()
    expect(watched.square("b1")).to_have_accessible_name(re.compile("^b1, blank"))
    page.get_by_label("Orange's knight").check()
    watched.square("d4").focus()
    page.keyboard.press("Enter")
    expect(problem).to_contain_text("Blue is placed first. Place Blue or remove Orange.")
    expect(use).to_be_disabled()
    assert findings(page) == []
    page.get_by_label("Blue's knight").check()
    page.keyboard.type("b2")
    expect(problem).to_be_empty()
    page.get_by_label("Orange", exact=True).check()
    page.get_by_label("Orange's knight").check()
    page.keyboard.type("d4")  # removed again, so Orange is to be placed
    expect(page.get_by_label("Blue", exact=True)).to_be_disabled()
    page.get_by_label("Blue's knight").check()
    page.keyboard.type("b2")
    expect(page.get_by_label("Blue", exact=True)).to_be_checked()  # the turn follows by itself
    expect(problem).to_be_empty()
    page.keyboard.type("b2")
    expect(page.get_by_label("Orange", exact=True)).to_be_checked()
    page.get_by_label("Orange's knight").check()
    page.keyboard.type("d4")
    use.click()
    watched.expect_headline("^Orange to move and (win|lose) in ")
    assert watched.query("game") == "x3/1A2/4/3B b:"
    page.go_back()
    watched.expect_headline("^Analyse a game$")
