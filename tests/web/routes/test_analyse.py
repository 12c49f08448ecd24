"""A game against the truth, over a WebSocket."""

from itertools import pairwise
from typing import Any

import pytest

from isolarium.analysis.accuracy import Marker
from isolarium.game.notation import parse_square
from isolarium.game.position import Player
from isolarium.game.record import read_game
from isolarium.heuristics.bound_heuristic import parse_heuristic
from isolarium.heuristics.compiler import value_of
from tests.web.serving import Server
from tests.web.talking import Line, talking
from tests.web.truth import wins

pytestmark = pytest.mark.slow

GAME = "7x7: d4 b3 e6 c5 f4 d3 e2 b4"


def heard_of(line: Line, game: str, **more: int) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The plies and the summary."""
    line.say(id=7, game=game, heuristic="improved", **more)
    plies = []
    while (heard := line.hear_until("ply", "summary", "error"))["kind"] == "ply":
        plies.append(heard)
    return plies, heard


def test_marks_scores_and_accuracy_are_the_truths(server: Server) -> None:
    game = read_game(GAME)
    marked = Marker().mark(game, first_ply=3)
    with talking(f"{server.socket}/api/analyse") as line:
        plies, summary = heard_of(line, GAME)
    assert [one["mark"] for one in plies[2:]] == [str(one.mark) for one in marked.moves]
    assert [one["wins"] for one in plies[2:]] == [one.wins for one in marked.moves]
    assert [one["keeps"] for one in plies[2:]] == [
        None if one.keeps is None else str(one.keeps) for one in marked.moves
    ]
    heuristic = parse_heuristic("improved")
    for one, position in zip(plies[1:], game.positions()[2:], strict=True):
        assert one["score"] == value_of(heuristic, position, Player.FIRST)
    for player, one in zip(Player, summary["players"], strict=True):
        own = [ply for ply in plies if ply["player"] == str(player) and ply["decides"]]
        assert one["chances"] == len(own)
        assert one["kept"] == sum(ply["mark"] != "mistake" for ply in own)
    assert summary["first_mistake"] == next(ply["ply"] for ply in plies if ply["mark"] == "mistake")
    assert summary["law"] == str(marked.winner_by_law)
    assert (summary["known"], summary["favourite"]) == (True, "second")


@pytest.mark.parametrize("game", ["3x3: b2 a1", "4x3: a1 b2", "4x4: a1 d4", "3x4: b2 c2"])
def test_placements_are_marked_by_the_truth(server: Server, game: str) -> None:
    with talking(f"{server.socket}/api/analyse") as line:
        plies, _ = heard_of(line, game)
    record = read_game(game)
    for one, before, after in zip(plies, record.positions(), record.positions()[1:], strict=False):
        assert one["wins"] is wins(before)
        if one["wins"]:
            assert one["mark"] == ("mistake" if wins(after) else "right")
        else:
            assert one["mark"] == "lost"
        if one["mark"] == "mistake":
            assert not wins(before.play(parse_square(one["keeps"], before.board)))


def test_who_wins_after_each_move_is_who_is_won_for_before_the_next(server: Server) -> None:
    with talking(f"{server.socket}/api/analyse") as line:
        plies, _ = heard_of(line, GAME)
    assert "mistake" in {one["mark"] for one in plies}
    for one, following in pairwise(plies):
        mover_wins = one["winner"] == following["player"]
        assert following["wins"] is mover_wins


def test_a_variation_is_marked_from_where_it_leaves_the_game(server: Server) -> None:
    with talking(f"{server.socket}/api/analyse") as line:
        whole, _ = heard_of(line, GAME)
        rest, _ = heard_of(line, GAME, first_ply=6)
    assert rest == whole[5:]


def test_bad_questions_are_answered(server: Server) -> None:
    with talking(f"{server.socket}/api/analyse") as line:
        line.say(id=1, game="7x7: d4 d4")
        assert "blocked" in line.hear_until("error")["error"]
        line.say(id=2, game="7x7: d4", heuristic="nothing")
        assert "no heuristic named 'nothing'" in line.hear_until("error")["error"]
