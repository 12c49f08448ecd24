import math
import random
import subprocess
import sys
from functools import cache
from itertools import count

import pytest
from numba import types

from isolarium.errors import InputError
from isolarium.game.board import Board, Square
from isolarium.game.notation import parse_position
from isolarium.game.position import Position
from isolarium.limits import Limit
from isolarium.native.entry_points import compile_entry
from isolarium.search.kernel_state import Workspace
from isolarium.search.mcts import MonteCarlo, logarithm
from isolarium.search.protocol import Choice
from tests.search.awkward import timeless
from tests.search.mcts_reference import Node, Search, principal_variation


@cache
def monte_carlo(c: float = 1.4) -> MonteCarlo:
    return MonteCarlo(c)


@cache
def is_won(position: Position) -> bool:
    """Whether the player to move wins: brute force, straight from the rules."""
    return any(not is_won(position.play(move)) for move in position.legal_moves())


@cache
def chance(position: Position) -> float:
    """How often the player to move wins when both play uniformly at random, exactly."""
    moves = position.legal_moves()
    return sum(1 - chance(position.play(move)) for move in moves) / len(moves) if moves else 0.0


def random_position(board: Board, plies: int, seed: int) -> Position:
    """A position after so many random moves in which there is still a move."""
    for attempt in count():
        generator = random.Random(f"{seed} {attempt}")
        position = Position.empty(board)
        for _ in range(plies):
            moves = position.legal_moves()
            if not moves:
                break
            position = position.play(generator.choice(moves))
        if position.legal_moves():
            return position
    raise AssertionError


def small_positions(amount: int) -> list[Position]:
    """Positions on boards up to 5x5 that brute force solves in no time."""
    shapes = [(3, 3, 2), (3, 4, 2), (4, 4, 4), (3, 5, 2), (4, 5, 5), (5, 5, 7)]
    chosen = [(Board(r, c), plies + seed % 3) for seed in range(amount) for r, c, plies in shapes]
    return [random_position(*how, seed) for seed, how in enumerate(chosen[:amount])]


def search(position: Position, seed: int | None = 1, c: float = 1.4, **limits: int) -> Choice:
    return monte_carlo(c).choose(position, Limit(**limits), seed)


@pytest.mark.parametrize("board", ["3x3", "3x4", "4x4", "5x5", "7x7", "9x11", "13x13"])
def test_equals_the_reference_node_for_node(board: str) -> None:
    rows, cols = map(int, board.split("x"))
    for plies, nodes in [(0, 700), (1, 700), (2, 3000), (3, 999), (5, 3000), (7, 1500)]:
        position = random_position(Board(rows, cols), plies if rows > 3 else plies % 4, nodes)
        reference = Search(Node(position), nodes, c=0.8)
        reference.run()
        root, chosen = reference.root, reference.root.choice()

        report = search(position, None, 0.8, nodes=nodes).report
        assert (report.nodes, report.pv) == (reference.nodes, principal_variation(root)), position
        assert report.proven == (root.won is not None)
        if report.proven:
            assert (report.score, report.plies) == (math.inf if root.won else -math.inf, root.plies)
        else:
            assert report.depth == root.full_depth()
            mean = 2 * chosen.wins / chosen.visits - 1 if chosen.visits else None
            assert report.score == pytest.approx(mean)


def test_proven_verdicts_equal_brute_force_at_every_budget() -> None:
    verdicts = {True: 0, False: 0}
    for seed, position in enumerate(small_positions(120)):
        for nodes in (10, 40, 160, 640, 2560):
            choice = search(position, seed, nodes=nodes)
            if choice.report.proven:
                won = is_won(position)
                assert choice.report.score == (math.inf if won else -math.inf), position
                assert not won or not is_won(position.play(choice.move)), position
                verdicts[won] += 1
    assert min(verdicts.values()) > 50


def test_a_proof_is_a_line_to_the_end_of_the_game() -> None:
    for seed, position in enumerate(small_positions(120)):
        report = search(position, seed, nodes=200_000).report
        assert report.proven
        end = position
        for move in report.pv:
            end = end.play(move)
        outcome = end.outcome()
        assert outcome is not None
        assert (outcome.winner == position.to_move) == is_won(position)
        assert report.plies == report.depth == len(report.pv)


