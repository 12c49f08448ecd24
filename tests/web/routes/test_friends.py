"""A friend by link, as clients of any kind have it: the server believes nobody, and loses nothing when it is killed."""

import json
import signal
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from isolarium.web.lobby import TOKEN_BYTES
from tests.web.serving import Server, serving
from tests.web.talking import Line, talking

pytestmark = pytest.mark.slow


def open_game(server: Server, **wanted: Any) -> dict[str, str]:
    opened: dict[str, str] = server.post("/api/friend", {"first": "me", **wanted}).raise_for_status().json()
    return opened


class Party(ExitStack):
    """Connections that are closed together."""

    def __init__(self, server: Server) -> None:
        super().__init__()
        self._address = f"{server.socket}/api/friend"

    def come(self, token: str) -> tuple[Line, dict[str, Any]]:
        """Enter with a token; the line, and what is said first."""
        line = self.enter_context(talking(self._address))
        line.say(token=token)
        return line, line.hear()

    def refused(self, message: str) -> int:
        """What status a first message gets."""
        line = self.enter_context(talking(self._address))
        line.connection.send(message)
        status: int = line.hear_until("error")["status"]
        return status


def move(line: Line, ply: int, square: str) -> None:
    line.say(do="move", game=1, ply=ply, move=square)


def moves_of(line: Line, count: int) -> list[str]:
    """The moves, as soon as the line has heard of so many."""
    while len((output := line.hear_until("game"))["moves"]) != count:
        pass
    found: list[str] = output["moves"]
    return found


def test_seats_are_kept_apart_and_nothing_a_client_sends_is_believed(server: Server) -> None:
    tokens = open_game(server)
    assert len(set(tokens.values())) == 3
    assert all(len(token) * 6 >= TOKEN_BYTES * 8 >= 128 for token in tokens.values())
    with Party(server) as party:
        mine, output = party.come(tokens["seat"])
        assert (output["you"], output["there"], output["came"]) == ("first", [True, False], [True, False])
        assert tokens["seat"] not in json.dumps(output)
        friend, output = party.come(tokens["friend"])
        assert (output["you"], output["watch"]) == ("second", tokens["watch"])
        watcher, output = party.come(tokens["watch"])
        assert (output["you"], output["watching"]) == (None, 1)

        move(friend, 0, "d4")
        assert friend.hear_until("error")["error"] == "it is the other player's turn"
        move(watcher, 0, "d4")
        assert watcher.hear_until("error")["status"] == 403
        for bad in ('{"do": "move"}', "[]", '{"do": "win", "game": 1, "ply": 0}', "7", "null"):
            mine.connection.send(bad)
            assert mine.hear_until("error")["status"] == 422
        for square in ("z9", "", "d4 ", "D4"):
            move(mine, 0, square)
        move(mine, 1, "d4")
        answers = [mine.hear_until("error", "heard")["kind"] for _ in range(5)]
        assert answers == ["error", "error", "heard", "error", "error"]

        second_tab, output = party.come(tokens["seat"])
        assert output["moves"] == ["d4"]
        move(second_tab, 0, "d4")
        assert second_tab.hear_until("error", "heard")["kind"] == "heard"
        move(second_tab, 0, "e4")
        assert second_tab.hear_until("error")["status"] == 409
        move(friend, 1, "d4")
        assert "blocked" in friend.hear_until("error")["error"]
        move(friend, 1, "b3")
        for line in (mine, second_tab, watcher):
            assert moves_of(line, 2) == ["d4", "b3"]

        for hello in ("{", "7", '{"token": 7}', '{"token": ""}', json.dumps({"token": "x" * 600})):
            assert party.refused(hello) == 422
        assert party.refused(json.dumps({"token": tokens["seat"][:-1]})) == 404
        mine.connection.send("x" * 600)
        assert mine.hear_until("error")["status"] == 422  # and is talked to no longer
        while watcher.hear_until("game")["there"] != [True, True]:
            pass  # the second tab is still there

    refused = {"board": "2x2"}, {"first": "she"}, {"clock": {"start_s": 1}}, {"clock": 5}, {"x": 1}
    for wanted in refused:
        assert server.post("/api/friend", wanted).status_code == 422
    other = server.post("/api/friend", {}, headers={"Origin": "http://other.example"})
    assert other.status_code == 403


def test_games_outlive_a_server_that_is_killed(tmp_path: Path) -> None:
    with serving(tmp_path / "runs") as server:
        tokens = open_game(server, board="5x5", clock={"start_s": 600, "increment_s": 1})
        with Party(server) as party:
            mine, _ = party.come(tokens["seat"])
            friend, _ = party.come(tokens["friend"])
            move(mine, 0, "c3")
            assert moves_of(friend, 1) == ["c3"]
            move(friend, 1, "a1")
            assert moves_of(mine, 2) == ["c3", "a1"]
            friend.say(do="back", game=1, ply=2)
            while not (output := mine.hear_until("game"))["question"]:
                pass
        server.end(signal.SIGKILL)
    with serving(tmp_path / "runs") as server, Party(server) as party:
        mine, again = party.come(tokens["seat"])
        for name in ("moves", "question", "came", "board", "won"):
            assert again[name] == output[name]
        assert again["clock"]["running"] == "first"
        move(mine, 1, "a1")  # it was never answered, and is said again
        assert mine.hear_until("error", "heard")["kind"] == "heard"
        move(mine, 2, "d5")
        assert moves_of(mine, 3) == ["c3", "a1", "d5"]
        _, output = party.come(tokens["watch"])
        assert output["moves"] == ["c3", "a1", "d5"]


def test_a_message_that_is_too_large_ends_the_connection(server: Server) -> None:
    with talking(f"{server.socket}/api/friend") as line:
        line.say(token="x" * 70_000)
        with pytest.raises(ConnectionClosed) as closed:
            line.hear()
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1009
