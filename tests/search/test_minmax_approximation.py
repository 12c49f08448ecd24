"""Rivest's min/max approximation: the compiled search does what the paper's rule says."""

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import pytest

from isolab.errors import InputError
from isolab.game import Board, Position, parse_position, parse_start
from isolab.game.board import Square
from isolab.game.notation import parse_square
from isolab.game.view import PlainView, col, mobility, row, squares
from isolab.heuristics.binding import Bound, bind, parse_heuristic
from isolab.heuristics.definition import heuristic, heuristic_of
from isolab.limits import Limit
from isolab.search.minmax_approximation import MinMaxApproximation, Node, Tree
from isolab.search.protocol import Choice
from tests.search.rivest_reference import Grown, Judgement, Line, Rule, grow_tree, judge

Settings = dict[str, Any]

REVERSE: Settings = {}
MEANS: Settings = {"reverse": False}


KINDS = {"flat": 0, "uneven": 1, "excited": 2, "sure to win": 3, "sure to lose": 4}


@heuristic
def opinion(view: PlainView, own: int, opp: int, kind: int = 0) -> float:
    """Heuristics of many kinds in one function, which is compiled once."""
    if kind == 1:
        # Never the same twice, so that no tie is told apart by rounding; not antisymmetric either.
        value = mobility(view, own) - 1.37 * mobility(view, opp)
        value += 0.1237 * row(view, own) - 0.0719 * col(view, opp) ** 2
        value += 0.517 if view.own_to_move else 0.0
        for s in squares(view.blank):
            value += 0.00613 * row(view, s) ** 3 - 0.00331 * col(view, s) ** 2
        return value
    if kind == 2:  # infinities in unfinished games
        if mobility(view, own) == 1:
            return -math.inf
        return math.inf if mobility(view, opp) == 1 else row(view, own)
    if kind >= 3:  # an infinity everywhere
        return math.inf if kind == 3 else -math.inf
    return 0.0  # every position alike


def bound(kind: str) -> Bound:
    found = heuristic_of(opinion)
    assert found is not None
    return bind(found, {"kind": KINDS[kind]})


FLAT, UNEVEN, EXCITED = map(bound, ("flat", "uneven", "excited"))
BALANCE = parse_heuristic("improved")
"""Small whole numbers, so that ties abound."""


def play_randomly(board: Board, plies: int, draw: random.Random) -> Position:
    """A position after so many plies of random play, or a few less, with somebody to move."""
    position = Position.empty(board)
    for _ in range(plies):
        going_on = [p for p in map(position.play, position.legal_moves()) if not p.outcome()]
        if not going_on:
            break
        position = draw.choice(going_on)
    return position


def sample(sizes: str, count: int, seed: int, most_plies: int = 12) -> list[Position]:
    """Unfinished positions of boards given as `4x4 5x5`, both players placed."""
    draw = random.Random(seed)
    boards = [parse_start(size).board for size in sizes.split()]
    return [
        play_randomly(draw.choice(boards), draw.randrange(2, most_plies), draw)
        for _ in range(count)
    ]


@dataclass
class Search:
    """A search by hand: the tree it grew, and the choice."""

    tree: Tree
    choice: Choice

    @property
    def root(self) -> Node:
        return self.tree.read()


def search(
    position: Position,
    evaluator: Bound,
    nodes: int,
    settings: Settings = REVERSE,
    seed: int | None = None,
) -> Search:
    searching = MinMaxApproximation(evaluator, **settings)
    choice = searching.choose(position, Limit(nodes=nodes), seed)
    return Search(searching.tree, choice)


def grown_lines(root: Node, board: Board) -> list[Line]:
    """The lines to the nodes that were grown, in that order."""
    found: list[tuple[tuple[int, int], Line]] = []

    def visit(node: Node, line: Line) -> None:
        if node.grown is not None:
            found.append((node.grown, line))
        for child in node.children:
            visit(child, (*line, board.square(child.move)))

    visit(root, ())
    return [line for _, line in sorted(found)]


def every_node(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from every_node(child)


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


def assert_equals_reference(
    position: Position, evaluator: Bound, nodes: int, settings: Settings
) -> None:
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
    "settings",
    [
        REVERSE,
        {"constant": 0.0},
        {"constant": 0.7, "scale": 2.0},
        {"proven": False},
    ],
    ids=str,
)
def test_reverse_approximation_grows_the_references_tree(
    evaluator: Bound, settings: Settings
) -> None:
    for position in sample("3x4 4x4 4x5 5x5", 6, seed=1):
        assert_equals_reference(position, evaluator, 120, settings)


@pytest.mark.parametrize(
    "settings",
    [MEANS, {**MEANS, "p": 1.5, "scale": 3.0}, {**MEANS, "p": 40.0}, {**MEANS, "proven": False}],
    ids=str,
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
    ("settings", "steps"),
    [({"scale": 1.0}, BY_REVERSE), ({**MEANS, "scale": 1.0}, BY_MEANS)],
    ids=["reverse", "means"],
)
def test_a_tree_worked_by_hand(
    settings: Settings, steps: list[tuple[str, int, float, float]]
) -> None:
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


