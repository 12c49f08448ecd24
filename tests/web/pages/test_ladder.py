"""The ladder: results, badges, the rating and its interval, from the games that a browser stores."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect

from isolarium.agents.levels import LEVELS
from tests.web.pages.javascript import RunJs
from tests.web.pages.test_all_pages import findings
from tests.web.pages.watched_page import Watched

pytestmark = pytest.mark.slow

WON = "7x7:+e2+f3+f4+g1"  # Blue wins with e6
LADDER = """
    import * as ladder from "/pages/notebook/notebook.js";
    import * as notebook from "/pages/notebook/notebook.js";
    let seed = 0;
    const game = (won, more = {}) => ({
      game: "7x7: d4 b3", player: "first", against: "random", seed: ++seed, won,
      day: "2026-11-16", judged: true, ...more,
    });
    const play = (games) => games.reduce(notebook.withGame, notebook.EMPTY);
"""


def test_two_wins_in_three_games_in_a_row_earn_a_badge(run_js: RunJs) -> None:
    found = run_js(
        LADDER,
        """
        const badge = (...games) => play(games).badges.random ?? null;
        const [won, lost] = [true, false];
        const many = Array.from({ length: 250 }, () => game(lost));
        const kept = [game(won), game(won), ...many].reduce(notebook.withGame, notebook.EMPTY);
        const read = notebook.parseNotebook(notebook.formatNotebook(kept), "2026-11-17").notebook;
        const later = { ...notebook.EMPTY, badges: { random: "2026-12-01", mine: "2026-11-01" } };
        return [
          badge(game(won), game(lost), game(won, { day: "2026-11-17" })),
          badge(game(won), game(lost), game(lost), game(won)),
          badge(game(won), game(won, { helped: true })),
          badge(game(won), game(won, { game: "5x5: d4 b3" })),
          badge(game(won), game(won, { against: "greedy:open" })),
          kept.games.length, read.badges, notebook.merge(later, read).badges,
          notebook.parseNotebook(
            '{"format":"isolarium notebook","version":1,"badges":{"a":"soon","b":"2027-01-01","c":"2026-11-17"}}',
            "2026-11-17",
          ).notebook.badges,
          ladder.streakOf(play([game(won), game(won), game(lost), game(won)])),
        ];
        """,
    )
    day = "2026-11-16"
    merged = {"random": day, "mine": "2026-11-01"}
    badges = ["2026-11-17", None, None, None, None]
    expected = [*badges, 200, {"random": day}, merged, {"c": "2026-11-17"}, {"now": 1, "best": 2}]
    assert found == expected


def test_the_rating_is_the_posterior_of_elos_model(run_js: RunJs) -> None:
    results = [(0, True)] * 4 + [(2, True), (2, False), (2, False), (6, False)]
    levels = [{"agent": one.agent, "elo": dict(one.elo)} for one in LEVELS]
    games = [f"game({json.dumps(won)}, {{ against: levels[{at}].agent }})" for at, won in results]
    found = run_js(
        f"{LADDER} const levels = {json.dumps(levels)};",
        f"""return [
          ladder.ratingOn("7x7", play([{", ".join(games)}]), levels),
          ladder.ratingOn("9x9", play([{", ".join(games)}]), levels),
          ladder.ratingOn("7x7", play([game(true), game(true)]), levels),
        ];""",
    )
    rating = np.linspace(-1500, 3000, 45_001)
    weight = np.exp(-(((rating - 400) / 400) ** 2) / 2)
    for at, won in results:
        expected = 1 / (1 + 10 ** ((LEVELS[at].elo["7x7"] - rating) / 400))
        weight = weight * (expected if won else 1 - expected)
    share = np.cumsum(weight) / weight.sum()
    wanted = [float(rating[np.searchsorted(share, one)]) for one in (0.5, 0.025, 0.975)]
    assert [found[0][name] for name in ("rating", "low", "high")] == pytest.approx(wanted, abs=10)
    assert found[0]["games"] == len(results)
    assert found[1] is None
    assert found[2]["high"] - found[2]["low"] > 1000  # two games say little


def test_a_level_beaten_twice_gives_its_badge_and_offers_the_next(visit: Callable[..., Watched]) -> None:
    watched = visit("/learn")
    page = watched.page
    card = page.locator("details").filter(has_text="Your ladder")
    badge = page.locator(".badge")
    for seed in (1, 2, 3):
        page.goto(f"/play?game={WON}&first=person&second=random&seed={seed}")
        watched.expect_headline("^Your move$")
        if seed == 1:  # a hint keeps a game off the ladder
            page.get_by_role("button", name="Hint").click()
            expect(page.locator(".line")).to_contain_text("Hint: ")
            page.reload()
        expect(page.locator(".chip")).to_have_count(len(LEVELS))
        watched.square("e6").click()
        expect(watched.headline).to_have_text("You win")
        if seed == 1:
            expect(badge).to_be_hidden()
            expect(card).to_be_hidden()
        if seed == 2:
            expect(badge).to_have_text("1 more win against first steps to earn its badge.")
    expect(badge).to_have_text("★ You have the badge of first steps.")
    card.locator("summary").click()
    expect(card).to_contain_text("1 of 7 badges · 2 won in a row, at best 2")
    expect(card.get_by_role("row", name="Level 1 · first steps")).to_contain_text("★")
    assert findings(page) == []
    with page.expect_download() as download:
        card.get_by_role("button", name="Download").click()
    saved = json.loads(Path(download.value.path()).read_text())
    assert list(saved["badges"]) == ["random"]
    assert [game.get("helped", False) for game in saved["games"]] == [False, False, True]
    page.get_by_role("button", name=f"Play {LEVELS[1]}").click()
    watched.expect_headline("^(Place your knight|Your move)$")
    assert watched.query("second") == LEVELS[1].agent
    expect(page.locator(".chip.beaten")).to_have_count(1)
