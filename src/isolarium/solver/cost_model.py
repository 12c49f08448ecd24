"""What solving a position is likely to cost, before it is tried."""

from math import exp

from isolarium.game.position import Position


def likely_nodes(position: Position) -> float:
    """About how many nodes the solver needs, from the squares that are blank and those that are not.

    Fitted to the medians measured on 7x7, 8x8, 9x9 and 9x11: e times as many for each 2.8 more blanks, and as much less
    for each 4.6 more blocked squares. Every placement that is still to come multiplies it.
    """
    blocked = position.board.size - position.blank_count - 2
    starts = 10.0 ** ((position.first is None) + (position.second is None))
    return starts * exp(12.5 + 0.36 * (position.blank_count - 47) - 0.216 * blocked)
