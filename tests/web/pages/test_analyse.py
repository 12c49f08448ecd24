"""Analyse: a game with its truth, its variations and what heuristics think of it."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Download, Page, expect

from isolarium.game.record import parse_game, parse_game_json
from tests.web.pages.watched_page import BLANK, PHONE, UNKNOWN_MARK, ScriptedEngine, Watched
from tests.web.serving import Server

pytestmark = pytest.mark.slow

Visit = Callable[..., Watched]

# Blue in the middle with Orange a knight's move away is the one start of 7x7 that breaks the colour law: by the mirror
# theorem Blue wins by going to the square opposite Orange, f5. Here it does not, and the runner it now is loses.
MISTAKE = "7x7: d4 b3 c6 d2"
KEPT = "f5"


def expect_moves(page: Page, *names: str) -> None:
    """Wait until the moves of the main line are these, whatever is said of them."""
    starts = [re.compile(f"^{name}") for name in names]
    expect(page.locator(".moves > button")).to_have_text(starts)


def test_a_known_mistake_is_found_and_the_move_that_kept_the_win_is_shown(visit: Visit) -> None:
    watched = visit(f"/analyse?game={MISTAKE}")
    page = watched.page
    mistake = page.get_by_role("button", name=re.compile("^c6. Mistake"))
    expect(mistake).to_have_accessible_name(f"c6. Mistake: it gave the win away; {KEPT} kept it")
    mistake.click()
    expect(watched.headline).to_have_text("Orange to move and win")
    expect(page.locator(".line")).to_have_text(f"Blue played c6. Mistake: it gave the win away; {KEPT} kept it.")
    page.get_by_role("button", name="Previous move").click()
    expect(watched.square(KEPT)).to_have_accessible_name(re.compile(f"^{KEPT}, .*, wins"))
    expect(watched.square("c6")).to_have_accessible_name(re.compile("^c6, .*, loses"))
    expect(page.locator(".board .star")).to_have_count(1)
    blue = page.get_by_role("row", name=re.compile("^Blue"))
    expect(blue).to_contain_text("0%")
    expect(blue).to_contain_text("move 2 (c6)")
    expect(page.locator(".graph")).to_have_accessible_name(re.compile("mistakes at ply 2, 3"))


def test_a_game_is_walked_by_keyboard_and_by_the_graph(visit: Visit) -> None:
    watched = visit(f"/analyse?game={MISTAKE}")
    page = watched.page
    line = page.locator(".line")
    expect(line).to_contain_text("Start of the game.")
    page.keyboard.press("ArrowRight")
    expect(line).to_contain_text("Blue played d4")
    page.keyboard.press("End")
    expect(line).to_contain_text("Orange played d2")
    page.keyboard.press("ArrowLeft")
    expect(line).to_contain_text("Blue played c6")
    page.keyboard.press("Home")
    expect(line).to_contain_text("Start of the game.")
    graph = page.locator(".graph")
    box = graph.bounding_box()
    assert box is not None
    graph.click(position={"x": box["width"] * 3 / 8, "y": 10})  # the second of four plies
    expect(line).to_contain_text("Orange played b3")
    assert watched.query("at") == "2"
    page.reload()
    expect(line).to_contain_text("Orange played b3")


def test_another_move_on_the_board_makes_a_variation(visit: Visit) -> None:
    watched = visit(f"/analyse?game={MISTAKE}&at=2")
    page = watched.page
    expect(page.locator(".line")).to_contain_text("Orange played b3")
    watched.square(KEPT).click()
    line = page.locator(".line")
    expect(line).to_have_text(f"Blue played {KEPT} in a variation. Right: it keeps the win.")
    expect(page.locator(".moves .side")).to_have_text(f"{KEPT}✓")
    expect(watched.headline).to_have_text(re.compile("^Orange to move and lose"))
    assert watched.query("game") == MISTAKE
    page.reload()  # the address holds the variation too
    expect(page.locator(".moves .side")).to_have_text(f"{KEPT}✓")
    page.keyboard.press("v")
    expect_moves(page, "d4", "b3", KEPT)
    assert watched.query("game") == f"7x7: d4 b3 {KEPT}"


def test_nothing_of_a_game_is_lost_by_taking_back(visit: Visit) -> None:
    watched = visit(f"/analyse?game={MISTAKE}&at=3")
    page = watched.page
    line = page.locator(".line")
    expect(line).to_contain_text("Blue played c6")
    page.keyboard.press("u")
    expect(line).to_contain_text("Orange played b3")
    expect_moves(page, "d4", "b3", "c6", "d2")


def test_what_is_removed_can_be_put_back(visit: Visit) -> None:
    watched = visit(f"/analyse?game={MISTAKE}&at=3")
    page = watched.page
    back = page.get_by_role("button", name="Restore")
    expect(back).to_be_disabled()
    page.get_by_role("button", name="Delete").click()
    expect_moves(page, "d4", "b3")
    expect(page.locator(".line")).to_have_text("Deleted c6 and the moves after it.")
    assert watched.query("game") == "7x7: d4 b3"
    back.click()
    expect_moves(page, "d4", "b3", "c6", "d2")
    expect(page.locator(".line")).to_contain_text("Blue played c6")
    assert watched.query("game") == MISTAKE
    expect(back).to_be_disabled()


def test_a_game_that_is_not_solved_claims_no_faultless_play(visit: Visit) -> None:
    watched = visit(BLANK, alone=True)
    page = watched.page
    ScriptedEngine(page, lambda asked: [UNKNOWN_MARK] if asked["kind"] == "mark" else [])
    page.goto("/analyse?game=13x13:+g7+f5")
    expect(page.get_by_text("Some positions were too large to solve.")).to_be_visible()
    rows = page.locator(".accuracy tbody tr")
    expect(rows).to_contain_text(["not known", "not known"])


def test_the_course_s_list_and_json_are_read(visit: Visit) -> None:
    watched = visit("/analyse")
    page = watched.page
    for text in ("[[3, 3], [2, 1], [5, 2]]", '{"board": "7x7", "moves": ["d4", "b3", "c6"]}'):
        page.get_by_role("tab", name="Load", exact=True).click()
        page.locator("#game-text").fill(text)
        page.get_by_role("button", name="Load", exact=True).click()
        expect_moves(page, "d4", "b3", "c6")
        assert watched.query("game") == "7x7: d4 b3 c6"
        page.goto("/analyse")


def test_a_bad_game_says_what_is_wrong(visit: Visit) -> None:
    watched = visit("/analyse")
    page = watched.page
    page.get_by_role("button", name="Paste a game").click()
    page.locator("#game-text").fill("7x7: d4 <b>b3</b>")
    page.get_by_role("button", name="Load", exact=True).click()
    expect(page.get_by_role("alert").filter(has_text="<b>b3</b>")).to_be_visible()
    assert page.locator("main b").count() == 0
    page.locator("#game-text").fill("1. Nf3 Nc6")
    page.get_by_role("button", name="Load", exact=True).click()
    expect(page.get_by_role("alert").filter(has_text="Cannot read '1. Nf3 Nc6'.")).to_be_visible()


def test_estimates_do_not_look_like_proofs(visit: Visit) -> None:
    watched = visit("/analyse?game=13x13:+g7+b2&at=2")  # too large to solve
    page = watched.page
    expect(watched.square("f5")).to_have_accessible_name(re.compile("estimate [+−]?[0-9]"))
    expect(page.locator(".board[role=grid] .cell.estimate")).to_have_count(8)
    tint = page.locator(".cell.estimate .tint").first
    dashes = "tint => getComputedStyle(tint).strokeDasharray"
    assert tint.evaluate(dashes) != "none"
    page.goto("/analyse?game=7x7:+d4+b3&at=2")
    expect(watched.square("f5")).to_have_accessible_name(re.compile("wins"))
    expect(page.locator(".board[role=grid] .cell.estimate")).to_have_count(0)
    assert page.locator(".tint").first.evaluate(dashes) == "none"


def test_two_heuristics_side_by_side(visit: Visit) -> None:
    watched = visit("/analyse?game=7x7:+d4+b3+c6+d2&at=4&one=open&other=center")
    page = watched.page
    page.get_by_role("tab", name="Compare").click()
    first, second = (page.locator(".picture .board").nth(at) for at in (0, 1))
    expect(first).to_have_accessible_name(re.compile(r"^open: .*e7 estimate \+\d"))
    expect(second).to_have_accessible_name(re.compile(r"^center: .*e7 estimate \+\d"))
    expect(page.get_by_text(re.compile(r"\bprefers?\b")).first).to_be_visible()
    rows = page.get_by_role("region", name="Every move").get_by_role("row")
    expect(rows.first).to_contain_text("opencenter")
    page.get_by_label("Second heuristic").fill("improved")
    page.get_by_label("Second heuristic").press("Enter")
    expect(second).to_have_accessible_name(re.compile("^improved: "))
    assert watched.query("other") == "improved"


def test_a_tab_opens_though_the_page_moves_while_it_is_pressed(visit: Visit) -> None:
    page = visit("/analyse?game=7x7:+d4+b3+c6+d2&at=4").page
    tab = page.get_by_role("tab", name="Compare")
    tab.hover()
    page.mouse.down()
    page.evaluate("document.querySelector('.status').style.paddingBottom = '200px'")  # a result arrives
    page.mouse.up()
    expect(tab).to_have_attribute("aria-selected", "true")


def test_nothing_is_the_best_of_an_empty_board(visit: Visit) -> None:
    page = visit("/analyse?game=7x7:+d4+b3&at=0&one=open&other=center").page
    page.get_by_role("tab", name="Compare").click()
    expect(page.get_by_text("Heuristics apply once both knights are placed")).to_be_visible()
    expect(page.get_by_role("region", name="Every move").get_by_role("row")).to_have_count(0)


def test_moves_are_coloured_by_a_search(visit: Visit, server: Server) -> None:
    agent = "alphabeta:improved@nodes=500"
    server.post("/api/move", {"game": "9x9: e5 b2", "agent": agent}).raise_for_status()  # compiled
    watched = visit("/analyse?game=9x9:+e5+b2&at=2")
    page = watched.page
    page.get_by_label("Colour moves by").select_option("search")
    page.get_by_label("Search", exact=True).fill(agent)
    page.get_by_label("Search", exact=True).press("Enter")
    expect(watched.square("d3")).to_have_accessible_name(re.compile(r", estimate [+−]?\d"))
    assert watched.query("by") == "search"


def saved(page: Page, name: str) -> Download:
    """The file that a button gives."""
    with page.expect_download() as download:
        page.get_by_role("button", name=name, exact=True).click()
    return download.value


def test_a_game_is_taken_along_as_text_json_svg_and_png(visit: Visit, tmp_path: Path) -> None:
    watched = visit(f"/analyse?game={MISTAKE}&at=4")
    page = watched.page
    expect(watched.headline).to_have_text(re.compile("^Blue to move and"))
    page.get_by_role("tab", name="Share").click()
    files = {}
    for name in ("Text", "JSON", "SVG", "PNG"):
        download = saved(page, name)
        files[name] = tmp_path / download.suggested_filename
        download.save_as(files[name])
    assert str(parse_game(files["Text"].read_text())) == MISTAKE
    assert str(parse_game_json(files["JSON"].read_text())) == MISTAKE
    assert json.loads(files["JSON"].read_text())["board"] == "7x7"
    drawing = files["SVG"].read_text()
    assert drawing.startswith("<svg")
    assert "var(" not in drawing
    assert "class=" not in drawing
    png = files["PNG"].read_bytes()
    assert png.startswith(b"\x89PNG")
    width = int.from_bytes(png[16:20])
    assert width > 900
    assert len(png) > 10_000  # something is drawn


def test_a_game_from_play_arrives(visit: Visit) -> None:
    watched = visit("/play?game=3x3:+b2+a1&first=person&second=person")
    watched.page.get_by_role("link", name="Analyse this game").click()
    expect_moves(watched.page, "b2", "a1")
    expect(watched.page.locator(".line")).to_contain_text("Orange played a1")  # no mistake: the end


def test_a_game_opens_at_its_first_mistake(visit: Visit) -> None:
    watched = visit(f"/analyse?game={MISTAKE}&at=mistake")
    expect(watched.page.locator(".line")).to_contain_text("Orange played b3. Mistake")
    assert watched.query("at") == "2"


def test_what_cannot_be_gone_to_is_said(visit: Visit) -> None:
    watched = visit(f"/analyse?game={MISTAKE}&at=4")
    line = watched.page.locator(".line")
    expect(line).to_contain_text("Orange played d2")
    watched.square("a1").click()
    expect(line).to_have_text("You cannot move to a1: it is not a knight's move from c6.")
    watched.page.keyboard.type("z9")
    expect(line).to_have_text("There is no square z9: squares are a1 to g7.")


def test_who_comes_without_a_game_is_invited_and_shown_an_example(visit: Visit) -> None:
    watched = visit("/analyse")
    page = watched.page
    expect(watched.headline).to_have_text("Analyse a game")
    expect(page.locator(".board .mark text")).to_have_count(0)
    expect(page.locator(".graph")).to_be_hidden()
    example = page.get_by_role("button", name="Try an example")
    example.click()
    expect(page.locator(".moves .bad")).to_have_text(["?", "?", "?", "?"])
    expect(example).to_be_hidden()
    expect(page.locator(".line")).to_contain_text("Mistake")  # the first one


def test_mistakes_are_gone_to_in_turn(visit: Visit) -> None:
    watched = visit(f"/analyse?game={MISTAKE}")
    page = watched.page
    before, after = (page.get_by_role("button", name=name) for name in ("Previous mistake", "Next mistake"))
    expect(after).to_be_enabled()
    expect(before).to_be_disabled()
    after.click()
    expect(page.locator(".line")).to_contain_text("Orange played b3. Mistake")
    expect(page.locator(".star")).to_have_count(1)  # on what would have kept the win
    page.keyboard.press("m")
    expect(page.locator(".line")).to_contain_text("Blue played c6. Mistake")
    expect(after).to_be_disabled()
    before.click()
    expect(page.locator(".line")).to_contain_text("Orange played b3. Mistake")


def test_what_keys_do_touch_can_do(visit: Visit) -> None:
    watched = visit(f"/analyse?game={MISTAKE}&at=2", **PHONE)
    page = watched.page
    best = page.get_by_role("button", name="Best move")
    expect(best).to_be_enabled()
    expect(best).to_be_in_viewport()  # with the board
    best.tap()
    expect(page.locator(".line")).to_contain_text(f"Blue played {KEPT} in a variation")
    page.get_by_role("button", name="Promote").tap()
    expect_moves(page, "d4", "b3", KEPT)


def test_moves_are_pasted_as_people_write_them(visit: Visit) -> None:
    watched = visit("/analyse")
    page = watched.page
    page.get_by_role("button", name="Paste a game").click()
    page.locator("#game-text").fill("1. D4, b3  2. c6 d2")
    page.get_by_role("button", name="Load", exact=True).click()
    expect_moves(page, "d4", "b3", "c6", "d2")
    assert watched.query("game") == MISTAKE


def test_a_position_is_played_on_against_any_level_and_back(visit: Visit) -> None:
    watched = visit(f"/analyse?game={MISTAKE}&at=3")
    page = watched.page
    expect(page.locator(".line")).to_contain_text("Blue played c6")
    page.get_by_role("link", name="Play from here").click()
    watched.expect_headline("^Your move$")
    assert (watched.query("game"), watched.query("second")) == ("7/7/1B5/3x3/7/2A4/7 b:", "person")
    page.get_by_label("Level 1 · first steps").check()
    assert watched.query("first") == "random"
    watched.square(watched.legal()[0]).click()
    watched.expect_headline("^(Your move|You win|You lose)$")
    assert len(watched.query("game").split()) == 4
    page.get_by_role("link", name="Back to the analysis").click()
    expect(page.locator(".line")).to_contain_text("Blue played c6")
    expect_moves(page, "d4", "b3", "c6", "d2")


def test_an_address_without_a_game_says_so(visit: Visit) -> None:
    watched = visit("/analyse?game=7x7:+d4+d4")
    problem = watched.page.get_by_role("alert").filter(has_text="The address does not contain a valid game")
    expect(problem).to_contain_text("move 2 (d4): not a blank square")
    watched.expect_headline("^Analyse a game$")
    expect(problem).to_be_visible()
