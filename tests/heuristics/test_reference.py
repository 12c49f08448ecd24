"""The reference itself, on positions worked by hand (`drawings.py`): the course's, reports 000 and 001."""

import math
from collections.abc import Collection, Sequence
from dataclasses import replace

import pytest

from tests.heuristics.drawings import (
    ACROSS,
    BOTH_STUCK,
    CONTESTED,
    CORNERED,
    CORNERS,
    CUT,
    CUT_AHEAD,
    INF,
    MIDDLE,
    OVERLAP,
    STUCK,
    draw,
    swap,
)
from tests.heuristics.reference import (
    REFERENCE,
    aggressive,
    balanced,
    center,
    distance,
    fill_center,
    fill_diagonal,
    free_moves,
    improved,
    keep_options,
    normalised,
    null,
    open_moves,
    push_out,
    ratio,
    way_out,
)
from tests.heuristics.scene import Scene, knight_distances

NAMES = """
    null open center improved balanced keep_options push_out fill_center way_out fill_diagonal
    distance free_moves aggressive lookahead_ratio lookahead_ratio_as_printed open_cluster
    weighted_moves reachable cut_off_reachable corner_penalty normalised ratio lookahead_max lookahead_weighted
    minmax_local staged stealer learned
"""


def test_every_heuristic_of_the_catalogue_has_a_reference() -> None:
    assert sorted(REFERENCE) == sorted(NAMES.split())


@pytest.mark.parametrize("name", sorted(REFERENCE))
def test_every_reference_has_a_value_where_a_player_has_no_move(name: str) -> None:
    values = [REFERENCE[name](scene) for scene in (STUCK, swap(STUCK), BOTH_STUCK)]
    assert not any(math.isnan(value) for value in values)


# The course's


@pytest.mark.parametrize(
    ("scene", "own", "opp"), [(ACROSS, 2, 2), (STUCK, 0, 2), (CONTESTED, 2, 3), (CORNERED, 3, 2), (MIDDLE, 8, 2)]
)
def test_heuristics_of_the_two_move_counts(scene: Scene, own: int, opp: int) -> None:
    assert null(scene) == 0
    assert open_moves(scene) == own
    assert improved(scene) == own - opp
    assert aggressive(scene) == own - 2 * opp
    assert aggressive(scene, weight=0.5) == own - 0.5 * opp
    assert ratio(scene) == own / opp
    assert normalised(scene) == (own - opp) / (own + opp)


def test_ratio_is_infinite_where_the_opponent_has_no_move() -> None:
    assert ratio(swap(STUCK)) == INF


def test_quotients_of_no_moves_at_all() -> None:
    assert ratio(BOTH_STUCK) == INF
    assert normalised(BOTH_STUCK) == 0


def test_center_is_the_squared_distance_from_a_point_half_a_square_off() -> None:
    assert center(MIDDLE) == 0.5**2 + 0.5**2
    assert center(swap(MIDDLE)) == 3.5**2 + 3.5**2
    # 3 rows, 4 columns: the point is (1.5, 2).
    assert center(CONTESTED) == 1.5**2 + 2**2
    assert center(swap(CONTESTED)) == 1.5**2


# Report 000


def test_balanced_takes_half_the_distance_from_the_true_centre() -> None:
    assert balanced(MIDDLE) == 6 - 0
    assert balanced(swap(MIDDLE)) == -6 - 0.5 * 6
    # The centre of 3x4 is (1, 1.5): own's corner is 2.5 away.
    assert balanced(CONTESTED) == -1 - 0.5 * 2.5
    assert balanced(CONTESTED, weight=2) == -1 - 2 * 2.5


@pytest.mark.parametrize(
    ("own", "distance", "printed"), [((0, 0), 7, -3.5), ((2, 3), 2, 0.0)], ids=["move 30", "move 20"]
)
def test_balanced_printed_scores_need_the_biased_centre(own: tuple[int, int], distance: float, printed: float) -> None:
    # The seed's examples on 7x7: m - o is whole, which no printed score allows for the true centre.
    scene = replace(MIDDLE, own=own, blank=frozenset())
    assert balanced(scene, center="biased") == -0.5 * distance
    assert (printed - balanced(scene, center="biased")).is_integer()
    assert not (printed - balanced(scene)).is_integer()


def test_keep_options_printed_score_needs_the_biased_centre() -> None:
    assert keep_options(MIDDLE, center="biased") == -1.0  # the seed's example at [3, 3]
    assert keep_options(MIDDLE) == 0


