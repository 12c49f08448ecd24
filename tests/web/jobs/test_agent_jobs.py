"""The values of moves, checked against brute force, and the best line."""

import pytest

from isolarium.game.board import parse_square
from isolarium.game.notation import parse_position
from isolarium.game.position import Position
from isolarium.heuristics.bound_heuristic import parse_heuristic
from isolarium.heuristics.compiler import value_of
from isolarium.web.jobs import agent_jobs
from tests.web.serving import Server
from tests.web.truth import plies_of, wins

pytestmark = pytest.mark.slow

SMALL = ["5/1A3/2x2/3B1/5 a", "4/1A2/2xx/B3 b", "3x3", "4x3: a1", "xxx1/AB2/xxxx a"]


@pytest.mark.parametrize("game", SMALL)
def test_exact_values_are_the_truth(server: Server, game: str) -> None:
    output = server.post("/api/values", {"game": game}).json()
    position = parse_position(output["position"])
    assert [one["move"] for one in output["moves"]] == [str(one) for one in position.legal_moves()]
    for move, one in zip(position.legal_moves(), output["moves"], strict=True):
        after = position.play(move)
        assert one["value"] == ("loses" if wins(after) else "wins")
        if one["plies"] is not None:
            assert one["plies"] == 1 + plies_of(after)
    assert output["value"] == ("wins" if wins(position) else "loses")
    if position.second is not None:
        assert output["plies"] == plies_of(position)


def test_placements_on_a_solved_board_are_known_at_once(server: Server) -> None:
    output = server.post("/api/values", {"game": "7x7: d4"}).json()
    lines = server.get("/api/starts/7x7").json()["map"]
    letters = lines[24].replace("-", "")
    assert [one["value"] for one in output["moves"]] == [{"F": "loses", "S": "wins"}[letter] for letter in letters]
    assert output["nodes"] == 0


def test_heuristics_are_asked_after_the_move_for_who_made_it(server: Server) -> None:
    game = "7/7/2A4/3x3/4B2/7/7 a"
    wanted = {"game": game, "exact": False, "heuristics": ["improved", "center"]}
    output = server.post("/api/values", wanted).json()
    position = parse_position(game)
    for move, one in zip(position.legal_moves(), output["moves"], strict=True):
        expected = [
            value_of(parse_heuristic(name), position.play(move), position.to_move) for name in ("improved", "center")
        ]
        assert one["heuristics"] == expected
        assert one["value"] == "unknown"


def test_searches_are_seen_from_the_movers_side(server: Server) -> None:
    """To the bottom a search is the truth, and its word is turned with it."""
    game, agent = "4x3: a1", "alphabeta:improved@nodes=50000"
    server.post("/api/move", {"game": game, "agent": agent}).raise_for_status()  # compiled
    output = server.post("/api/values", {"game": game, "searches": [agent]}).json()
    assert {one["value"] for one in output["moves"]} == {"wins", "loses"}
    for one in output["moves"]:
        word = {"wins": "win", "loses": "loss"}[one["value"]]
        assert one["searches"] == [f"{word} {one['plies']}"]


def test_searches_are_through_however_long_it_took_to_come_to_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """What has to be compiled first may take a minute."""
    now_ns = [0]

    def slow_valuer(heuristic: str) -> agent_jobs.Valuer:
        now_ns[0] += 60 * 10**9
        return lambda position, player: 0.0

    monkeypatch.setattr("isolarium.limits.perf_counter_ns", lambda: now_ns[0])
    monkeypatch.setattr(agent_jobs, "valuer", slow_valuer)
    output = agent_jobs.values(
        {
            "game": "7/7/2A4/3x3/4B2/7/7 a",
            "exact": False,
            "heuristics": ["open"],
            "searches": ["alphabeta:improved@nodes=50"],
            "seed": 1,
        },
        lambda: False,
    )
    assert all(isinstance(one["searches"][0], float) for one in output["moves"])
    assert not output["stopped"]


def test_a_game_that_is_over_is_lost(server: Server) -> None:
    output = server.post("/api/values", {"game": "3x3: b2 a1"}).json()
    assert (output["value"], output["plies"], output["moves"]) == ("loses", 0, [])


@pytest.mark.parametrize(
    ("more", "part"),
    [
        ({"heuristics": ["improved", "open", "center"]}, "heuristics"),
        ({"heuristics": ["imroved"]}, "did you mean 'improved'"),
        ({"searches": ["oracle"]}, "expected at most nodes=50000 or ms=100"),
        ({"searches": ["alphabeta:improved@nodes=1e9"]}, "at most 5,000,000"),
        ({"exact": "yes"}, "exact"),
    ],
)
def test_too_much_or_wrong_is_refused(server: Server, more: dict[str, object], part: str) -> None:
    answer = server.post("/api/values", {"game": "7x7: d4 b3", **more})
    assert answer.status_code == 422
    assert part in answer.json()["error"]


def test_a_large_board_is_not_known_and_soon_said_so(server: Server) -> None:
    output = server.post("/api/values", {"game": "13x13: g7 a1"}).json()
    assert {one["value"] for one in output["moves"]} == {"unknown"}
    assert output["value"] == "unknown"


LINES = ["5/1A3/2x2/3B1/5 a", "4/1A2/2xx/B3 b", "xxx1/AB2/xxxx a"]


def after(position: Position, names: list[str]) -> Position:
    """The position after some moves."""
    for name in names:
        position = position.play(parse_square(name, position.board))
    return position


@pytest.mark.parametrize("game", LINES)
def test_the_winner_hurries_and_the_loser_resists(server: Server, game: str) -> None:
    position = parse_position(game)
    output = server.post("/api/line", {"game": game}).json()
    assert output["value"] == ("wins" if wins(position) else "loses")
    assert (output["exact"], output["ends"]) == (0, True)
    for made in range(len(output["moves"]) + 1):
        assert plies_of(after(position, output["moves"][:made])) == len(output["moves"]) - made


def test_before_it_is_known_how_soon_the_winners_moves_win_all_the_same(server: Server) -> None:
    output = server.post("/api/line", {"game": "7x7: d4 b3 c6 d2 e7 c4"}).json()
    assert output["exact"] > 0
    start = parse_position(output["position"])
    end = after(start, output["moves"]).outcome()
    assert output["ends"]
    assert end is not None
    assert (end.winner == start.to_move) == (output["value"] == "wins")


def test_what_is_past_solving_has_no_line(server: Server) -> None:
    output = server.post("/api/line", {"game": "13x13: g7 a1"}).json()
    assert (output["value"], output["moves"], output["ends"]) == ("unknown", [], False)
