"""One hard position on several cores: the leaves of its first plies are searched at the same time."""

from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from threading import local
from typing import Final

from isolab.game.position import Position
from isolab.solver.frontier import Frontier, Node
from isolab.solver.searching import WinLossSearch
from isolab.solver.solution import Allowance, Solution
from isolab.solver.solver import Solver

LOOK_EVERY_S: Final = 0.05


class SplittingSolver(Solver):
    """A solver that uses several threads for a position that is not settled at once.

    Its answers are those of `Solver`; how many nodes they take then depends on which leaf is done first.

    Args:
        workers: how many leaves are searched at once.
    """

    def __init__(self, workers: int) -> None:
        super().__init__()
        self._workers = workers
        self._mine = local()

    def _solve_in_rounds(self, position: Position, allowance: Allowance) -> Solution:
        before = allowance.spent
        frontier = Frontier(position, self._winloss.look)
        running: dict[Future[Solution], tuple[Node, int]] = {}
        ended = False

        def search(leaf: Node, budget: int) -> Solution:
            allowed = Allowance(stop=lambda: ended or leaf.settled)
            return self._search_of_this_thread().run(leaf.position, allowed, budget)

        with ThreadPoolExecutor(self._workers) as threads:
            try:
                while frontier.root.wins is None and not allowance.is_over():
                    while len(running) < self._workers:
                        leaf = frontier.next_leaf(others_running=bool(running))
                        if leaf is None:
                            break
                        leaf.running = True
                        budget = frontier.budget
                        running[threads.submit(search, leaf, budget)] = leaf, budget
                    done, _ = wait(running, LOOK_EVERY_S, FIRST_COMPLETED)
                    for future in done:
                        leaf, budget = running.pop(future)
                        leaf.running = False
                        allowance.spent += future.result().nodes
                        frontier.tell(leaf, future.result(), budget)
            finally:
                ended = True
        allowance.spent += frontier.looks + sum(future.result().nodes for future in running)
        root = frontier.root
        return Solution(position, root.wins, root.move, allowance.spent - before)

    def _search_of_this_thread(self) -> WinLossSearch:
        if not hasattr(self._mine, "search"):
            self._mine.search = WinLossSearch()
        search: WinLossSearch = self._mine.search
        return search
