"""Reading games, and moves by HTTP."""

import json
from itertools import count

import httpx
import pytest

from isolarium.agents import parse_agent
from isolarium.game.notation import parse_position
from isolarium.game.record import read_game
from isolarium.web.jobs import agent_jobs
from tests.web.serving import Server

pytestmark = pytest.mark.slow

GAME = "7x7: d4 b3 e6"


def test_what_there_is_to_choose_from(server: Server) -> None:
    output = server.get("/api/agents").json()
    assert {"alphabeta", "mcts", "oracle"} <= {search["name"] for search in output["searches"]}
    improved = next(one for one in output["heuristics"] if one["name"] == "improved")
    assert improved["formula"]
    assert [level["level"] for level in output["levels"]] == list(range(1, len(output["levels"]) + 1))
    for level in output["levels"]:
        parse_agent(level["agent"]).close()
    parse_agent(output["hint"]).close()
    assert output["needs_token"] is False
    assert "7x7" in output["boards"]["solved"]


@pytest.mark.parametrize(
    "text", [GAME, '{"board": "7x7", "moves": ["d4", "b3", "e6"]}', "[[3, 3], [2, 1], [5, 4]]", " 7x7:  d4 b3\ne6 "]
)
def test_every_notation_is_read(server: Server, text: str) -> None:
    read = server.post("/api/read", {"text": text}).json()
    position = read_game(GAME).position
    assert read["text"] == GAME
    assert read["moves"] == ["d4", "b3", "e6"]
    assert json.loads(read["json"])["moves"] == read["moves"]
    assert json.loads(read["replay"]) == [[3, 3], [2, 1], [5, 4]]
    assert read["position"] == str(position)
    assert read["legal"] == [str(move) for move in position.legal_moves()]
    assert (read["to_move"], read["outcome"]) == ("second", None)


def test_an_agent_is_read_or_refused(server: Server) -> None:
    read = server.post("/api/agent", {"agent": "alphabeta:improved@nodes=10"})
    assert read.json() == {"agent": "alphabeta:improved@nodes=10"}
    for wrong in ("alphabeta:impr", "alphabeta:nothing-like-it", "random@nodes=1"):
        refused = server.post("/api/agent", {"agent": wrong})
        assert refused.status_code == 422
        assert "isolarium" not in refused.json()["error"]  # people at pages have no command line
    assert server.post("/api/agent", {"agent": "engine:/bin/true"}).status_code == 403


def test_a_position_alone_is_a_game_that_begins_there(server: Server) -> None:
    text = "3/AxB/3 a"
    read = server.post("/api/read", {"text": text}).json()
    assert (read["start"], read["moves"], read["replay"]) == (text, [], None)
    assert read["legal"] == ["c1", "c3"]


def test_a_finished_game_says_who_won(server: Server) -> None:
    read = server.post("/api/read", {"text": "3x3: b2 a1"}).json()
    assert read["outcome"] == {"winner": "second", "reason": "no moves"}
    assert read["legal"] == []


@pytest.mark.parametrize(
    ("body", "part"),
    [
        ({"text": "7x7: d4 d5 e5"}, "move 3 (e5): not a knight's move from d4"),
        ({"text": "99x99: a1"}, "expected a board such as 7x7"),
        ({"text": "\ud800"}, "text"),
        ({"text": 3}, "text"),
        ({}, "text"),
        ({"text": GAME, "more": 1}, "more"),
        ({"text": "[" * 7_000}, "exceeds the limits"),
        ({"text": "[[3, 3]]", "board": "2x2"}, "board '2x2'"),
    ],
)
def test_what_is_no_game_is_refused_in_one_line(server: Server, body: dict[str, object], part: str) -> None:
    sent = json.dumps(body).encode()  # which can say what no text can hold
    answer = server.post_bytes("/api/read", sent, "application/json")
    assert answer.status_code == 422
    assert part in answer.json()["error"]
    assert "\n" not in answer.json()["error"]


