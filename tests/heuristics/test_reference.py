"""The reference itself, checked on positions worked by hand.

In the drawings `A` is the evaluated player (own), `B` the other (opp), `x` blocked and `.` blank.

On 3x3 the knight's squares form one ring, so that most of the work is counting along it; the
middle square has no moves at all. The comments below name the squares by their place in the ring:

    c0 c3 c6          c0 = (0, 0)  c1 = (1, 2)  c2 = (2, 0)  c3 = (0, 1)
    c5    c1          c4 = (2, 2)  c5 = (1, 0)  c6 = (0, 2)  c7 = (2, 1)
    c2 c7 c4          and c7 is next to c0 again
"""

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

import pytest

from tests.heuristics.reference import (
    REFERENCE,
    aggressive,
    balanced,
    center,
    corner_penalty,
    cut_off_reachable,
    distance,
    emptiest_window_center,
    fill_center,
    fill_diagonal,
    free_moves,
    improved,
    keep_options,
    lookahead_max,
    lookahead_ratio,
    lookahead_ratio_as_printed,
    lookahead_weighted,
    minmax_local,
    normalised,
    null,
    open_cluster,
    open_moves,
    push_out,
    ratio,
    reachable,
    staged,
    stealer,
    way_out,
    weighted_moves,
)
from tests.heuristics.scene import Scene, coverage, knight_distances

INF = math.inf
LN2 = math.log(2)
LN6 = math.log(6)


def draw(*rows: str, own_to_move: bool = True) -> Scene:
    squares = {
        (row, col): mark
        for row, line in enumerate(rows)
        for col, mark in enumerate(line.replace(" ", ""))
    }
    at = {mark: square for square, mark in squares.items()}
    return Scene(
        rows=len(rows),
        cols=len(squares) // len(rows),
        blank=frozenset(square for square, mark in squares.items() if mark == "."),
        own=at["A"],
        opp=at["B"],
        own_to_move=own_to_move,
    )


def swap(scene: Scene) -> Scene:
    return replace(scene, own=scene.opp, opp=scene.own, own_to_move=not scene.own_to_move)


# Own c0 moves to c1 and c7; opp c4, across the ring, to c3 and c5. m = o = k = 2.
ACROSS = draw(
    "A . .",
    ". . .",
    ". . B",
)

# The ring cut at c2 and c6: own keeps {c1, c7}, opp {c3, c5}. 4 of 9 filled.
CUT = draw(
    "A . x",
    ". . .",
    "x . B",
)

# Cut, and c3 gone too: own has {c1, c7}, opp only {c5}. 5 of 9 filled.
CUT_AHEAD = draw(
    "A x x",
    ". . .",
    "x . B",
)

# Opp c3 reaches c4, c2, c1; own c0 reaches c1, c2, c7, c6: c5 is blocked. They share c1 and c2.
OVERLAP = draw(
    "A B .",
    "x . .",
    ". . .",
)

# Own stands in the middle and has no move, opp c0 the whole ring; it is opp's turn.
STUCK = draw(
    "B . .",
    ". A .",
    ". . .",
    own_to_move=False,
)

# Opp c2 has c1 alone (c3 is blocked), own c0 has c1 and c7: own can take the last move away.
STRANGLE = draw(
    "A x .",
    ". . .",
    "B . .",
)

# Own (0,0) to (1,2), (2,1); opp (0,2) to (1,0), (2,1), (2,3). m = 2, o = 3, k = 1.
CONTESTED = draw(
    "A . B .",
    ". . . .",
    ". . . .",
)

# Own (0,1) to (1,3), (2,0), (2,2); opp (0,0) to (1,2), (2,1). m = k = 3, o = 2.
CORNERED = draw(
    "B A . .",
    ". . . .",
    ". . . .",
)

# Own in the middle has 8 moves, two of them opp's (1,2) and (2,1). m = 8, o = 2, k = 6.
MIDDLE = draw(
    "B . . . . . .",
    ". . . . . . .",
    ". . . . . . .",
    ". . . A . . .",
    ". . . . . . .",
    ". . . . . . .",
    ". . . . . . .",
)

# Own has (1,2), (2,1), from there (0,2) (0,4) (1,3) (2,0) (2,4) (3,1) (3,3) (4,0) (4,2): 9.
CORNERS = draw(
    "A . . . .",
    ". . . . .",
    ". . . . .",
    ". . . . .",
    ". . . . B",
)


