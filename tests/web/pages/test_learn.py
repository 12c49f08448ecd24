"""Learn: the rules tried, the map of starts, and puzzles."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from isolarium.game.board import Board, parse_square
from isolarium.game.record import parse_game
from isolarium.solver.puzzles import Puzzle, puzzles
from isolarium.solver.solver import ExactValues
from tests.web.pages.javascript import RunJs
from tests.web.pages.test_all_pages import findings
from tests.web.pages.watched_page import PHONE, Watched

pytestmark = pytest.mark.slow

Visit = Callable[..., Watched]
BOARD = Board(7, 7)


def test_the_rules_can_be_tried(visit: Visit) -> None:
    watched = visit("/learn")
    turn = watched.page.locator(".whose-turn")
    expect(turn).to_have_text("Try it: place Blue.")
    watched.square("c3").click()
    watched.square("a1").click()
    expect(turn).to_have_text(re.compile("^Blue has 8 moves"))
    watched.square("b1").click()
    expect(watched.square("c3")).to_have_accessible_name("c3, blocked")
    expect(turn).to_have_text(re.compile("^Orange has 2 moves"))
    watched.square("b3").click()
    watched.page.get_by_role("button", name="Take back").click()
    expect(turn).to_have_text(re.compile("^Orange has 2 moves"))
    watched.page.get_by_role("link", name="Play from here").click()
    watched.expect_headline("^Your move$")
    watched.page.get_by_role("link", name="Back to the lesson").click()
    expect(turn).to_have_text(re.compile("^Orange has 2 moves"))


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("sheet=foo", "There is no tab foo here."),
        ("sheet=constructor", "There is no tab constructor here."),
        ("sheet=strategy&lesson=9", "There is no lesson 9; this is lesson 5."),
    ],
)
def test_what_is_not_there_is_told(visit: Visit, query: str, said: str) -> None:
    page = visit(f"/learn?{query}").page
    expect(page.get_by_role("alert").filter(has_text=said)).to_be_visible()


def test_the_map_shows_the_colour_law_and_its_exceptions(visit: Visit) -> None:
    watched = visit("/learn?sheet=starts")
    page = watched.page
    expect(watched.square("d4")).to_have_accessible_name(re.compile("16 replies win for Orange"))
    watched.square("d4").click()
    centre = parse_square("d4", BOARD)
    expected = [f"{centre}, blue knight"]
    for square in BOARD.squares:
        if square == centre:
            continue
        same_colour = (square.row + square.col) % 2 == 0
        breaks = square in BOARD.knight_moves(centre)
        winner = "Blue" if same_colour or breaks else "Orange"
        words = f"{square}, blank, legal move, {winner} wins"
        expected.append(words + ", against the colour law" * breaks)
    assert sorted(watched.labels()) == sorted(expected)
    watched.square("b3").click()
    said = page.locator(".said")
    expect(said).to_contain_text("different colours")
    expect(said).to_contain_text("But Blue wins. The reason is a mirror")
    page.get_by_role("link", name="Analyse this position").click()
    expect(watched.headline).to_have_text("Blue to move and win")


def test_a_start_is_explored_move_by_move(visit: Visit) -> None:
    watched = visit("/learn?sheet=starts")
    page = watched.page
    rows = page.get_by_role("region", name="Every move").locator("tbody tr")
    for square in ("d4", "c2"):
        watched.square(square).click()
    expect(page.get_by_text("Blue to move wins with perfect play.")).to_be_visible()
    position = parse_game("7x7: d4 c2").position
    exact = {str(move): wins for move, wins in ExactValues().moves(position)}
    shown = {row.split()[0]: row.split()[1] == "wins" for row in rows.all_inner_texts()}
    assert shown == exact
    assert {label.split(",")[0] for label in watched.labels(".cell.legal")} == set(exact)
    lost = next(move for move, wins in exact.items() if not wins)
    watched.square(lost).click()
    expect(page.get_by_text("Orange to move wins with perfect play.")).to_be_visible()
    page.reload()
    expect(page.get_by_text("Orange to move wins with perfect play.")).to_be_visible()
    expect(watched.square(lost)).to_have_accessible_name(f"{lost}, blue knight")
    page.keyboard.press("u")
    expect(page.get_by_text("Blue to move wins with perfect play.")).to_be_visible()
    expect(page.get_by_text(re.compile("in the runs of this server"))).not_to_have_count(0)


def test_who_saw_it_first_is_named(visit: Visit) -> None:
    page = visit("/learn?sheet=starts").page
    expect(page.get_by_text("Gerry Quinn")).to_be_visible()


def test_another_board_is_chosen_and_reloaded(visit: Visit) -> None:
    watched = visit("/learn?sheet=starts")
    page = watched.page
    page.get_by_text("Board 7x7", exact=True).click()
    page.get_by_role("button", name="5x6", exact=True).click()
    expect(page.get_by_text("On 5x6 there are 225 starts up to symmetry.")).to_be_visible()
    expect(page.get_by_text("0 break the law.")).to_be_visible()
    page.reload()
    expect(page.get_by_text("On 5x6 there are 225 starts up to symmetry.")).to_be_visible()


def wrong_move(puzzle: Puzzle) -> str:
    return str(next(one for one in puzzle.position.legal_moves() if one != puzzle.moves[0]))


def test_a_puzzle_is_solved_and_one_failed_and_the_rating_follows(visit: Visit) -> None:
    solved = next(one for one in puzzles() if one.plies == 1)
    failed = next(one for one in puzzles() if one.plies == 3 and len(one.moves) == 1)
    watched = visit(f"/learn?sheet=puzzles&puzzle={solved.number}")
    page = watched.page
    verdict, streak = page.locator(".verdict:visible"), page.locator(".streak").first
    standing = page.locator(".streak").nth(1)
    expect(verdict).to_contain_text("Only one move wins")
    expect(standing).to_have_text(f"Your rating 800 · this puzzle {solved.difficulty}")
    watched.square(str(solved.moves[0])).click()
    expect(verdict).to_have_text(f"Right: {solved.moves[0]} wins, in at most 1 ply.")
    expect(streak).to_have_text("1 in a row · best 1")
    rating = re.compile(r"^Your rating 8\d\d \(\+\d+\)")
    expect(standing).to_have_text(rating)
    page.keyboard.press("n")
    expect(verdict).to_contain_text("Only one move wins")
    number = int(watched.query("puzzle"))
    nearest = sorted(abs(one.difficulty - 820) for one in puzzles())[40]
    assert abs(puzzles()[number - 1].difficulty - 820) <= nearest
    page.goto(f"/learn?sheet=puzzles&puzzle={failed.number}")
    expect(verdict).to_contain_text("Only one move wins")
    watched.square(wrong_move(failed)).click()
    expect(verdict).to_contain_text(f"Wrong: {wrong_move(failed)} loses.")
    expect(page.locator(".trapped")).to_have_count(1)  # it is refuted on the board
    expect(streak).to_have_text("0 in a row · best 1")
    page.get_by_role("button", name="Show the answer").click()
    expect(verdict).to_have_text(f"Only {failed.moves[0]} wins, in at most 3 plies.")
    page.reload()  # the streak is kept
    expect(streak).to_have_text("0 in a row · best 1")
    expect(page.get_by_role("heading", name=f"Puzzle {failed.number} of 1000")).to_be_visible()


def test_several_moves_are_found_on_a_phone_and_the_day_has_a_puzzle(visit: Visit) -> None:
    puzzle = next(one for one in puzzles() if len(one.moves) == 3)
    watched = visit(f"/learn?sheet=puzzles&puzzle={puzzle.number}", alone=True, **PHONE)
    page = watched.page
    page.clock.set_fixed_time("2026-11-16T12:00:00")
    verdict = page.locator(".verdict:visible")
    expect(verdict).to_contain_text("Only one move wins: find it. Then find 2 more.")
    for number, (move, reply) in enumerate(zip(puzzle.moves, puzzle.line[1::2], strict=False)):
        watched.square(str(move)).tap()
        expect(verdict).to_contain_text(f"replies {reply}, and again only one move wins ({number + 2}")
        expect(watched.square(str(reply))).to_have_accessible_name(re.compile("knight"))
    watched.square(str(puzzle.moves[-1])).tap()
    expect(verdict).to_contain_text(f"Right: {puzzle.moves[-1]} wins")
    page.get_by_role("button", name="Daily puzzle").tap()
    heading = page.get_by_role("heading", level=2)
    expect(heading).to_have_text("Daily puzzle, 2026-11-16")
    board = watched.labels()
    share_the_day(watched)
    other = visit("/learn?sheet=puzzles&puzzle=daily", alone=True)
    expect(other.page.get_by_role("heading", level=2)).to_contain_text("Daily puzzle")
    other.page.clock.set_fixed_time("2026-11-16T23:00:00")
    other.page.reload()
    expect(other.page.get_by_role("heading", level=2)).to_have_text("Daily puzzle, 2026-11-16")
    assert other.labels() == board
    stored = "Object.keys(JSON.parse(localStorage.getItem('isolarium-daily-puzzles') ?? '{}'))"
    other.page.wait_for_function(f"() => {stored}.includes('2026-11-22')")
    other.page.route("**/api/puzzles**", lambda route: route.abort())
    other.page.clock.set_fixed_time("2026-11-17T23:00:00")
    other.page.reload()  # the week is there without the server
    expect(other.page.get_by_role("heading", level=2)).to_have_text("Daily puzzle, 2026-11-17")
    expect(other.page.locator(".verdict:visible")).to_contain_text("Only one move wins")
    assert other.labels() != board
    other.complaints = [one for one in other.complaints if "ERR_FAILED" not in one]


def share_the_day(watched: Watched) -> None:
    """Miss the puzzle of 2026-11-16, solve it, and share the card."""
    page = watched.page
    stored = "JSON.parse(localStorage['isolarium-daily-puzzles'] ?? '{}')['2026-11-16']"
    page.wait_for_function(f"() => {stored}")
    number = page.evaluate(f"{stored}.number")
    puzzle = puzzles()[number - 1]
    card = page.get_by_role("region", name="Share the daily puzzle")
    expect(card).to_be_hidden()
    watched.square(wrong_move(puzzle)).tap()
    expect(card).to_contain_text("Not solved yet.")
    page.get_by_role("button", name="Try again").tap()
    for move in puzzle.moves:
        expect(watched.square(str(move))).to_have_accessible_name(re.compile("legal move"))
        watched.square(str(move)).tap()
    expect(card).to_contain_text("Solved with 1 miss.")
    found = f"{len(puzzle.moves)} move{'s' if len(puzzle.moves) > 1 else ''} found, 1 missed"
    expect(card.get_by_role("img", name=found)).to_be_visible()
    assert findings(page) == []
    page.emulate_media(color_scheme="dark")
    assert findings(page, runOnly=["color-contrast"]) == []
    page.emulate_media(color_scheme="light")
    page.evaluate("navigator.clipboard.writeText = (text) => { window.copied = text; }")
    card.get_by_role("button", name="Copy text").tap()
    squares = "🟧" + "🟦" * len(puzzle.moves)
    assert page.evaluate("window.copied").splitlines() == [
        "Isolarium daily puzzle 2026-11-16",
        squares,
        "solved with 1 miss",
        page.evaluate("location.origin") + "/learn?sheet=puzzles&puzzle=daily",
    ]
    with page.expect_download() as download:
        card.get_by_role("button", name="Download picture").tap()
    picture = Path(download.value.path()).read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert int.from_bytes(picture[16:20]) == 600


def test_ratings_and_days_are_reckoned_without_a_server(run_js: RunJs) -> None:
    found = run_js(
        'import * as rating from "/pages/learn/puzzle_progress.js";',
        """
        const fresh = rating.parseRating("{}");
        const up = rating.afterPuzzle(fresh, 7, fresh.rating, true);
        const down = rating.afterPuzzle(fresh, 7, fresh.rating, false);
        const kept = rating.parseRating(rating.formatRating(up));
        const near = rating.nextPuzzle({ ...up, recent: [2] }, [400, up.rating, 1200], () => 0);
        const dayAt = (at) => new Date(Date.UTC(2026, 10, 16 + at)).toISOString().slice(0, 10);
        const days = [...Array(1000).keys()].map(dayAt);
        const once = new Set(days.map((day) => rating.dailyPuzzle(day, 1000)));
        let state = fresh;
        for (const [day, before] of [["2026-11-15", "x"], ["2026-11-16", "2026-11-15"]])
          state = rating.afterDaily(state, day, before);
        const damaged = ["", "7", '{"rating": 1e9, "tries": 0, "recent": [], "daily": {"day": "", "days": 0}}'];
        return [
          up.rating - fresh.rating, down.rating - fresh.rating, kept, near, once.size, state.daily.days,
          damaged.map((text) => rating.parseRating(text).rating),
        ];
        """,
    )
    kept = {"rating": 824, "tries": 1, "recent": [7], "daily": {"day": "", "days": 0}}
    assert found == [24, -24, kept, 3, 1000, 2, [800] * 3]


def test_a_puzzle_is_played_on_and_back(visit: Visit) -> None:
    watched = visit("/learn?sheet=puzzles&puzzle=1")
    page = watched.page
    page.get_by_role("link", name="Play from here").click()
    watched.expect_headline("^Your move$")
    page.get_by_role("link", name="Back to the lesson").click()
    expect(page.get_by_role("heading", name="Puzzle 1 of")).to_be_visible()


def test_a_second_try_does_not_count(visit: Visit) -> None:
    puzzle = next(one for one in puzzles() if one.plies == 3 and len(one.moves) == 1)
    watched = visit(f"/learn?sheet=puzzles&puzzle={puzzle.number}")
    page = watched.page
    verdict = page.locator(".verdict:visible")
    expect(verdict).to_contain_text("Only one move wins")
    watched.square(wrong_move(puzzle)).click()
    page.get_by_role("button", name="Try again").click()
    expect(verdict).to_contain_text("Only one move wins")
    watched.square(str(puzzle.moves[0])).click()
    expect(verdict).to_contain_text("Right: ")
    expect(verdict).to_contain_text("It does not count, because you tried it before.")
    expect(page.locator(".streak").first).to_have_text("0 in a row · best 0")


def test_a_puzzle_is_solved_by_typing(visit: Visit) -> None:
    puzzle = next(one for one in puzzles() if len(one.moves) == 1)
    watched = visit(f"/learn?sheet=puzzles&puzzle={puzzle.number}", alone=True)
    expect(watched.page.locator(".verdict:visible")).to_contain_text("Only one move wins")
    watched.stop_the_clock()
    own = puzzle.position.mover
    watched.page.keyboard.type(str(own))
    notice = watched.page.get_by_role("alert").filter(has_text="You cannot")
    expect(notice).to_have_text(f"You cannot move to {own}: your knight is there.")
    watched.page.keyboard.type(str(puzzle.moves[0]))
    expect(notice).to_have_count(0)
    expect(watched.page.locator(".verdict:visible")).to_contain_text(f"Right: {puzzle.moves[0]}")


def test_an_address_of_what_there_is_not_says_so(visit: Visit) -> None:
    watched = visit("/learn?sheet=puzzles&puzzle=9999")
    page = watched.page
    expect(page.get_by_text("There is no puzzle 9999; this is puzzle 1.")).to_be_visible()
    expect(page.get_by_role("heading", name="Puzzle 1 of")).to_be_visible()
    watched.forgive(404)
    page.goto("/learn?sheet=starts&board=9x9")
    expect(page.get_by_text("The starts of 9x9 are not solved")).to_be_visible()
    expect(page.get_by_text("On 7x7 there are")).to_be_visible()
