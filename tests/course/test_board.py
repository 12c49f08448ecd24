"""The course's `Board`, each thing that is known of it."""

import copy
import pickle
import random
from collections import Counter
from collections.abc import Callable, Iterator
from math import inf
from typing import Any

import pytest

from isolarium.course.modules.first.isolation import Board, isolation
from isolarium.course.modules.first.isolation.isolation import TIME_LIMIT_MILLIS

ONE, TWO = "player 1", "player 2"
TimeLeft = Callable[[], float]


def board(*moves: tuple[int, int], width: int = 7, height: int = 7) -> Board:
    made = Board(ONE, TWO, width, height)
    for move in moves:
        made.apply_move(move)
    return made


def over() -> Board:
    """Player 1 to move cannot: both squares that it could go to have been stood on."""
    made = board((0, 0), (2, 2), width=3, height=3)
    for square in ((1, 2), (2, 1)):
        made._board_state[square[0] + square[1] * 3] = 1
    return made


# What it is made of


def test_width_comes_before_height_and_both_are_7_by_default() -> None:
    assert (board().width, board().height) == (7, 7)
    made = Board(ONE, TWO, 9, 5)
    assert (made.width, made.height) == (9, 5)


def test_constants() -> None:
    assert (Board.BLANK, Board.NOT_MOVED) == (0, None)
    assert TIME_LIMIT_MILLIS == 150


def test_player_1_begins_and_they_take_turns() -> None:
    made = board()
    assert (made.active_player, made.inactive_player) == (ONE, TWO)
    made.apply_move((3, 3))
    assert (made.active_player, made.inactive_player) == (TWO, ONE)


def test_move_count_counts_placements_and_moves() -> None:
    assert [board().move_count, board((0, 0), (3, 3), (1, 2)).move_count] == [0, 3]


def test_empty_state_is_flat_and_ends_with_turn_and_places() -> None:
    assert board(width=4, height=3)._board_state == [0] * 12 + [0, None, None]


def test_state_is_column_by_column() -> None:
    made = board((2, 1), (0, 3), width=4, height=3)
    assert [entry for entry, value in enumerate(made._board_state[:-3]) if value] == [5, 9]


def test_state_ends_with_turn_then_player_2_then_player_1() -> None:
    assert board((2, 1), width=4, height=3)._board_state[-3:] == [1, None, 5]
    assert board((2, 1), (0, 3), width=4, height=3)._board_state[-3:] == [0, 9, 5]


def test_a_state_put_in_by_hand_is_played_from() -> None:
    made = board(width=3, height=3)
    made._board_state = [1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 8, 0]
    assert sorted(made.get_legal_moves()) == [(1, 2), (2, 1)]
    assert made.get_player_location(TWO) == (2, 2)


def test_anything_can_be_hung_on_a_board() -> None:
    made: Any = board()
    made.note = "mine"
    assert made.note == "mine"


def test_an_older_state_is_refused_with_a_reason() -> None:
    made: Any = board()
    with pytest.raises(AttributeError, match="the course's oldest version of Board"):
        _ = made.__board_state__


def test_other_names_are_missing() -> None:
    made: Any = board()
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = made.nothing


# Moves


def test_a_player_not_placed_has_every_blank_square_column_by_column() -> None:
    made = board((1, 0), width=2, height=3)
    wanted = [(0, 0), (2, 0), (0, 1), (1, 1), (2, 1)]
    assert made.get_legal_moves() == made.get_legal_moves(TWO) == wanted


def test_blank_spaces_are_column_by_column() -> None:
    made = board((0, 0), (1, 1), width=2, height=3)
    assert made.get_blank_spaces() == [(1, 0), (2, 0), (0, 1), (2, 1)]


def test_rows_come_first_and_row_0_is_at_the_top() -> None:
    made = board((0, 4), (2, 0), width=5, height=3)
    assert sorted(made.get_legal_moves()) == [(1, 2), (2, 3)]
    assert made.to_string().split("\n\r")[1].endswith("| 1 | ")


def test_legal_moves_are_of_the_active_player_by_default() -> None:
    made = board((0, 0), (6, 6))
    assert sorted(made.get_legal_moves()) == [(1, 2), (2, 1)]
    assert sorted(made.get_legal_moves(TWO)) == [(4, 5), (5, 4)]


def test_legal_moves_are_a_list_of_their_own() -> None:
    made = board((3, 3), (0, 0))
    made.get_legal_moves().clear()
    assert len(made.get_legal_moves()) == 8


