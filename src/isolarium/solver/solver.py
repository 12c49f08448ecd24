"""The solver, and exact values: the winner, the length of the game, and the winning moves.

`Solver` finds a position's exact value, or reports 'unknown' at a limit; `ExactValues` looks it up first. A single
depth-first search solves most positions; a tree of such searches solves the rest, in several threads if wanted, which
run in parallel because compiled code releases Python's global interpreter lock. `certify` returns the proof of a
solution in the form that `certificate.verify` checks.
"""

from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from threading import local
from typing import Final

from isolarium.errors import InputError
from isolarium.game.board import Board, Square
from isolarium.game.position import Position
from isolarium.game.symmetry import canonical, is_mirror
from isolarium.game.tables import words_for
from isolarium.limits import NO_LIMIT, Allowance, Limit, Stop
from isolarium.native.entry_points import is_cached
from isolarium.solver.book import book_entry
from isolarium.solver.certificate import Notice, Strategy, follow, packed
from isolarium.solver.depth_to_win import DistanceSearch, compiled_distance, distance_entry
from isolarium.solver.proof_tree import Node, ProofTree, SubproblemStore, likely_nodes
from isolarium.solver.solution import Solution
from isolarium.solver.start_map import law_says_win, start_wins
from isolarium.solver.winloss import Answer, WinLossSearch, compiled_winloss, winloss_entry

LOOK_EVERY_S: Final = 0.05
"""The interval at which the limits of a split position are checked."""
PLAIN_NODES: Final = 2_000_000
"""The depth-first nodes after which a tree is used; 7x7 starts take fewer."""


def load_solver(board: Board, distance: bool = True) -> None:
    """Load or compile the solver for a board; without `distance`, only win/loss search."""
    compiled_winloss(words_for(board))
    if distance:
        compiled_distance(words_for(board))


def is_compiled(board: Board, distance: bool = True) -> bool:
    """Return whether the cache already contains the code that `load_solver` loads."""
    words = words_for(board)
    return is_cached(*winloss_entry(words)) and (not distance or is_cached(*distance_entry(words)))


class Solver:
    """A solver for one position at a time, which threads must not share.

    The number of nodes for a position does not depend on the positions solved before it.
    """

    def __init__(self) -> None:
        self._winloss = WinLossSearch()
        self._distance = DistanceSearch()

    def solve(
        self,
        position: Position,
        limit: Limit | None = None,
        stop: Stop | None = None,
        store: SubproblemStore | None = None,
    ) -> Solution:
        """Find the winner.

        Args:
            position: Any position. On a solved board, a position with an unplaced player takes no nodes.
            limit: The maximum number of nodes or time; a depth has no effect.
            stop: A function called every few milliseconds; the search gives up once it returns true.
            store: A store of known values, to which new values are added. The answer's node count includes the nodes
                recorded for stored values.
        """
        return self._solve(position, Allowance(limit, stop), SubproblemStore() if store is None else store)

    def solve_distance(self, position: Position, limit: Limit | None = None, stop: Stop | None = None) -> Solution:
        """Find the winner and the length of the game, within one limit for both.

        If the limit ends the search after the winner is found, only `plies` is unknown. `plies` is also unknown if a
        player is not yet placed.
        """
        allowance = Allowance(limit, stop)
        solution = self._solve(position, allowance, SubproblemStore())
        if solution.wins is None or position.second is None:
            return solution
        plies, move = self._distance.run(position, solution.wins, allowance)
        return Solution(position, solution.wins, move or solution.move, allowance.spent, plies)

    def _solve(self, position: Position, allowance: Allowance, store: SubproblemStore) -> Solution:
        if position.second is None:
            return self._solve_placement(position, allowance, store)
        before = allowance.spent
        if is_mirror(position):
            allowance.spent += 1
            return Solution(position, False, None, 1)
        known = store.find(position)
        if known is not None:
            return Solution(position, *known)
        answer = self._winloss.run(position, allowance, PLAIN_NODES)
        if answer.wins is None and not allowance.is_over():
            tree = ProofTree(position, self._look, store)
            self._search_leaves(tree, allowance)
            allowance.spent += tree.looks
            nodes = allowance.spent - before + tree.found
            answer = Answer(tree.root.wins, tree.root.move, nodes)
        if answer.wins is not None:
            store.keep(position, answer)
        return Solution(position, *answer)

    def _look(self, position: Position) -> tuple[Answer, tuple[Square, ...]]:
        """Return the answer without a search, or the moves left to search in order."""
        return self._winloss.look(position)

    def _search_leaves(self, tree: ProofTree, allowance: Allowance) -> None:
        """Search leaves until the root is known or the allowance is spent."""
        while leaf := tree.next_leaf():
            answer = self._winloss.run(leaf.position, allowance, tree.budget)
            tree.record(leaf, answer)
            if answer.wins is None and allowance.is_over():
                break

    def _solve_placement(self, position: Position, allowance: Allowance, store: SubproblemStore) -> Solution:
        """Try every placement up to symmetry, or look it up on a solved board.

        A placement wins if the opponent loses the resulting position.
        """
        if start_wins(position) is not None:
            winning = (square for square, after in _placements(position) if not start_wins(after))
            move = next(winning, None)
            return Solution(position, move is not None, move, 0)
        nodes = 0
        for square, after in _placements(position):
            solution = self._solve(after, allowance, store)
            nodes += solution.nodes
            if solution.wins is not True:
                wins = None if solution.wins is None else True
                return Solution(position, wins, square if wins else None, nodes)
        return Solution(position, False, None, nodes)