def after(position: Position, line: Line) -> Position:
    for move in line:
        position = position.play(move)
    return position


def test_constant_evaluation_makes_means_grow_where_moves_are_few() -> None:
    position = play_randomly(Board(7, 7), 2, random.Random(5))
    found = search(position, FLAT, 900, MEANS)
    costs = []
    for line in grown_lines(found.root, position.board):
        before = [after(position, line[:ply]) for ply in range(len(line))]
        costs.append(sum(math.log(len(p.legal_moves())) for p in before))
    assert costs == pytest.approx(sorted(costs))


# Against brute force


@cache
def wins(position: Position) -> bool:
    """Whether the player to move wins with best play."""
    return any(not wins(position.play(move)) for move in position.legal_moves())


@pytest.mark.parametrize("settings", [REVERSE, MEANS], ids=str)
@pytest.mark.parametrize("evaluator", [FLAT, BALANCE, EXCITED], ids=str)
def test_finds_the_winning_moves_of_small_positions(evaluator: Bound, settings: Settings) -> None:
    searching = MinMaxApproximation(evaluator, **settings)
    choices = 0
    positions = sample("4x4 4x5 5x4", 100, seed=7, most_plies=6)
    for number, position in enumerate(positions):
        winning = [m for m in position.legal_moves() if not wins(position.play(m))]
        choice = searching.choose(position, Limit(nodes=200_000), number)
        assert choice.report.proven
        assert (choice.report.score == math.inf) == bool(winning)
        assert choice.move in (winning or position.legal_moves())
        choices += 0 < len(winning) < len(position.legal_moves())
        assert_line_ends_the_game(position, choice)
    assert choices > 10


def assert_line_ends_the_game(position: Position, choice: Choice) -> None:
    end = after(position, choice.report.pv)
    outcome = end.outcome()
    assert outcome is not None
    assert (outcome.winner == position.to_move) == (choice.report.score == math.inf)
    assert choice.report.plies == len(choice.report.pv)
    assert choice.move == choice.report.pv[0]


@pytest.mark.parametrize("nodes", [20, 100, 500])
@pytest.mark.parametrize("settings", [REVERSE, MEANS], ids=str)
def test_a_verdict_is_always_true(settings: Settings, nodes: int) -> None:
    searching = MinMaxApproximation(EXCITED, **settings)
    for number, position in enumerate(sample("4x4 4x5", 60, seed=8, most_plies=7)):
        choice = searching.choose(position, Limit(nodes=nodes), number)
        assert choice.report.nodes <= nodes
        if choice.report.proven:
            assert (choice.report.score == math.inf) == wins(position)


def test_without_proven_nodes_it_ends_with_the_whole_tree_and_claims_nothing() -> None:
    for position in sample("3x4 4x4", 20, seed=9):
        on = MinMaxApproximation(BALANCE).choose(position, Limit())
        off = MinMaxApproximation(BALANCE, proven=False).choose(position, Limit())
        assert on.report.proven
        assert not off.report.proven
        assert off.report.plies is None
        assert off.report.score == on.report.score
        assert off.report.nodes >= on.report.nodes


# The score


@cache
def minimax(position: Position, depth: int, rule: Rule) -> float:
    outcome = position.outcome()
    if outcome is not None:
        return math.inf if outcome.winner == rule.max_player else -math.inf
    if depth == 0:
        return rule.heuristic(position)
    values = [minimax(position.play(move), depth - 1, rule) for move in position.legal_moves()]
    return max(values) if position.to_move == rule.max_player else min(values)


@pytest.mark.parametrize("evaluator", [BALANCE, UNEVEN], ids=str)
def test_to_a_depth_alone_the_score_is_minimaxs(evaluator: Bound) -> None:
    for position in sample("5x5 4x6", 8, seed=10):
        rule = Rule(evaluator.plain, position.to_move)
        for depth in (1, 2, 3):
            report = MinMaxApproximation(evaluator).choose(position, Limit(depth=depth)).report
            assert report.score == pytest.approx(minimax(position, depth, rule), abs=1e-6)
            assert report.depth <= depth


def test_the_score_of_whole_numbers_is_a_whole_number() -> None:
    position = play_randomly(Board(7, 7), 2, random.Random(11))
    for seed in range(20):
        score = search(position, BALANCE, 500 + seed, seed=seed).choice.report.score
        assert score is not None
        assert score == int(score)


@pytest.mark.parametrize(
    ("kind", "score"), [("sure to win", math.inf), ("sure to lose", -math.inf)]
)
@pytest.mark.parametrize("settings", [REVERSE, MEANS], ids=str)
def test_a_heuristics_infinity_is_not_proven(settings: Settings, kind: str, score: float) -> None:
    position = play_randomly(Board(7, 7), 2, random.Random(12))
    report = search(position, bound(kind), 300, settings).choice.report
    assert report.score == score
    assert not report.proven
    assert report.plies is None


# Limits, slices and memory


