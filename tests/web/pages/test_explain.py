"""Overlays count what the heuristics count, and the positions of the lessons do what they claim."""

import random
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from isolarium.game.board import Board
from isolarium.game.notation import parse_position
from isolarium.game.position import Player, Position
from isolarium.heuristics import UNREACHABLE, distances, mobility, reachable, seen
from isolarium.heuristics.catalogue.territory import stealer, worth
from isolarium.solver.puzzles import only_move
from isolarium.solver.solver import Solver
from isolarium.solver.start_map import law_says_win
from tests.web.pages.javascript import RunJs
from tests.web.pages.watched_page import PHONE, Watched

pytestmark = pytest.mark.slow

Visit = Callable[..., Watched]
COST = 0.5  # the stealer's


def positions() -> list[Position]:
    """Positions of random games on several boards, both placed."""
    rng, found = random.Random(7), list[Position]()
    for board in (Board(5, 5), Board(6, 7), Board(7, 7), Board(3, 10)):
        for _ in range(4):
            position = Position.empty(board)
            while position.legal_mask:
                position = position.play(rng.choice(position.legal_moves()))
                if position.second is not None and rng.random() < 0.4:
                    found.append(position)
    return found


def test_overlays_show_what_the_heuristics_count(run_js: RunJs) -> None:
    sample = positions()
    output = run_js(
        """
        import { parsePosition } from "/pages/game/notation.js";
        import { distancesOf, firstAt, stealerOf, movesFromEach } from "/pages/board/overlays.js";
        """,
        """
        return argument.map(parsePosition).map((position) => ({
          far: [0, 1].map((player) => distancesOf(position, player)),
          first: firstAt(position),
          ways: movesFromEach(position),
          stealer: stealerOf(position),
        }));
        """,
        [str(position) for position in sample],
    )
    assert len(sample) > 40
    for position, saw in zip(sample, output, strict=True):
        assert (saw["stealer"] == position.to_move) == law_says_win(position)
        for player in Player:
            view, own, opp = seen(position, player)
            far = distances(view, own)
            blanks = sorted(view.blank)
            assert [saw["far"][player][at] for at in blanks] == [
                int(far[at]) if far[at] < UNREACHABLE else None for at in blanks
            ]
            assert {at for at in blanks if saw["far"][player][at]} == reachable(view, own) - {own}
            assert [saw["ways"][at] for at in blanks] == [mobility(view, at) for at in blanks]
            ours, others = (frozenset(at for at in blanks if saw["first"][at] == who) for who in (player, player.other))
            assert worth(view, ours, COST) - worth(view, others, COST) == stealer(view, own, opp)


def test_each_lesson_has_one_move_that_wins(run_js: RunJs) -> None:
    lessons = run_js(
        'import { LESSONS } from "/pages/learn/lessons.js";', "return LESSONS.map(({ position }) => position);"
    )
    solver = Solver()
    won = [only_move(parse_position(position), solver) for position in lessons]
    assert list(map(str, won)) == ["b4", "b4", "e3", "b4", "b1"]


def test_a_lesson_is_learnt_and_played_out(visit: Visit) -> None:
    watched = visit("/learn?sheet=strategy&lesson=4")
    page = watched.page
    legend, task = page.locator(".see-why p"), page.locator(".verdict:visible")
    expect(legend).to_contain_text("Blue has 7 now, Orange has 5.")
    page.keyboard.press("n")
    expect(legend).to_contain_text("Blue can reach 18 squares, Orange 4.")
    expect(watched.square("a1")).to_have_accessible_name("a1, blank, unreachable")
    expect(page.get_by_role("button", name="Hint")).to_be_enabled()  # once it is solved
    page.keyboard.press("h")
    expect(page.locator(".hint:visible")).to_have_text(re.compile("^1 of 3 moves wins"))
    watched.square("f1").click()
    expect(task).to_have_text(re.compile("^Wrong: f1 loses. Blue has no move left."))
    page.keyboard.press("u")
    watched.square("b1").click()
    expect(task).to_contain_text("Right: b1 wins.")
    page.get_by_role("button", name="Lesson 1: Take what your opponent needs").click()
    expect(legend).to_contain_text("Blue is the stealer for the whole game")
    page.get_by_role("link", name="Play from here").click()
    watched.expect_headline("^Your move$")
    page.get_by_role("link", name="Back to the lesson").click()
    expect(page.get_by_role("heading", level=2)).to_have_text("1. Take what your opponent needs")


def test_on_a_phone_a_lesson_s_verdict_is_beside_the_board(visit: Visit) -> None:
    watched = visit("/learn?sheet=strategy&lesson=5", **PHONE)
    page = watched.page
    task = page.locator(".verdict:visible")
    expect(task).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("button", name="Hint")).to_be_enabled()  # once it is solved
    watched.square("f1").tap()
    expect(task).to_have_text(re.compile("^Wrong: f1 loses."))
    expect(task).to_be_in_viewport(ratio=1)
    page.get_by_role("button", name="Back to lesson 1").tap()
    expect(page.get_by_role("heading", level=2)).to_contain_text("1. Take")


def test_what_is_laid_over_follows_from_page_to_page(visit: Visit) -> None:
    watched = visit("/play?game=7x7:+d4+b3&first=person&second=person", **PHONE)
    page = watched.page
    choice, legend = page.get_by_label("Show on the board"), page.locator(".see-why p")
    watched.open_menu()
    choice.select_option("territory")
    expect(legend).to_contain_text("Reached first: ● Blue")
    expect(watched.square("f5")).to_have_accessible_name("f5, blank, legal move, Blue is first, in 1")
    expect(page.locator(".board-side .dot")).to_have_count(7)  # the squares to go to are still marked
    watched.square("f5").tap()
    expect(watched.square("g3")).to_have_accessible_name(re.compile("Blue is first, in 1"))
    page.goto("/analyse?game=7x7:+d4+b3&at=2")
    expect(choice).to_have_value("territory")
    page.keyboard.press("w")
    expect(choice).to_have_value("reach")
    page.goto("/learn?sheet=starts")
    expect(page.get_by_text("starts up to symmetry")).to_be_visible()
    expect(choice).to_be_hidden()
    assert not any("reachable" in label for label in watched.labels())
