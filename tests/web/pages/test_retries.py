"""What a page asks by itself it asks until there is an answer, whatever becomes of the first tries."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

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
            move = {"move": "b3", "value": "wins", "plies": 1, "heuristics": [1.0, 2.0], "searches": []}
            facts = {"position": "", "to_move": "first", "value": "wins", "plies": 1, "nodes": 1, "ms": 1.0}
            route.fulfill(json={**facts, "stopped": False, "moves": [move]})

    watched.stop_the_clock()
    page.route("**/api/values", answer)
    page.goto("/analyse?game=3x3:+a1+b1&at=2&one=mine.py:mine")
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

    page.route("**/api/values", answer)
    page.goto("/analyse?game=5x5:+c3+a1&at=2&by=search&search=alphabeta:mine.py:mine@nodes=50")
    expect(page.get_by_role("alert").filter(has_text="Not every move was searched")).to_be_visible()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowRight")
    expect(watched.square("d5")).to_have_accessible_name(re.compile(r"\+1\.5"))
    expect(page.get_by_role("alert").filter(has_text="Not every move")).to_have_count(0)


def test_an_agent_moves_after_a_lost_connection(visit: Visit) -> None:
    watched = visit(BLANK, alone=True)
    page = watched.page
    asked: list[Route] = []

    def answer(route: Route) -> None:
        asked.append(route)
        if len(asked) == 1:
            route.abort()
        else:
            report = {"score": 1, "depth": 1, "nodes": 3, "ms": 0.1, "pv": ["c5"], "proven": False, "plies": None}
            route.fulfill(json={"move": "c5", "agent": "greedy:mine.py:mine", "report": report, "stopped": False})

    page.route("**/api/move", answer)
    page.goto("/play?game=7x7:+d4+b3+f5&first=person&second=greedy:mine.py:mine")
    watched.expect_headline("^Your move$")
    assert len(asked) == 2
    watched.forgive_saying("ERR_FAILED")


def test_an_engine_that_does_not_start_is_said_to_be_missing_and_tried_again(visit: Visit) -> None:
    watched = visit(BLANK, alone=True)
    page = watched.page
    page.route("**/engine/worker.js", lambda route: route.abort())
    page.goto("/play?game=7x7:+d4+b3+f5&first=person&second=greedy:open")
    expect(page.get_by_role("alert").filter(has_text="The engine did not start")).to_be_visible()
    page.unroute("**/engine/worker.js")
    page.get_by_role("button", name="Resume").click()
    watched.expect_headline("^Your move$")


def test_an_old_browser_uses_the_slower_engine_and_says_so(visit: Visit) -> None:
    watched = visit(BLANK, alone=True)
    watched.page.add_init_script("WebAssembly.validate = () => false")  # in the page, not in its workers
    modules = re.compile(r"engine-\d\.wasm")
    watched.page.route(modules, lambda route: route.fulfill(body=b"vectors", content_type="application/wasm"))
    watched.page.goto("/play?game=7x7:+d4+b3+f5&first=person&second=greedy:open")
    expect(watched.page.get_by_text("no WebAssembly with SIMD, so agents and analysis are slower here")).to_be_visible()
    watched.expect_headline("^Your move$")
    assert any("-scalar.wasm" in request.url for request in watched.requests)


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
