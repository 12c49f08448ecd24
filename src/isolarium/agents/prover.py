"""The champion: it searches, and where the end can be seen from there it asks the solver whether the move is right.

A search is wrong about one decisive position in eight, however deep it looks, and the solver finds out who wins long
before the end. So where it is likely to finish, half of what may be spent goes to proofs: the moves are tried in the
order in which the search likes them, each with half of what is left. A move that is proven to win is made, one that is
proven to lose is not, unless all are.
"""

from collections.abc import Iterator
from dataclasses import replace
from math import inf
from time import perf_counter_ns
from typing import Final

from isolarium.game.board import Square
from isolarium.game.position import Position
from isolarium.limits import Limit, Stop
from isolarium.search.champion import Champion
from isolarium.search.driver import EVERYTHING
from isolarium.search.protocol import Choice, Evaluator, Search
from isolarium.solver.cost_model import likely_nodes
from isolarium.solver.solver import load_solver
from isolarium.solver.winloss import WinLossSearch

PROOFS_SHARE: Final = 1 / 2
"""What of the limit goes to proofs, where they are tried;"""
WITHIN_REACH: Final = 4.0
"""that is where the solver is likely to need no more than so many times as much."""
NODES_A_MS: Final = 4000
"""About what the solver does in a millisecond on boards of up to 128 squares."""


class Prover(Search):
    """The champion's search, and proofs after it.

    Args:
        evaluator: the heuristic that it searches with.
        threads: how many search at once; proofs are made by one.
    """

    def __init__(self, evaluator: Evaluator, threads: int = 1) -> None:
        self._search = Champion(evaluator, threads)
        self._solver = WinLossSearch()

    def start(self, position: Position, limit: Limit, seed: int | None = None) -> None:
        """See `Search`."""
        load_solver(position.board, distance=False)
        self._limit = limit
        self._proofs_nodes = _proofs_nodes(position, limit)
        share = 1 - PROOFS_SHARE if self._proofs_nodes else 1.0
        self._search.start(position, _part_of(limit, share), seed)
        self._position = position
        self._spent = 0
        self._wins: dict[Square, bool] = {}
        self._proofs = self._prove()
        self._started_ns = perf_counter_ns()
        self._ended_ns: int | None = None

    def advance(self, stop: Stop | None = None) -> None:
        """See `Search`."""
        if not self._search.done:
            self._search.advance(stop)
            if not self._search.done:
                return
        for _ in self._proofs:
            if stop is not None and stop():
                return
        self._ended_ns = self._ended_ns or perf_counter_ns()

    def best(self) -> Choice:
        """See `Search`."""
        found = self._search.best()
        report = replace(
            found.report, nodes=found.report.nodes + self._spent, time_ms=self._elapsed_ms()
        )
        if not self._wins:
            return Choice(found.move, report)
        move = max(self._moves(), key=lambda move: self._wins.get(move, 0.5))
        if move in self._wins:
            score = float("inf") if self._wins[move] else float("-inf")
            report = replace(report, score=score, proven=True)
        return Choice(move, report if move == found.move else replace(report, pv=(move,)))

    @property
    def done(self) -> bool:
        """See `Search`."""
        return self._ended_ns is not None

    def _moves(self) -> list[Square]:
        """All moves, the one that the search chose first."""
        chosen = self._search.best().move
        return [chosen, *(move for move in self._search.ranking() if move != chosen)]

    def _elapsed_ms(self) -> float:
        return ((self._ended_ns or perf_counter_ns()) - self._started_ns) / 1e6

    def _prove(self) -> Iterator[None]:
        """Find out what moves are worth until one wins or the limit is reached, a slice at a time."""
        report = self._search.best().report
        if report.proven or not self._proofs_nodes:
            return
        end_ms = inf if self._limit.time_ms is None else self._limit.time_ms
        left = EVERYTHING
        if self._limit.nodes is not None:
            left = min(self._proofs_nodes, self._limit.nodes - report.nodes)
        for move in self._moves():
            most, before = left // 2, self._spent
            until_ms = (self._elapsed_ms() + end_ms) / 2
            for answer in self._solver.slices(self._position.play(move), most):
                self._spent = before + answer.nodes
                if answer.wins is not None:
                    self._wins[move] = not answer.wins
                yield
                if self._elapsed_ms() >= until_ms:
                    break
            if self._wins.get(move) or self._elapsed_ms() >= end_ms:
                return
            left -= self._spent - before


def _proofs_nodes(position: Position, limit: Limit) -> int:
    """How many nodes may go to proofs; none where they are not likely to be found, or a depth is all that is asked."""
    if limit.depth is not None or position.placing:
        return 0
    most = [limit.nodes, None if limit.time_ms is None else limit.time_ms * NODES_A_MS]
    nodes = PROOFS_SHARE * min(bound for bound in most if bound is not None)
    return int(nodes) if likely_nodes(position) <= WITHIN_REACH * nodes else 0


def _part_of(limit: Limit, share: float) -> Limit:
    """So much of a limit, at least a node."""
    return replace(
        limit,
        nodes=None if limit.nodes is None else max(1, int(share * limit.nodes)),
        time_ms=None if limit.time_ms is None else share * limit.time_ms,
    )
