"""The champion: it searches, then checks its move with the solver if the end of the game is near.

A search chooses the wrong move in one decisive position out of eight, whatever its depth, and the
solver can compute the winner long before the end. So if the solver is likely to finish, half of the
limit is spent on proofs: the solver tries the moves in the search's order, each with half of the
remaining limit. A move proven to win is played; a move proven to lose is played only if every move
loses.
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
from isolarium.solver.solver import load_solver
from isolarium.solver.winloss import WinLossSearch, likely_nodes

PROOFS_SHARE: Final = 1 / 2
"""The share of the limit to spend on proofs in positions where they are tried."""
WITHIN_REACH: Final = 4.0
"""Proofs are tried if the solver is likely to need at most this many times `PROOFS_SHARE`."""
NODES_A_MS: Final = 4000
"""The solver's approximate nodes per millisecond on boards of up to 128 squares."""


class Prover(Search):
    """The champion's search, followed by proofs.

    Args:
        evaluator: The heuristic of the search.
        threads: The threads of the search; proofs use one.
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
        """Return all moves, beginning with the search's choice."""
        chosen = self._search.best().move
        return [chosen, *(move for move in self._search.ranking() if move != chosen)]

    def _elapsed_ms(self) -> float:
        return ((self._ended_ns or perf_counter_ns()) - self._started_ns) / 1e6

    def _prove(self) -> Iterator[None]:
        """Solve moves, a slice at a time, until one wins or the limit is reached."""
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
    """Return the number of nodes for proofs.

    The number is 0 if proofs are unlikely to finish, and for a limit in depth.
    """
    if limit.depth is not None or position.placing:
        return 0
    most = [limit.nodes, None if limit.time_ms is None else limit.time_ms * NODES_A_MS]
    nodes = PROOFS_SHARE * min(bound for bound in most if bound is not None)
    return int(nodes) if likely_nodes(position) <= WITHIN_REACH * nodes else 0


def _part_of(limit: Limit, share: float) -> Limit:
    """Return a share of a limit, with at least one node."""
    return replace(
        limit,
        nodes=None if limit.nodes is None else max(1, int(share * limit.nodes)),
        time_ms=None if limit.time_ms is None else share * limit.time_ms,
    )