@pytest.mark.parametrize("step", [1, 7, 1000])
@pytest.mark.parametrize("settings", [REVERSE, MEANS], ids=str)
def test_the_result_does_not_depend_on_the_slices(settings: Settings, step: int) -> None:
    position = play_randomly(Board(6, 7), 6, random.Random(13))
    whole = search(position, BALANCE, 3000, settings, seed=4)
    searching = MinMaxApproximation(BALANCE, **settings)
    searching.start(position, Limit(nodes=3000), 4)
    for quota in [*range(step, 3000, step), 3000]:
        if searching.extend(quota):
            break
    choice = searching.best()
    assert list(every_node(searching.tree.read())) == list(every_node(whole.root))
    assert without_time(choice) == without_time(whole.choice)


def without_time(choice: Choice) -> Choice:
    return Choice(choice.move, replace(choice.report, time_ms=0))


def test_the_choice_so_far_stands_after_every_slice() -> None:
    position = play_randomly(Board(5, 5), 4, random.Random(14))
    searching = MinMaxApproximation(BALANCE)
    searching.start(position, Limit())
    for quota in range(1, 200):
        searching.extend(quota)
        so_far = searching.best()
        assert so_far.report.nodes <= quota
        assert position.is_legal(so_far.move)
        after(position, so_far.report.pv)


def test_the_same_seed_gives_the_same_search_and_memory_leaves_no_trace() -> None:
    used = MinMaxApproximation(BALANCE)
    for seed, position in enumerate(sample("5x5 7x7 9x11 13x13", 12, seed=15)):
        new = search(position, BALANCE, 2000, seed=seed).choice
        again = used.choose(position, Limit(nodes=2000), seed)
        assert without_time(again) == without_time(new)


def test_a_tree_of_many_blocks_is_the_same_tree() -> None:
    position = play_randomly(Board(7, 7), 2, random.Random(16))
    whole = search(position, BALANCE, 5000)
    tree = Tree(block_nodes=170)
    choice = MinMaxApproximation(BALANCE, tree=tree).choose(position, Limit(nodes=5000))
    assert without_time(choice) == without_time(whole.choice)
    board = position.board
    assert grown_lines(tree.read(), board) == grown_lines(whole.root, board)


def test_a_full_tree_ends_the_search() -> None:
    position = play_randomly(Board(7, 7), 2, random.Random(17))
    searching = MinMaxApproximation(BALANCE, tree=Tree(most_nodes=2000, block_nodes=500))
    choice = searching.choose(position, Limit())
    assert 1900 < choice.report.nodes <= 2000
    assert without_time(searching.choose(position, Limit())) == without_time(choice)
    shorter = search(position, BALANCE, choice.report.nodes).choice
    assert without_time(choice) == without_time(shorter)


def test_stops_when_asked_or_when_time_is_over() -> None:
    position = play_randomly(Board(13, 13), 2, random.Random(18))
    asked = MinMaxApproximation(BALANCE).choose(position, Limit(), stop=lambda: True)
    timed = MinMaxApproximation(BALANCE).choose(position, Limit(time_ms=3))
    assert 1 < asked.report.nodes <= 2000
    assert timed.report.nodes > 1
    assert not timed.report.proven


@pytest.mark.parametrize("size", ["3x3", "3x13", "7x7", "9x11", "13x13"])
def test_too_few_nodes_for_the_moves_still_give_a_move(size: str) -> None:
    position = parse_start(size)
    choices = [search(position, BALANCE, 1, seed=seed).choice for seed in range(10)]
    assert {choice.report.nodes for choice in choices} == {1}
    assert {choice.report.score for choice in choices} == {None}
    assert all(position.is_legal(choice.move) for choice in choices)
    assert len({choice.move for choice in choices}) > 1


def test_seeds_lean_to_no_side() -> None:
    start = parse_start("7x9").play(Square(3, 4)).play(Square(6, 6))
    searching = MinMaxApproximation(FLAT)
    moves = [searching.choose(start, Limit(nodes=300), seed).move for seed in range(400)]
    counts = [moves.count(move) for move in start.legal_moves()]
    assert min(counts) > 25  # 50 on average, with a standard deviation of 6.6


def test_a_forced_move_and_a_lost_position_give_a_move() -> None:
    forced = parse_position("A1x/xx1/xxB a")
    assert not wins(forced)
    choice = search(forced, BALANCE, 100).choice
    assert (choice.move,) == forced.legal_moves()
    assert choice.report.score == -math.inf
    assert choice.report.proven


def test_a_finished_game_is_refused() -> None:
    over = parse_position("A1x/xxx/xxB a")
    with pytest.raises(InputError, match="the game is over"):
        search(over, BALANCE, 100)


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"constant": -0.1}, "constant=-0.1"),
        ({"constant": math.inf}, "constant=inf"),
        ({"p": 0.5}, "p=0.5"),
        ({"p": math.nan}, "p=nan"),
        ({"scale": 0.0}, "scale=0"),
    ],
)
def test_settings_out_of_bounds_are_refused(settings: Settings, named: str) -> None:
    with pytest.raises(InputError, match=f"^{named}: expected a number from "):
        MinMaxApproximation(BALANCE, **settings)
