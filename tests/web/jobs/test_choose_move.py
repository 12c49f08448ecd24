"""Thinking over a WebSocket: told of as it goes on, ended by a word, and bounded."""

import json
from collections.abc import Mapping
from itertools import count, pairwise
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from isolarium import limits
from isolarium.agents import parse_agent
from isolarium.game.record import read_game
from isolarium.web.jobs import choose_move
from tests.web.serving import Server
from tests.web.talking import talking

pytestmark = pytest.mark.slow

GAME = "7x7: d4 b3"
LEGAL = [str(move) for move in read_game(GAME).position.legal_moves()]


@pytest.mark.parametrize("search", ["strong:distance", "alphabeta:improved", "mcts", "minmax_approximation:improved"])
def test_a_search_is_told_of_while_it_goes_on_and_stops_when_asked_to(
    search: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticks = count(step=2 * choose_move.EVERY_MS * 1_000_000)  # it is time to emit at every look
    monkeypatch.setattr(limits, "perf_counter_ns", lambda: next(ticks))
    output: list[Mapping[str, Any]] = []
    request = {"game": GAME, "agent": f"{search}@nodes=1e15", "seed": 1}

    def is_enough() -> bool:
        return len(output) >= 3 and output[-1]["depth"] >= 1

    move = choose_move.think(request, output.append, is_enough)
    assert {words["kind"] for words in output} == {"thinking"}
    nodes = [0, *(words["nodes"] for words in output)]
    assert all(before < after for before, after in pairwise(nodes))
    assert nodes[-1] <= move["report"]["nodes"]
    assert output[-1]["pv"]
    assert move["stopped"] is True
    assert move["move"] in LEGAL


def test_thinking_is_heard_of_and_stopped_over_a_line(server: Server) -> None:
    with talking(f"{server.socket}/api/think") as line:
        line.say(id="a", game=GAME, agent="minimax:improved@depth=30", seed=1)
        thought = line.hear_until("thinking")
        assert (thought["id"], thought["nodes"] > 0) == ("a", True)
        line.say(id="a", stop=True)
        move = line.hear_until("move")
    assert (move["id"], move["stopped"]) == ("a", True)
    assert move["move"] in LEGAL


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
def test_what_is_wrong_is_said_and_the_line_stays_open(server: Server, message: dict[str, Any], part: str) -> None:
    with talking(f"{server.socket}/api/think") as line:
        line.say(**message)
        heard = line.hear_until("error")
        assert (heard["id"], heard["status"]) == (1, 422)
        assert part in heard["error"]
        line.say(id=2, game=GAME, agent="random")
        assert line.hear_until("move")["id"] == 2


@pytest.mark.parametrize(
    "text", ["{", "[]", "3", '"\\ud800"', "[" * 20_000, b"\x00\x01", '{"id": {}}', '{"id": "\\ud800"}']
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
