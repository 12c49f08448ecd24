"""The later project's `Isolation`, each thing that is known of it."""

import pickle
from collections.abc import Iterator
from math import inf

import pytest

from isolarium.course.modules.later.isolation import DebugState, Isolation, isolation
from isolarium.course.modules.later.isolation.isolation import _BLANK_BOARD, _HEIGHT, _SIZE, _WIDTH, Action, E, N, S, W

CENTRE, CORNER = 57, 0


@pytest.fixture
def state() -> Isolation:
    """The first player in the centre, the second at the bottom right."""
    return Isolation().result(CENTRE).result(CORNER)


def blocked(state: Isolation, *cells: int) -> Isolation:
    board = state.board
    for cell in cells:
        board &= ~(1 << cell)
    return state._replace(board=board)


def test_sizes() -> None:
    assert (_WIDTH, _HEIGHT, _SIZE) == (11, 9, 115)


def test_the_empty_board() -> None:
    assert repr(Isolation()) == ("Isolation(board=41523161203939122082683632224299007, ply_count=0, locs=(None, None))")
    assert Isolation().board == _BLANK_BOARD


def test_board_has_a_bit_for_each_open_cell(state: Isolation) -> None:
    assert state.board == 41523161203939121938568444148443134
    assert _BLANK_BOARD ^ state.board == 1 << CENTRE | 1 << CORNER


def test_rows_are_13_apart() -> None:
    assert (N, S, W, E) == (13, -13, 1, -1)


def test_actions_are_what_a_knight_adds_to_its_cell() -> None:
    assert {action.name: int(action) for action in Action} == {
        "NNE": 25,
        "ENE": 11,
        "ESE": -15,
        "SSE": -27,
        "SSW": -25,
        "WSW": -11,
        "WNW": 15,
        "NNW": 27,
    }


def test_placements_are_all_open_cells() -> None:
    cells = [row * 13 + col for row in range(9) for col in range(11)]
    assert Isolation().actions() == cells
    assert Isolation().result(CENTRE).actions() == [cell for cell in cells if cell != CENTRE]


def test_moves_are_actions_in_their_order(state: Isolation) -> None:
    assert state.actions() == list(Action)
    assert all(isinstance(action, Action) for action in state.actions())


def test_moves_end_at_the_edges(state: Isolation) -> None:
    assert state.result(Action.NNE).actions() == [Action.WNW, Action.NNW]


def test_players_take_turns(state: Isolation) -> None:
    assert [Isolation().player(), Isolation().result(CENTRE).player(), state.player()] == [0, 1, 0]


def test_result_moves_the_player_whose_turn_it_is(state: Isolation) -> None:
    assert state.locs == (CENTRE, CORNER)
    moved = state.result(Action.NNE)
    assert (moved.locs, moved.ply_count) == ((82, CORNER), 3)
    assert not moved.board >> 82 & 1


def test_a_plain_number_is_an_action_too(state: Isolation) -> None:
    assert state.result(25) == state.result(Action.NNE)


def test_cells_stay_plain_numbers(state: Isolation) -> None:
    assert type(state.result(Action.NNE).locs[0]) is int


def test_states_never_change_and_can_be_keys(state: Isolation) -> None:
    book = {state: Action.NNE}
    state.result(Action.NNE)
    assert book[Isolation().result(CENTRE).result(CORNER)] is Action.NNE


def test_states_can_be_pickled(state: Isolation) -> None:
    assert pickle.loads(pickle.dumps(state)) == state


def test_liberties_are_the_open_cells_around_one() -> None:
    assert Isolation().liberties(CENTRE) == [82, 68, 42, 30, 32, 46, 72, 84]
    assert blocked(Isolation(), 82, 46).liberties(CENTRE) == [68, 42, 30, 32, 72, 84]


def test_liberties_of_nowhere_are_all_open_cells(state: Isolation) -> None:
    assert len(state.liberties(None)) == 97


@pytest.mark.parametrize(("cell", "wanted"), [(11, [36, 22, 0, 26]), (-1, [10, 14, 26]), (300, [])])
def test_liberties_of_any_number(cell: int, wanted: list[int]) -> None:
    assert Isolation().liberties(cell) == wanted


def test_it_is_over_when_the_player_to_move_is_stuck(state: Isolation) -> None:
    ended = blocked(state, *state.liberties(CENTRE))
    assert ended.terminal_test()
    assert (ended.utility(0), ended.utility(1)) == (-inf, inf)


def test_it_is_over_when_the_other_player_is_stuck(state: Isolation) -> None:
    ended = blocked(state, *state.liberties(CORNER))
    assert ended.terminal_test()
    assert (ended.utility(0), ended.utility(1)) == (inf, -inf)


def test_the_player_to_move_loses_when_both_are_stuck(state: Isolation) -> None:
    ended = blocked(state, *state.liberties(CENTRE), *state.liberties(CORNER))
    assert (ended.utility(0), ended.utility(1)) == (-inf, inf)


def test_it_goes_on_while_both_can_move(state: Isolation) -> None:
    assert not Isolation().terminal_test()
    assert not state.terminal_test()
    assert state.utility(0) == state.utility(1) == 0


def test_cell_0_is_a_liberty_like_any_other() -> None:
    state = Isolation().result(15).result(CENTRE)
    only = blocked(state, *[cell for cell in state.liberties(15) if cell != 0])
    assert only.liberties(15) == [0]
    assert not only.terminal_test()


# To look at


def test_debug_state_is_the_same_state(state: Isolation) -> None:
    shown = DebugState.from_state(state)
    assert shown == state
    assert repr(shown).startswith("DebugState(board=41523161203939121938568444148443134, ")


def test_bits_as_text(state: Isolation) -> None:
    text = DebugState.from_state(state).bitboard_string
    assert (len(text), int(text, 2)) == (115, state.board)


def test_columns_and_rows_of_cells() -> None:
    assert [DebugState.ind2xy(cell) for cell in (0, CENTRE, 25)] == [(0, 0), (5, 4), (12, 1)]


def test_picture(state: Isolation) -> None:
    lines = str(DebugState.from_state(blocked(state, 114))).splitlines()
    assert lines[:2] == ["", "+ - + - + - + - + - + - + - + - + - + - + - +"]
    assert lines[2] == "| X |   |   |   |   |   |   |   |   |   |   |"
    assert lines[10] == "|   |   |   |   |   | 1 |   |   |   |   |   |"
    assert lines[18] == "|   |   |   |   |   |   |   |   |   |   | 2 |"
    assert len(lines) == 20


# The hook


@pytest.fixture
def counted() -> Iterator[list[int]]:
    """A list that grows with every position asked for."""
    positions: list[int] = []
    isolation.on_position = positions.append
    yield positions
    isolation.on_position = None


def test_results_are_counted_and_nothing_else(state: Isolation, counted: list[int]) -> None:
    counted.clear()
    state.actions()
    state.liberties(CENTRE)
    state.utility(0)
    assert counted == []
    state.result(Action.NNE)
    assert len(counted) == 1
