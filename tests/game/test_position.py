import json
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from isolarium.errors import InputError
from isolarium.game import Board, GameRecord, Outcome, Player, Position, Reason, Square, parse_position, parse_square
from tests.strategies import boards, games, positions

PERFT = json.loads((Path(__file__).parents[1] / "data" / "perft.json").read_text())
BOARD = Board(5, 5)


def perft_start(case: dict[str, Any]) -> Position:
    board = Board(case["rows"], case["cols"])
    if case.get("empty"):
        return Position.empty(board)
    first, second = Square(*case["first"]), Square(*case["second"])
    blank = board.full & ~board.mask_of([first, second])
    return Position(board, blank, first, second, Player.FIRST)


def add_sequences(position: Position, counts: list[int], depth: int = 0) -> None:
    moves = position.legal_moves()
    counts[depth] += len(moves)
    if depth + 1 < len(counts):
        for move in moves:
            add_sequences(position.play(move), counts, depth + 1)


@pytest.mark.parametrize("case", PERFT["cases"], ids=lambda case: str(perft_start(case)))
def test_perft(case: dict[str, Any]) -> None:
    counts = [0] * len(case["counts"])
    add_sequences(perft_start(case), counts)
    assert counts == case["counts"]


@given(boards())
def test_the_first_player_may_place_itself_anywhere_on_an_empty_board(board: Board) -> None:
    start = Position.empty(board)
    assert start.placing
    assert start.to_move is Player.FIRST
    assert start.blank_count == board.size
    assert start.legal_moves() == board.squares


@given(positions())
def test_legal_moves_are_blank_and_a_knights_move_away_once_placed(position: Position) -> None:
    stood_on = position.mover
    expected = [
        square
        for square in position.board.squares
        if position.is_blank(square)
        and (stood_on is None or {abs(square.row - stood_on.row), abs(square.col - stood_on.col)} == {1, 2})
    ]
    assert list(position.legal_moves()) == expected
    assert [s for s in position.board.squares if position.is_legal(s)] == expected


@given(positions())
def test_playing_moves_one_player_blocks_one_square_and_passes_the_turn(position: Position) -> None:
    mover = position.to_move
    for square in position.legal_moves():
        after = position.play(square)
        assert after.square_of(mover) == square
        assert after.square_of(mover.other) == position.square_of(mover.other)
        assert after.blank == position.blank - (1 << position.board.index(square))
        assert after.to_move is mover.other


@given(positions())
def test_a_successor_is_what_the_checked_constructor_builds(position: Position) -> None:
    for square in position.legal_moves():
        after = position.play(square)
        built = Position(after.board, after.blank, after.first, after.second, after.to_move)
        assert built == after
        assert hash(built) == hash(after)


@given(games())
def test_a_square_stood_on_is_never_blank_again(game: GameRecord) -> None:
    for number, position in enumerate(game.positions()):
        assert not any(position.is_blank(square) for square in game.moves[:number])


@given(positions())
def test_a_player_with_no_legal_move_loses(position: Position) -> None:
    lost = Outcome(position.to_move.other, Reason.NO_MOVES)
    assert position.outcome() == (None if position.legal_moves() else lost)


@given(positions())
def test_why_illegal_gives_a_reason_exactly_when_play_raises(position: Position) -> None:
    for square in (*position.board.squares, Square(-1, 0), Square(0, 13)):
        why = position.why_illegal(square)
        assert (why is None) == position.is_legal(square)
        if why is not None:
            with pytest.raises(InputError) as refused:
                position.play(square)
            assert str(refused.value) == f"{square}: {why}"


@given(positions())
def test_mover_and_other_are_the_two_players_squares(position: Position) -> None:
    assert position.mover == position.square_of(position.to_move)
    assert position.other == position.square_of(position.to_move.other)
    assert position.placing == (position.mover is None)


@given(positions())
def test_pickling_and_repr_give_an_equal_position(position: Position) -> None:
    assert pickle.loads(pickle.dumps(position)) == position
    assert eval(repr(position), {"parse_position": parse_position}) == position


def test_squares_are_accepted_as_plain_pairs() -> None:
    after = Position.empty(BOARD).play((2, 2))  # type: ignore[arg-type]  # what callers may hold
    assert isinstance(after.first, Square)


