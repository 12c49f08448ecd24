"""Play: what somebody meets who comes for the first time, from the goal to the rematch."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from isolarium.agents.levels import USUAL
from tests.web.pages.watched_page import Watched

pytestmark = pytest.mark.slow

Visit = Callable[..., Watched]

END = "5x5: d1 c3 b2 d5 d3 e3 e5 c4"  # Blue on e5 needs c4 and d3
ENDED = f"/play?game={END}&first=person&second=greedy:open"
AGAINST_GREEDY = "/play?game=7x7:+d4+b3&first=person&second=greedy:open"


def test_the_goal_is_told_until_it_is_understood(visit: Visit) -> None:
    watched = visit("/play?game=7x7:&first=person&second=person")
    goal = watched.page.get_by_text("Trap the other knight")
    expect(goal).to_be_visible()
    for name in ("d4", "b3"):
        watched.square(name).click()
    expect(goal).to_be_visible()
    watched.square("f5").click()
    expect(goal).to_be_hidden()
    watched.page.goto("/play")
    watched.expect_headline("^Place your knight$")
    expect(goal).to_be_hidden()


def test_an_opponent_is_known_by_its_level_with_the_spec_behind_it(visit: Visit) -> None:
    watched = visit("/play")
    page, name = watched.page, f"Level {USUAL.level} · {USUAL.name}"
    opponent = page.locator(".player.first .who")
    expect(opponent).to_have_text(name)
    expect(opponent).to_have_attribute("title", USUAL.agent)
    words = f"{USUAL.about}; {USUAL.elo['7x7']} Elo above level 1 on 7x7"
    expect(page.get_by_text(words, exact=True)).to_be_visible()
    blue = page.get_by_text(f"{name}: ").first  # Orange's is hidden, since a person plays it
    expect(blue).to_have_text(f"{name}: {words}")
    for side in ("Rows", "Columns"):
        page.get_by_label(side, exact=True).fill("9")
    expect(blue).to_contain_text(f"{USUAL.elo['9x9']} Elo above level 1 on 9x9")


def test_the_agent_may_start(visit: Visit) -> None:
    watched = visit("/play?first=person&second=random")
    page = watched.page
    page.get_by_label("the agent", exact=True).check()
    page.locator("form").get_by_role("button", name="New game").click()
    expect(page).to_have_url(re.compile(r"game=7x7:\+[a-g][1-7]&first=random&second=person"))
    watched.expect_headline("^Place your knight$")
    expect(page.get_by_label("the agent", exact=True)).to_be_checked()


def test_the_lot_may_say_who_starts(visit: Visit) -> None:
    watched = visit("/play?first=person&second=random")
    page = watched.page
    page.get_by_label("at random", exact=True).check()
    page.evaluate("Math.random = () => 0.1")
    page.locator("form").get_by_role("button", name="New game").click()
    expect(page).to_have_url(re.compile("first=random"))
    page.evaluate("Math.random = () => 0.9")
    page.locator(".actions").get_by_role("button", name="New game").click()
    expect(page).to_have_url(re.compile("first=person"))


def test_an_answer_takes_long_enough_to_be_seen(visit: Visit) -> None:
    watched = visit(AGAINST_GREEDY, alone=True)
    watched.expect_headline("^Your move$")
    watched.stop_the_clock()
    watched.square("f5").click()
    expect(watched.page.locator(".thinking")).to_contain_text("1 ply")  # the answer is there
    watched.page.clock.run_for(300)
    watched.expect_headline("^Orange to move$")
    watched.page.clock.run_for(100)
    watched.expect_headline("^Your move$")


def test_agents_play_each_other_at_a_chosen_speed(visit: Visit) -> None:
    watched = visit("/play?game=7x7:+d4+b3&first=person&second=person", alone=True)
    page = watched.page
    speed = page.get_by_label("Speed", exact=True)
    watched.expect_headline("^Blue to move$")
    expect(speed).to_be_hidden()
    page.goto("/play?game=13x13:&first=random&second=random")
    speed.select_option("slow")
    page.reload()
    expect(speed).to_have_value("slow")
    watched.stop_the_clock()
    before = watched.query("game")
    page.clock.run_for(900)
    assert len(watched.query("game").split()) <= len(before.split()) + 1


def test_the_end_shows_the_trapped_knight_and_what_it_needed(visit: Visit) -> None:
    watched = visit(ENDED)
    expect(watched.headline).to_have_text("You lose")
    expect(watched.page.locator(".trapped")).to_have_count(1)
    expect(watched.page.locator(".cross")).to_have_count(2)
    expect(watched.page.locator(".line")).to_contain_text("The squares you needed are crossed out.")
    review = watched.page.get_by_role("link", name="Review my mistakes")
    expect(review).to_have_attribute("href", re.compile("^/learn.*sheet=mistakes.*player=first"))
    analyse = watched.page.get_by_role("link", name="Analyse this game")
    expect(analyse).to_have_attribute("href", re.compile("^/analyse.*at=mistake"))


def test_a_rematch_is_played_and_one_with_sides_swapped(visit: Visit) -> None:
    watched = visit(ENDED)
    page = watched.page
    page.get_by_role("button", name="Rematch", exact=True).click()
    watched.expect_headline("^Place your knight$")
    expect(page.locator(".trapped")).to_have_count(0)
    assert (watched.query("game"), watched.query("first")) == ("5x5:", "person")
    page.go_back()
    expect(watched.headline).to_have_text("You lose")
    page.get_by_role("button", name="Swap and rematch").click()
    watched.expect_headline("^Place your knight$")
    assert (watched.query("first"), watched.query("second")) == ("greedy:open", "person")
    assert len(watched.query("game").split()) == 2  # it has begun


def test_three_visits_differ_and_a_link_repeats_its_game(visit: Visit) -> None:
    watched = visit("/play?game=7x7:+d4+b3&first=random&second=random")
    games = set()
    for _ in range(3):
        watched.page.goto("/play?game=7x7:+d4+b3&first=random&second=random")
        watched.expect_headline("wins$")
        games.add(watched.query("game"))
    assert len(games) == 3
    seed, game = watched.query("seed"), watched.query("game")
    watched.page.goto(f"/play?game=7x7:+d4+b3&first=random&second=random&seed={seed}")
    watched.expect_headline("wins$")
    assert watched.query("game") == game


def test_the_first_game_can_be_won(visit: Visit) -> None:
    watched = visit("/play")
    watched.expect_headline("^Place your knight$")
    assert watched.query("second") == "person"  # the opponent is placed first
    watched.page.get_by_role("button", name="Hint").click()
    expect(watched.page.locator(".line")).to_have_text(re.compile("^Hint: [a-g][1-7] wins"))


def test_a_game_left_for_another_page_is_offered_and_continued(visit: Visit) -> None:
    watched = visit("/play?game=7x7:+d4+b3&first=person&second=greedy:open&seed=5")
    page = watched.page
    watched.square("f5").click()
    watched.expect_headline("^Your move$")
    game = watched.query("game")
    page.get_by_role("link", name="Learn").click()
    expect(page).to_have_title("Learn · Isolarium")
    page.get_by_role("link", name="Play", exact=True).click()
    offer = page.get_by_role("region", name="Unfinished game")
    expect(offer).to_contain_text("You left a game on 7x7 against greedy:open after 4 moves.")
    offer.get_by_role("link", name="Continue").click()
    watched.expect_headline("^Your move$")
    assert (watched.query("game"), watched.query("seed")) == (game, "5")
    watched.page.keyboard.press("r")
    page.get_by_role("button", name="Really resign?").click()
    expect(watched.headline).to_have_text("You lose")
    page.goto("/play")
    watched.expect_headline("^Place your knight$")
    expect(offer).to_be_hidden()


def test_equal_games_are_counted_as_two(visit: Visit) -> None:
    watched = visit("/learn")
    for seed in (1, 2, 2):
        watched.page.goto(f"/play?game={END[:-6]}&first=person&second=greedy:open&seed={seed}")
        watched.square("e5").click()
        expect(watched.headline).to_have_text("You lose")
    watched.page.goto("/learn?sheet=mistakes")
    watched.page.get_by_text("Your games and mistakes").click()
    expect(watched.page.get_by_text("stored only in this browser")).to_contain_text("2 games")
