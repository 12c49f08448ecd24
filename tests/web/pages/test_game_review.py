"""The engine's review of a game is what `isolarium.analysis.accuracy` makes of it, and brute force."""

from itertools import pairwise
from typing import Any

import pytest

from isolarium.analysis.accuracy import GameAccuracy, Mark, MarkedMove, Marker
from isolarium.game.board import parse_square
from isolarium.game.position import Player
from isolarium.game.record import read_game
from isolarium.heuristics.bound_heuristic import parse_heuristic
from isolarium.heuristics.compiler import value_of
from tests.web.pages.javascript import RunJs
from tests.web.truth import wins

pytestmark = pytest.mark.slow

IMPORTS = """
import { engineWorkers } from "/pages/engine/engine_workers.js";
import { analyseGame } from "/pages/engine/game_analysis.js";
"""
REVIEW = """
  const found = [];
  await new Promise((resolve) => {
    analyseGame(engineWorkers, argument, (answer, isLast) => {
      found.push(answer);
      if (isLast) resolve();
    });
  });
  return found;
"""
GAME = "7x7: d4 b3 e6 c5 f4 d3 e2 b4"
LONG = "7x7: e2 f5 d4 e3 f3 c4 e5 d6 d3 e4 c5 c3 e6 d5 c7 b4 b5 c6 a3 a5 c2 b3 a1 c1"
SHORT = "5x5: d1 c3 b2 d5 d3 e3 e5 c4"


def reviewed(run_js: RunJs, game: str, **more: Any) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The plies and the summary."""
    *plies, summary = run_js(IMPORTS, REVIEW, {"game": game, "heuristic": "improved", **more})
    return plies, summary


@pytest.mark.parametrize("first", [1, 5])
@pytest.mark.parametrize("game", [LONG, SHORT, "5x5:"])
def test_marks_scores_and_the_summary_are_the_truths(js_in_browser: RunJs, game: str, first: int) -> None:
    record = read_game(game)
    positions = record.positions()
    marked = list(Marker().marks(positions, first))
    plies, summary = reviewed(js_in_browser, game, first_ply=first)
    heuristic = parse_heuristic("improved")
    for one, move in zip(plies, marked, strict=True):
        after = positions[move.ply]
        is_scored = after.second is not None and after.outcome() is None
        assert one == {
            "kind": "ply",
            "ply": move.ply,
            "player": str(move.player),
            "move": str(move.move),
            "mark": str(move.mark),
            "wins": move.wins,
            "winner": winner_after(move),
            "decides": move.decides,
            "keeps": None if move.keeps is None else str(move.keeps),
            "score": value_of(heuristic, after, Player.FIRST) if is_scored else None,
        }
    assert summary == {"kind": "summary", **summary_of(GameAccuracy(tuple(marked), record))}


def winner_after(move: MarkedMove) -> str | None:
    """The winner with perfect play after a move, if known."""
    if move.mark is Mark.UNKNOWN or move.wins is None:
        return None
    return str(move.player if move.wins and move.mark is not Mark.MISTAKE else move.player.other)


def summary_of(marked: GameAccuracy) -> dict[str, Any]:
    """What a summary says."""
    winners = {"favourite": marked.theoretical_winner, "law": marked.winner_by_law}
    mistake = marked.first_mistake()
    return {
        "plies": len(marked.moves),
        "players": [accuracy_of(marked, player) for player in Player],
        "first_mistake": None if mistake is None else mistake.ply,
        **{name: None if winner is None else str(winner) for name, winner in winners.items()},
        "known": marked.is_known,
    }


def accuracy_of(marked: GameAccuracy, player: Player) -> dict[str, Any]:
    """What a summary says of a player."""
    kept, chances = marked.kept(player)
    mistake = marked.first_mistake(player)
    return {
        "player": str(player),
        "kept": kept,
        "chances": chances,
        "accuracy": kept / chances if chances else None,
        "first_mistake": None if mistake is None else mistake.ply,
    }


def test_chances_are_the_moves_that_decide(js_in_browser: RunJs) -> None:
    plies, summary = reviewed(js_in_browser, GAME)
    for player, one in zip(Player, summary["players"], strict=True):
        own = [ply for ply in plies if ply["player"] == str(player) and ply["decides"]]
        assert one["chances"] == len(own)
        assert one["kept"] == sum(ply["mark"] != "mistake" for ply in own)
    assert summary["first_mistake"] == next(ply["ply"] for ply in plies if ply["mark"] == "mistake")
    assert (summary["known"], summary["favourite"]) == (True, "second")
    for one, following in pairwise(plies):
        assert following["wins"] is (one["winner"] == following["player"])


@pytest.mark.parametrize("game", ["3x3: b2 a1", "4x3: a1 b2", "4x4: a1 d4", "3x4: b2 c2"])
def test_placements_are_marked_by_the_truth(js_in_browser: RunJs, game: str) -> None:
    plies, _ = reviewed(js_in_browser, game)
    record = read_game(game)
    for one, before, after in zip(plies, record.positions(), record.positions()[1:], strict=False):
        assert one["wins"] is wins(before)
        if one["wins"]:
            assert one["mark"] == ("mistake" if wins(after) else "right")
        else:
            assert one["mark"] == "lost"
        if one["mark"] == "mistake":
            assert not wins(before.play(parse_square(one["keeps"], before.board)))


def test_a_variation_is_marked_from_where_it_leaves_the_game(js_in_browser: RunJs) -> None:
    whole, _ = reviewed(js_in_browser, GAME)
    rest, _ = reviewed(js_in_browser, GAME, first_ply=6)
    assert rest == whole[5:]
