"""Rivest's min/max approximation: the tree that the compiled search grows is the one of the paper's rule."""

import math
import random
from collections.abc import Iterator

import pytest

from isolarium.game import Board, Position, parse_position, parse_start
from isolarium.game.board import parse_square
from isolarium.heuristics.bound_heuristic import Bound
from isolarium.search.minmax_approximation import Node
from tests.search.rivest_reference import Grown, Judgement, Rule, grow_tree, judge
from tests.search.rivest_searches import (
    BALANCE,
    EXCITED,
    FLAT,
    MEANS,
    REVERSE,
    UNEVEN,
    Settings,
    after,
    every_node,
    grown_lines,
    play_randomly,
    sample,
    search,
)

# Against the reference


def assert_same_tree(node: Node, expected: Grown, rule: Rule) -> Judgement:
    known = judge(expected, rule)
    assert [child.line[-1] for child in expected.children] == [
        expected.position.board.square(child.move) for child in node.children
    ]
    if expected.line or expected.children:  # a root that was not grown is not evaluated
        assert node.value == pytest.approx(known.value, rel=1e-12)
        assert node.penalty == pytest.approx(known.penalty, rel=1e-9, abs=1e-9)
    for child, other in zip(node.children, expected.children, strict=True):
        assert_same_tree(child, other, rule)
    return known


def assert_equals_reference(position: Position, evaluator: Bound, nodes: int, settings: Settings) -> None:
    rule = Rule(evaluator.plain, position.to_move, **settings)
    root, grown = grow_tree(position, rule, nodes)
    found = search(position, evaluator, nodes, settings)
    assert grown_lines(found.root, position.board) == grown
    known = assert_same_tree(found.root, root, rule)
    assert found.choice.report.nodes == sum(1 for _ in every_node(found.root))
    assert found.choice.report.depth == depth_in_full(root)
    assert found.choice.report.proven == (rule.proven and known.winner is not None)
    if root.children:
        values = [judge(child, rule).value for child in root.children]
        assert found.choice.move == root.children[values.index(max(values))].line[0]


@pytest.mark.parametrize("evaluator", [FLAT, BALANCE, UNEVEN, EXCITED], ids=str)
@pytest.mark.parametrize(
    "settings", [REVERSE, {"constant": 0.0}, {"constant": 0.7, "scale": 2.0}, {"proven": False}], ids=str
)
def test_reverse_approximation_grows_the_references_tree(evaluator: Bound, settings: Settings) -> None:
    for position in sample("3x4 4x4 4x5 5x5", 6, seed=1):
        assert_equals_reference(position, evaluator, 120, settings)


@pytest.mark.parametrize(
    "settings", [MEANS, {**MEANS, "p": 1.5, "scale": 3.0}, {**MEANS, "p": 40.0}, {**MEANS, "proven": False}], ids=str
)
def test_generalised_means_grow_the_references_tree(settings: Settings) -> None:
    for position in sample("3x4 4x4 4x5 5x5", 8, seed=2):
        assert_equals_reference(position, UNEVEN, 120, settings)


@pytest.mark.parametrize("settings", [REVERSE, MEANS], ids=str)
@pytest.mark.parametrize("start", ["3x4", "4x4", "xx1x/4/1Ax1/4 b"])
def test_placements_grow_the_references_tree(start: str, settings: Settings) -> None:
    for nodes in (1, 12, 13, 17, 18, 150):
        assert_equals_reference(parse_start(start), UNEVEN, nodes, settings)


def test_every_limit_of_nodes_is_kept_as_the_reference_keeps_it() -> None:
    position = play_randomly(Board(5, 5), 4, random.Random(3))
    for nodes in range(1, 70):
        assert_equals_reference(position, BALANCE, nodes, REVERSE)


def depth_in_full(root: Grown) -> int:
    """How many plies of a tree are complete."""
    nodes = list(all_grown(root))
    deepest = max(len(node.line) for node in nodes)
    tips = [node for node in nodes if not node.children and not node.position.outcome()]
    return min([deepest, *(len(tip.line) for tip in tips)])


def all_grown(node: Grown) -> Iterator[Grown]:
    yield node
    for child in node.children:
        yield from all_grown(child)


# Worked by hand

# The first player on c4 is Max and may go to b2 or a3; scale 1, so that h = -1, 0 is 257, 512. By `improved`:
#
#     b2 -1                                 a3 -1
#       b2 a1  0      b2 d4  0                a3 a1  0            a3 d4  0
#         b2 a1 d1 -1                           a3 a1 c2 won        a3 d4 c2 won
#           b2 a1 d1 c2 lost
POSITION = parse_position("1xx1/x2x/1Bxx/xxA1 a")

