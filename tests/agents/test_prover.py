"""The champion's proofs, compared with the same proofs in plain Python."""

import random
from dataclasses import replace

import pytest

from isolarium.agents.prover import PROOFS_SHARE, WITHIN_REACH, Prover
from isolarium.game.board import Board, Square
from isolarium.game.position import Position
from isolarium.game.symmetry import symmetries
from isolarium.game.tables import permutation, table_address
from isolarium.heuristics.bound_heuristic import parse_heuristic
from isolarium.limits import Limit
from isolarium.search.champion import Champion
from isolarium.search.kernel_state import ROOT, ROOT_COUNT, TABLE
from isolarium.search.protocol import Choice
from isolarium.solver.proof_tree import likely_nodes
from isolarium.solver.winloss import WinLossSearch
from tests.search.awkward import played_position, timeless

IMPROVED = parse_heuristic("improved")


def proven_choice(position: Position, nodes: int, seed: int) -> tuple[Choice, int]:
    """Search and prove as the champion should; also return the number of proven moves."""
    proof_nodes = int(PROOFS_SHARE * nodes)
    search, solver = Champion(IMPROVED), WinLossSearch()
    if not proof_nodes or likely_nodes(position) > WITHIN_REACH * PROOFS_SHARE * nodes:
        return search.choose(position, Limit(nodes=nodes), seed), 0
    found = search.choose(position, Limit(nodes=max(1, int(nodes * (1 - PROOFS_SHARE)))), seed)
    if found.report.proven:
        return found, 0
    left, spent = min(proof_nodes, nodes - found.report.nodes), 0
    wins = dict[Square, bool]()
    moves = [found.move, *(move for move in ranking(search, position) if move != found.move)]
    for move in moves:
        here = 0
        for answer in solver.slices(position.play(move), left // 2):
            here = answer.nodes
            if answer.wins is not None:
                wins[move] = not answer.wins
        spent += here
        left -= here
        if wins.get(move):
            break
    best = max(moves, key=lambda move: wins.get(move, 0.5))
    report = replace(found.report, nodes=found.report.nodes + spent)
    if best in wins:
        report = replace(report, score=float("inf") if wins[best] else -float("inf"), proven=True)
    return Choice(best, report if best == found.move else replace(report, pv=(best,))), len(wins)


def ranking(search: Champion, position: Position) -> list[Square]:
    """Return the root's moves in the search's order."""
    words, table = search.work.words, int(search.inputs.words[TABLE])
    board = position.board
    drawn = next(each for each in symmetries(board) if table_address(board, each) == table)
    squares = dict(zip(permutation(board, drawn), board.squares, strict=True))
    return [squares[int(number)] for number in words[ROOT : ROOT + int(words[ROOT_COUNT])]]


@pytest.mark.slow
@pytest.mark.parametrize("size", [(7, 7), (6, 5), (8, 9)])
def test_proofs_are_those_of_the_solver(size: tuple[int, int]) -> None:
    chance, champion, proven = random.Random(1), Prover(IMPROVED), list[int]()
    for nodes in (1, 2, 300, 3000, 20_000):
        for _ in range(12):
            position = played_position(Board(*size), chance.randrange(4, size[0] * 5), chance)
            if position.placing:
                continue
            seed = chance.randrange(1 << 62)
            expected, moves = proven_choice(position, nodes, seed)
            assert timeless(champion.choose(position, Limit(nodes=nodes), seed)) == timeless(expected)
            proven.append(moves)
    assert max(proven) > 2


def test_a_time_limit_ends_the_proofs() -> None:
    position = played_position(Board(9, 9), 30, random.Random(3))
    report = Prover(IMPROVED).choose(position, Limit(time_ms=30), 1).report
    assert report.nodes > 0
    assert report.pv


def test_threads_share_the_search_and_then_prove() -> None:
    position = played_position(Board(7, 7), 10, random.Random(4))
    alone = Prover(IMPROVED).choose(position, Limit(nodes=400_000), 1)
    together = Prover(IMPROVED, threads=2).choose(position, Limit(nodes=400_000), 1)
    assert together.report.nodes <= 400_000
    assert together.report.proven == alone.report.proven
    assert together.report.score == alone.report.score
