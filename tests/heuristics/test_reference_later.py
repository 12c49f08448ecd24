"""The reference itself, on positions worked by hand (`drawings.py`): reports 002 to 004 and `stealer`."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.heuristics.drawings import (
    ACROSS,
    CONTESTED,
    CORNERED,
    CUT,
    CUT_AHEAD,
    INF,
    LN2,
    LN6,
    OVERLAP,
    STRANGLE,
    STUCK,
    draw,
    swap,
)
from tests.heuristics.reference import (
    corner_penalty,
    cut_off_reachable,
    emptiest_window_center,
    lookahead_max,
    lookahead_ratio,
    lookahead_ratio_as_printed,
    lookahead_weighted,
    minmax_local,
    null,
    open_cluster,
    open_moves,
    reachable,
    staged,
    stealer,
    weighted_moves,
)
from tests.heuristics.scene import Scene, coverage

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
    fifth = draw("A . . . x", ". . . . .", "x x . . .", ". . . . .", ". . . . B")
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
    scene = draw(". . . .", ". . . .", ". . . .", "B . . A")
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
    scene = draw("A . .", ". . .", "x x B")
    assert minmax_local(scene) == pytest.approx(1 / (-3.6 * LN2 - 19 * LN2))
    assert minmax_local(scene, sign="paper") == pytest.approx(1 / (3.6 * LN2 + 10 * LN2))


def test_minmax_local_infinities() -> None:
    # One move each, and one each after both: every logarithm is 0, and so is w.
    even = draw("A x .", ". . .", ". x B")
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
