"""The champion: it searches, then checks its move with the solver if the end of the game is near.

A search chooses the wrong move in one decisive position out of eight, whatever its depth, and the solver can compute
the winner long before the end. So if the solver is likely to finish, half of the limit is spent on proofs: the solver
tries the moves in the search's order, each with half of the remaining limit. A move proven to win is played; a move
proven to lose is played only if every move loses. The proofs are in `prover_kernel.py`.
"""

from dataclasses import replace
from math import inf
from time import perf_counter_ns
from typing import Final

from isolarium.agents.prover_kernel import (
    BOTH,
    INDEX,
    MOST,
    MOST_BLANKS,
    ONLY_PROOFS,
    ONLY_SEARCH,
    OTHER_NODES,
    PROOF_NODES,
    PROOFS,
    SEARCH,
    SEARCH_MASK,
    SEARCH_NODES,
    SOLVER,
    STAGE,
    WHOLE_MASK,
    WHOLE_NODES,
    champion,
    proof_words,
)
from isolarium.game.board import Board
from isolarium.game.position import Position
from isolarium.game.tables import words_for
from isolarium.limits import Limit, Stop
from isolarium.native.entry_points import compile_entry, entry_address
from isolarium.search.alphabeta_common import table_mask
from isolarium.search.champion import Champion
from isolarium.search.driver import Entry, Seat
from isolarium.search.kernel_state import CHOOSE_SIGNATURE, EVERYTHING, FINISHED, Block, Choose
from isolarium.search.protocol import Evaluator
from isolarium.solver.proof_tree import most_blanks
from isolarium.solver.winloss import compiled_winloss, winloss_entry

PROOFS_SHARE: Final = 1 / 2
"""The share of the limit to spend on proofs in positions where they are tried."""
WITHIN_REACH: Final = 4.0
"""Proofs are tried if the solver is likely to need at most this many times `PROOFS_SHARE`."""
NODES_A_MS: Final = 4000
"""The solver's approximate nodes per millisecond on boards of up to 128 squares."""


class Prover(Champion):
    """The champion's search, followed by proofs.

    Args:
        evaluator: The heuristic of the search.
        threads: The threads of the search; proofs use one.
    """

    def __init__(self, evaluator: Evaluator, threads: int = 1) -> None:
        super().__init__(evaluator, threads)
        self._proofs = Block(1)

    def entry(self, words: int) -> Entry:
        """See `CompiledSearch`."""
        return Entry(champion, CHOOSE_SIGNATURE, {"WORDS": words})

    def entries(self, words: int) -> dict[str, Entry]:
        """See `CompiledSearch`."""
        solver = Entry(*winloss_entry(words))
        return {"choose": self.entry(words), "search": self.search_entry(words), "solver": solver}

    def search_entry(self, words: int) -> Entry:
        """Return the search that the champion calls."""
        return super().entry(words)

    def _selective(self, words: int) -> Choose:
        compiled: Choose = compile_entry(*self.search_entry(words))
        return compiled

    def _prepare(self, board: Board, limit: Limit) -> None:
        super()._prepare(board, limit)
        words, inputs = words_for(board), self.inputs.words
        needed = proof_words(board, words)
        if len(self._proofs.words) != needed:
            self._proofs = Block(needed)
        inputs[PROOFS] = self._proofs.address
        inputs[SEARCH] = entry_address(self._selective(words))
        inputs[SOLVER] = entry_address(compiled_winloss(words))
        nodes = _proof_nodes(limit)
        part = _search_part(limit)
        inputs[MOST_BLANKS] = most_blanks(board, WITHIN_REACH * nodes) if int(nodes) else -1
        inputs[SEARCH_NODES] = EVERYTHING if part.nodes is None else part.nodes
        inputs[SEARCH_MASK], inputs[WHOLE_MASK] = table_mask(part), table_mask(limit)
        inputs[PROOF_NODES] = EVERYTHING if limit.nodes is None else int(nodes)
        inputs[WHOLE_NODES] = EVERYTHING if limit.nodes is None else limit.nodes

    def seat(self, board: Board, limit: Limit) -> Seat:
        """See `CompiledSearch`."""
        self.inputs.words[STAGE] = BOTH
        return super().seat(board, limit)

    def start(self, position: Position, limit: Limit, seed: int | None = None) -> None:
        """See `Search`."""
        self.inputs.words[STAGE] = ONLY_SEARCH
        self._limit, self._index = limit, -1
        self._ended_ns: int | None = None
        super().start(position, limit, seed)

    def _search_limit(self, position: Position, limit: Limit) -> Limit:
        return _search_part(limit) if self._tries_proofs(position) else limit

    def _tries_proofs(self, position: Position) -> bool:
        few = position.blank_count <= int(self.inputs.words[MOST_BLANKS])
        return few and not position.placing

    def advance(self, stop: Stop | None = None) -> None:
        """See `Search`."""
        if not self._slices.done:
            super().advance(stop)
        if self._slices.done and not self.done and self._proofs_end(stop):
            self._ended_ns = perf_counter_ns()

    def _proofs_end(self, stop: Stop | None) -> bool:
        """Run proofs until they end or `stop()` is true; return whether they end."""
        if not self._tries_proofs(self._position):
            return True
        words = self.inputs.words
        words[STAGE], words[OTHER_NODES] = ONLY_PROOFS, self._helpers_nodes()
        prove = self._compiled(words_for(self._position.board))
        while prove(self.inputs.address, EVERYTHING) != FINISHED:
            if self._is_late():
                return True
            if stop is not None and stop():
                return False
        return True

    def _is_late(self) -> bool:
        """Give each move half of the time that is left; return whether no time is left."""
        end_ms = inf if self._limit.time_ms is None else self._limit.time_ms
        elapsed_ms = (perf_counter_ns() - self._started_ns) / 1e6
        index = int(self._proofs.words[INDEX])
        if index != self._index:
            self._index, self._until_ms = index, (elapsed_ms + end_ms) / 2
        elif elapsed_ms >= self._until_ms:
            self._proofs.words[MOST] = 0
        return elapsed_ms >= end_ms

    def _now_ns(self) -> int:
        return self._ended_ns or perf_counter_ns()

    @property
    def done(self) -> bool:
        """See `Search`."""
        return self._ended_ns is not None


def _proof_nodes(limit: Limit) -> float:
    """Return the number of nodes for proofs; 0 for a limit in depth."""
    bounds = [limit.nodes, None if limit.time_ms is None else limit.time_ms * NODES_A_MS]
    given = [bound for bound in bounds if bound is not None]
    return PROOFS_SHARE * min(given) if given and limit.depth is None else 0.0


def _search_part(limit: Limit) -> Limit:
    """Return the part of the limit for the search if proofs are tried: at least one node."""
    share = 1 - PROOFS_SHARE
    return replace(
        limit,
        nodes=None if limit.nodes is None else max(1, int(share * limit.nodes)),
        time_ms=None if limit.time_ms is None else share * limit.time_ms,
    )
