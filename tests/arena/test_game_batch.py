"""Games as columns: every value is kept exactly, and damaged or impossible batches are refused."""

import random
import re
import zlib
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from isolarium.arena import Conditions, batch_codec
from isolarium.arena.batch_codec import Fill, from_bytes, to_bytes
from isolarium.arena.game import Game
from isolarium.arena.game_batch import REASONS, GameBatch
from isolarium.arena.game_checks import GameRules, check_games, check_openings, check_span
from isolarium.arena.lines import Lines
from isolarium.arena.plan import match_plan
from isolarium.arena.schedule import Span
from isolarium.game import Board, Player, Position, Reason
from tests.strategies import boards

SCORES = (
    st.none()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.integers(-(1 << 63) + 1, (1 << 63) - 1)
    | st.integers(-50, 50)
    | st.sampled_from(["inf", "-inf", "win", "loss", "win 0", "win 5", "loss 999999"])
)
COUNTS = st.integers(-(1 << 63) + 1, (1 << 63) - 1) | st.integers(0, 1000)
TIMES = st.floats(0, 1e9) | st.integers(0, 10**6).map(lambda us: us / 1000)


@st.composite
def finished(draw: st.DrawFn, least: int = 0) -> tuple[Board, list[Game]]:
    """A board and up to four of its games, by random play, with values of every kind."""
    board = draw(boards(7))
    games = [draw(_finished(board, number)) for number in range(draw(st.integers(least, 4)))]
    return board, games


@st.composite
def _finished(draw: st.DrawFn, board: Board, number: int) -> Game:
    chance = random.Random(draw(st.integers(0, 1 << 32)))
    position, line, stop = Position.empty(board), list[str](), draw(st.integers(2, 60))
    while position.legal_moves() and (position.second is None or len(line) < stop):
        square = chance.choice(position.legal_moves())
        line.append(str(square))
        position = position.play(square)
    opening, ended = draw(st.integers(2, len(line))), position.outcome()
    count = len(line) - opening
    winner = ended.winner if ended else position.to_move.other
    if not ended and not count:
        winner = draw(st.sampled_from(Player))

    def each(values: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
        same: st.SearchStrategy[list[Any]] = values.map(lambda value: [value] * count)
        return same | st.lists(values, min_size=count, max_size=count)

    times_ms = draw(each(TIMES))
    return Game(
        encounter=draw(st.integers(0, 3)),
        pair=number,
        leg=number % 2,
        players=(number, 7 - number),
        opening=tuple(line[:opening]),
        moves=tuple(line[opening:]),
        winner=winner,
        reason=Reason.NO_MOVES if ended else draw(st.sampled_from(REASONS[1:])),
        note=draw(st.sampled_from(["", "agent: crashed", "é\N{SNOWMAN}" * 30])),
        scores=draw(each(SCORES)),
        depths=draw(each(COUNTS)),
        nodes=draw(each(COUNTS)),
        times_ms=times_ms,
        busy_ms=draw(st.just(times_ms) | each(TIMES)),
    )


def filled_from(batch: GameBatch) -> Fill:
    """Return the players and the openings of a batch whose bytes are read again."""

    def fill(*_: object) -> tuple[NDArray[np.int32], Lines]:
        return batch.players, batch.openings

    return fill


def reread(batch: GameBatch) -> GameBatch:
    return from_bytes(to_bytes(batch), batch.board, filled_from(batch))


@settings(max_examples=40)
@given(finished())
def test_columns_and_bytes_keep_every_value(found: tuple[Board, list[Game]]) -> None:
    board, games = found
    batch = GameBatch.from_games(board, games)
    check_games(batch)
    for same in (batch, reread(batch)):
        assert list(same) == games
        assert list(map(repr, same)) == list(map(repr, games))  # so 1 is not 1.0, nor 0.0 -0.0
    assert reread(batch).digest() == batch.digest()


@settings(max_examples=40)
@given(finished(least=1), st.data())
def test_batches_are_taken_apart_and_joined(found: tuple[Board, list[Game]], data: st.DataObject) -> None:
    board, games = found
    batch = GameBatch.from_games(board, games)
    places = data.draw(st.lists(st.integers(0, len(games) - 1)))
    assert list(batch.take(np.array(places, dtype=np.int64))) == [games[place] for place in places]
    singly = [GameBatch.from_games(board, [game]) for game in games]
    assert list(map(repr, GameBatch.concatenate(singly))) == list(map(repr, games))


@settings(max_examples=40)
@given(finished(least=1))
def test_columns_that_follow_from_others_are_those_of_the_games(found: tuple[Board, list[Game]]) -> None:
    board, games = found
    batch = GameBatch.from_games(board, games)
    assert batch.lengths.tolist() == [game.length for game in games]
    assert batch.winning_players.tolist() == [game.winning_player for game in games]
    assert batch.losing_players.tolist() == [game.losing_player for game in games]
    movers = [game.players[(len(game.opening) + place) % 2] for game in games for place in range(len(game.moves))]
    assert batch.move_players.tolist() == movers


# The rules


@cache
def rules_of(board: Board) -> GameRules:
    return GameRules(match_plan("random", "random", Conditions(pairs=9, board=str(board))))


CHANGES: tuple[Callable[[Game, random.Random], Game], ...] = (
    lambda game, chance: game,
    lambda game, chance: replace(game, winner=game.winner.other),
    lambda game, chance: replace(game, reason=chance.choice(REASONS)),
    lambda game, chance: replace(game, moves=tuple(chance.sample(game.moves, len(game.moves)))),
    lambda game, chance: replace(game, opening=game.opening[::-1]),
    lambda game, chance: replace(game, opening=game.opening[:-1]),
    lambda game, chance: replace(game, opening=(*game.opening, game.opening[0])),
    lambda game, chance: replace(game, opening=game.opening[1:]),
)


@settings(max_examples=40)
@given(finished(least=1), st.sampled_from(CHANGES), st.randoms(use_true_random=False))
def test_all_games_at_once_are_checked_like_each_by_itself(
    found: tuple[Board, list[Game]], change: Callable[[Game, random.Random], Game], chance: random.Random
) -> None:
    board, games = found
    place = chance.randrange(len(games))
    games[place] = replace(change(games[place], chance), encounter=0, leg=0, players=(0, 1))
    try:
        rules_of(board).check_game(games[place], lambda _: games[place].opening)
        problem = ""
    except ValueError as error:
        problem = str(error)
    if problem:
        with pytest.raises(ValueError, match=f"^{re.escape(f'game 0, {place}, 0: {problem}')}$"):
            check_games(GameBatch.from_games(board, games))
    else:
        check_games(GameBatch.from_games(board, games))


def test_openings_are_checked_by_the_rules() -> None:
    board = Board(5, 5)
    check_openings(board, Lines.of_texts(board, [["a1", "c3"], ["a1", "c3", "b3", "e4"]]))
    for wrong in (["a1"], [], ["a1", "a1"], ["a1", "c3", "c2", "a1"], ["a1", "c3", "b2"]):
        with pytest.raises(ValueError, match="against the rules: " + " ".join(wrong)):
            check_openings(board, Lines.of_texts(board, [["a1", "c3"], wrong]))


# Bytes from anywhere


def sample() -> GameBatch:
    board, opening = Board(3, 3), ("a1", "c3")
    by_rule = Game(0, 4, 0, (0, 1), opening, (), Player.SECOND, Reason.CRASH, "one", [], [], [], [], [])
    games = [by_rule, replace(by_rule, leg=1, players=(1, 0), note="two")]
    return GameBatch.from_games(board, games)


def test_every_damaged_byte_is_detected() -> None:
    batch = sample()
    data = to_bytes(batch)
    for place in range(len(data)):
        damaged = data[:place] + bytes([data[place] ^ 1 << place % 8]) + data[place + 1 :]
        with pytest.raises(ValueError, match="batch"):
            from_bytes(damaged, batch.board, filled_from(batch))
    for end in range(len(data)):
        with pytest.raises(ValueError, match="batch"):
            from_bytes(data[:end], batch.board, filled_from(batch))


@given(st.data())
def test_bytes_with_a_valid_checksum_are_a_batch_or_refused(data: st.DataObject) -> None:
    batch = sample()
    content = bytearray(to_bytes(batch)[: -batch_codec.DIGEST_BYTES])
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(4, len(content) - 1))] = data.draw(st.integers(0, 255))
    sealed = bytes(content) + batch_codec.digest(bytes(content))
    try:
        found = from_bytes(sealed, batch.board, filled_from(batch), most_games=10)
    except ValueError:
        return
    assert all(isinstance(game, Game) for game in found)