@pytest.mark.parametrize(("place", "count"), [((0, 0), 2), ((0, 2), 4), ((1, 2), 6), ((3, 3), 8)])
def test_every_order_of_moves_is_as_likely(place: tuple[int, int], count: int) -> None:
    random.seed(1)
    made = board(place, (6, 6))
    firsts = Counter(tuple(made.get_legal_moves()[:2]) for _ in range(4000))
    expected = 4000 / (count * (count - 1))
    assert len(firsts) == count * (count - 1)
    excess = sum((seen - expected) ** 2 / expected for seen in firsts.values())
    assert excess < 2.5 * len(firsts)


def test_order_is_drawn_from_the_global_generator() -> None:
    made = board((3, 3), (0, 1))
    drawn = []
    for _ in range(2):
        random.seed(7)
        drawn.append([made.get_legal_moves() for _ in range(20)])
    assert drawn[0] == drawn[1]


@pytest.mark.parametrize("move", [(-1, 0), (0, -1), (7, 0), (0, 7), (-1, -1), (3, 3)])
def test_a_move_off_the_board_or_onto_a_square_stood_on_is_illegal(move: tuple[int, int]) -> None:
    assert board((3, 3)).move_is_legal(move) is False


def test_any_blank_square_is_legal_to_move_is_legal() -> None:
    assert board((0, 0), (6, 6)).move_is_legal((3, 3)) is True


def test_apply_move_changes_the_board_and_returns_nothing() -> None:
    made = board((0, 0), (6, 6))
    assert Board.apply_move(made, (1, 2)) is None  # type: ignore[func-returns-value]
    assert made.get_player_location(ONE) == (1, 2)
    assert not made.move_is_legal((0, 0))


def test_apply_move_does_not_look_at_the_rules() -> None:
    made = board((0, 0), (6, 6), (5, 5))
    assert made.get_player_location(ONE) == (5, 5)


def test_forecast_move_leaves_the_board_as_it_was() -> None:
    made = board((0, 0), (6, 6))
    before = made.hash()
    forecast = made.forecast_move((1, 2))
    assert (made.hash(), made.move_count, made.active_player) == (before, 2, ONE)
    assert forecast.hash() == board((0, 0), (6, 6), (1, 2)).hash()
    assert (forecast.move_count, forecast.active_player, forecast.inactive_player) == (3, TWO, ONE)


def test_a_copy_is_a_board_of_its_own() -> None:
    made = board((0, 0), (6, 6))
    twin = made.copy()
    twin.apply_move((1, 2))
    assert (made.move_count, twin.move_count) == (2, 3)
    assert made.move_is_legal((1, 2))
    assert (twin.width, twin.height) == (7, 7)


def test_boards_are_copied_by_the_copy_module_too() -> None:
    made = board((0, 0), (6, 6))
    twin = copy.deepcopy(made)
    twin.apply_move((1, 2))
    assert made.hash() == board((0, 0), (6, 6)).hash()
    assert twin.hash() == board((0, 0), (6, 6), (1, 2)).hash()


def test_boards_can_be_pickled() -> None:
    twin = pickle.loads(pickle.dumps(board((0, 0), (6, 6))))
    assert twin.hash() == board((0, 0), (6, 6)).hash()
    assert sorted(twin.get_legal_moves()) == [(1, 2), (2, 1)]


def test_a_subclass_forecasts_by_its_own_copy() -> None:
    class Counted(Board):
        copies = 0

        def copy(self) -> Board:
            Counted.copies += 1
            return super().copy()

    forecast = Counted(ONE, TWO).forecast_move((0, 0))
    assert (Counted.copies, forecast.get_player_location(ONE)) == (1, (0, 0))


# Players


def test_opponents() -> None:
    made = board((0, 0))
    assert (made.get_opponent(ONE), made.get_opponent(TWO)) == (TWO, ONE)


def test_a_place_is_row_and_column_or_none() -> None:
    made = board((2, 5))
    assert made.get_player_location(ONE) == (2, 5)
    assert made.get_player_location(TWO) is None


def test_players_are_known_by_equality() -> None:
    made = Board([1], [2])
    made.apply_move((0, 0))
    assert made.get_player_location([1]) == (0, 0)
    assert made.get_legal_moves([1]) != []
    assert made.get_opponent([2]) == [1]