@pytest.mark.parametrize(
    "agent",
    [
        "alphabeta:improved@nodes=2000",
        "random",
        "greedy:open",
        "mcts@nodes=3000",
        "strong:staged(first=improved, then=distance(f=arctan), at=0.4)@nodes=2000",
    ],
)
def test_a_move_is_what_the_agent_plays_with_that_seed(server: Server, agent: str) -> None:
    answer = server.post("/api/move", {"game": "7x7: d4 b3", "agent": agent, "seed": 5})
    asked = parse_agent(agent)
    asked.new_game(5)
    choice = asked.choose(read_game("7x7: d4 b3").position)
    output = answer.json()
    assert output["move"] == str(choice.move)
    assert output["report"]["nodes"] == choice.report.nodes
    assert output["report"]["pv"] == [str(square) for square in choice.report.pv]
    assert output["agent"] == asked.name


def test_a_game_may_start_from_any_position(server: Server) -> None:
    start = "5/1A3/2x2/3B1/5 b"
    answer = server.post("/api/move", {"game": f"{start}: b5", "agent": "oracle"})
    position = parse_position(start).play(next(iter(read_game(f"{start}: b5").moves)))
    assert answer.json()["move"] in [str(move) for move in position.legal_moves()]
    assert answer.json()["report"]["proven"] is True


@pytest.mark.parametrize(
    ("agent", "part"),
    [
        ("alphabeta:improved@nodes=1000000000", "nodes=1e+09: expected at most 5,000,000"),
        ("alphabeta:improved@ms=60000", "ms=60000: expected at most 10,000"),
        ("minimax:open@depth=31", "depth=31: expected at most 30"),
        ("champion(threads=2):open", "threads=2: expected 1 here"),
        ("alphabeta:imroved", "did you mean 'improved'"),
        ("nobody", "no search named 'nobody'"),
        ("x" * 501, "500 characters"),
        ("", "expected text that is not empty"),
        ("alphabeta:" + "staged(" * 60, "parentheses at most 8 deep"),
    ],
)
def test_agents_that_cannot_be_had_are_named(server: Server, agent: str, part: str) -> None:
    answer = server.post("/api/move", {"game": "7x7: d4 b3", "agent": agent})
    assert answer.status_code == 422
    assert part in answer.json()["error"]


def test_no_option_is_offered_that_is_refused(server: Server) -> None:
    searches = server.get("/api/agents").json()["searches"]
    offered = {option["name"] for search in searches for option in search["options"]}
    assert "c" in offered
    assert "threads" not in offered


def test_a_body_that_is_no_json_is_told_so(server: Server) -> None:
    output = {"Content-Type": "application/json"}
    answer = httpx.post(f"{server.address}/api/move", content="x", headers=output)
    assert answer.status_code == 422
    assert answer.json()["error"] == "the body is not JSON; expected a JSON object"


def test_a_game_that_is_over_has_no_move(server: Server) -> None:
    answer = server.post("/api/move", {"game": "3x3: b2 a1", "agent": "random"})
    assert answer.status_code == 422
    assert "the game is over" in answer.json()["error"]


def test_a_depth_that_would_take_for_ever_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent_jobs, "MS", 200)
    wanted = {"game": "7x7: d4 b3", "agent": "minimax:improved@depth=30", "seed": 1}
    answer = agent_jobs.think(wanted, lambda: False)
    assert answer["stopped"] is True
    assert answer["report"]["ms"] >= 200
    assert answer["move"] in [str(move) for move in read_game("7x7: d4 b3").position.legal_moves()]


@pytest.mark.parametrize("search", ["strong:distance", "alphabeta:improved", "mcts", "minmax_approximation:improved"])
def test_a_search_stops_when_asked_to(search: str) -> None:
    looks = count()
    wanted = {"game": "7x7: d4 b3", "agent": f"{search}@nodes=1e15", "seed": 1}
    answer = agent_jobs.think(wanted, lambda: next(looks) >= 3)
    assert answer["stopped"] is True
    assert answer["report"]["nodes"] > 0
    assert answer["move"] in [str(move) for move in read_game("7x7: d4 b3").position.legal_moves()]


@pytest.mark.parametrize(
    ("body", "part"),
    [
        ({"game": "7x7: d4 d4", "agent": "random"}, "move 2 (d4): blocked"),
        ({"game": GAME}, "agent"),
        ({"game": GAME, "agent": "random", "seed": -1}, "seed"),
        ({"game": GAME, "agent": "random", "more": 1}, "more"),
    ],
)
def test_what_is_wrong_with_a_request_is_said(server: Server, body: dict[str, object], part: str) -> None:
    answer = server.post("/api/move", body)
    assert answer.status_code == 422
    assert part in answer.json()["error"]