def _placements(position: Position) -> Iterator[tuple[Square, Position]]:
    """Yield the placements up to symmetry, those favoured by the colour law first."""
    found: dict[Position, tuple[Square, Position]] = {}
    for square in position.legal_moves():
        after = position.play(square)
        found.setdefault(canonical(after)[0], (square, after))
    return iter(sorted(found.values(), key=lambda each: not each[1].placing and law_says_win(each[1])))


def certify(solution: Solution, solver: Solver, notice: Notice | None = None) -> tuple[bytes, Strategy]:
    """Return the certificate of a solved position, and the strategy it contains.

    Raises:
        InputError: If the winner is unknown.
    """
    position = solution.position
    if solution.wins is None:
        raise InputError(f"{position}: unknown within the limit; expected a solved position")
    winner = position.to_move if solution.wins else position.to_move.other
    replies = bytearray()

    def reply_of(here: Position, number: int) -> Square:
        move = solver.solve(here).move
        assert move is not None  # The winner is to move.
        replies.append(here.legal_moves().index(move))
        return move

    strategy = follow(position, winner, reply_of, notice)
    return packed(position, winner, bytes(replies)), strategy


# One hard position on several cores


def solver_for(limit: Limit, workers: int) -> Solver:
    """Return a solver for one position at a time, with threads unless nodes are limited.

    With a node limit the result must be the same on every machine, which threads cannot guarantee.
    """
    return Solver() if limit.nodes is not None or workers == 1 else SplittingSolver(workers)


class SplittingSolver(Solver):
    """A solver that searches the leaves of a hard position in several threads.

    The answers are the same as with `Solver`; the number of nodes depends on which leaf finishes first.

    Args:
        workers: The number of leaves searched at once.
    """

    def __init__(self, workers: int) -> None:
        super().__init__()
        self._workers = workers
        self._mine = local()

    def _search_leaves(self, tree: ProofTree, allowance: Allowance) -> None:
        running: dict[Future[Answer], Node] = {}
        ended = False

        def search(leaf: Node) -> Answer:
            allowed = Allowance(stop=lambda: ended or leaf.settled)
            return self._search_of_this_thread().run(leaf.position, allowed, tree.budget)

        with ThreadPoolExecutor(self._workers) as threads:
            try:
                while tree.root.wins is None and not allowance.is_over():
                    while len(running) < self._workers:
                        leaf = tree.next_leaf()
                        if leaf is None:
                            break
                        leaf.running = True
                        running[threads.submit(search, leaf)] = leaf
                    done, _ = wait(running, LOOK_EVERY_S, FIRST_COMPLETED)
                    for future in done:
                        leaf = running.pop(future)
                        leaf.running = False
                        allowance.spent += future.result().nodes
                        tree.record(leaf, future.result())
            finally:
                ended = True
        allowance.spent += sum(future.result().nodes for future in running)

    def _search_of_this_thread(self) -> WinLossSearch:
        if not hasattr(self._mine, "search"):
            self._mine.search = WinLossSearch()
        search: WinLossSearch = self._mine.search
        return search


# Exact values from the cheapest source