# Reverse, constant 0.05; ln(512/257) = 0.689.
#
# Grown          nodes  afterwards
# the root           3  b2 and a3 are both 257 and cost 0.05: leftmost
# b2                 5  b2 is 512 and the best; through it 0.05 + 0.05, through a3 0.05 + 0.689
# b2 a1              6  b2 a1, and so b2, are 257, like a3: through a3 0.05, through b2 0.05 + 0.05 + 0.05
# a3                 8  a3 is 512 and the best: 0.05 + 0.05, leftmost; through b2 it is 0.739 + 0.1
# a3 a1              9  it wins, and costs 0.05 + ln(1023/512), but it is not grown again: the way is a3 d4, 0.05 + 0.05
# a3 d4             10  it wins too, and so do a3 and the root
BY_REVERSE = [
    ("", 3, 257, 0.05),
    ("b2", 5, 512, 0.1),
    ("b2 a1", 6, 257, 0.05),
    ("a3", 8, 512, 0.1),
    ("a3 a1", 9, 512, 0.1),
    ("a3 d4", 10, 1023, math.inf),
]

# Means, p = 10; ln 2 = 0.6931. Where of two values the worse hardly counts, M at Max is the larger one times
# 2^(-1/10) = 0.933, and the larger costs ln 2 - 9/10 ln 2 = 0.0693; M at Min is the smaller one times 2^(1/10) = 1.072,
# and the smaller costs ln 2 - 11/10 ln 2 = -0.0693.
#
# Grown          nodes  afterwards
# the root           3  both 257: M = 257, and each costs ln 2
# b2                 5  512 and 257, (257/512)^10 = 0.00102: M = 512 * (1.00102/2)^(1/10) = 477.76. Through b2, at
#                       ln 2 + 9 ln(477.76/512) = 0.0702, to b2 a1, one of two equals: 0.0702 + ln 2 = 0.7634;
#                       through a3 ln 2 + 9 ln(477.76/257) = 6.27
# b2 a1              6  it is 257, its one child costs 0. b2 is 257 * (2/1.00102)^(1/10) = 275.42, the root is
#                       (275.42^10/2 + 257^10/2)^(1/10) = 267.62: b2 costs ln 2 + 9 ln(267.62/275.42) = 0.4345 and a3
#                       1.0575; from b2 on it is ln 2 + 11 ln(257/275.42) = -0.0682; together 0.3663
# b2 a1 d1           7  it loses, so does b2: 1. The root is 0.933 * 257 = 239.79, a3 costs 0.0693
# a3                 9  it is 512, the root 0.933 * 512 = 477.71: 0.0693 + ln 2 = 0.7625
# a3 a1             10  it wins. a3 is 512 * (2/(1 + (512/1023)^10))^(1/10) = 548.69, the root 0.933 times that, 511.95.
#                       a3 costs 0.0693, then a3 d4 ln 2 + 11 ln(512/548.69) = -0.0682: 0.0011 together
# a3 d4             11  it wins too, and so do a3 and the root
BY_MEANS = [
    ("", 3, 257, 0.6931),
    ("b2", 5, 477.76, 0.7634),
    ("b2 a1", 6, 267.62, 0.3663),
    ("b2 a1 d1", 7, 239.79, 0.0693),
    ("a3", 9, 477.71, 0.7625),
    ("a3 a1", 10, 511.95, 0.0011),
    ("a3 d4", 11, 1023, math.inf),
]


@pytest.mark.parametrize(
    ("settings", "steps"), [({"scale": 1.0}, BY_REVERSE), ({**MEANS, "scale": 1.0}, BY_MEANS)], ids=["reverse", "means"]
)
def test_a_tree_worked_by_hand(settings: Settings, steps: list[tuple[str, int, float, float]]) -> None:
    board = POSITION.board
    lines = [tuple(parse_square(move, board) for move in line.split()) for line, *_ in steps]
    for done, (_, nodes, value, penalty) in enumerate(steps, start=1):
        found = search(POSITION, BALANCE, nodes, settings)
        assert grown_lines(found.root, board) == lines[:done]
        assert found.choice.report.nodes == nodes
        assert found.root.value == pytest.approx(value, abs=0.006)
        assert found.root.penalty == pytest.approx(penalty, abs=0.00006)
    assert found.choice.move == parse_square("a3", board)
    assert found.choice.report.proven
    assert found.choice.report.plies == 3


def test_constant_evaluation_makes_it_breadth_first() -> None:
    position = play_randomly(Board(7, 7), 2, random.Random(5))
    found = search(position, FLAT, 900)
    queue = [position]
    expected: list[Position] = []
    for grown in grown_lines(found.root, position.board):
        expected.append(queue.pop(0))
        queue += [expected[-1].play(move) for move in expected[-1].legal_moves()]
        assert after(position, grown) == expected[-1]
    assert len(expected) > 100


def test_constant_evaluation_makes_means_grow_where_moves_are_few() -> None:
    position = play_randomly(Board(7, 7), 2, random.Random(5))
    found = search(position, FLAT, 900, MEANS)
    costs = []
    for line in grown_lines(found.root, position.board):
        before = [after(position, line[:ply]) for ply in range(len(line))]
        costs.append(sum(math.log(len(p.legal_moves())) for p in before))
    assert costs == pytest.approx(sorted(costs))
