"""Play: whole games by mouse, by keyboard and on a phone, and what can be done on the way."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from isolarium.game.record import parse_game
from tests.web.pages.watched_page import BLANK, PHONE, ScriptedEngine, Watched

pytestmark = pytest.mark.slow

Visit = Callable[..., Watched]

AGAINST_GREEDY = "/play?game=4x4:&first=person&second=greedy:open"
TURN_OR_END = "^(Place your knight|Your move|You win|You lose)$"


def play_on(watched: Watched, go: Callable[[str], None], most: int = 30) -> None:
    """Let a person go to the first square there is until the game ends."""
    for _ in range(most):
        watched.expect_headline(TURN_OR_END)
        if watched.headline.inner_text() in ("You win", "You lose"):
            return
        go(watched.legal()[0])
    pytest.fail("the game does not end")


def expect_the_end(watched: Watched) -> None:
    """The address holds a finished game, and the page says who won, why, and where to go from there."""
    outcome = parse_game(watched.query("game")).outcome()
    assert outcome is not None
    won = outcome.winner == 0
    expect(watched.headline).to_have_text("You win" if won else "You lose")
    expect(watched.page.locator(".line")).to_contain_text(f"{'Orange has' if won else 'You have'} no move left.")
    watched.page.get_by_role("link", name="Analyse this game").click()
    expect(watched.page).to_have_title("Analyse · Isolarium")
    expect(watched.page.locator(".moves [aria-current]")).to_be_visible()  # not the empty board


def test_a_whole_game_by_mouse(visit: Visit) -> None:
    watched = visit(AGAINST_GREEDY)
    play_on(watched, lambda name: watched.square(name).click())
    expect_the_end(watched)


def test_a_level_asks_nothing_of_the_server(visit: Visit) -> None:
    watched = visit("/play?game=4x4:&first=person&second=mcts@nodes=40", alone=True)
    sockets: list[str] = []
    watched.page.on("websocket", lambda socket: sockets.append(socket.url))
    watched.expect_headline("^Place your knight$")
    play_on(watched, lambda name: watched.square(name).click())
    asked = {request.url.partition("/api/")[2] for request in watched.requests}
    assert asked <= {"", "agents"}
    assert sockets == []


def test_a_whole_game_by_keyboard(visit: Visit) -> None:
    watched = visit(AGAINST_GREEDY)
    keyboard = watched.page.keyboard
    at = [2, 2]  # the board's middle, where the first arrow leads

    def go(name: str) -> None:
        wanted = [int(name[1:]) - 1, ord(name[0]) - ord("a")]
        for axis, keys in enumerate((("ArrowUp", "ArrowDown"), ("ArrowLeft", "ArrowRight"))):
            while at[axis] != wanted[axis]:
                keyboard.press(keys[wanted[axis] > at[axis]])
                at[axis] += 1 if wanted[axis] > at[axis] else -1
        expect(watched.square(name)).to_be_focused()
        keyboard.press("Enter")

    watched.expect_headline(TURN_OR_END)
    keyboard.press("ArrowDown")
    expect(watched.square("c3")).to_be_focused()
    play_on(watched, go)
    expect_the_end(watched)


def test_a_whole_game_on_a_phone(visit: Visit) -> None:
    watched = visit(
        AGAINST_GREEDY, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True, device_scale_factor=2
    )
    play_on(watched, lambda name: watched.square(name).tap())
    board = watched.page.locator(".board-side .board-frame").bounding_box()
    assert board is not None
    assert board["x"] >= 0
    assert 350 <= board["width"] <= 390
    expect_the_end(watched)


def test_squares_are_typed_and_keys_do_what_they_say(visit: Visit) -> None:
    watched = visit("/play?game=7x7:&first=person&second=person", alone=True)
    watched.expect_headline("^Blue to place$")
    watched.stop_the_clock()
    keyboard = watched.page.keyboard
    keyboard.type("d4f5")  # f alone would flip
    watched.expect_headline("^Blue to move$")
    assert watched.query("game") == "7x7: d4 f5"
    assert watched.query("flip") == ""
    keyboard.press("f")
    assert watched.query("flip") == ""  # a row may follow
    watched.page.clock.run_for(1000)
    expect(watched.page).to_have_url(re.compile("flip=1"))
    keyboard.press("u")
    watched.expect_headline("^Orange to place$")
    keyboard.press("n")
    watched.expect_headline("^Blue to place$")
    assert watched.query("game") == "7x7:"
    watched.page.go_back()  # a game that was left is not lost
    watched.expect_headline("^Orange to place$")
    assert watched.query("game") == "7x7: d4"


def test_an_illegal_move_is_not_made(visit: Visit) -> None:
    watched = visit("/play?game=7x7:+d4+b3&first=person&second=person")
    watched.expect_headline("^Blue to move$")
    watched.square("a1").click()
    line = watched.page.locator(".line")
    expect(line).to_have_text("You cannot move to a1: it is not a knight's move from d4.")
    watched.square("b3").click()
    expect(line).to_have_text("You cannot move to b3: Orange's knight is there.")
    watched.page.keyboard.type("z9")
    expect(line).to_have_text("There is no square z9: squares are a1 to g7.")
    assert watched.query("game") == "7x7: d4 b3"


def drag(watched: Watched, start: str, *squares: str) -> None:
    """Drag a knight over some squares and drop it on the last."""
    mouse = watched.page.mouse
    for at, name in enumerate((start, *squares)):
        box = watched.square(name).locator(".ground").bounding_box()
        assert box is not None
        mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=4)
        if not at:
            mouse.down()
    mouse.up()


def test_a_knight_is_dragged_to_where_it_moves(visit: Visit) -> None:
    watched = visit("/play?game=7x7:+d4+b3&first=person&second=person")
    watched.expect_headline("^Blue to move$")
    drag(watched, "d4", "e5", "f5")
    watched.expect_headline("^Orange to move$")
    drag(watched, "f5", "d6")  # not the knight to move
    drag(watched, "b3", "a3", "b3")  # put back
    assert watched.query("game") == "7x7: d4 b3 f5"
    drag(watched, "b3", "c3")
    expect(watched.page.locator(".line")).to_have_text("You cannot move to c3: it is not a knight's move from b3.")
    drag(watched, "b3", "d2")
    watched.expect_headline("^Blue to move$")
    watched.square("g3").click()  # a click still moves
    assert watched.query("game") == "7x7: d4 b3 f5 d2 g3"


def test_a_knight_is_dragged_by_a_finger(visit: Visit) -> None:
    watched = visit("/play?game=7x7:+d4+b3&first=person&second=person", **PHONE)
    watched.expect_headline("^Blue to move$")
    page = watched.page
    boxes = [watched.square(name).locator(".ground").bounding_box() for name in ("d4", "e6")]
    (x, y), (to_x, to_y) = ((box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes if box)
    finger = page.context.new_cdp_session(page)
    for step in range(9):
        point = {"x": x + (to_x - x) * step / 8, "y": y + (to_y - y) * step / 8}
        kind = "touchMove" if step else "touchStart"
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [point]})
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    watched.expect_headline("^Orange to move$")
    assert watched.query("game") == "7x7: d4 b3 e6"
    watched.square("d2").tap()
    assert watched.query("game") == "7x7: d4 b3 e6 d2"


def test_a_takeback_returns_to_the_persons_move(visit: Visit) -> None:
    watched = visit("/play?game=7x7:+d4+b3&first=person&second=greedy:open")
    watched.expect_headline("^Your move$")
    watched.square("f5").click()
    watched.expect_headline("^Your move$")
    assert len(watched.query("game").split()) == 5
    watched.page.get_by_role("button", name="Take back").click()
    watched.expect_headline("^Your move$")
    assert watched.query("game") == "7x7: d4 b3"
    expect(watched.square("d4")).to_have_accessible_name("d4, blue knight")
    expect(watched.square("f5")).to_have_accessible_name("f5, blank, legal move")


def test_a_shared_address_shows_the_same_game(visit: Visit) -> None:
    watched = visit("/play?game=7x7:+d4+b3+f5+d2&first=person&second=person")
    watched.expect_headline("^Blue to move$")
    watched.square("g3").click()
    watched.open_menu()
    watched.page.get_by_role("button", name="Flip").click()
    address = watched.page.url
    for reloaded in (visit(address), watched):
        reloaded.page.reload()
        reloaded.expect_headline("^Orange to move$")
        expect(reloaded.square("g3")).to_have_accessible_name("g3, blue knight")
        expect(reloaded.square("d4")).to_have_accessible_name("d4, blocked")
        assert reloaded.page.url == address


def test_a_hint_is_exact_where_it_can_be(visit: Visit) -> None:
    watched = visit("/play?game=7x7:+d4+b3&first=person&second=person")  # a mirror: only f5 wins
    watched.expect_headline("^Blue to move$")
    watched.page.get_by_role("button", name="Hint").click()
    expect(watched.page.locator(".line")).to_have_text(re.compile("^Hint: f5 wins"))
    expect(watched.page.locator(".board-side .arrow")).to_have_count(1)


def test_the_star_of_a_hint_is_beside_the_arrow(visit: Visit) -> None:
    watched = visit("/play?game=7x7:+d4+f3&first=person&second=person")  # b5 alone wins
    watched.page.get_by_role("button", name="Hint").click()
    star, head = (watched.page.locator(one) for one in (".board-side .star", ".board-side .arrow polygon"))
    expect(star).to_have_count(1)
    left, right = star.bounding_box(), head.bounding_box()
    assert left is not None
    assert right is not None
    assert left["x"] + left["width"] < right["x"]


def test_resigning_ends_it(visit: Visit) -> None:
    watched = visit("/play?game=7x7:+d4+b3&first=person&second=random")
    watched.page.keyboard.press("r")
    watched.page.get_by_role("button", name="Really resign?").click()
    expect(watched.headline).to_have_text("You lose")
    expect(watched.page.locator(".line")).to_contain_text("You resigned.")
    watched.page.reload()
    expect(watched.headline).to_have_text("You lose")


def test_a_wrong_agent_is_refused_before_the_game(visit: Visit) -> None:
    watched = visit("/play?first=person&second=random")
    page = watched.page
    watched.open_setup()
    page.get_by_label("Orange: agent spec").fill("alphabeta:impr")
    page.locator("form").get_by_role("button", name="New game").click()
    expect(page.locator("form [role=alert]")).to_contain_text("did you mean 'improved'?")
    assert watched.query("second") == "random"
    watched.forgive(422)


def test_sides_are_swapped_and_the_agent_goes_on(visit: Visit) -> None:
    watched = visit("/play?game=7x7:+d4+b3&first=person&second=greedy:open")
    watched.open_menu()
    watched.page.get_by_role("button", name="Swap sides").click()
    watched.expect_headline("^Your move$")
    assert (watched.query("first"), watched.query("second")) == ("greedy:open", "person")
    assert len(watched.query("game").split()) == 4


def test_another_game_is_set_up(visit: Visit) -> None:
    watched = visit("/play?first=person&second=person")
    page = watched.page
    watched.open_setup()
    page.get_by_label("Rows", exact=True).fill("9")
    page.get_by_label("Columns", exact=True).fill("11")
    page.get_by_label("Orange is played by").select_option("agent")
    page.get_by_label("Orange: level").fill("1")
    expect(page.get_by_label("Orange: agent spec")).to_have_value("random")
    page.get_by_label("drawn at random").check()
    page.locator("form").get_by_role("button", name="New game").click()
    watched.expect_headline("^Your move$")
    assert re.fullmatch("9x11: [a-k][1-9] [a-k][1-9]", watched.query("game"))
    assert watched.query("second") == "random"


def test_a_pasted_position_is_played_from_or_refused(visit: Visit) -> None:
    watched = visit("/play?first=person&second=person")
    page = watched.page
    watched.open_setup()
    page.get_by_label("from a position").check()
    page.get_by_label("Position", exact=True).fill("7/7/2A4/3x3/4B2/7/8 a")
    page.locator("form").get_by_role("button", name="New game").click()
    expect(page.get_by_role("alert").filter(has_text="row 7: 8 squares")).to_be_visible()
    page.get_by_label("Position", exact=True).fill("7/7/2A4/3x3/4B2/7/7 b")
    page.locator("form").get_by_role("button", name="New game").click()
    watched.expect_headline("^Orange to move$")
    assert watched.query("game") == "7/7/2A4/3x3/4B2/7/7 b:"


def test_two_agents_play_by_themselves(visit: Visit) -> None:
    watched = visit("/play?game=4x4:&first=random&second=greedy:open")
    watched.expect_headline("wins$")
    assert parse_game(watched.query("game")).outcome() is not None


def test_thinking_is_shown_as_it_happens(visit: Visit) -> None:
    """With an engine that thinks for as long as the test likes."""
    thought = {"kind": "thinking", "score": 2, "depth": 7, "nodes": 1234, "ms": 80}
    thought |= {"pv": ["d3", "b6"], "proven": False, "plies": None}
    watched = visit(BLANK, alone=True)
    engine = ScriptedEngine(watched.page, lambda asked: [thought])
    watched.page.goto("/play?game=9x11:+e5+c4&first=alphabeta:improved&second=person")
    facts = watched.page.locator(".thinking")
    expect(facts).to_contain_text("7 plies, 1,234 positions")
    expect(facts).to_be_hidden()  # until it is asked for
    expect(watched.page.locator(".board-side .arrow")).to_have_count(0)
    watched.open_menu()
    watched.page.get_by_text("Agent's search").click()
    watched.page.wait_for_function("() => localStorage.getItem('isolarium-thinking') === 'yes'")
    watched.page.reload()  # the choice is kept
    watched.open_menu()
    expect(facts).to_be_visible()
    expect(watched.page.locator(".board-side .arrow").first).to_be_attached()
    expect(watched.headline).to_have_text("Blue to move")  # it still thinks
    watched.page.get_by_role("button", name="Take back").click()  # and can be interrupted
    watched.expect_headline("^Place your knight$")
    *_, question, stop = engine.asked
    assert (question["game"], question["agent"]) == ("9x11: e5 c4", "alphabeta:improved")
    assert stop == {"id": question["id"], "stop": True}


SCRIPT = "<img src=x onerror=alert(1)>"


def test_text_from_elsewhere_stays_text(visit: Visit) -> None:
    watched = visit(f"/play?game=7x7:&first={SCRIPT}&second=person")
    problem = watched.page.get_by_role("alert").filter(has_text="<img")
    expect(problem).to_contain_text(SCRIPT)
    expect(watched.page.locator(".player .who").first).to_have_text(SCRIPT)
    assert watched.page.locator("main img").count() == 0


def test_an_address_without_a_game_says_so(visit: Visit) -> None:
    watched = visit(f"/play?game={SCRIPT}")
    expect(watched.page.get_by_role("alert").filter(has_text="does not contain a valid game")).to_contain_text(SCRIPT)
    watched.expect_headline("^Place your knight$")


def test_moves_are_announced(visit: Visit) -> None:
    watched = visit("/play?game=7x7:+d4+b3&first=person&second=person")
    watched.square("f5").click()
    expect(watched.page.locator(".board-frame [aria-live]")).to_have_text("Blue on f5. Orange to move")


def test_moves_can_be_played_faster_than_they_are_animated(visit: Visit) -> None:
    watched = visit("/play?game=7x7:+d4+b3&first=person&second=person")
    watched.expect_headline("^Blue to move$")
    watched.page.evaluate(
        """() => { for (const name of ["f5", "d2", "g3", "f1"]) {
          const square = document.querySelector(`.cell[aria-label^="${name},"]`);
          square.dispatchEvent(new MouseEvent("click", { bubbles: true }));
        } }"""
    )
    assert watched.query("game") == "7x7: d4 b3 f5 d2 g3 f1"
    duration = watched.page.locator(".board-side .piece").first.evaluate(
        "piece => parseFloat(getComputedStyle(piece).transitionDuration)"
    )
    assert duration < 0.15


def test_nothing_moves_for_those_who_asked_for_that(visit: Visit) -> None:
    watched = visit("/play?game=7x7:+d4+b3&first=person&second=person", reduced_motion="reduce")
    piece = watched.page.locator(".board-side .board .piece").first
    assert piece.evaluate("piece => getComputedStyle(piece).transitionDuration") == "0s"


def test_moves_are_numbered_on_request(visit: Visit) -> None:
    watched = visit("/play?game=7x7:+d4+b3+f5+d2+g3&first=person&second=person")
    page = watched.page
    expect(page.locator(".board-side .trail")).to_have_count(2)
    expect(page.locator(".board-side .number")).to_have_count(0)
    watched.open_menu()
    page.get_by_label("show move numbers").check()
    expect(page.locator(".board-side .number text")).to_have_text(["1", "3", "2"])  # Blue's way, then Orange's
    page.reload()
    expect(page.locator(".board-side .number text")).to_have_text(["1", "3", "2"])


def test_a_knight_shows_where_it_could_go(visit: Visit) -> None:
    watched = visit("/play?game=7x7:+d4+b3&first=person&second=person")
    expect(watched.page.locator(".board-side .dot:not(.hollow)")).to_have_count(7)  # the eighth is b3
    watched.square("b3").hover()
    expect(watched.page.locator(".board-side .dot.hollow")).to_have_count(5)
    watched.square("g7").hover()
    expect(watched.page.locator(".board-side .dot.hollow")).to_have_count(0)
