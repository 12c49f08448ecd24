"""Exact values agree with brute force, from every source, and stay within their limits."""

import random

import pytest

from isolarium.game.board import Board, parse_board
from isolarium.game.notation import parse_position
from isolarium.game.position import Position
from isolarium.limits import Allowance, Limit
from isolarium.solver.solver import ExactValues, looked_up
from tests.solver.brute_force import BruteForce
from tests.web.truth import plies_of, wins

LATE = parse_position("3x3/1x5/4xB1/2A4/4x2/6x/4x2 a")
LARGE = parse_position("9/9/2A6/9/9/9/9/6B2/9 a")


def positions(board: Board, many: int) -> list[Position]:
    """Positions of random games, from the empty board to the end."""
    chance, found = random.Random(str(board)), list[Position]()
    while len(found) < many:
        position = Position.empty(board)
        while position.legal_mask:
            found.append(position)
            position = position.play(chance.choice(position.legal_moves()))
        found.append(position)
    return found


@pytest.fixture(scope="module")
def truth() -> ExactValues:
    return ExactValues()


@pytest.mark.parametrize("board", ["3x3", "3x4", "4x4"])
def test_every_answer_agrees_with_brute_force(board: str, truth: ExactValues) -> None:
    for position in positions(parse_board(board), 150):
        moves = {move: not wins(position.play(move)) for move in position.legal_moves()}
        assert truth.wins(position) is any(moves.values())
        assert dict(truth.moves(position)) == moves
        found = truth.winning_move(position)
        assert moves[found] if found is not None else not any(moves.values())
        if not position.placing:
            assert truth.plies(position) == plies_of(position)


def test_looked_up_values_are_right_and_take_no_search(truth: ExactValues) -> None:
    force, allowance, known = BruteForce(Board(4, 5)), Allowance(Limit(nodes=1)), 0
    allowance.spent = 1
    for position in positions(Board(4, 5), 300):
        if not position.placing and looked_up(position) is not None:
            assert truth.wins(position, allowance) is force.wins(position)
            known += 1
    assert known > 20
    assert allowance.spent == 1


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("6/6/2A3/6/6/6/6/3B2 a", id="map of the starts"),
        pytest.param("A10/11/11/11/11/11/11/11/11/10B a", id="mirror theorem"),
        pytest.param("7/1x5/3A3/7/4B2/7/7 b", id="book"),
    ],
)
def test_what_can_be_looked_up_is_known_past_the_reach(text: str, truth: ExactValues) -> None:
    position, hardly = parse_position(text), ExactValues(Limit(nodes=1))
    assert not hardly.reaches(position)
    assert hardly.wins(position) is truth.solve(position).wins is not None


def test_past_its_reach_nothing_is_tried(truth: ExactValues) -> None:
    allowance = Allowance()
    assert not truth.reaches(LARGE, allowance)
    assert truth.wins(LARGE, allowance) is None
    assert truth.plies(LARGE, allowance) is None
    assert allowance.spent == 0


def test_an_allowance_is_charged_with_what_the_answers_cost(truth: ExactValues) -> None:
    allowance = Allowance()
    nodes = [truth.solve(LATE, allowance).nodes for _ in range(2)]
    assert allowance.spent == sum(nodes) > 2
    assert truth.wins(LATE, allowance) is not None
    assert allowance.spent == 3 * nodes[0]


def test_an_allowance_and_the_limit_for_each_position_are_kept() -> None:
    for each, whole in ((10, 1000), (1000, 10)):
        allowance = Allowance(Limit(nodes=whole))
        solution = ExactValues(Limit(nodes=each)).solve(LATE, allowance)
        assert (solution.wins, solution.nodes, allowance.spent) == (None, 10, 10)


def test_no_winning_move_is_searched_in_a_known_loss(truth: ExactValues) -> None:
    allowance = Allowance()
    assert truth.winning_move(Position.empty(Board(7, 7)), allowance) is None
    assert allowance.spent == 0


def test_a_spent_allowance_solves_nothing(truth: ExactValues) -> None:
    allowance = Allowance(stop=lambda: True)
    assert truth.wins(LATE, allowance) is None
    assert truth.winning_move(LATE, allowance) is None
    assert allowance.spent == 0


def test_a_small_allowance_shortens_the_reach(truth: ExactValues) -> None:
    start = parse_position("6/6/2x3/1A4/6/4B1 a")
    assert truth.reaches(start)
    assert not truth.reaches(start, Allowance(Limit(nodes=100)))
    assert ExactValues(Limit(nodes=100), within_reach=1e6).reaches(start)