def test_a_body_that_expands_beyond_its_size_is_refused() -> None:
    batch = sample()
    head = bytearray(to_bytes(batch)[: batch_codec.HEADER.size])
    bomb = zlib.compress(bytes(1 << 24), 9)
    values = list(batch_codec.HEADER.unpack(head))
    values[1], values[8] = batch_codec.COMPRESSED, len(bomb)
    content = batch_codec.HEADER.pack(*values) + bomb
    with pytest.raises(ValueError, match="sizes are wrong"):
        from_bytes(content + batch_codec.digest(content), batch.board, filled_from(batch))


@pytest.mark.parametrize(
    ("span", "problem"),
    [
        (Span(0, 4, 5), None),
        (Span(0, 4, 6), "nothing in place of game 0, 5, 0"),
        (Span(0, 3, 4), "game 0, 4, 0 in place of game 0, 3, 0"),
        (Span(1, 4, 5), "game 0, 4, 0 in place of game 1, 4, 0"),
        (Span(0, 4, 4), "2 games; expected 0"),
    ],
)
def test_a_batch_is_exactly_the_games_of_its_span(span: Span, problem: str | None) -> None:
    if problem is None:
        check_span(sample(), span)
    else:
        with pytest.raises(ValueError, match=problem):
            check_span(sample(), span)


def test_the_time_of_each_agent_is_shared_out_by_nodes() -> None:
    board = Board(5, 5)
    moves = Lines.of_texts(board, [["b3", "b1", "d4"], ["b3"]])
    batch = GameBatch.of_span(
        board,
        encounter=0,
        first_pair=3,
        players=(0, 1),
        openings=Lines.of_texts(board, [["a1", "c3"]]),
        moves=moves,
        winners=np.array([1, 0], dtype=np.uint8),
        reasons=np.array([2, 2], dtype=np.uint8),
        scores=np.zeros(4),
        kinds=np.zeros(4, dtype=np.uint8),
        depths=np.array([1, 2, 3, 4]),
        nodes=np.array([99, 299, 199, 99]),
        seconds=(0.6, 0.8),
    )
    for same in (batch, reread(batch)):
        check_span(same, Span(0, 3, 4))
        assert [game.times_ms for game in same] == [[200.0, 600.0, 400.0], [200.0]]
        assert [game.players for game in same] == [(0, 1), (1, 0)]
    assert [game.times_ms for game in batch.take(np.array([0]))] == [[200.0, 600.0, 400.0]]