@pytest.mark.parametrize(
    ("position", "square", "message"),
    [
        ("3/3/3 a", (3, 0), "a4: off the 3x3 board, whose squares are a1 to c3"),
        ("3/3/3 a", (-1, 0), "[-1, 0]: off the 3x3 board, whose squares are a1 to c3"),
        ("x2/3/3 a", (0, 0), "a1: blocked; expected a blank square"),
        ("A2/3/3 b", (0, 0), "a1: blocked; expected a blank square"),
        ("A2/3/2B a", (1, 1), "b2: not a knight's move from a1; expected one of c2, b3"),
        ("A2/2x/2B a", (1, 2), "c2: blocked; expected b3"),
        ("A2/3/2B a", (0, 0), "a1: blocked; expected one of c2, b3"),
        ("A2/3/2B b", (2, 2), "c3: blocked; expected one of b1, a2"),
        ("A2/2x/1x1/2B a", (1, 1), "b2: the game is over, second wins (no moves)"),
        ("xxx/xxx/xxx a", (1, 1), "b2: the game is over, second wins (no moves)"),
    ],
)
def test_an_illegal_move_is_refused_by_name(position: str, square: tuple[int, int], message: str) -> None:
    with pytest.raises(InputError) as refused:
        parse_position(position).play(Square(*square))
    assert str(refused.value) == message


ONE, TWO, OFF = Square(0, 0), Square(4, 4), Square(5, 0)
ALL_BUT_ONE, ALL_BUT_BOTH = BOARD.full - 1, BOARD.full - 1 - (1 << 24)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ((BOARD.full + 1, None, None, Player.FIRST), "blank squares off the 5x5 board"),
        ((-1, None, None, Player.FIRST), "blank squares off the 5x5 board"),
        ((BOARD.full, None, None, Player.SECOND), "expected first to move"),
        ((ALL_BUT_ONE, ONE, None, Player.FIRST), "expected second to move"),
        ((ALL_BUT_ONE, None, ONE, Player.FIRST), "the first is not"),
        ((ALL_BUT_ONE, None, ONE, Player.SECOND), "the first is not"),
        ((BOARD.full, ONE, None, Player.SECOND), "a1: the first player stands there"),
        ((ALL_BUT_ONE, ONE, TWO, Player.FIRST), "e5: the second player stands there"),
        ((ALL_BUT_ONE, ONE, ONE, Player.FIRST), "a1: both players stand there"),
        ((ALL_BUT_BOTH, OFF, TWO, Player.FIRST), "a6: off the 5x5 board"),
        ((ALL_BUT_BOTH, ONE, OFF, Player.FIRST), "a6: off the 5x5 board"),
    ],
)
def test_inconsistent_positions_are_refused(
    parts: tuple[int, Square | None, Square | None, Player], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        Position(BOARD, *parts)


@pytest.mark.parametrize("to_move", list(Player))
def test_either_player_may_be_to_move_once_both_are_placed(to_move: Player) -> None:
    position = Position(BOARD, ALL_BUT_BOTH, ONE, TWO, to_move)
    assert position.mover == (ONE, TWO)[to_move]


def test_players_and_outcomes_as_text() -> None:
    assert [f"{player}" for player in Player] == ["first", "second"]
    assert [player.other for player in Player] == [Player.SECOND, Player.FIRST]
    outcome = Outcome(Player.SECOND, Reason.TIME)
    assert outcome.loser is Player.FIRST
    assert str(outcome) == "second wins (time over)"


def test_the_rules_need_no_compiler() -> None:
    heavy = "{'numba', 'numpy'} & set(sys.modules)"
    program = f"import sys, isolarium.game; sys.exit(str({heavy}) if {heavy} else 0)"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_move_may_be_a_text() -> None:
    position = parse_position("7/7/2A4/3x3/4B2/7/7 a")
    assert position.play("e4") == position.play(parse_square("e4", position.board))
    with pytest.raises(InputError, match=r"^square 'z9': expected a1 to g7 on 7x7$"):
        position.play("z9")
    with pytest.raises(InputError, match="not a knight's move from c3"):
        position.play("c4")


@pytest.mark.parametrize("wrong", [None, 5, 2.5])
def test_moving_to_what_is_not_a_square_says_so(wrong: Any) -> None:
    with pytest.raises(InputError, match=f"^{wrong}: not a square; expected one such as g7$"):
        parse_position("7/7/2A4/3x3/4B2/7/7 a").play(wrong)


def test_a_square_may_be_a_pair_of_numbers() -> None:
    position = parse_position("7/7/2A4/3x3/4B2/7/7 a")
    pair: Any = (3, 4)
    assert (position.play(pair), position.why_illegal(pair)) == (position.play("e4"), None)
    assert position.why_illegal((9, 9)) == position.board.off_board


@pytest.mark.parametrize("asked", ["is_legal", "is_blank"])
def test_a_text_is_not_accepted_as_a_square(asked: str) -> None:
    position = Position.empty(Board(5, 5))
    with pytest.raises(InputError, match=r"square 'a1': a text; expected a Square"):
        getattr(position, asked)("a1")
    assert "a text; expected a Square" in str(position.why_illegal("a1"))
    assert position.play("a1").first == Square(0, 0)