def test_finds_the_only_winning_move() -> None:
    found = 0
    for seed, position in enumerate(small_positions(1500)):
        moves = position.legal_moves()
        winning = [move for move in moves if not is_won(position.play(move))]
        if len(winning) == 1 and len(moves) > 1:
            assert search(position, seed, nodes=20_000).move == winning[0], position
            found += 1
    assert found > 200


@pytest.mark.parametrize("step", [1, 7, 1000])
def test_slices_do_not_show_in_the_result(step: int) -> None:
    for seed, position in enumerate([*small_positions(12), Position.empty(Board(9, 11))]):
        limit = Limit(nodes=3000)
        whole = monte_carlo().choose(position, limit, seed)
        sliced = MonteCarlo()
        sliced.start(position, limit, seed)
        for quota in [*range(step, 3000, step), 3000]:
            if sliced.extend(quota):
                break
            assert sliced.best().report.nodes == quota
        assert timeless(sliced.best()) == timeless(whole)


def test_a_finished_search_stays_as_it_is() -> None:
    position = small_positions(1)[0]
    search = MonteCarlo()
    search.start(position, Limit(), 1)
    assert search.extend(10**6)
    before = timeless(search.best())
    assert search.extend(2 * 10**6)
    assert timeless(search.best()) == before


def test_enters_exactly_as_many_nodes_as_allowed_unless_proven() -> None:
    position = random_position(Board(7, 7), 4, 1)
    for nodes in [*range(1, 90), 1000, 20_011]:
        assert search(position, nodes=nodes).report.nodes == nodes
    for position in small_positions(40):
        report = search(position, nodes=300).report
        assert report.nodes <= 300
        assert report.proven or report.nodes == 300


def test_one_node_is_the_root_and_no_opinion() -> None:
    report = search(Position.empty(Board(7, 7)), nodes=1).report
    assert (report.nodes, report.depth, report.score, report.proven) == (1, 0, None, False)
    assert len(report.pv) == 1


SCRIPT = """
from isolarium.game.notation import parse_start
from isolarium.limits import Limit
from isolarium.search.mcts import MonteCarlo
for start in "7x7", "9x11", "13x13", "7/7/2A4/3x3/4B2/7/7 a":
    choice = MonteCarlo().choose(parse_start(start), Limit(nodes=30_000), 11)
    print(choice.move, choice.report.nodes, choice.report.score, choice.report.pv)
"""


@pytest.mark.slow
def test_two_processes_agree() -> None:
    outputs = [
        subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True) for _ in range(2)
    ]
    assert outputs[0].stdout == outputs[1].stdout
    assert outputs[0].stdout.count("30000") == 4


def test_memory_used_before_does_not_show() -> None:
    position = random_position(Board(7, 7), 6, 3)
    fresh = MonteCarlo().choose(position, Limit(nodes=20_000), 5)
    used = MonteCarlo()
    used.choose(Position.empty(Board(13, 13)), Limit(nodes=50_000), 9)
    assert timeless(used.choose(position, Limit(nodes=20_000), 5)) == timeless(fresh)


def test_the_seed_matters() -> None:
    empty = Position.empty(Board(7, 7))
    assert len({search(empty, seed, nodes=2000).move for seed in range(30)}) > 10


@pytest.mark.parametrize("plies", [0, 1, 2, 3, 9])
@pytest.mark.parametrize("shape", [(3, 3), (3, 13), (7, 7), (8, 8), (9, 11), (11, 9), (13, 13)])
def test_plays_legally_on_boards_of_every_width(shape: tuple[int, int], plies: int) -> None:
    position = random_position(Board(*shape), min(plies, 3) if shape == (3, 3) else plies, 2)
    choice = search(position, 8, nodes=20_000)
    assert choice.move == choice.report.pv[0]
    for move in choice.report.pv:
        position = position.play(move)


def test_plays_the_only_move() -> None:
    forced = [position for position in small_positions(200) if len(position.legal_moves()) == 1]
    assert len(forced) > 20
    for position in forced:
        for nodes in (1, 2, 5000):
            assert search(position, nodes=nodes).move == position.legal_moves()[0]


