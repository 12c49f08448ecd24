"""A position as a heuristic sees it, and the counts that the catalogue is written in, over sets of (row, col)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

Square = tuple[int, int]
Center = Literal["true", "biased"]


@dataclass(frozen=True)
class Scene:
    """A position as a heuristic sees it: `own` is the evaluated player, `opp` the other.

    The players' squares are not blank, and squares that are neither blank nor a player's are
    blocked. `own_to_move` matters to `free_moves`, `lookahead_ratio_as_printed`, `stealer` and `learned`.
    """

    rows: int
    cols: int
    blank: frozenset[Square]
    own: Square
    opp: Square
    own_to_move: bool


# The catalogue's notation


def knight_squares(square: Square) -> set[Square]:
    """Return the eight squares a knight's move away, on the board or not."""
    row, col = square
    return {
        (row - 2, col - 1),
        (row - 2, col + 1),
        (row - 1, col - 2),
        (row - 1, col + 2),
        (row + 1, col - 2),
        (row + 1, col + 2),
        (row + 2, col - 1),
        (row + 2, col + 1),
    }


def moves(scene: Scene, square: Square) -> set[Square]:
    """L(x): the blank squares a knight's move from `square`."""
    return {target for target in knight_squares(square) if target in scene.blank}


def own_moves(scene: Scene) -> int:
    """Count m."""
    return len(moves(scene, scene.own))


def opp_moves(scene: Scene) -> int:
    """Count o."""
    return len(moves(scene, scene.opp))


def safe_moves(scene: Scene) -> int:
    """Count k: own's moves that the opponent has not."""
    return options(scene, 1)


def options(scene: Scene, n: int) -> int:
    """Count own's moves that the opponent has not, after walking on from them n - 1 times.

    The set is replaced at each step, so a square left behind counts again when it is met again.
    """
    reached = moves(scene, scene.own) - moves(scene, scene.opp)
    for _ in range(n - 1):
        reached = {target for square in reached for target in moves(scene, square)}
    return len(reached)


def knight_distances(scene: Scene, start: Square) -> dict[Square, int]:
    """d(start, s) for `start` itself, at 0, and every square reachable through blanks."""
    steps = {start: 0}
    ring = {start}
    while ring:
        following: set[Square] = set()
        for square in ring:
            for target in moves(scene, square):
                if target not in steps:
                    steps[target] = steps[square] + 1
                    following.add(target)
        ring = following
    return steps


def reach(scene: Scene, start: Square) -> set[Square]:
    """R(start): `start` and every square reachable from it through blanks."""
    return set(knight_distances(scene, start))


def size(scene: Scene) -> int:
    """W * H."""
    return scene.rows * scene.cols


def filled(scene: Scene) -> int:
    """Count what is not blank: the players' own squares too."""
    return size(scene) - len(scene.blank)


def coverage(scene: Scene) -> float:
    """Return the filled share of the board.

    Compare a threshold with this and not `filled` with threshold * W * H: the quotient is the
    float nearest to the true share, so 7 of 35 is exactly the 0.2 a person writes.
    """
    return filled(scene) / size(scene)


def center_distance(scene: Scene, square: Square) -> float:
    """dist(s): Manhattan distance from the true centre."""
    row, col = square
    return abs(row - (scene.rows - 1) / 2) + abs(col - (scene.cols - 1) / 2)


def biased_center_distance(scene: Scene, square: Square) -> float:
    """Manhattan distance from the course's (H/2, W/2), half a square off the centre."""
    row, col = square
    return abs(row - scene.rows / 2) + abs(col - scene.cols / 2)


def distance_from(center: Center) -> Callable[[Scene, Square], float]:
    """Return the distance from the centre of that name."""
    return {"true": center_distance, "biased": biased_center_distance}[center]


def after_own(scene: Scene, target: Square) -> Scene:
    """Move own to `target`, out of turn where it is not own's."""
    return replace(scene, blank=scene.blank - {target}, own=target, own_to_move=False)


def after_opp(scene: Scene, target: Square) -> Scene:
    """Move the opponent to `target`."""
    return replace(scene, blank=scene.blank - {target}, opp=target, own_to_move=True)