def test_push_out_from_the_biased_centre() -> None:
    # From (3.5, 3.5): own's (3, 3) is 1 away, opp's (0, 0) 7; from (1.5, 2) on 3x4: 1.5 + 1 and 3.5.
    assert push_out(MIDDLE, center="biased") == 7 - 1
    assert push_out(CORNERED, center="biased") == 3.5 - 2.5


def test_keep_options() -> None:
    assert keep_options(MIDDLE) == 0
    assert keep_options(CORNERED) == -1.5  # k = 3 is enough
    assert keep_options(CORNERS) == 9 - 100
    # k = 2, and two moves out there are only c2 and c6.
    assert keep_options(ACROSS) == -INF
    assert keep_options(ACROSS, least=2, penalty=10) == 2 - 10
    assert keep_options(ACROSS, enough=2) == -2


def test_push_out() -> None:
    assert push_out(MIDDLE) == 6 - 0
    assert push_out(CORNERED) == 2.5 - 1.5
    assert push_out(CORNERS) == 9 - 100
    assert push_out(ACROSS) == 2 - 100
    assert push_out(ACROSS, enough=2) == 2 - 2
    # k = 1: its one square (1,2) leads on to (2,0) alone.
    assert push_out(CONTESTED) == -INF
    assert push_out(CONTESTED, enough=2, penalty=50) == 1 - 50


def test_fill_center_sums_the_distances_of_the_blanks() -> None:
    # 7x7: 3+2+1+0+1+2+3 = 12 along each of 7 rows and 7 columns, less own's 0 and opp's 6.
    assert fill_center(MIDDLE) == 14 * 12 - 6
    # From (3.5, 3.5): 3.5+2.5+1.5+0.5+0.5+1.5+2.5 = 12.5, less own's 1 and opp's 7.
    assert fill_center(MIDDLE, center="biased") == 14 * 12.5 - 8
    # 3x4: rows 4 * (1+0+1), columns 3 * (1.5+0.5+0.5+1.5), less own's 1.5 and opp's 2.5.
    assert fill_center(CORNERED) == 8 + 12 - 4


def test_fill_center_looks_three_moves_out_with_two_safe_moves() -> None:
    # {c1, c7}, {c2, c6}, {c1, c3, c5, c7}: squares met again count again.
    assert fill_center(ACROSS) == 4 - 200
    assert fill_center(CONTESTED) == -INF
    # k = 1: (1,2), then (2,0), then (0,1) and (1,2) again.
    assert fill_center(CONTESTED, enough=2, penalty=20) == 2 - 20


def test_way_out_looks_further_as_the_board_fills() -> None:
    assert way_out(MIDDLE) == 6  # 1 + 36 // 2401 moves
    assert way_out(ACROSS) == 2  # 1 + 36 // 81
    # 3 of 9 filled is the first to look 1 + 81 // 81 = 2 moves out: c1 is a dead end, c7 sees c6.
    third = draw("A . .", ". B .", "x . .")
    assert way_out(third) == 1
    assert way_out(third, growth=2) == 2
    # 5 of 9 filled: 1 + 225 // 81 = 3 moves out. {c1, c7}, {c6}, {c5, c7}.
    deeper = draw("A x .", ". B .", "x . x")
    assert way_out(deeper) == 2
    assert way_out(deeper, growth=2) == 1  # 1 + 100 // 81 = 2 moves out


def test_way_out_needs_two_moves() -> None:
    one_move = draw("A . .", ". B .", ". x .")
    assert way_out(one_move) == -INF
    assert way_out(one_move, enough=1) == 1  # 3 of 9 filled: c1, then c2
    assert way_out(STUCK) == -INF


def test_fill_diagonal() -> None:
    # 7x7: 2 * (6*1 + 5*2 + 4*3 + 3*4 + 2*5 + 1*6) = 112; both players are on the diagonal.
    assert fill_diagonal(MIDDLE) == -112
    assert fill_diagonal(MIDDLE, sign=+1) == 112
    # 3x4: 0+1+2+3, 1+0+1+2, 2+1+0+1, less own's 1.
    assert fill_diagonal(CORNERED) == -13
    assert fill_diagonal(STUCK) == -INF
    # 3x3: 2 * (2*1 + 1*2) = 8.
    assert fill_diagonal(STUCK, enough=0) == -8


# Report 001