@pytest.mark.parametrize("asked", ["get_opponent", "get_player_location", "get_legal_moves"])
def test_a_stranger_is_a_runtime_error(asked: str) -> None:
    with pytest.raises(RuntimeError, match="'stranger' is not a player"):
        getattr(board((0, 0), (1, 1)), asked)("stranger")


# Endings


def test_nobody_has_won_while_the_active_player_can_move() -> None:
    made = board((0, 0), (6, 6))
    for player in (ONE, TWO):
        assert not made.is_winner(player)
        assert not made.is_loser(player)
        assert made.utility(player) == 0.0


def test_the_active_player_without_a_move_has_lost() -> None:
    made = over()
    assert (made.is_loser(ONE), made.is_winner(ONE)) == (True, False)
    assert (made.is_winner(TWO), made.is_loser(TWO)) == (True, False)
    assert (made.utility(ONE), made.utility(TWO)) == (-inf, inf)


def test_the_inactive_player_without_a_move_has_not_lost_yet() -> None:
    made = over()
    made._active_player, made._inactive_player = TWO, ONE
    assert not made.is_loser(ONE)
    assert made.utility(ONE) == 0.0


def test_a_stranger_has_neither_won_nor_lost() -> None:
    assert over().utility("stranger") == 0.0
    assert not over().is_winner("stranger")


def test_a_full_board_is_lost_for_whoever_is_to_be_placed() -> None:
    made = board(width=1, height=1)
    made.apply_move((0, 0))
    assert made.is_loser(TWO)
    assert made.utility(ONE) == inf


# Hash and text


def test_equal_positions_have_equal_hashes() -> None:
    assert board((0, 0), (6, 6)).hash() == board((0, 0), (6, 6)).hash()


@pytest.mark.parametrize(
    "moves",
    [
        ((6, 6), (0, 0)),  # places swapped
        ((0, 0), (6, 5)),
        ((0, 0), (6, 6), (1, 2)),
        ((0, 0),),
        (),
    ],
)
def test_other_positions_have_other_hashes(moves: tuple[tuple[int, int], ...]) -> None:
    assert board(*moves).hash() != board((0, 0), (6, 6)).hash()


def test_whose_turn_it_is_is_in_the_hash() -> None:
    made = board((0, 0), (6, 6))
    before = made.hash()
    made._board_state[-3] ^= 1
    assert made.hash() != before


DRAWN = "     0   1   2   3\n\r0  |   |   |   | 2 | \n\r1  |   | - |   |   | \n\r2  |   |   |   | 1 | \n\r"


def test_text_shows_players_and_squares_stood_on() -> None:
    made = board((1, 1), (0, 3), (2, 3), width=4, height=3)
    assert made.to_string() == DRAWN
    assert made.print_board() == DRAWN


def test_text_takes_other_symbols() -> None:
    made = board((1, 1), (0, 3), (2, 3), width=4, height=3)
    wanted = DRAWN.replace("| 2 |", "| B |").replace("| 1 |", "| A |")
    assert made.to_string(symbols=["A", "B"]) == wanted


def test_text_makes_room_for_two_digits() -> None:
    lines = board(width=3, height=11).to_string().split("\n\r")
    assert lines[0] == "      0   1   2"
    assert (lines[1], lines[11]) == ("0   |   |   |   | ", "10  |   |   |   | ")


# A game