# Own c0 has lost c1 and c7, and opp never has a move in the middle.
BOTH_STUCK = draw(
    "A . .",
    ". B x",
    ". x .",
)

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
    ("scene", "own", "opp"),
    [(ACROSS, 2, 2), (STUCK, 0, 2), (CONTESTED, 2, 3), (CORNERED, 3, 2), (MIDDLE, 8, 2)],
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
    ("own", "distance", "printed"),
    [((0, 0), 7, -3.5), ((2, 3), 2, 0.0)],
    ids=["move 30", "move 20"],
)
def test_balanced_printed_scores_need_the_biased_centre(
    own: tuple[int, int], distance: float, printed: float
) -> None:
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
    third = draw(
        "A . .",
        ". B .",
        "x . .",
    )
    assert way_out(third) == 1
    assert way_out(third, growth=2) == 2
    # 5 of 9 filled: 1 + 225 // 81 = 3 moves out. {c1, c7}, {c6}, {c5, c7}.
    deeper = draw(
        "A x .",
        ". B .",
        "x . x",
    )
    assert way_out(deeper) == 2
    assert way_out(deeper, growth=2) == 1  # 1 + 100 // 81 = 2 moves out


def test_way_out_needs_two_moves() -> None:
    one_move = draw(
        "A . .",
        ". B .",
        ". x .",
    )
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
    ("f", "scale", "at_three"),
    [("sigmoid", 1, 0.905148254), ("sigmoid", 2, 0.995054754), ("arctan", 1, 0.795167235)],
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
    def choose(
        moves: Sequence[tuple[int, int]], u: int, scene: Scene
    ) -> Collection[tuple[int, int]]:
        assert (list(moves), u, scene) == ([(1, 2), (2, 1)], 1, CONTESTED)
        return [drawn]

    assert free_moves(CONTESTED, u=1, choose=choose) == pytest.approx(2 - 1.2 * left)


def test_free_moves_leaves_nothing_to_chance_unasked() -> None:
    with pytest.raises(ValueError, match="2 moves, at most 1"):
        free_moves(CONTESTED, u=1)


# Report 002


def test_lookahead_ratio() -> None:
    # After (1,2) own has (2,0) against 3, after (2,1) it has (1,3) against 2.
    assert lookahead_ratio(CONTESTED) == pytest.approx((1 / 3 + 1 / 2) / 2)
    # After (1,3), (2,0), (2,2) own has 1, 1, 2 against 2.
    assert lookahead_ratio(CORNERED) == pytest.approx((1 / 2 + 1 / 2 + 2 / 2) / 3)
    assert lookahead_ratio(STRANGLE) == INF
    assert lookahead_ratio(STUCK) == -INF


def test_lookahead_ratio_as_printed_moves_the_opponent_on_its_turn() -> None:
    assert lookahead_ratio_as_printed(CONTESTED) == lookahead_ratio(CONTESTED)
    # Opp on (1,2) can go to (2,0), on (2,1) to (1,3); own stays and keeps the other of its moves.
    waiting = replace(CONTESTED, own_to_move=False)
    assert lookahead_ratio_as_printed(waiting) == (1 / 1 + 1 / 1) / 2
    assert lookahead_ratio_as_printed(replace(STUCK, own_to_move=False)) == -INF


def test_lookahead_moves_own_even_on_the_opponents_turn() -> None:
    waiting = replace(CONTESTED, own_to_move=False)
    assert lookahead_ratio(waiting) == lookahead_ratio(CONTESTED)
    assert lookahead_max(waiting) == lookahead_max(CONTESTED)
    assert lookahead_weighted(waiting) == lookahead_weighted(CONTESTED)
    assert minmax_local(waiting) == minmax_local(CONTESTED)


def test_open_cluster_on_5x5_has_2x2_windows() -> None:
    # Down the first column of positions the windows hold 1, 2, 2 and 0 filled squares. (0,1) has
    # an empty one as well, but comes later. Centre (3,0) + (1,1) = (4,1), 5 from own.
    fifth = draw(
        "A . . . x",
        ". . . . .",
        "x x . . .",
        ". . . . .",
        ". . . . B",
    )
    assert emptiest_window_center(fifth) == (4, 1)
    assert open_cluster(fifth) == pytest.approx(1 - 2 * 2 + (10 - 5) / 10)
    assert open_cluster(fifth, weight=3) == pytest.approx(1 - 3 * 2 + (10 - 5) / 10)
    # 5 of 25 is not less than a fifth, 4 of 25 is.
    fewer = replace(fifth, blank=fifth.blank | {(0, 4)})
    assert open_cluster(fewer) == 1 - 2 * 2
    assert open_cluster(fewer, share=0.16) == open_cluster(fifth)


