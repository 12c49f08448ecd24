"""Learn from your mistakes: those of a game in turn, a deck that comes back, and what the browser keeps of it."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.web.pages.javascript import RunJs
from tests.web.pages.watched_page import PHONE, Watched

pytestmark = pytest.mark.slow

Visit = Callable[..., Watched]
BEFORE_THE_END = "5x5: d1 c3 b2 d5 d3 e3"
GAME = f"{BEFORE_THE_END} e5 c4"  # Blue gives the win away with d3, which only c4 keeps, and with e5: only c1
PLAYED = f"/play?game={BEFORE_THE_END}&first=person&second=greedy:open"
REVIEW = f"/learn?sheet=mistakes&game={GAME}&player=first"
MONDAY, TUESDAY = "2026-11-16T23:50:00", "2026-11-17T00:10:00"


def verdict(watched: Watched) -> Any:
    return watched.page.locator(".verdict:visible")


def test_a_lost_game_is_learnt_from_until_its_mistakes_are_known(visit: Visit) -> None:
    watched = visit("/learn?sheet=mistakes", alone=True)
    page = watched.page
    expect(verdict(watched)).to_contain_text("No mistakes yet.")
    page.clock.set_fixed_time(MONDAY)
    page.goto(PLAYED)
    watched.square("e5").click()
    expect(watched.headline).to_have_text("You lose")
    page.keyboard.press("m")
    heading = page.get_by_role("heading", level=2)
    expect(heading.first).to_have_text("Mistake 1 of 2 in this game")
    expect(verdict(watched)).to_have_text("You are Blue. d3 gave the win away: find a move that keeps it.")
    hint = page.locator(".hint:visible")
    page.keyboard.press("h")
    expect(hint).to_have_text(re.compile(r"^1 of 3 moves wins. From there \d moves? (is|are) possible.$"))
    watched.square("c4").click()
    expect(verdict(watched)).to_have_text(
        re.compile(r"^Right: c4 keeps the win, in at most \d+ plies. It returns tomorrow.$")
    )
    page.keyboard.press("n")
    expect(heading.first).to_have_text("Mistake 2 of 2 in this game")
    expect(verdict(watched)).to_contain_text("e5 gave the win away: find a move")
    watched.square("e5").click()
    expect(verdict(watched)).to_have_text("Wrong: e5 loses. Blue has no move left.")
    expect(page.locator(".trapped")).to_have_count(1)  # the refutation is played out
    page.keyboard.press("u")
    watched.square("c1").click()
    expect(verdict(watched)).to_have_text(re.compile("^Right: c1 .* It returns today.$"))
    page.keyboard.press("n")
    expect(verdict(watched)).to_have_text("That was the last one.")
    page.get_by_role("link", name="Mistakes due today").click()
    expect(heading.first).to_have_text("Due today: 1 of 1")
    page.goto("/play")
    expect(page.get_by_role("link", name="1 mistake due today")).to_be_visible()
    page.clock.set_fixed_time(TUESDAY)
    page.goto("/learn?sheet=mistakes")
    expect(heading.first).to_have_text("Due today: 1 of 2")


def test_hints_go_from_how_many_to_where_to_which_by_touch(visit: Visit) -> None:
    watched = visit(REVIEW, **PHONE)
    page = watched.page
    expect(verdict(watched)).to_contain_text("find a move")
    button, hint = page.get_by_role("button", name="Hint"), page.locator(".hint:visible")
    button.tap()
    expect(hint).to_have_text(re.compile("^1 of 3 moves wins"))
    button.tap()
    expect(hint).to_have_text("One of the squares with a ? wins.")
    tinted = [label for label in watched.labels(".cell.legal") if "perhaps" in label]
    assert 1 < len(tinted) <= 3
    assert any(label.startswith("c4, ") for label in tinted)
    button.tap()
    expect(hint).to_have_text("Only c4 wins.")
    expect(page.locator(".star")).to_have_count(1)
    expect(button).to_be_disabled()
    watched.square("c4").tap()
    expect(verdict(watched)).to_contain_text("Right: c4 keeps the win")


LOST = "5x5: e1 e4 c2 c3 a1 d5 b3 b4 a5 a2 c4 c1 b2 d3 a4 c5"  # Blue is lost from the start


def test_a_lost_game_is_reviewed_by_what_shortened_resistance_most(visit: Visit) -> None:
    watched = visit(f"/learn?sheet=mistakes&game={LOST}&player=first")
    review = watched.page.get_by_role("region", name="Resistance")
    expect(review).to_contain_text("The moves that cost you the most plies:")
    lost = [int(text.split(" lost ")[1].split()[0]) for text in review.locator("li").all_inner_texts()]
    assert 0 < len(lost) <= 3
    assert lost == sorted(lost, reverse=True)
    assert lost[0] >= 2
    worst = review.get_by_role("link").first
    ply, move = re.findall(r"Ply (\d+) \((\w\d)\)", worst.inner_text())[0]
    assert LOST.split()[int(ply)] == move
    worst.click()
    expect(watched.page).to_have_title("Analyse · Isolarium")
    assert watched.query("at") == str(int(ply) - 1)
    watched.page.go_back()
    watched.page.get_by_role("link", name="Mistakes due today").click()
    expect(verdict(watched)).to_contain_text("No mistakes yet.")
    expect(review).to_be_hidden()


@pytest.mark.parametrize(
    ("game", "said"),
    [
        ("5x5: d1 c3 b2 d5", "No mistakes: against perfect play, your position was lost from the"),
        ("13x13: d4 b3 f5 d2", "No mistake was found. 2 of your positions were too large"),
        ("5x5: d1 c3 zz", "No mistakes yet."),
    ],
)
def test_it_says_where_there_is_no_mistake_or_none_is_known(visit: Visit, game: str, said: str) -> None:
    watched = visit(f"/learn?sheet=mistakes&game={game}&player=first")
    expect(verdict(watched)).to_contain_text(said)


def test_what_is_kept_is_taken_along_deleted_and_brought_back(visit: Visit, tmp_path: Path) -> None:
    watched = visit(PLAYED)
    page = watched.page
    watched.square("e5").click()
    page.get_by_role("link", name="Review my mistakes").click()
    expect(verdict(watched)).to_contain_text("find a move")
    page.get_by_text("Your games and mistakes").click()
    counts = page.get_by_text("stored only in this browser")
    expect(counts).to_contain_text("1 game and 2 mistakes, stored")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download", exact=True).click()
    saved = tmp_path / "notebook.json"
    download.value.save_as(saved)
    page.get_by_role("button", name="Delete all").click()
    page.get_by_role("button", name="Cancel").click()
    expect(counts).to_contain_text("1 game and 2 mistakes, stored")
    page.get_by_role("button", name="Delete all").click()
    page.get_by_role("button", name="Yes, delete all").click()
    expect(counts).to_contain_text("0 games and 0 mistakes, stored")
    assert page.evaluate("localStorage.getItem('isolarium-notebook')") is None
    notebook = json.loads(saved.read_text())
    notebook["cards"].append({"position": "5x5", "played": "z9", "box": 0, "due": "soon"})
    saved.write_text(json.dumps(notebook))
    page.locator("input[type=file]").set_input_files(saved)
    expect(page.get_by_text("added 1 game and 2 mistakes. 1 entry skipped as invalid")).to_be_visible()
    expect(counts).to_contain_text("1 game and 2 mistakes, stored")
    saved.write_text("[1, 2")
    page.locator("input[type=file]").set_input_files(saved)
    expect(page.get_by_role("alert").filter(has_text="notebook.json")).to_have_text(
        "notebook.json: it is not an Isolarium notebook: not JSON."
    )
    page.get_by_role("button", name="Delete all").click()
    page.get_by_role("button", name="Yes, delete all").click()
    expect(page.get_by_role("alert").filter(has_text="notebook.json")).to_have_count(0)
    page.evaluate("localStorage.setItem('isolarium-notebook', '{\"format\": 7}')")
    page.goto("/learn?sheet=mistakes")
    expect(page.get_by_text("The stored notebook could not be read")).to_be_visible()
    expect(verdict(watched)).to_contain_text("No mistakes yet.")


NOTEBOOK = """
    import * as cards from "/pages/notebook/notebook.js";
    import * as notebook from "/pages/notebook/notebook.js";
    import { formatPosition } from "/pages/game/notation.js";
    import { Position } from "/pages/game/rules.js";
    const card = (position, more) => ({ ...cards.newCard(position, "b3", "2026-11-16"), ...more });
    const text = (games, cards) => notebook.formatNotebook({ games, cards, badges: {} });
    const seat = { player: "first", against: "random" };
    const game = { game: "7x7: d4 b3", ...seat, won: true, day: "2026-11-16", judged: true };
