"""Positions worked by hand, for the tests of the reference.

In the drawings `A` is the evaluated player (own), `B` the other (opp), `x` blocked and `.` blank.

On 3x3 the knight's squares form one ring, so that most of the work is counting along it; the
middle square has no moves at all. The comments below name the squares by their place in the ring:

    c0 c3 c6          c0 = (0, 0)  c1 = (1, 2)  c2 = (2, 0)  c3 = (0, 1)
    c5    c1          c4 = (2, 2)  c5 = (1, 0)  c6 = (0, 2)  c7 = (2, 1)
    c2 c7 c4          and c7 is next to c0 again
"""

import math
from dataclasses import replace

from tests.heuristics.scene import Scene

INF = math.inf
LN2 = math.log(2)
LN6 = math.log(6)


def draw(*rows: str, own_to_move: bool = True) -> Scene:
    squares = {(row, col): mark for row, line in enumerate(rows) for col, mark in enumerate(line.replace(" ", ""))}
    at = {mark: square for square, mark in squares.items()}
    return Scene(
        rows=len(rows),
        cols=len(squares) // len(rows),
        blank=frozenset(square for square, mark in squares.items() if mark == "."),
        own=at["A"],
        opp=at["B"],
        own_to_move=own_to_move,
    )


def swap(scene: Scene) -> Scene:
    return replace(scene, own=scene.opp, opp=scene.own, own_to_move=not scene.own_to_move)


# Own c0 moves to c1 and c7; opp c4, across the ring, to c3 and c5. m = o = k = 2.
ACROSS = draw("A . .", ". . .", ". . B")

# The ring cut at c2 and c6: own keeps {c1, c7}, opp {c3, c5}. 4 of 9 filled.
CUT = draw("A . x", ". . .", "x . B")

# Cut, and c3 gone too: own has {c1, c7}, opp only {c5}. 5 of 9 filled.
CUT_AHEAD = draw("A x x", ". . .", "x . B")

# Opp c3 reaches c4, c2, c1; own c0 reaches c1, c2, c7, c6: c5 is blocked. They share c1 and c2.
OVERLAP = draw("A B .", "x . .", ". . .")

# Own stands in the middle and has no move, opp c0 the whole ring; it is opp's turn.
STUCK = draw("B . .", ". A .", ". . .", own_to_move=False)

# Opp c2 has c1 alone (c3 is blocked), own c0 has c1 and c7: own can take the last move away.
STRANGLE = draw("A x .", ". . .", "B . .")

# Own (0,0) to (1,2), (2,1); opp (0,2) to (1,0), (2,1), (2,3). m = 2, o = 3, k = 1.
CONTESTED = draw("A . B .", ". . . .", ". . . .")

# Own (0,1) to (1,3), (2,0), (2,2); opp (0,0) to (1,2), (2,1). m = k = 3, o = 2.
CORNERED = draw("B A . .", ". . . .", ". . . .")

# Own in the middle has 8 moves, two of them opp's (1,2) and (2,1). m = 8, o = 2, k = 6.
MIDDLE = draw(
    "B . . . . . .",
    ". . . . . . .",
    ". . . . . . .",
    ". . . A . . .",
    ". . . . . . .",
    ". . . . . . .",
    ". . . . . . .",
)

# Own has (1,2), (2,1), from there (0,2) (0,4) (1,3) (2,0) (2,4) (3,1) (3,3) (4,0) (4,2): 9.
CORNERS = draw("A . . . .", ". . . . .", ". . . . .", ". . . . .", ". . . . B")


# Own c0 has lost c1 and c7, and opp never has a move in the middle.
BOTH_STUCK = draw("A . .", ". B x", ". x .")