def test_open_cluster_on_7x7_has_4x4_windows() -> None:
    # Filled squares by the window's top (down) and left (across):
    #     3 3 3 4
    #     2 3 3 3      the first 2 is at (1,0), its centre (3,2), 5 from own
    #     2 3 4 4
    #     3 4 4 5
    tenth = draw(
        "A . . . . . x",
        ". x . . . . .",
        ". . . . . . .",
        ". . . x x x .",
        ". . . . . . .",
        ". x . . . x .",
        ". x . . . . B",
    )
    assert emptiest_window_center(tenth) == (3, 2)
    assert open_cluster(tenth) == pytest.approx(2 - 2 * 2 + (14 - 5) / 14)
    # 9 of 49 is less than a fifth, 10 is more.
    assert open_cluster(replace(tenth, blank=tenth.blank | {(0, 6)})) == 2 - 2 * 2


def test_open_cluster_finds_the_window_of_the_seed_s_picture() -> None:
    # 'the cluster in the bottom right with the center in cell (6,6)'. Own has (2,4), (3,7), opp
    # (2,1), (3,0), (5,0), (6,1), (6,3); own is 5 from the centre.
    picture = draw(
        ". . . x x . . .",
        ". . . x . x A .",
        ". . x x . x . .",
        ". . x x x x . .",
        ". . B x x . . .",
        ". . x x x x . .",
        ". . . . . . . .",
        ". . . . . . . .",
    )
    assert emptiest_window_center(picture) == (6, 6)
    assert open_cluster(picture) == pytest.approx(2 - 2 * 5 + (16 - 5) / 16)


# Report 003


def test_weighted_moves_grows_with_the_filled_squares() -> None:
    assert weighted_moves(ACROSS) == (2 - 3 * 2) * 2
    assert weighted_moves(CUT_AHEAD) == (2 - 3 * 1) * 5
    assert weighted_moves(CUT_AHEAD, weight=1) == (2 - 1) * 5


@pytest.mark.parametrize(
    ("scene", "difference", "cut_off"),
    [
        (ACROSS, 7 - 7, 1 - 1),  # each has its own square and the six others of the ring
        (CUT, 3 - 3, 3 - 3 + 9),  # cut off and equal: counted as good
        (CUT_AHEAD, 3 - 2, 3 - 2 + 9),
        (swap(CUT_AHEAD), 2 - 3, 2 - 3 - 9),
        (OVERLAP, 5 - 4, 3 - 2),  # c0, c6, c7 are own's alone; c3, c4 opp's
        (STUCK, 1 - 8, 1 - 8 - 9),
    ],
)
def test_reachable_squares(scene: Scene, difference: int, cut_off: int) -> None:
    assert reachable(scene) == difference
    assert cut_off_reachable(scene) == cut_off


def test_corner_penalty_near_a_corner() -> None:
    assert corner_penalty(CONTESTED) == -1 - (1 + 3 - 2)
    assert corner_penalty(CONTESTED, weight=0.5) == -1 - 0.5 * (1 + 3 - 2)
    assert corner_penalty(CORNERED) == 1  # 1 + o - m is 0
    assert corner_penalty(ACROSS) == 0 - 1  # equal counts near a corner are a fault already


def test_corner_penalty_ends_two_squares_from_the_corner() -> None:
    near = draw(
        ". . . . . . .",
        ". A . . . . .",  # (0,3) (2,3) (3,0) (3,2): 4 against 8
        ". . . . . . .",
        ". . . B . . .",
        ". . . . . . .",
        ". . . . . . .",
        ". . . . . . .",
    )
    beyond = draw(
        ". . . . . . .",
        ". . A . . . .",  # (0,0) (0,4) (2,0) (2,4) (3,1): 5 against 7
        ". . . . . . .",
        ". . . B . . .",
        ". . . . . . .",
        ". . . . . . .",
        ". . . . . . .",
    )
    assert corner_penalty(near) == -4 - 5
    assert corner_penalty(near, near=1) == -4
    assert corner_penalty(beyond) == -2
    assert corner_penalty(beyond, near=3) == -2 - 3


def test_corner_penalty_knows_all_four_corners() -> None:
    # Own has (1,2), (2,1), opp (1,1), (2,2).
    scene = draw(
        ". . . .",
        ". . . .",
        ". . . .",
        "B . . A",
    )
    assert corner_penalty(scene) == corner_penalty(swap(scene)) == 0 - 1


def test_staged_switches_at_its_share_of_filled_squares() -> None:
    assert staged(CUT) == 2 - 2  # 4 of 9 are filled
    assert staged(CUT_AHEAD) == 3 - 2 + 9  # 5 of 9 are
    assert staged(CUT, at=coverage(CUT)) == 3 - 3 + 9
    assert staged(CUT_AHEAD, at=0.6) == 2 - 1
    assert staged(CUT, first=open_moves, then=null) == 2
    assert staged(CUT_AHEAD, first=open_moves, then=null) == 0