def test_knight_distances_around_the_ring() -> None:
    # From c3 one way round, c2 and c1, and the other way c4 only: c5 is blocked.
    steps = {(0, 1): 0, (2, 0): 1, (2, 2): 1, (1, 2): 2}
    assert knight_distances(OVERLAP, OVERLAP.opp) == steps


# Steps of opp and of own to each square of CORNERED, and opp's minus own's:
#
#     B A 3 2      opp . . 2 5      own . . 3 2      lead  .  . -1 +3
#     . . . .          3 4 1 2          2 3 2 1           +1 +1 -1 +1
#     . . . .          2 1 4 3          1 2 1 4           +1 -1 +3 -1
#
# +1 four times, -1 four times, +3 twice. sigmoid(3) = tanh(1.5), sigmoid(6) = tanh(3).


@pytest.mark.parametrize(
    ("f", "scale", "at_three"), [("sigmoid", 1, 0.905148254), ("sigmoid", 2, 0.995054754), ("arctan", 1, 0.795167235)]
)
def test_distance(f: str, scale: float, at_three: float) -> None:
    def value(scene: Scene, z: float, alpha: float) -> float:
        return REFERENCE["distance"](scene, z=z, alpha=alpha, f=f, scale=scale)

    assert value(CORNERED, 0, 1) == pytest.approx(2 * at_three, abs=1e-12)
    assert value(CORNERED, -0.5, 2) == pytest.approx(-0.5 + 4 * at_three, abs=1e-12)
    assert value(swap(CORNERED), 0, 1) == pytest.approx(-2 * at_three, abs=1e-12)


def test_distance_defaults_to_the_seed_s_choice() -> None:
    assert distance(CORNERED) == pytest.approx(-0.5 + 4 * 0.905148254, abs=1e-12)


def test_distance_counts_squares_where_the_board_is_divided() -> None:
    assert distance(CUT) == -0.5
    assert distance(CUT_AHEAD) == -0.5 + 2 * (2 - 1)
    assert distance(CUT_AHEAD, z=0, alpha=1, f="arctan") == 1
    # All seven squares of the ring are opp's, the steepness aside.
    assert distance(STUCK) == distance(STUCK, scale=1000) == -0.5 - 2 * 7


def test_distance_adds_shared_and_private_squares() -> None:
    # c1 is nearer to own by 1, c2 to opp by 1; c6 and c7 are own's alone, c4 is opp's.
    assert distance(OVERLAP) == -0.5 + 2 * (2 - 1)


def test_free_moves_two_plies() -> None:
    # Own has 2, and opp 2 after either.
    assert free_moves(ACROSS) == pytest.approx(2 - 1.2 / 2 * (2 + 2))
    # Opp's (2,1) is gone after own's (2,1): 3 moves are left, or 2.
    assert free_moves(CONTESTED) == pytest.approx(2 - 1.2 / 2 * (3 + 2))
    assert free_moves(CONTESTED, beta=0.8) == pytest.approx(2 - 0.8 / 2 * (3 + 2))
    assert free_moves(CONTESTED, d=1) == 2
    assert free_moves(CONTESTED, d=0) == 0


def test_free_moves_three_plies() -> None:
    # Own c1 or c7, opp c3 or c5, and own has one move on: F(2) of opp is 2 - 0.6 * (1 + 1) = 0.8.
    assert free_moves(ACROSS, d=3) == pytest.approx(2 - 0.6 * (0.8 + 0.8))


def test_free_moves_is_negated_where_the_opponent_is_to_move() -> None:
    theirs = swap(replace(CONTESTED, own_to_move=True))
    assert free_moves(theirs) == pytest.approx(-(2 - 1.2 / 2 * (3 + 2)))
    # Opp has 2 moves, own none after either.
    assert free_moves(STUCK) == -2
    assert free_moves(replace(STUCK, own_to_move=True)) == 0


@pytest.mark.parametrize(("drawn", "left"), [((1, 2), 3), ((2, 1), 2)])
def test_free_moves_averages_over_the_moves_drawn(drawn: tuple[int, int], left: int) -> None:
    def choose(moves: Sequence[tuple[int, int]], u: int, scene: Scene) -> Collection[tuple[int, int]]:
        assert (list(moves), u, scene) == ([(1, 2), (2, 1)], 1, CONTESTED)
        return [drawn]

    assert free_moves(CONTESTED, u=1, choose=choose) == pytest.approx(2 - 1.2 * left)


def test_free_moves_leaves_nothing_to_chance_unasked() -> None:
    with pytest.raises(ValueError, match="2 moves, at most 1"):
        free_moves(CONTESTED, u=1)
