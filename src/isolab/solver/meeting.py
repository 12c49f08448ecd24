"""Growing outwards from both players at once: who is where first, who can reach what, and whether they can still meet.

All moves of a node are looked at together, one a lane.
"""

from typing import Any

from isolab.game.tables import SETS
from isolab.native.jit import kernel
from isolab.native.lanes import load_table_lanes, occupied, shift_lanes, shift_lanes_down
from isolab.native.memory import load_constant


@kernel
def meeting(table: int, blank: Any, one: Any, other: Any) -> tuple[Any, Any, int]:
    """Breadth-first from two sets of squares at once, through blanks, in every lane.

    Returns the squares that each gets to before or with the other (those it is at strictly first are these less the
    other's), and in which lanes any square can be reached by both, a bit each. In the other lanes the two sets are all
    that each can reach; in every lane their union is all that either can.

    Why that is so: on a shortest way of `one` to a square that it gets to no later than `other`, the same holds of
    every square before it, so stopping where the other was first loses none of them; and every square that can be
    reached is got to by whoever is nearer. If a square can be reached by both, the blanks connected to it are all got
    by one or the other, and each gets some, so somewhere a square of one's is a square of the other's or a knight's
    move from it.
    """
    front_one, front_other = one, other
    got_one, got_other = blank - blank, blank - blank
    free = blank
    while occupied(front_one | front_other) != 0:
        front_one, front_other = steps(table, front_one) & free, steps(table, front_other) & free
        got_one, got_other = got_one | front_one, got_other | front_other
        free = free - front_one - front_other
    return got_one, got_other, occupied((got_one | steps(table, got_one)) & got_other)


@kernel
def steps(table: int, of: Any) -> Any:
    """`knight_steps` in every lane."""
    cols = load_constant(table, 1)
    one = (shift_lanes(of, 1) & load_table_lanes(table, SETS, 0, of)) | (
        shift_lanes_down(of, 1) & load_table_lanes(table, SETS, 2, of)
    )
    two = (shift_lanes(of, 2) & load_table_lanes(table, SETS, 1, of)) | (
        shift_lanes_down(of, 2) & load_table_lanes(table, SETS, 3, of)
    )
    up = shift_lanes_down(one, 2 * cols) | shift_lanes_down(two, cols)
    return up | shift_lanes(one, 2 * cols) | shift_lanes(two, cols)
