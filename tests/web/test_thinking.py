"""Thinking over a WebSocket: told of as it goes on, ended by a word, and bounded."""

import json
from contextlib import ExitStack
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed

from isolab.agents import parse_agent
from isolab.game.record import read_game
from tests.web.serving import Server
from tests.web.talking import talking

GAME = "7x7: d4 b3"
LONG = "strong:distance@ms=9000"


def test_a_search_is_told_of_while_it_goes_on_and_stops_at_a_word(server: Server) -> None:
    with talking(f"{server.socket}/api/think") as line:
        line.say(id="a", game=GAME, agent=LONG, seed=1)
        heard = [line.hear_until("thinking") for _ in range(3)]
        assert {one["id"] for one in heard} == {"a"}
        nodes = [one["nodes"] for one in heard]
        assert 0 < nodes[0] < nodes[1] < nodes[2]
        assert heard[-1]["depth"] >= 1
        assert heard[-1]["pv"]
        line.say(id="a", stop=True)
        move = line.hear_until("move")
    assert move["stopped"] is True
    assert move["report"]["ms"] < 8000
    assert move["move"] in [str(one) for one in read_game(GAME).position.legal_moves()]


@pytest.mark.parametrize("agent", ["mcts@ms=400", "minmax_approximation:improved@ms=400"])
def test_other_searches_are_told_of_too(server: Server, agent: str) -> None:
    with talking(f"{server.socket}/api/think") as line:
        line.say(id=1, game=GAME, agent=agent)
        assert line.hear_until("thinking", "move")["kind"] == "thinking"
        assert line.hear_until("move")["stopped"] is False


def test_several_at_once_each_get_their_own_answer(server: Server) -> None:
    agents = ["random", "greedy:open", "alphabeta:improved@nodes=500", "oracle@nodes=20000"]
    with talking(f"{server.socket}/api/think") as line:
        for number, agent in enumerate(agents):
            line.say(id=number, game=GAME, agent=agent, seed=3)
        found = dict[int, str]()
        while len(found) < len(agents):
            move = line.hear_until("move")
            found[move["id"]] = move["move"]
    for number, spec in enumerate(agents):
        asked = parse_agent(spec)
        asked.new_game(3)
        assert found[number] == str(asked.choose(read_game(GAME).position).move)


@pytest.mark.parametrize(
    ("message", "part"),
    [
        ({"id": 1, "game": GAME, "agent": "alphabeta:improved@nodes=1e9"}, "at most 5,000,000"),
        ({"id": 1, "game": "7x7: d4 d4", "agent": "random"}, "move 2 (d4): blocked"),
        ({"id": 1, "game": GAME}, "agent"),
        ({"id": 1, "game": GAME, "agent": "random", "seed": -1}, "seed"),
        ({"id": 1, "game": GAME, "agent": "random", "more": 1}, "more"),
        ({"id": 1, "stop": "yes"}, "stop"),
        ({"id": 1, "game": "3x3: b2 a1", "agent": "random"}, "the game is over"),
    ],
)
def test_what_is_wrong_is_said_and_the_line_stays_open(
    server: Server, message: dict[str, Any], part: str
) -> None:
    with talking(f"{server.socket}/api/think") as line:
        line.say(**message)
        heard = line.hear_until("error")
        assert (heard["id"], heard["status"]) == (1, 422)
        assert part in heard["error"]
        line.say(id=2, game=GAME, agent="random")
        assert line.hear_until("move")["id"] == 2


@pytest.mark.parametrize(
    "text",
    ["{", "[]", "3", '"\\ud800"', "[" * 20_000, b"\x00\x01", '{"id": {}}', '{"id": "\\ud800"}'],
)
def test_nonsense_is_answered_without_an_id(server: Server, text: str | bytes) -> None:
    with talking(f"{server.socket}/api/think") as line:
        line.connection.send(text)
        heard = line.hear()
        assert (heard["id"], heard["kind"], heard["status"]) == (None, "error", 422)


def test_a_message_that_is_too_large_ends_the_connection(server: Server) -> None:
    with talking(f"{server.socket}/api/think") as line:
        line.connection.send(json.dumps({"id": 1, "game": "x" * 70_000, "agent": "random"}))
        with pytest.raises(ConnectionClosed) as closed:
            line.hear()
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1009


def test_one_connection_has_only_so_much_at_work(server: Server) -> None:
    with talking(f"{server.socket}/api/think") as line:
        for number in range(5):
            line.say(id=number, game=GAME, agent=LONG)
        busy = line.hear_until("busy")
        assert busy["id"] == 4
        assert busy["retry_ms"] > 0
        line.say(id=0, game=GAME, agent=LONG)
        assert "still at work" in line.hear_until("error")["error"]


def test_who_vanishes_is_searched_for_no_longer(server: Server) -> None:
    """Every long search of one who has gone would keep the next one waiting for seconds."""
    for _ in range(6):
        with talking(f"{server.socket}/api/think") as line:
            for number in range(4):
                line.say(id=number, game=GAME, agent="mcts@ms=10000")
            line.connection.socket.close()  # no goodbye
    with talking(f"{server.socket}/api/think") as line:
        line.say(id=1, game=GAME, agent="strong:distance@ms=150")
        line.say(id=2, game=GAME, agent="alphabeta:improved@nodes=300")
        answers = {(move := line.hear_until("move"))["id"]: move for _ in range(2)}
    assert answers.keys() == {1, 2}


def test_a_full_queue_is_busy_for_long_searches_and_not_for_quick_ones(server: Server) -> None:
    quick = {"game": GAME, "agent": "alphabeta:improved@nodes=8000"}
    assert server.post("/api/move", quick).status_code == 200  # loaded by now
    with ExitStack() as stack:
        for _ in range(20):
            line = stack.enter_context(talking(f"{server.socket}/api/think"))
            for number in range(4):
                line.say(id=number, game=GAME, agent="mcts@ms=10000")
        assert line.hear_until("busy")["retry_ms"] == 1000
        busy = server.post("/api/move", {"game": GAME, "agent": LONG})
        assert (busy.status_code, busy.headers["retry-after"]) == (503, "1")
        assert busy.json()["error"].startswith("busy: ")
        assert server.post("/api/move", quick).status_code == 200
    assert server.post("/api/move", {"game": GAME, "agent": "mcts@ms=60"}).status_code == 200


def test_who_hangs_up_on_http_is_searched_for_no_longer(server: Server) -> None:
    for _ in range(4):
        with pytest.raises(httpx.ReadTimeout):
            httpx.post(
                f"{server.address}/api/move",
                json={"game": GAME, "agent": "mcts@ms=10000"},
                timeout=httpx.Timeout(60, read=0.2),
            )
    answer = server.post("/api/move", {"game": GAME, "agent": "mcts(c=1)@nodes=60000"})
    assert answer.status_code == 200
    assert answer.elapsed.total_seconds() < 15