class Scripted:
    """Answers with what it was given, and keeps what it was asked."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[Any, ...]] = []

    def get_move(self, game: Board, time_left: TimeLeft) -> Any:
        self.asked.append((game, time_left()))
        return self.answers.pop(0)


class OldScripted(Scripted):
    def get_move(  # type: ignore[override]  # so agents of generation 1 are written
        self, game: Board, legal_moves: list[tuple[int, int]], time_left: TimeLeft
    ) -> Any:
        self.asked.append((game, legal_moves, time_left()))
        return self.answers.pop(0)


LONG = 10**9


def test_having_no_move_is_called_illegal_move_and_is_asked_for_all_the_same() -> None:
    first, second = Scripted((0, 0), (1, 2)), Scripted((1, 1), None)
    winner, history, reason = Board(first, second, 3, 3).play(LONG)
    assert (winner, reason) == (first, "illegal move")
    assert history == [[0, 0], [1, 1], [1, 2]]
    assert len(second.asked) == 2


@pytest.mark.parametrize("answer", [None, (-1, -1), (5, 5), [1, 2], "resign"])
def test_an_answer_that_is_no_legal_move_is_a_forfeit(answer: Any) -> None:
    first, second = Scripted((0, 0), answer), Scripted((6, 6))
    winner, history, reason = Board(first, second).play(LONG)
    assert (winner, reason) == (second, "forfeit")
    assert history == [[0, 0], [6, 6]]


def test_coming_back_late_is_a_timeout_whatever_the_answer() -> None:
    first, second = Scripted((0, 0)), Scripted((6, 6))
    winner, history, reason = Board(first, second).play(-1)
    assert (winner, history, reason) == (second, [], "timeout")


def test_history_is_of_the_moves_that_play_saw() -> None:
    first, second = Scripted((1, 2), None), Scripted((4, 5))
    made = Board(first, second)
    made.apply_move((0, 0))
    made.apply_move((6, 6))
    assert made.play(LONG)[1] == [[1, 2], [4, 5]]


def test_players_are_given_a_copy() -> None:
    class Meddler(Scripted):
        def get_move(self, game: Board, time_left: TimeLeft) -> Any:
            answer = super().get_move(game, time_left)
            game.apply_move((3, 3))
            return answer

    first, second = Meddler((0, 0), None), Scripted((3, 3))
    assert Board(first, second).play(LONG)[1] == [[0, 0], [3, 3]]


def test_time_left_is_in_milliseconds_and_begins_at_the_limit() -> None:
    first = Scripted(None)
    Board(first, Scripted()).play(LONG)
    ((_, left),) = first.asked
    assert LONG - 600_000 < left <= LONG


def test_both_generations_play_each_other() -> None:
    first, second = OldScripted((0, 0), (1, 2), None), Scripted((6, 6), (4, 5))
    winner, history, reason = Board(first, second).play(LONG)
    assert (winner, reason) == (second, "forfeit")
    assert history == [[0, 0], [6, 6], [1, 2], [4, 5]]
    assert sorted(first.asked[1][1]) == [(1, 2), (2, 1)]


def asks_for_moves(function: Any) -> bool:
    """Whether `play` gives a get_move of this kind the legal moves too."""
    given: list[int] = []

    class Asked:
        def get_move(self, *arguments: Any) -> None:
            raise NotImplementedError

    def get_move(*arguments: Any) -> None:
        given.append(len(arguments))

    get_move.__wrapped__ = function  # type: ignore[attr-defined]  # which is where its signature is read
    asked = Asked()
    asked.get_move = get_move  # type: ignore[method-assign]
    Board(asked, object()).play(LONG)
    return given == [3]


@pytest.mark.parametrize(
    ("function", "wanted"),
    [
        (lambda game, time_left: None, False),
        (lambda game, legal_moves, time_left: None, True),
        (lambda game, legal_moves, time_left=None: None, True),
        (lambda game, time_left, depth=3: None, False),
        (lambda game, *rest: None, False),
        (lambda *everything: None, False),
        (lambda g, m, t: None, True),
    ],
)
def test_a_generation_is_known_by_the_signature(function: Any, wanted: bool) -> None:
    assert asks_for_moves(function) is wanted


def test_what_a_player_raises_comes_out() -> None:
    class Raiser:
        def get_move(self, game: Board, time_left: TimeLeft) -> Any:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        Board(Raiser(), Scripted()).play(LONG)


# The hook


@pytest.fixture
def counted() -> Iterator[list[int]]:
    """A list that grows with every position asked for."""
    positions: list[int] = []
    isolation.on_position = positions.append
    yield positions
    isolation.on_position = None


def test_forecasts_and_moves_are_counted_once_and_copies_are_not(counted: list[int]) -> None:
    made = board()
    made.forecast_move((0, 0))
    assert len(counted) == 1
    made.copy().apply_move((0, 0))
    assert len(counted) == 2


def test_a_subclass_is_counted_once(counted: list[int]) -> None:
    class Own(Board):
        pass

    Own(ONE, TWO).forecast_move((0, 0))
    assert len(counted) == 1


def test_what_the_hook_raises_comes_out_and_nothing_has_moved() -> None:
    def stop(moves: int) -> None:
        raise TimeoutError

    made = board()
    isolation.on_position = stop
    try:
        with pytest.raises(TimeoutError):
            made.apply_move((0, 0))
    finally:
        isolation.on_position = None
    assert made.move_count == 0