ONE_POSITION: Final = Limit(nodes=2_000_000)
"""The limit for one position.

Every 7x7 position takes fewer nodes; the hardest start takes 1.6 million."""
WITHIN_REACH: Final = 4.0
"""The maximum ratio of the estimate to the limit at which the solver is tried.

The estimate predicts the median number of nodes, and many positions need far fewer."""
HOW_SOON_BLANKS: Final = 36
"""The maximum number of blanks for which the length of the game can be computed as well."""
EVERY_MOVE_BLANKS: Final = 30
"""The maximum number of blanks for computing the lengths of many games.

Examples are the games after each move in a position, or after each move of a line."""


def looked_up(position: Position) -> bool | None:
    """Return whether the player to move wins, if this is known without a search."""
    if position.outcome() is not None:
        return False
    wins = start_wins(position)
    if wins is not None:
        return wins
    if is_mirror(position):
        return False
    entry = book_entry(position)
    return None if entry is None else entry.wins


class ExactValues:
    """Exact values of positions, computed within limits; not thread-safe.

    Each value comes from the cheapest source that has the answer: the rules, if the game is over; the start map; the
    mirror theorem; the opening book; and the solver, if it is likely to finish within the limit. Only the solver uses
    nodes. The start map and the theorem do not give a move, so moves come from the book or the solver. If the exact
    value is unknown, the answer is None.

    Every method accepts an allowance, from which the nodes spent on the answer are deducted. Once the allowance is used
    up, only values that can be looked up are known.

    Args:
        each: The limit for one position, regardless of the allowance.
        within_reach: A position is tried only if its estimated nodes are at most this factor times the limit, or times
            the whole allowance if that is smaller.
        workers: The number of threads for a hard position. With more than one, a node limit may be exceeded.
    """

    def __init__(self, each: Limit = ONE_POSITION, within_reach: float = WITHIN_REACH, workers: int = 1) -> None:
        self._each = each
        self._within_reach = within_reach
        self._solver = Solver() if workers == 1 else SplittingSolver(workers)

    def wins(self, position: Position, allowance: Allowance | None = None) -> bool | None:
        """Return whether the player to move wins; None if unknown."""
        known = looked_up(position)
        if known is not None or not self.reaches(position, allowance):
            return known
        return self.solve(position, allowance).wins

    def moves(self, position: Position, allowance: Allowance | None = None) -> Iterator[tuple[Square, bool | None]]:
        """Yield every legal move in order with whether it wins, solving each on demand."""
        for move in position.legal_moves():
            loses = self.wins(position.play(move), allowance)
            yield move, None if loses is None else not loses

    def winning_move(self, position: Position, allowance: Allowance | None = None) -> Square | None:
        """Return a winning move, or None if no winning move exists or is known."""
        if looked_up(position) is False:
            return None
        if position.placing and start_wins(position):
            return next(move for move, wins in self.moves(position) if wins)
        entry = book_entry(position)
        if entry is not None and entry.move is not None:
            return entry.move
        return self.solve(position, allowance).move

    def plies(self, position: Position, allowance: Allowance | None = None) -> int | None:
        """Return the number of plies to the end of the game with perfect play.

        The number is None if unknown, as it always is for positions with unplaced players or with more than
        `EVERY_MOVE_BLANKS` blanks.
        """
        if position.outcome() is not None:
            return 0
        if position.placing or position.blank_count > EVERY_MOVE_BLANKS:
            return None
        return self.solve(position, allowance, distance=True).plies

    def reaches(self, position: Position, allowance: Allowance | None = None) -> bool:
        """Return whether the solver would probably find the answer with the allowance."""
        whole = (self._each, NO_LIMIT if allowance is None else allowance.limit)
        nodes = [limit.nodes for limit in whole if limit.nodes is not None]
        return not nodes or likely_nodes(position) <= self._within_reach * min(nodes)

    def solve(
        self,
        position: Position,
        allowance: Allowance | None = None,
        most: Limit | None = None,
        *,
        distance: bool = False,
    ) -> Solution:
        """Return the solver's answer without using the map, the theorem or the book.

        Args:
            position: Any position.
            allowance: The allowance from which the nodes are deducted.
            most: The limit for this position, which overrides `each`.
            distance: Whether to compute the length of the game as well.
        """
        allowance = allowance or Allowance()
        if allowance.is_over():
            return Solution(position, None, None, 0)
        ask = self._solver.solve_distance if distance else self._solver.solve
        solution = ask(position, allowance.rest(most or self._each), allowance.stop)
        allowance.spent += solution.nodes
        return solution