# Report 004


def test_lookahead_max() -> None:
    assert lookahead_max(CONTESTED) == max(1 - 3, 1 - 2)
    assert lookahead_max(CORNERED) == max(1 - 2, 1 - 2, 2 - 2)
    assert lookahead_max(STRANGLE) == max(0 - 0, 1 - 1)  # c1 takes opp's last move, and own's
    assert lookahead_max(STUCK) == -INF


# CORNERED, own's move a and opp's answer b; m'' and o'' after both, m1 after a alone (o1 is 2):
#
#     a = (2,0)  m1 = 1   b = (1,2)  m'' = 0  o'' = 0        b = (2,1)  m'' = 1  o'' = 2
#     a = (2,2)  m1 = 2   b = (1,2)  m'' = 2  o'' = 1        b = (2,1)  m'' = 2  o'' = 2
#     a = (1,3)  m1 = 1   b = (1,2)  m'' = 1  o'' = 1        b = (2,1)  m'' = 0  o'' = 1


def test_lookahead_weighted() -> None:
    answers = [(3 * 0 - 0, 3 * 1 - 2), (3 * 2 - 1, 3 * 2 - 2), (3 * 1 - 1, 3 * 0 - 1)]
    assert lookahead_weighted(CORNERED) == max(min(pair) for pair in answers) == 4
    assert lookahead_weighted(STRANGLE) == INF
    assert lookahead_weighted(STUCK) == -INF


# With S = m1/2, S' = 2/m1 and S'' = o''/m'', w1 + w2 of the same table is
#
#     -ln 3 - 0.9 * (-2 ln S)  -  ln 2 + 9 * (ln S'' + ln S)  =  -ln 6 + 10.8 ln S + 9 ln S''
#
#     a = (2,0)   -ln 6 - 10.8 ln 2 (0/0 is 1/2 : 1/2)       -ln 6 - 1.8 ln 2
#     a = (2,2)   -ln 6 -  9   ln 2                          -ln 6
#     a = (1,3)   -ln 6 - 10.8 ln 2                          -ln 6 - 1.8 ln 2 (1 : 1/2)


@pytest.mark.parametrize(
    ("value", "least"),
    [
        (minmax_local, -LN6 - 10.8 * LN2),
        (lambda scene: minmax_local(scene, sign="paper"), LN6),
        (lambda scene: minmax_local(scene, p_max=1), -LN6 - 1.8 * LN2),
        (lambda scene: minmax_local(scene, p_min=1), -LN6 - 9 * LN2),
    ],
    ids=["report", "paper", "p_max=1", "p_min=1"],
)
def test_minmax_local(value: Callable[[Scene], float], least: float) -> None:
    assert value(CORNERED) == pytest.approx(1 / least)


def test_minmax_local_counts_no_moves_as_half_a_move_in_logarithms() -> None:
    # Own c0 has only c1, and nothing from there: S = 1/2 : 2, S' = 4, w1 = -0.9 * 4 ln 2.
    # Opp c4 answers c3, a dead end (S'' = 1), or c5, which sees c6 (S'' = 2):
    # w2 = -ln 2 + 9 * (0 - 2 ln 2) or -ln 2 + 9 * (ln 2 - 2 ln 2).
    scene = draw(
        "A . .",
        ". . .",
        "x x B",
    )
    assert minmax_local(scene) == pytest.approx(1 / (-3.6 * LN2 - 19 * LN2))
    assert minmax_local(scene, sign="paper") == pytest.approx(1 / (3.6 * LN2 + 10 * LN2))


def test_minmax_local_infinities() -> None:
    # One move each, and one each after both: every logarithm is 0, and so is w.
    even = draw(
        "A x .",
        ". . .",
        ". x B",
    )
    assert minmax_local(even) == INF
    assert minmax_local(even, sign="paper") == INF
    assert minmax_local(STRANGLE) == INF
    assert minmax_local(STUCK) == -INF


# stealer


def test_stealer_takes_what_is_equally_far_from_both() -> None:
    # c2 and c6 are two moves from either. To move, own has c1 c2 and c6 c7: two moves to and fro
    # in four squares; opp's c3 and c5 lead nowhere.
    assert stealer(ACROSS) == (4 - 0.5 * 4) - (0 - 0.5 * 2)
    assert stealer(ACROSS, cost=0) == 4
    assert stealer(replace(ACROSS, own_to_move=False)) == -3
    assert stealer(swap(ACROSS)) == -3


def test_stealer_counts_squares_of_one_s_own_as_dead_ends_once_cut_off() -> None:
    assert stealer(CUT) == 0
    assert stealer(CUT_AHEAD) == -0.5
    assert stealer(CUT_AHEAD, cost=0) == 0
