"""What a page asks by itself it asks until there is an answer, whatever becomes of the first tries."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Route, WebSocketRoute, expect

from tests.web.pages.watched_page import BLANK, Watched
from tests.web.serving import FINISHED, Server

pytestmark = pytest.mark.slow

Visit = Callable[..., Watched]

PATIENCE_MS = 250_000
"""A page waits no longer for an answer."""


def try_again(page: Page) -> None:
    """Once a page says that it waits, let the time go by; what it says is removed, so that it is seen again."""
    said = page.get_by_role("alert").filter(has_text="does not respond").filter(has_text="Trying again…")
    expect(said).to_be_visible()
    said.evaluate("(alert) => alert.replaceChildren()")
    page.clock.run_for(10_000)


def test_values_come_after_a_lost_connection_a_gateway_and_a_silence(visit: Visit) -> None:
    watched = visit(BLANK, alone=True)
    page = watched.page
    asked: list[Route] = []

    def answer(route: Route) -> None:
        asked.append(route)
        if len(asked) == 1:
            route.abort()
        elif len(asked) == 2:
            route.fulfill(status=504, body="<h1>Gateway timeout")
        elif len(asked) > 3:  # to the third there is no answer
            route.continue_()

    watched.without_engine()
    watched.stop_the_clock()
    page.route("**/api/values", answer)
    page.goto("/analyse?game=3x3:+a1+b1&at=2")
    try_again(page)
    with page.expect_request("**/api/values"):
        try_again(page)
    page.clock.fast_forward(PATIENCE_MS)
    try_again(page)
    expect(watched.square("b3")).to_have_accessible_name(re.compile("wins|loses"))
    expect(page.get_by_role("alert").filter(has_text="Trying again")).to_have_count(0)
    watched.forgive(504)
    watched.forgive_saying("ERR_FAILED")


def test_moves_that_were_not_searched_in_time_are_searched_when_one_comes_back(visit: Visit) -> None:
    watched = visit(BLANK, alone=True)
    page = watched.page
    late = iter([True])

    def answer(route: Route) -> None:
        is_late, unknown = next(late, False), {"value": "unknown", "plies": None}
        move = {"move": "d5", **unknown, "heuristics": [], "searches": [None if is_late else 1.5]}
        facts = {"position": "", "to_move": "first", **unknown, "nodes": 1, "ms": 1.0}
        route.fulfill(json={**facts, "stopped": is_late, "moves": [move]})

    watched.without_engine()
    page.route("**/api/values", answer)
    page.goto("/analyse?game=5x5:+c3+a1&at=2&by=search&search=alphabeta:open@nodes=50")
    expect(page.get_by_role("alert").filter(has_text="Not every move was searched")).to_be_visible()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowRight")
    expect(watched.square("d5")).to_have_accessible_name(re.compile(r"\+1\.5"))
    expect(page.get_by_role("alert").filter(has_text="Not every move")).to_have_count(0)


def lose_first(page: Page, path: str) -> list[WebSocketRoute]:
    """Lose the first line to a path once something was said over it; the others lead to the server."""
    opened: list[WebSocketRoute] = []

    def connect(line: WebSocketRoute) -> None:
        opened.append(line)
        if len(opened) == 1:
            line.on_message(lambda said: line.close())
        else:
            line.connect_to_server()

    page.route_web_socket(path, connect)
    return opened


def test_an_agent_moves_after_a_lost_connection(visit: Visit) -> None:
    watched = visit(BLANK, alone=True)
    page = watched.page
    watched.without_engine()
    lines = lose_first(page, "**/api/think")
    page.goto("/play?game=7x7:+d4+b3+f5&first=person&second=greedy:open")
    watched.expect_headline("^Your move$")
    assert len(lines) == 2


def test_the_server_thinks_where_the_engine_does_not_start(visit: Visit) -> None:
    watched = visit(BLANK, alone=True)
    page = watched.page
    page.route("**/engine/worker.js", lambda route: route.abort())
    page.goto("/play?game=7x7:+d4+b3+f5&first=person&second=greedy:open")
    watched.expect_headline("^Your move$")
    page.goto("/analyse?game=4x4:+a1+b1+b3+d2&at=2")
    expect(page.locator("table.accuracy")).to_contain_text("of")


def test_a_page_says_that_the_server_thinks_for_an_old_browser(visit: Visit) -> None:
    watched = visit(BLANK, alone=True)
    watched.without_engine()
    watched.page.goto("/play?game=7x7:+d4+b3+f5&first=person&second=greedy:open")
    expect(watched.page.get_by_text("no WebAssembly with SIMD, so the server thinks")).to_be_visible()
    watched.expect_headline("^Your move$")


def test_a_game_is_judged_after_a_lost_connection(visit: Visit) -> None:
    watched = visit(BLANK, alone=True)
    page = watched.page
    watched.without_engine()
    lines = lose_first(page, "**/api/analyse")
    page.goto("/analyse?game=4x4:+a1+b1+b3+d2&at=2")
    expect(page.locator("table.accuracy")).to_contain_text("of")
    expect(page.get_by_role("alert").filter(has_text="Trying again")).to_have_count(0)
    assert len(lines) == 2


def test_a_run_is_watched_on_after_a_lost_connection(visit: Visit, server: Server) -> None:
    watched = visit(BLANK, alone=True)
    page = watched.page
    run: dict[str, Any] = server.get(f"/api/runs/{FINISHED}").json()
    output = iter([{**run, "state": "playing", "live": None}])
    page.route(f"**/api/runs/{FINISHED}", lambda route: route.fulfill(json=next(output, run)))
    page.route_web_socket("**/live", lambda line: line.close())
    page.goto(f"/watch?run={FINISHED}")
    expect(page.get_by_role("status")).to_contain_text("finished")
    assert next(output, None) is None
    expect(page.get_by_role("alert").filter(has_text="Trying again")).to_have_count(0)