"""


def test_a_card_comes_back_ever_later_until_it_is_known(run_js: RunJs) -> None:
    found = run_js(
        NOTEBOOK,
        """
        let [one, day] = [card("7x7"), "2026-12-25"]; // over the end of a year
        const days = [];
        while (!cards.isKnown(one)) {
          one = cards.afterTry(one, "right", day);
          days.push(cards.isKnown(one) ? "known" : cards.returnsWhen(one, day));
          day = one.due;
        }
        const early = cards.afterTry(card("7x7", { box: 3, due: "2026-12-30" }), "right", "2026-12-25");
        const missed = cards.afterTry(card("7x7", { box: 3, due: "2026-12-30" }), "missed", "2026-12-25");
        const helped = cards.afterTry(card("7x7", { box: 3 }), "helped", "2026-12-25");
        return [days, early.box, missed.box, missed.due, helped.due];
        """,
    )
    days = ["tomorrow", "in 3 days", "in 7 days", "in 16 days", "in 35 days", "known"]
    assert found == [days, 3, 0, "2026-12-25", "2026-12-26"]


def test_only_what_makes_sense_is_read(run_js: RunJs) -> None:
    found = run_js(
        NOTEBOOK,
        """
        const wrong = [{ game: "7x7: d4 d4" }, { won: 1 }, { day: "2026-02-30" }];
        const bad = [null, 7, {}, ...wrong.map((one) => ({ ...game, ...one }))];
        const odd = [[], card("8x"), ...[{ box: 9 }, { tries: -1 }, { due: 5 }].map((one) => card("7x7", one))];
        const far = card("7x7", { due: "2999-01-01" });
        const read = notebook.parseNotebook(text([game, ...bad], [...odd, far]), "2026-11-16");
        const refused = ["", "null", "{}", text([], []).replace('"version":1', '"version":2')].map((one) => {
          try { return notebook.parseNotebook(one, "2026-11-16"); }
          catch (error) { return error instanceof notebook.NotebookError; }
        });
        return [read.left, read.notebook.games.length, read.notebook.cards.map(({ due }) => due), refused];
        """,
    )
    assert found == [11, 1, ["2026-11-16"], [True] * 4]


def test_what_is_added_takes_nothing_of_ones_own_away(run_js: RunJs) -> None:
    found = run_js(
        NOTEBOOK,
        """
        const empty = Position.empty(13, 13);
        const squares = empty.legalMoves().map((first) => formatPosition(empty.play(first)));
        const own = squares.slice(0, 120).map((one) => ({ ...game, game: `${one}: b3`, day: "2026-11-10" }));
        const [known, others] = [card("7x7", { box: 5, tries: 7 }), squares.map((one) => card(one))];
        const mine = { games: own, cards: [known, ...squares.map((one) => card(one.replace(" ", "  ")))] };
        const late = squares.map((one) => ({ ...game, game: `${one}: b3`, player: "second", day: "2999-12-31" }));
        const hostile = text([...late, ...own], [{ ...known, box: 0, tries: 9007199254740991 }, ...others]);
        const theirs = notebook.parseNotebook(hostile, "2026-11-16").notebook;
        const both = notebook.merge(mine, theirs);
        const full = { games: both.games, cards: Array.from({ length: 600 }, (_, at) => card(`card ${at}`)) };
        const again = notebook.merge(full, theirs);
        return [
          own.every((one) => both.games.includes(one)), mine.cards.every((one) => both.cards.includes(one)),
          both.games.length, both.games[0].day, theirs.cards[0].tries,
          again.games.every((one, at) => one === full.games[at]), again.cards.length,
        ];
        """,
    )
    assert found == [True, True, 200, "2026-11-16", 10_000, True, 600]


def test_a_notebook_stays_small_and_gives_up_what_is_known_first(run_js: RunJs) -> None:
    found = run_js(
        NOTEBOOK,
        """
        const positions = [10, 11, 12, 13].flatMap((rows) => {
          const empty = Position.empty(rows, 13);
          return empty.legalMoves().map((first) => formatPosition(empty.play(first)));
        });
        const many = positions.map((one, at) => card(one, { box: at % 2 ? cards.KNOWN : 0 }));
        const games = positions.map((one) => ({ ...game, game: `${one}: b3` }));
        const kept = notebook.merge(notebook.EMPTY, { games, cards: many });
        const open = (list) => list.filter((one) => !cards.isKnown(one)).length;
        return [many.length, kept.cards.length, kept.games.length, open(kept.cards) === open(many)];
        """,
    )
    assert found == [598, 500, 200, True]


def test_a_placement_that_gave_the_win_away_is_explained_by_the_colours(visit: Visit) -> None:
    watched = visit("/learn?sheet=mistakes&game=7x7:+a1+d4+b3+f5&player=second")
    expect(verdict(watched)).to_have_text("You are Orange. d4 gave the win away: find a square that keeps it.")
    expect(watched.square("d4")).to_have_accessible_name(re.compile("you placed here"))
    watched.page.keyboard.press("h")
    law = "They have the other colour than Blue's square: from there, you can take squares that Blue needs."
    expect(watched.page.locator(".hint:visible")).to_have_text(f"24 of 48 squares win. {law}")
