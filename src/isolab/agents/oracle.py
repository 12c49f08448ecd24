"""The oracle: perfect wherever the solver finishes within its limit, and a strong player elsewhere.

From a won position it plays a move that wins, the quickest where that can be found out. From a lost one it plays the
move that asks most of the opponent: exactly the longest resistance once few squares are left, before that the move
after which the opponent has the fewest winning replies. The opening book is asked first. On boards past the solver's
reach it searches, and hands over to the solver as soon as that is likely to finish.
"""

from dataclasses import dataclass, replace
from time import perf_counter_ns
from typing import Final

from isolab.agents.opening import book_choice, book_move
from isolab.game.board import Board, Square
from isolab.game.position import Position
from isolab.game.symmetry import symmetries
from isolab.game.tables import words_for
from isolab.heuristics.evaluator import evaluator_of
from isolab.heuristics.parsing import parse_heuristic
from isolab.limits import Limit, Stop
from isolab.search.alphabeta import Strong
from isolab.search.protocol import Choice, Report, Search, check_unfinished
from isolab.search.random import mixed_seed
from isolab.solver.reach import likely_nodes
from isolab.solver.solver import Solution, Solver, compiled_distance, compiled_slice

DEFAULT_NODES: Final = 2_000_000
"""Every 7x7 position is solved within this, less what is set aside for a search (the hardest start takes 1.6 M)."""
NODES_A_MS: Final = 10_000
"""What the solver does in a millisecond, at most."""
EVALUATION: Final = "stealer"
"""What it searches with past the solver's reach."""
SEARCH_SHARE: Final = 1 / 8
"""What of the limit is set aside for a search, should the solver not finish."""
WITHIN_REACH: Final = 8.0
"""The solver is tried where it is likely to need no more than so many times what it may."""
RESISTS_EXACTLY: Final = 36
"""With no more blanks than this, how long the game lasts is found out exactly,"""
LINE_BLANKS: Final = 30
"""and with no more than this, the whole line."""
HARDEST_NODES: Final = 400_000
"""What may go into counting winning replies, so that a lost position is answered as soon as a won one."""


@dataclass
class _Budget:
    """The nodes and the time that are left."""

    nodes: int
    deadline_ns: int | None
    stop: Stop | None
    spent: int = 0

    @property
    def left(self) -> int:
        """Nodes left; none once the time is over or it was stopped."""
        if self.deadline_ns is not None and perf_counter_ns() >= self.deadline_ns:
            return 0
        if self.stop is not None and self.stop():
            return 0
        return max(0, self.nodes - self.spent)

    @property
    def left_ms(self) -> float | None:
        """Milliseconds left."""
        if self.deadline_ns is None:
            return None
        return max(0.01, (self.deadline_ns - perf_counter_ns()) / 1e6)


