"""Meetings of two persons: what each may do, what is kept, and what everybody is told."""

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isolarium.errors import InputError
from isolarium.game.board import Board
from isolarium.game.position import Outcome, Player, Position, Reason
from isolarium.game.record import GameRecord
from isolarium.web import lobby as lobbies
from isolarium.web.friend_match import Action, Clock, EventLog, FriendMatch, Header, Seat, Terms
from isolarium.web.http_errors import HttpError
from isolarium.web.lobby import LiveMatch, Lobby
from tests.web.in_process import run

TERMS = Terms(board="5x5", opener_first=True)
TIMED = Terms(board="5x5", opener_first=True, clock=Clock(start_s=60, increment_s=2))


def want(match: FriendMatch, seat: Seat, do: str, move: str = "", spent_ms: int = 0) -> None:
    """Do what somebody wants who has seen everything."""
    asked = {"do": do, "game": match.game, "ply": len(match.moves), "move": move}
    event = match.event_for(seat, Action.model_validate(asked), spent_ms)
    if event is not None:
        match.apply(event)


def after(*moves: str, terms: Terms = TERMS) -> FriendMatch:
    """A match after these moves."""
    match = FriendMatch(terms)
    for at, move in enumerate(moves):
        want(match, 1 if at % 2 else 0, "move", move)
    return match


def test_a_move_that_comes_twice_or_too_late_changes_nothing() -> None:
    match = after("c3", "a1")
    again = Action(do="move", game=1, ply=0, move="c3")
    assert match.event_for(0, again, 0) is None
    with pytest.raises(HttpError, match="move 1 was already played: c3"):
        match.event_for(0, Action(do="move", game=1, ply=0, move="c4"), 0)
    assert match.event_for(0, Action(do="resign", game=2, ply=0), 0) is None
    assert match.event_for(1, Action(do="back", game=1, ply=1), 0) is None


def test_a_move_is_taken_back_when_both_agree() -> None:
    match = after("c3", "a1", "d5")
    want(match, 1, "back")  # whose move was before the last: both go back
    want(match, 1, "back")  # to ask twice is to ask once
    assert (match.question, len(match.moves)) == (("back", 1), 3)
    want(match, 0, "drop")
    assert (match.question, len(match.moves)) == (None, 3)
    want(match, 1, "back")
    want(match, 0, "back")
    assert [str(move) for move in match.moves] == ["c3"]
    assert match.position == Position.empty(Board(5, 5)).play("c3")
    with pytest.raises(HttpError, match="no move to take back"):
        want(match, 1, "back")


def test_a_rematch_changes_the_places_and_counts_what_was_won() -> None:
    match = after("c3", "a1")
    with pytest.raises(HttpError, match="no rematch yet"):
        want(match, 0, "rematch")
    want(match, 1, "resign")
    assert match.outcome == Outcome(Player.FIRST, Reason.RESIGNATION)
    want(match, 1, "rematch")
    want(match, 0, "rematch")
    assert (match.game, match.moves, match.won) == (2, [], [1, 0])
    with pytest.raises(HttpError, match="the other player's turn"):
        want(match, 0, "move", "c3")
    want(match, 1, "move", "c3")


def test_the_clock_runs_from_when_both_stand_and_the_server_keeps_it() -> None:
    match = after("c3", "a1", terms=TIMED)
    assert (match.left_ms, match.running) == ([60_000, 60_000], Player.FIRST)
    want(match, 0, "move", "d5", spent_ms=10_000)
    assert (match.left_ms, match.running) == ([52_000, 60_000], Player.SECOND)
    want(match, 1, "move", "b3", spent_ms=60_000)
    assert match.outcome == Outcome(Player.FIRST, Reason.TIME)
    assert len(match.moves) == 3


@pytest.mark.parametrize("seat", [0, 1])
def test_who_resigns_stops_the_clock_where_it_is(seat: Seat) -> None:
    match = after("c3", "a1", terms=TIMED)
    want(match, seat, "resign", spent_ms=20_000)
    assert match.left_ms == [40_000, 60_000]


