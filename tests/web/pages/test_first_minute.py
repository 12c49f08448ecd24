"""Play: what somebody meets who comes for the first time, from the goal to the rematch."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from isolarium.agents.levels import LEVELS, USUAL
from tests.web.pages.test_all_pages import findings
from tests.web.pages.watched_page import Watched

pytestmark = pytest.mark.slow

Visit = Callable[..., Watched]

END = "5x5: d1 c3 b2 d5 d3 e3 e5 c4"  # Blue on e5 needs c4 and d3
ENDED = f"/play?game={END}&first=person&second=greedy:open"
AGAINST_GREEDY = "/play?game=7x7:+d4+b3&first=person&second=greedy:open"


def test_three_moving_frames_show_the_game_until_it_is_understood(visit: Visit) -> None:
    watched = visit("/play?game=7x7:&first=person&second=person", alone=True)
    page = watched.page
    goal = page.get_by_role("region", name="How to play")
    for frame in ("Place", "Jump", "Block"):
        expect(goal.get_by_role("img", name=re.compile(f"^{frame}: "))).to_be_visible()
    expect(goal.locator(".trapped")).to_have_count(1)  # where the frames end
    expect(goal.locator(".cross")).to_have_count(2)
    assert findings(page) == []
    watched.stop_the_clock()
    goal.get_by_role("button", name="Show it again").click()
    expect(goal.locator(".piece")).to_have_count(4)  # none is placed yet
    page.clock.run_for(10_000)
    expect(goal.locator(".piece")).to_have_count(6)
    for name in ("d4", "b3"):
        watched.square(name).click()
    expect(goal).to_be_visible()
    watched.square("f5").click()
    expect(goal).to_be_hidden()
    expect(page.get_by_role("group", name="Moves")).to_contain_text("f5")
    page.clock.resume()
    page.goto("/play")
    watched.expect_headline("^Place your knight$")
    expect(goal).to_be_hidden()


def test_levels_are_chips_with_names_and_faces(visit: Visit) -> None:
    watched = visit("/play")
    page = watched.page
    chips = page.get_by_role("group", name="Opponent").get_by_role("radio")
    expect(chips).to_have_count(len(LEVELS))
    expect(page.locator(".chip .face")).to_have_count(len(LEVELS))
    expect(chips.nth(USUAL.level - 1)).to_be_checked()
    page.locator(".chip").nth(0).click()
    expect(page.locator(".player.first .who")).to_have_text(str(LEVELS[0]))
    page.keyboard.press("ArrowRight")  # as in every group of radio buttons
    expect(page.locator(".player.first .who")).to_have_text(str(LEVELS[1]))


def test_the_rest_is_in_one_menu(visit: Visit) -> None:
    watched = visit("/play?game=7x7:+d4+b3&first=person&second=greedy:open")
    page = watched.page
    shown = page.locator("main").get_by_role("button")
    expect(shown.filter(visible=True)).to_have_text(["Take back", "Hint", "Resign", "Show it again"])
    watched.open_menu()
    for name in ("New game", "Swap sides", "Flip", "Copy link"):
        expect(page.get_by_role("button", name=name, exact=True)).to_be_visible()
    assert findings(page) == []


@pytest.mark.parametrize(("width", "columns"), [(390, 1), (820, 2), (1440, 2)])
def test_the_task_is_beside_the_board_and_coordinates_are_small(visit: Visit, width: int, columns: int) -> None:
    size = {"viewport": {"width": width, "height": 900}}
    watched = visit("/play?game=7x7:+d4+b3&first=person&second=person", **size)
    watched.expect_headline("^Blue to move$")
    board, task = watched.page.locator(".board-frame").first, watched.headline
    frame, head = board.bounding_box(), task.bounding_box()
    assert frame is not None
    assert head is not None
    if columns == 2:
        assert head["x"] > frame["x"] + frame["width"]
    else:
        assert 0 < head["y"] - frame["y"] - frame["height"] < 40
    for path in ("/play?game=13x3:", "/play?game=7x7:"):
        watched.page.goto(path)
        label = watched.page.locator(".board[role=grid] .labels text").first
        height = label.evaluate("text => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a")
        assert 8 < height <= 14.1
    if columns == 1:
        watched.page.goto("/learn?sheet=puzzles&puzzle=3")
        tabs, frame = (watched.page.locator(one).first.bounding_box() for one in (".tabs", ".board-frame"))
        assert tabs is not None
        assert frame is not None
        assert tabs["y"] + tabs["height"] < frame["y"]
        expect(watched.page.get_by_text("Only one move wins: find it")).to_be_in_viewport(ratio=1)


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
    watched.open_setup()
    for side in ("Rows", "Columns"):
        page.get_by_label(side, exact=True).fill("9")
    expect(blue).to_contain_text(f"{USUAL.elo['9x9']} Elo above level 1 on 9x9")


def test_the_agent_may_start(visit: Visit) -> None:
    watched = visit("/play?first=person&second=random")
    page = watched.page
    watched.open_setup()
    page.get_by_label("the agent", exact=True).check()
    page.locator("form").get_by_role("button", name="New game").click()
    expect(page).to_have_url(re.compile(r"game=7x7:\+[a-g][1-7]&first=random&second=person"))
    watched.expect_headline("^Place your knight$")
    expect(page.get_by_label("the agent", exact=True)).to_be_checked()


def test_the_lot_may_say_who_starts(visit: Visit) -> None:
    watched = visit("/play?first=person&second=random")
    page = watched.page
    watched.open_setup()
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
    watched = visit("/play?game=5x5:&first=random&second=random")
    watched.page.get_by_label("Speed", exact=True).select_option("fast")
    games = set()
    for _ in range(3):
        watched.page.goto("/play?game=5x5:&first=random&second=random")
        watched.expect_headline("wins$")
        games.add(watched.query("game"))
    assert len(games) == 3
    seed, game = watched.query("seed"), watched.query("game")
    watched.page.goto(f"/play?game=5x5:&first=random&second=random&seed={seed}")
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