class Oracle(Search):
    """Chooses moves by solving. It decides in one go: once stopped, it is done."""

    def __init__(self) -> None:
        self._solver = Solver()
        self._ready = set[Board]()
        self._search = Strong(evaluator_of(parse_heuristic(EVALUATION)))

    def start(self, position: Position, limit: Limit, seed: int | None = None) -> None:
        """See `Search`."""
        check_unfinished(position)
        self._make_ready(position)
        self._asked = position, limit, seed
        self._decided: Choice | None = None
        self._searching = False

    def advance(self, stop: Stop | None = None) -> None:
        """See `Search`."""
        if self._decided is None:
            self._decided = self._decide(*self._asked, stop)

    def best(self) -> Choice:
        """See `Search`; while the solver is at work any move."""
        if self._decided is not None:
            return self._decided
        if self._searching:
            return self._search.best()
        move = self._asked[0].legal_moves()[0]
        return Choice(move, Report(None, depth=0, nodes=0, time_ms=0.0, pv=(move,)))

    @property
    def done(self) -> bool:
        """See `Search`."""
        return self._decided is not None

    def _decide(
        self, position: Position, limit: Limit, seed: int | None, stop: Stop | None
    ) -> Choice:
        """Choose a move within the limit."""
        started_ns = perf_counter_ns()
        known = self._known(position, _solving_budget(limit, started_ns, stop), seed)
        found = (
            known
            if isinstance(known, Choice)
            else self._searched(position, limit, known, started_ns, seed, stop)
        )
        time_ms = (perf_counter_ns() - started_ns) / 1e6
        return Choice(found.move, replace(found.report, time_ms=time_ms))

    def _make_ready(self, position: Position) -> None:
        """Compile whatever may be needed on the board, and read its book."""
        if position.board in self._ready:
            return
        self._ready.add(position.board)
        words = words_for(position.board)
        compiled_slice(words)
        compiled_distance(words)
        self._search.start(position, Limit(nodes=1))
        book_move(position, None)

    def _known(self, position: Position, budget: _Budget, seed: int | None) -> Choice | int:
        """What the solver knows to be right; the nodes that it took where it did not finish."""
        in_book = book_move(position, seed)
        if in_book is not None and in_book.move is not None:
            return book_choice(in_book.wins, in_book.move)
        if budget.left == 0 or likely_nodes(position) > WITHIN_REACH * budget.nodes:
            return 0
        # The solver's order of moves must not lean to a side, so it sees an image of the board drawn by the seed.
        images = symmetries(position.board)
        image = images[0 if seed is None else mixed_seed(seed, 1) % len(images)]
        seen = image.position(position)
        if in_book is not None and not in_book.wins:
            solution = Solution(seen, False, None, 0)
        else:
            solution = self._solve(seen, budget)
        if solution.wins is None:
            return budget.spent
        move = solution.move or self._hardest(seen, budget, seed)
        line = self._line(seen, move, solution.plies, budget)
        back = image.inverse
        report = Report(
            score=float("inf") if solution.wins else float("-inf"),
            depth=solution.plies or len(line),
            nodes=budget.spent,
            time_ms=0.0,
            pv=tuple(back.square(square, seen.board) for square in line),
            proven=True,
            plies=solution.plies,
        )
        return Choice(report.pv[0], report)

    def _solve(self, position: Position, budget: _Budget) -> Solution:
        """Solve within the budget; with few blanks left also how soon it ends."""
        few = position.blank_count <= RESISTS_EXACTLY and position.mover and position.other
        solve = self._solver.solve_distance if few else self._solver.solve
        solution = solve(position, budget.left, budget.left_ms, budget.stop)
        budget.spent += solution.nodes
        return solution

    def _hardest(self, position: Position, budget: _Budget, seed: int | None) -> Square:
        """Of a lost position's moves, the one that leaves fewest winning replies, as far as the budget tells."""
        moves = position.legal_moves()
        if position.placing:
            return moves[0 if seed is None else mixed_seed(seed, 2) % len(moves)]
        end = min(budget.nodes, budget.spent + HARDEST_NODES)
        allowed = _Budget(end, budget.deadline_ns, budget.stop, budget.spent)
        afters = {move: position.play(move) for move in moves}
        to_try = sum(len(after.legal_moves()) for after in afters.values())
        winning = dict.fromkeys(moves, 0.0)
        for move, after in afters.items():
            for reply in after.legal_moves():
                winning[move] += self._chance(after.play(reply), allowed, to_try)
                to_try -= 1
        budget.spent = allowed.spent
        return min(moves, key=lambda move: (winning[move], -len(afters[move].legal_moves())))

    def _chance(self, position: Position, budget: _Budget, shared_by: int) -> float:
        """1 if the player to move loses, 0 if it wins, 1/2 if its share of the budget does not tell."""
        share = budget.left // shared_by
        if share == 0:
            return 0.5
        solution = self._solver.solve(position, share, budget.left_ms, budget.stop)
        budget.spent += solution.nodes
        return 0.5 if solution.wins is None else float(not solution.wins)

    def _line(
        self, position: Position, move: Square, plies: int | None, budget: _Budget
    ) -> list[Square]:
        """The move, and where few blanks are left what follows when both play their best."""
        line, after = [move], position.play(move)
        if plies is None or position.blank_count > LINE_BLANKS:
            return line
        while len(line) < plies and (left := budget.left):
            solution = self._solver.solve_distance(after, left, budget.left_ms, budget.stop)
            budget.spent += solution.nodes
            if solution.plies is None or solution.move is None:
                break
            line.append(solution.move)
            after = after.play(solution.move)
        return line

    def _searched(
        self,
        position: Position,
        limit: Limit,
        spent: int,
        started_ns: int,
        seed: int | None,
        stop: Stop | None,
    ) -> Choice:
        """Search with what the solver left of the limit."""
        time_ms = limit.time_ms
        if time_ms is not None:
            time_ms = max(0.01, time_ms - (perf_counter_ns() - started_ns) / 1e6)
        nodes = DEFAULT_NODES if limit.nodes is None and time_ms is None else limit.nodes
        rest = Limit(limit.depth, None if nodes is None else max(1, nodes - spent), time_ms)
        self._search.start(position, rest, seed)
        self._searching = True
        self._search.advance(stop)
        choice = self._search.best()
        report = replace(choice.report, nodes=choice.report.nodes + spent)
        return Choice(choice.move, report)


def _solving_budget(limit: Limit, started_ns: int, stop: Stop | None) -> _Budget:
    """What the solver may take of a limit."""
    share = 1 - SEARCH_SHARE
    if limit.time_ms is None:
        return _Budget(int(share * (limit.nodes or DEFAULT_NODES)), None, stop)
    nodes = int(share * limit.time_ms * NODES_A_MS)
    deadline_ns = started_ns + int(share * limit.time_ms * 1e6)
    return _Budget(min(nodes, int(share * (limit.nodes or nodes / share))), deadline_ns, stop)