def test_a_lost_position_gets_the_move_that_lasts_longest_of_those_found() -> None:
    lost = [position for position in small_positions(200) if not is_won(position)]
    assert len(lost) > 20
    for position in lost:
        choice = search(position, nodes=500_000)
        assert position.is_legal(choice.move)
        assert (choice.report.score, choice.report.proven) == (-math.inf, True)
        assert choice.report.plies == len(choice.report.pv)


def test_rollouts_are_uniform_over_legal_moves() -> None:
    """With a tree of one ply and every move tried equally often, the score is the choice's chance at random play."""
    for seed, position in enumerate([random_position(Board(4, 5), 4, s) for s in range(30)]):
        choice = search(position, seed, c=1e9, depth=1, nodes=500_000)
        if choice.report.proven:
            continue
        assert choice.report.score is not None
        rollouts = 500_000 / 20 / len(position.legal_moves())
        expected = 1 - chance(position.play(choice.move))
        deviation = math.sqrt(expected * (1 - expected) / rollouts)
        assert (choice.report.score + 1) / 2 == pytest.approx(expected, abs=4.5 * deviation + 1e-9)


def test_depth_is_that_of_the_tree() -> None:
    position = random_position(Board(7, 7), 4, 1)
    for depth in (1, 2, 3):
        report = search(position, depth=depth, nodes=300_000).report
        assert len(report.pv) == report.depth == depth
    assert len(search(position, nodes=300_000).report.pv) > 3


def test_a_full_tree_goes_on_with_rollouts() -> None:
    position = random_position(Board(7, 7), 4, 1)
    small = MonteCarlo(most_nodes=1000).choose(position, Limit(nodes=400_000), 1)
    large = search(position, nodes=400_000)
    assert small.report.nodes == 400_000
    assert small.report.depth < large.report.depth
    assert position.is_legal(small.move)


def test_a_full_tree_still_proves_only_the_truth() -> None:
    small, proven = MonteCarlo(most_nodes=0), 0
    for seed, position in enumerate(small_positions(120)):
        report = small.choose(position, Limit(nodes=20_000), seed).report
        if report.proven:
            assert report.score == (math.inf if is_won(position) else -math.inf)
            proven += 1
    assert proven > 50


def test_stops_when_asked() -> None:
    asked = iter([False, False, True])
    position = Position.empty(Board(7, 7))
    choice = monte_carlo().choose(position, Limit(), 1, lambda: next(asked))
    assert next(asked, "asked three times") == "asked three times"
    assert position.is_legal(choice.move)


def test_a_time_limit_ends_the_search() -> None:
    report = monte_carlo().choose(Position.empty(Board(7, 7)), Limit(time_ms=20), 1).report
    assert report.time_ms >= 20
    assert not report.proven


def test_refuses_a_game_that_is_over() -> None:
    with pytest.raises(InputError, match=r"^xxx/xAx/xBx a: the game is over"):
        search(parse_position("xxx/xAx/xBx a"), nodes=10)


def test_refuses_a_depth_alone() -> None:
    with pytest.raises(InputError, match=r"depth=3: .* add nodes or ms"):
        monte_carlo().start(Position.empty(Board(7, 7)), Limit(depth=3), 1)


@pytest.mark.parametrize("c", [-0.1, math.inf, math.nan])
def test_refuses_a_constant_that_is_not_a_number_from_0_on(c: float) -> None:
    with pytest.raises(InputError, match="c="):
        MonteCarlo(c)


def called_logarithm(state: int, number: int) -> float:
    return logarithm(state, number)


def test_the_logarithm_has_nine_digits() -> None:
    scratch = Workspace()
    of = compile_entry(called_logarithm, types.float64(types.int64, types.int64), {})
    for number in [*range(2, 3000), *(3**k for k in range(2, 38)), *(1 << k for k in range(60))]:
        found = of(scratch.address, number)
        assert found == pytest.approx(math.log(number), rel=1e-9, abs=1e-15), number


def test_beats_random_play() -> None:
    generator, won = random.Random(7), 0
    for game in range(40):
        position, ours = Position.empty(Board(7, 7)), game % 2
        while moves := position.legal_moves():
            own = position.to_move == ours
            move: Square = search(position, game, nodes=20_000).move if own else (generator.choice(moves))
            position = position.play(move)
        won += position.to_move != ours
    assert won >= 38