Wish = tuple[Seat, str, int, str]
SQUARES = [str(square) for square in Board(3, 4).squares]
WISHES = st.tuples(
    st.sampled_from([0, 1]),
    st.sampled_from(["move", "move", "move", "move", "back", "rematch", "drop", "resign"]),
    st.sampled_from([0, 0, 0, 1]),
    st.sampled_from(SQUARES),
)


@settings(max_examples=40)
@given(wishes=st.lists(WISHES, max_size=60))
def test_whatever_is_wanted_the_file_and_the_rules_say_the_same(
    tmp_path_factory: pytest.TempPathFactory, wishes: list[Wish]
) -> None:
    folder = tmp_path_factory.mktemp("kept")
    head = Header(terms=Terms(board="3x4", opener_first=True), seats=("a", "b"), watch="w")
    file, live = EventLog.create(folder, "one", head), FriendMatch(head.terms)
    for seat, do, late, move in wishes:
        ply = max(0, len(live.moves) - late)
        asked = {"do": do, "game": live.game, "ply": ply, "move": move}
        try:
            event = live.event_for(seat, Action.model_validate(asked), 0)
        except (InputError, HttpError):
            continue
        if event is not None:
            file.append(event)
            live.apply(event)
    kept = file.read()[1]
    game = GameRecord(Position.empty(Board(3, 4)), tuple(live.moves), live.ending)
    assert (live.position, live.outcome) == (game.position, game.outcome())
    for name in ("game", "moves", "positions", "ending", "question", "won"):
        assert getattr(kept, name) == getattr(live, name)


def test_limits_forgetting_and_one_server_for_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1e9]
    monkeypatch.setattr(lobbies, "MOST_EACH", 2)
    lobby = Lobby(tmp_path, clock=lambda: now[0])
    first, _ = lobby.open(TERMS, "one"), lobby.open(TERMS, "one")
    with pytest.raises(HttpError, match="your address has 2 open games"):
        lobby.open(TERMS, "one")
    monkeypatch.setattr(lobbies, "MOST", 3)
    lobby.open(TERMS, "two")
    with pytest.raises(HttpError, match="it has 3 friend matches"):
        lobby.open(TERMS, "three")
    with pytest.raises(HttpError, match="another server"):
        Lobby(tmp_path).open(TERMS, "one")
    now[0] += lobbies.UNBEGUN_S + 1
    lobby.open(TERMS, "one")
    with pytest.raises(HttpError, match="it was removed"):
        lobby.find(first.seat)
    assert len(list(tmp_path.glob("*.meeting"))) == 1
    with pytest.raises(InputError, match="expected ROWSxCOLS"):
        lobby.open(Terms(board="2x2", opener_first=True), "one")
    lobby.close()


def open_room(folder: Path, terms: Terms) -> LiveMatch:
    lobby = Lobby(folder)
    live_match, _ = lobby.find(lobby.open(terms, "here").seat)
    lobby.close()
    return live_match


async def hear(live_match: LiveMatch, seat: Seat) -> dict[str, Any]:
    """What somebody in a seat is told once there is an outcome."""
    line = await live_match.enter(seat)
    while True:
        await line.news.wait()
        line.news.clear()
        if (output := live_match.state_for(seat))["outcome"]:
            return output


def test_a_flag_falls_without_anybody_asking(tmp_path: Path) -> None:
    async def within() -> None:
        live_match = open_room(tmp_path, TIMED)
        await live_match.act(0, Action(do="move", game=1, ply=0, move="c3"))
        live_match.match.left_ms = [1, 60_000]
        await live_match.act(1, Action(do="move", game=1, ply=1, move="a1"))
        output = await hear(live_match, 1)
        assert output["outcome"] == {"winner": "second", "reason": "time over"}
        assert output["clock"]["left_ms"] == [0, 60_000]
        assert live_match.file.read()[1].outcome == Outcome(Player.SECOND, Reason.TIME)

    run(within)


def test_what_cannot_be_written_down_does_not_happen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def within() -> None:
        live_match = open_room(tmp_path, TERMS)
        before = live_match.file.path.read_bytes()

        def full(handle: int) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space"):
            await asyncio.shield(live_match.act(0, Action(do="move", game=1, ply=0, move="c3")))
        assert (live_match.match.moves, live_match.file.path.read_bytes()) == ([], before)

    run(within)
