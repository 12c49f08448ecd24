"""How many nodes the solver is likely to need, from the numbers of blank and blocked squares.

The estimate is fitted to the medians measured on 7x7, 8x8, 9x9 and 9x11.
"""

from math import exp

from isolarium.game.board import Board
from isolarium.game.position import Position


def likely_nodes(position: Position) -> float:
    """Estimate the nodes the solver needs, from the numbers of blank and blocked squares.

    The estimate grows by a factor of e for every 2.8 additional blanks and shrinks by the same
    factor for every 4.6 additional blocked squares. Each remaining placement multiplies it by 10.
    """
    starts = 10.0 ** ((position.first is None) + (position.second is None))
    return starts * _likely_nodes(position.board, position.blank_count)


def most_blanks(board: Board, nodes: float) -> int:
    """Return the largest number of blanks for which the solver is likely to need at most `nodes`.

    Both players are placed. The result is -1 if there is none.
    """
    fitting = [n for n in range(board.size - 1) if _likely_nodes(board, n) <= nodes]
    return max(fitting, default=-1)


def _likely_nodes(board: Board, blanks: int) -> float:
    blocked = board.size - blanks - 2
    return exp(12.5 + 0.36 * (blanks - 47) - 0.216 * blocked)
