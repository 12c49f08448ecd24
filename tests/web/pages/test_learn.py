"""Learn: the rules tried, the map of starts, and puzzles."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from isolab.game.board import Board
from isolab.game.notation import parse_square
from isolab.solver.puzzles import puzzles
from tests.web.pages.watching import Watched

pytestmark = pytest.mark.slow

Visit = Callable[..., Watched]

BOARD = Board(7, 7)


def test_the_rules_can_be_tried(visit: Visit) -> None:
    watched = visit("/learn")
    turn = watched.page.locator(".whose-turn")
    expect(turn).to_have_text("Try it: place Blue.")
    watched.square("c3").click()
    watched.square("a1").click()
    expect(turn).to_have_text(re.compile("^Blue has 8 squares to go to"))
    watched.square("b1").click()
    expect(watched.square("c3")).to_have_accessible_name("c3, blocked")
    expect(turn).to_have_text(re.compile("^Orange has 2 squares to go to"))
    watched.square("b3").click()
    watched.page.get_by_role("button", name="Take back").click()
    expect(turn).to_have_text(re.compile("^Orange has 2 squares to go to"))
    watched.page.get_by_role("link", name="Play from here").click()
    watched.expect_headline("^Your move$")
    watched.page.get_by_role("link", name="Back to the lesson").click()
    expect(turn).to_have_text(re.compile("^Orange has 2 squares to go to"))


def test_the_map_shows_the_colour_law_and_its_exceptions(visit: Visit) -> None:
    watched = visit("/learn?sheet=starts")
    page = watched.page
    expect(watched.square("d4")).to_have_accessible_name(re.compile("16 answers win for Orange"))
    watched.square("d4").click()
    centre = parse_square("d4", BOARD)
    expected = [f"{centre}, blue knight"]
    for square in BOARD.squares:
        if square == centre:
            continue
        same_colour = (square.row + square.col) % 2 == 0
        breaks = square in BOARD.knight_moves(centre)
        winner = "Blue" if same_colour or breaks else "Orange"
        words = f"{square}, blank, can be gone to, {winner} wins"
        expected.append(words + ", against the colour law" * breaks)
    assert sorted(watched.labels()) == sorted(expected)
    watched.square("b3").click()
    said = page.locator(".said")
    expect(said).to_contain_text("different colours")
    expect(said).to_contain_text("But Blue wins. The reason is a mirror")
    page.get_by_role("link", name="Analyse it").click()
    expect(watched.headline).to_have_text("Blue to move and win")


def test_who_saw_it_first_is_named(visit: Visit) -> None:
    page = visit("/learn?sheet=starts").page
    expect(page.get_by_text("Gerry Quinn")).to_be_visible()


def test_another_board_is_chosen_and_reloaded(visit: Visit) -> None:
    watched = visit("/learn?sheet=starts")
    page = watched.page
    page.locator("#starts-board").select_option("5x6")
    expect(page.get_by_text("On 5x6 there are 225 starts up to symmetry.")).to_be_visible()
    expect(page.get_by_text("0 break the law.")).to_be_visible()
    page.reload()
    expect(page.get_by_text("On 5x6 there are 225 starts up to symmetry.")).to_be_visible()


def test_a_puzzle_is_solved_and_one_failed(visit: Visit) -> None:
    solved, failed = puzzles()[3], puzzles()[4]
    watched = visit(f"/learn?sheet=puzzles&puzzle={solved.number}")
    page = watched.page
    verdict, streak = page.locator(".verdict"), page.locator(".streak")
    expect(verdict).to_contain_text("Only one move wins")
    watched.square(str(solved.move)).click()
    assert solved.plies == 1
    expect(verdict).to_have_text(f"Right: {solved.move} wins, in 1 ply at most.")
    expect(streak).to_have_text("1 in a row · best 1")
    page.get_by_role("button", name="Next puzzle").click()
    expect(page.get_by_role("heading", name=f"Puzzle {failed.number} of")).to_be_visible()
    wrong = next(move for move in failed.position.legal_moves() if move != failed.move)
    watched.square(str(wrong)).click()
    expect(verdict).to_contain_text(f"No: {wrong} loses. Only {failed.move} wins")
    expect(streak).to_have_text("0 in a row · best 1")
    page.reload()  # the streak is kept
    expect(streak).to_have_text("0 in a row · best 1")
    expect(page.get_by_role("heading", name=f"Puzzle {failed.number} of")).to_be_visible()


def test_a_puzzle_is_played_on_and_back(visit: Visit) -> None:
    watched = visit("/learn?sheet=puzzles&puzzle=1")
    page = watched.page
    page.get_by_role("link", name="Play from here").click()
    watched.expect_headline("^Your move$")
    page.get_by_role("link", name="Back to the lesson").click()
    expect(page.get_by_role("heading", name="Puzzle 1 of")).to_be_visible()


def test_an_answer_that_was_shown_does_not_count(visit: Visit) -> None:
    puzzle = puzzles()[4]
    watched = visit(f"/learn?sheet=puzzles&puzzle={puzzle.number}")
    page = watched.page
    verdict = page.locator(".verdict")
    expect(verdict).to_contain_text("Only one move wins")
    wrong = next(move for move in puzzle.position.legal_moves() if move != puzzle.move)
    watched.square(str(wrong)).click()
    page.get_by_role("button", name="Try again").click()
    expect(verdict).to_contain_text("Only one move wins")
    watched.square(str(puzzle.move)).click()
    expect(verdict).to_contain_text("Right: ")
    expect(verdict).to_contain_text("It does not count: the answer was shown before.")
    expect(page.locator(".streak")).to_have_text("0 in a row · best 0")


def test_a_puzzle_is_solved_by_typing(visit: Visit) -> None:
    puzzle = puzzles()[0]
    watched = visit("/learn?sheet=puzzles&puzzle=1")
    expect(watched.page.locator(".verdict")).to_contain_text("Only one move wins")
    watched.stop_the_clock()
    own = puzzle.position.mover
    watched.page.keyboard.type(str(own))
    notice = watched.page.get_by_role("alert").filter(has_text="You cannot")
    expect(notice).to_have_text(f"You cannot go to {own}: you stand there.")
    watched.page.keyboard.type(str(puzzle.move))
    expect(notice).to_have_count(0)
    expect(watched.page.locator(".verdict")).to_contain_text(f"Right: {puzzle.move}")


def test_an_address_of_what_there_is_not_says_so(visit: Visit) -> None:
    watched = visit("/learn?sheet=puzzles&puzzle=9999")
    page = watched.page
    expect(page.get_by_text("There is no puzzle 9999: this is the first.")).to_be_visible()
    expect(page.get_by_role("heading", name="Puzzle 1 of")).to_be_visible()
    watched.forgive(404)
    page.goto("/learn?sheet=starts&board=9x9")
    expect(page.get_by_text("The starts of 9x9 are not known here")).to_be_visible()
    expect(page.get_by_text("On 7x7 there are")).to_be_visible()
