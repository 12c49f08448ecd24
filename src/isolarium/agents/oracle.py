"""The oracle: a perfect player where the solver finishes, else a strong one.

In a won position it plays a winning move: the quickest one, if that can be computed. In a lost position it plays the
move that is hardest to answer: once few squares are left, the move that delays the loss longest; before that, the move
that leaves the opponent the fewest winning replies. It looks in the opening book first. On boards that are too large
for the solver it searches, and switches to the solver as soon as the solver is likely to finish.
"""

from dataclasses import replace
from typing import Final

from isolarium.agents.search_agent import book_choice
from isolarium.game.board import Board, Square
from isolarium.game.position import Position
from isolarium.game.symmetry import symmetries
from isolarium.heuristics.bound_heuristic import parse_heuristic
from isolarium.limits import NO_LIMIT, Allowance, Limit, Stop, mixed_seed
from isolarium.search.champion import Champion
from isolarium.search.protocol import Choice, Report, Search, check_unfinished
from isolarium.solver.book import book_for, book_moves
from isolarium.solver.solution import Solution
from isolarium.solver.solver import EVERY_MOVE_BLANKS, HOW_SOON_BLANKS, ExactValues, load_solver

DEFAULT: Final = Limit(nodes=2_000_000)
"""A limit in which the solver's share is enough for every 7x7 position."""
NODES_A_MS: Final = 10_000
"""The maximum number of nodes that the solver enters per millisecond."""
EVALUATION: Final = "learned"
"""The heuristic of the search, used if the solver does not finish."""
SEARCH_SHARE: Final = 1 / 8
"""The share of the limit that is reserved for a search, in case the solver does not finish."""
WITHIN_REACH: Final = 8.0
"""The factor by which the expected cost may exceed the limit.

The factor is larger than in the champion, because a search would prove nothing.
"""
HARDEST_NODES: Final = 400_000
"""The limit for counting winning replies.

With it, a lost position takes no longer than a won one."""


class Oracle(Search):
    """A search that solves the position in a single step.

    Args:
        threads: The threads of the search and, unless the limit is in nodes, of the solver on hard positions.
    """

    def __init__(self, threads: int = 1) -> None:
        self._alone = ExactValues(NO_LIMIT, WITHIN_REACH)
        self._together = ExactValues(NO_LIMIT, WITHIN_REACH, threads) if threads > 1 else self._alone
        self._truth = self._alone
        self._ready = set[Board]()
        self._search = Champion(parse_heuristic(EVALUATION), threads)

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
        """See `Search`; while the solver works, this is an arbitrary move."""
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

    def _decide(self, position: Position, limit: Limit, seed: int | None, stop: Stop | None) -> Choice:
        """Choose a move within the limit."""
        unlimited = limit.nodes is None and limit.time_ms is None
        allowance = Allowance(replace(limit, nodes=DEFAULT.nodes) if unlimited else limit, stop)
        found = (
            book_choice(position, seed)
            or self._solved(position, allowance, seed)
            or self._searched(position, allowance, seed)
        )
        return Choice(found.move, replace(found.report, time_ms=allowance.elapsed_ms))

    def _make_ready(self, position: Position) -> None:
        """Compile the solver and the search for the board, and read its book."""
        if position.board in self._ready:
            return
        self._ready.add(position.board)
        load_solver(position.board)
        self._search.start(position, Limit(nodes=1))
        book_for(position.board)

    def _solved(self, position: Position, whole: Allowance, seed: int | None) -> Choice | None:
        """Return the solver's choice within its share of the limit; None if it does not finish."""
        self._truth = self._alone if whole.limit.nodes is not None else self._together
        share = _solvers_share(whole.limit)
        if share is None:
            return None
        allowance = Allowance(share, whole.stop)
        if allowance.is_over() or not self._truth.reaches(position, allowance):
            return None
        # The solver's move order must not favour one side, so it solves a random symmetry of the
        # board.
        known = symmetries(position.board)
        symmetry = known[0 if seed is None else mixed_seed(seed, 1) % len(known)]
        seen = symmetry.position(position)
        solution = self._solution(seen, allowance)
        if solution.wins is None:
            whole.spent += allowance.spent
            return None
        move = solution.move or self._hardest(seen, allowance, seed)
        line = self._line(seen, move, solution.plies, allowance)
        back = symmetry.inverse
        report = Report(
            score=float("inf") if solution.wins else float("-inf"),
            depth=solution.plies or len(line),
            nodes=allowance.spent,
            time_ms=0.0,
            pv=tuple(back.square(square, seen.board) for square in line),
            proven=True,
            plies=solution.plies,
        )
        return Choice(report.pv[0], report)

    def _solution(self, position: Position, allowance: Allowance) -> Solution:
        """Return the winner, and the number of plies if it is known or cheap to find."""
        in_book = book_moves(position)
        if in_book is not None and not in_book.wins:
            return Solution(position, False, None, 0)
        soon = position.blank_count <= HOW_SOON_BLANKS and not position.placing
        return self._truth.solve(position, allowance, distance=soon)

    def _hardest(self, position: Position, allowance: Allowance, seed: int | None) -> Square:
        """Return the move in a lost position that leaves the fewest winning replies.

        The replies are counted within the allowance.
        """
        moves = position.legal_moves()
        if position.placing:
            return moves[0 if seed is None else mixed_seed(seed, 2) % len(moves)]
        end = allowance.spent + HARDEST_NODES
        afters = {move: position.play(move) for move in moves}
        to_try = sum(len(after.legal_moves()) for after in afters.values())
        winning = dict.fromkeys(moves, 0.0)
        for move, after in afters.items():
            for reply in after.legal_moves():
                left = allowance.nodes_left(end - allowance.spent)
                winning[move] += self._chance(after.play(reply), allowance, left // to_try)
                to_try -= 1
        return min(moves, key=lambda move: (winning[move], -len(afters[move].legal_moves())))

    def _chance(self, position: Position, allowance: Allowance, most_nodes: int) -> float:
        """Return 1 if the player to move loses, 0 if it wins, and 1/2 if unknown."""
        if most_nodes == 0:
            return 0.5
        wins = self._truth.solve(position, allowance, Limit(nodes=most_nodes)).wins
        return 0.5 if wins is None else float(not wins)

    def _line(self, position: Position, move: Square, plies: int | None, allowance: Allowance) -> list[Square]:
        """Return the move and, if few blanks are left, the best play that follows."""
        line, after = [move], position.play(move)
        if plies is None or position.blank_count > EVERY_MOVE_BLANKS:
            return line
        while len(line) < plies:
            solution = self._truth.solve(after, allowance, distance=True)
            if solution.plies is None or solution.move is None:
                break
            line.append(solution.move)
            after = after.play(solution.move)
        return line

    def _searched(self, position: Position, allowance: Allowance, seed: int | None) -> Choice:
        """Search with the rest of the limit."""
        self._search.start(position, allowance.rest(), seed)
        self._searching = True
        self._search.advance(allowance.stop)
        choice = self._search.best()
        report = replace(choice.report, nodes=choice.report.nodes + allowance.spent)
        return Choice(choice.move, report)


def _solvers_share(limit: Limit) -> Limit | None:
    """Return the solver's share of a limit in nodes or time, or None if it is below one node."""
    share, time_ms = 1 - SEARCH_SHARE, limit.time_ms
    most = [limit.nodes, None if time_ms is None else time_ms * NODES_A_MS]
    nodes = int(share * min(bound for bound in most if bound is not None))
    if nodes == 0:
        return None
    return Limit(nodes=nodes, time_ms=None if time_ms is None else share * time_ms)
