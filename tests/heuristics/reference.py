"""Every heuristic of the catalogue once more, slowly, over sets of (row, col).

The compiled heuristics are tested equal to these. Nothing here is shared with the product: each
function is its line of the catalogue written out, and a docstring that says `Reading:` states what
the line leaves open. Values that are sums or quotients of floats are to be compared with a
tolerance; infinities and whole numbers exactly.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from fractions import Fraction
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

import numpy as np

from tests.heuristics.scene import (
    Center,
    Scene,
    Square,
    after_opp,
    after_own,
    coverage,
    distance_from,
    filled,
    knight_distances,
    moves,
    opp_moves,
    options,
    own_moves,
    reach,
    safe_moves,
    size,
)

Reference = Callable[..., float]


# Supplied with the original course project


def null(scene: Scene) -> float:
    """Know nothing."""
    return 0.0


def open_moves(scene: Scene) -> float:
    """Own's moves; the catalogue's name is `open`."""
    return float(own_moves(scene))


def center(scene: Scene) -> float:
    """Squared distance from (H/2, W/2): larger is farther, and half a square off, as supplied."""
    row, col = scene.own
    return (scene.rows / 2 - row) ** 2 + (scene.cols / 2 - col) ** 2


def improved(scene: Scene) -> float:
    """Own's moves minus the opponent's: m - o."""
    return float(own_moves(scene) - opp_moves(scene))


# Report 000


def balanced(scene: Scene, weight: float = 0.5, center: Center = "true") -> float:
    """(m - o) - weight * dist(own)."""
    return improved(scene) - weight * distance_from(center)(scene, scene.own)


def keep_options(
    scene: Scene, enough: int = 3, least: float = 4, penalty: float = 100, center: Center = "true"
) -> float:
    """Stay central while k >= enough; then options(2) - penalty, if at least `least`."""
    if safe_moves(scene) >= enough:
        return -distance_from(center)(scene, scene.own)
    value = options(scene, 2)
    return value - penalty if value >= least else -math.inf


def push_out(scene: Scene, enough: int = 3, penalty: float = 100, center: Center = "true") -> float:
    """dist(opp) - dist(own) while k >= enough; one safe move fewer, options(2) - penalty.

    Reading: the catalogue's k == 2 is one below its k >= 3, so it is k == enough - 1 here.
    """
    measure = distance_from(center)
    safe = safe_moves(scene)
    if safe >= enough:
        return measure(scene, scene.opp) - measure(scene, scene.own)
    return options(scene, 2) - penalty if safe == enough - 1 else -math.inf


def fill_center(scene: Scene, enough: int = 3, penalty: float = 200, center: Center = "true") -> float:
    """Sum of the blanks' distances from the centre while k >= enough; then options(3) - penalty.

    Reading: as in `push_out`, k == 2 is k == enough - 1. The biased centre keeps the Manhattan
    distance and moves only the point it is measured from.
    """
    measure = distance_from(center)
    safe = safe_moves(scene)
    if safe >= enough:
        return sum(measure(scene, square) for square in scene.blank)
    return options(scene, 3) - penalty if safe == enough - 1 else -math.inf


def way_out(scene: Scene, enough: int = 2, growth: float = 3) -> float:
    """options(n), n growing with the filled share: 1 + (growth * filled)^2 // (W*H)^2.

    Reading: the whole-number form is exact, so n is floored without the rounding of floats.
    """
    if own_moves(scene) < enough:
        return -math.inf
    share = Fraction(growth) * filled(scene) / size(scene)
    return float(options(scene, 1 + math.floor(share**2)))


def fill_diagonal(scene: Scene, enough: int = 2, sign: float = -1) -> float:
    """Sign times the sum of abs(row - col) over the blanks while m >= enough."""
    if own_moves(scene) < enough:
        return -math.inf
    return float(sign * sum(abs(row - col) for row, col in scene.blank))


# Report 001


def bounded(x: float, f: str, scale: float) -> float:
    """f(scale * x) to nine decimal places, as the product's table holds it.

    Reading: f(+-inf) is +-1 whatever the scale, and the rounding comes after the scale.
    """
    if math.isinf(x):
        return math.copysign(1.0, x)
    y = abs(scale * x)  # both functions are odd, and e^-y overflows far to the left
    value = {"arctan": 2 / math.pi * math.atan(y), "sigmoid": 2 / (1 + math.exp(-y)) - 1}[f]
    return math.copysign(round(value, 9), scale * x)


def distance(
    scene: Scene, z: float = -0.5, alpha: float = 2, f: Literal["arctan", "sigmoid"] = "sigmoid", scale: float = 1
) -> float:
    """Give z + alpha * the sum of f(d(opp, s) - d(own, s)) over blanks that either can reach."""
    near = knight_distances(scene, scene.own)
    far = knight_distances(scene, scene.opp)
    leads = [
        far.get(square, math.inf) - near.get(square, math.inf)
        for square in scene.blank
        if square in near or square in far
    ]
    return z + alpha * math.fsum(bounded(lead, f, scale) for lead in leads)


Choose = Callable[[Sequence[Square], int, Scene], Collection[Square]]


def choose_all(moves: Sequence[Square], u: int, scene: Scene) -> Collection[Square]:
    """Take every move, for positions where nothing is left to chance.

    Raises:
        ValueError: There are more than `u`.
    """
    if len(moves) > u:
        raise ValueError(f"{len(moves)} moves, at most {u} to choose: give `choose`")
    return moves


def free_moves(
    scene: Scene, d: int = 2, u: int = 3, beta: float = 1.2, seed: int = 0, choose: Choose = choose_all
) -> float:
    """F(d), for own: negated where the opponent is to move.

    Reading: the random set has exactly min(u, n) different moves, and own and opp keep their
    names down the tree while the turn changes. F(1) is n whatever is drawn, so nothing is then.

    Args:
        scene: The position.
        d: Plies that count.
        u: The most successors drawn at a node, at least 1.
        beta: The weight of each ply against the one before.
        seed: The product's; here `choose` draws, and this has no effect.
        choose: Given the mover's moves in row-major order, u and the scene at that node (its
            `own_to_move` says who moves), gives those drawn.
    """
    value = mover_free_moves(scene, d, u, beta, choose)
    return value if scene.own_to_move else -value


def mover_free_moves(scene: Scene, d: int, u: int, beta: float, choose: Choose) -> float:
    """F(d) for the side to move.

    Raises:
        ValueError: `choose` did not draw min(u, n) different moves.
    """
    mover, play = (scene.own, after_own) if scene.own_to_move else (scene.opp, after_opp)
    available = sorted(moves(scene, mover))
    n = len(available)
    if d == 0 or n == 0:
        return 0.0
    if d == 1:
        return float(n)
    drawn = set(choose(available, u, scene))
    if not drawn <= set(available) or len(drawn) != min(u, n):
        raise ValueError(f"drew {sorted(drawn)} where {min(u, n)} of {available} were due")
    following = [mover_free_moves(play(scene, target), d - 1, u, beta, choose) for target in sorted(drawn)]
    return n - beta / min(u, n) * sum(following)


# Report 002


def aggressive(scene: Scene, weight: float = 2) -> float:
    """Own's moves minus the weighted opponent's: m - weight * o."""
    return own_moves(scene) - weight * opp_moves(scene)


def lookahead_ratio(scene: Scene) -> float:
    """Mean of m'/o' over own's moves; +inf where one leaves the opponent none, -inf without any.

    Own moves out of turn where it is the opponent's, as meant and not as the seed printed.
    """
    following = [after_own(scene, target) for target in sorted(moves(scene, scene.own))]
    if not following:
        return -math.inf
    if any(opp_moves(child) == 0 for child in following):
        return math.inf
    return sum(own_moves(child) / opp_moves(child) for child in following) / len(following)


def lookahead_ratio_as_printed(scene: Scene) -> float:
    """`lookahead_ratio`, but on the opponent's turn its knight is put on each of own's targets."""
    if scene.own_to_move:
        return lookahead_ratio(scene)
    following = [after_opp(scene, target) for target in sorted(moves(scene, scene.own))]
    if not following:
        return -math.inf
    if any(opp_moves(child) == 0 for child in following):
        return math.inf
    return sum(own_moves(child) / opp_moves(child) for child in following) / len(following)


def open_cluster(scene: Scene, weight: float = 2, share: float = 0.2) -> float:
    """`aggressive`, plus nearness to the emptiest quarter once `share` of the board is filled.

    Reading: the players' squares count as filled in a window, as they do everywhere.
    """
    base = own_moves(scene) - weight * opp_moves(scene)
    if coverage(scene) < share:
        return base
    row, col = emptiest_window_center(scene)
    q = abs(scene.own[0] - row) + abs(scene.own[1] - col)
    span = scene.rows + scene.cols
    return base + (span - q) / span


def emptiest_window_center(scene: Scene) -> Square:
    """Centre of the window with fewest filled squares; of equals the leftmost, then the topmost.

    Python's round takes halves to the even number: windows on 5x5 are 2x2, on 7x7 4x4.
    """
    height, width = round(scene.rows / 2), round(scene.cols / 2)
    best: tuple[int, Square] | None = None
    for left in range(scene.cols - width + 1):
        for top in range(scene.rows - height + 1):
            window = [(top + row, left + col) for row in range(height) for col in range(width)]
            count = sum(square not in scene.blank for square in window)
            if best is None or count < best[0]:
                best = count, (top + height // 2, left + width // 2)
    assert best is not None
    return best[1]


# Report 003


def weighted_moves(scene: Scene, weight: float = 3) -> float:
    """(m - weight * o) * filled."""
    return (own_moves(scene) - weight * opp_moves(scene)) * filled(scene)


def reachable(scene: Scene) -> float:
    """|R(own)| - |R(opp)|, each with the square it starts from."""
    return float(len(reach(scene, scene.own)) - len(reach(scene, scene.opp)))


def cut_off_reachable(scene: Scene) -> float:
    """Squares only own reaches minus squares only the opponent does.

    Where they share none, W*H is added with the sign of that, + for 0.
    """
    own, opp = reach(scene, scene.own), reach(scene, scene.opp)
    value = len(own - opp) - len(opp - own)
    if own.isdisjoint(opp):
        value += size(scene) if value >= 0 else -size(scene)
    return float(value)


def stealer(scene: Scene, cost: float = 0.5) -> float:
    """Moves between the squares that own reaches in fewer plies, less `cost` a square, minus opp's.

    The player to move reaches a square n moves away in 2n - 1 plies, the other player in 2n.
    """
    plies = {}
    for player, moves_now in ((scene.own, scene.own_to_move), (scene.opp, not scene.own_to_move)):
        steps = knight_distances(scene, player)
        plies[player] = {s: 2 * n - moves_now for s, n in steps.items() if s in scene.blank}
    own, opp = plies[scene.own], plies[scene.opp]
    ours = {s for s, arrival in own.items() if arrival < opp.get(s, math.inf)}
    theirs = opp.keys() - ours
    return _moves_within(scene, ours, cost) - _moves_within(scene, theirs, cost)


def _moves_within(scene: Scene, area: Collection[Square], cost: float) -> float:
    return sum(len(moves(scene, square) & set(area)) - cost for square in area)


def learned(scene: Scene, weights: Literal["shipped"] = "shipped") -> float:
    """Rows of weights for squares, knights, offset and sizes, added up; then squared and weighed.

    Reading: a square's owner is who arrives in fewer plies, as for `stealer`; the value is that of
    the player who waits, in units of 2 ** -18.
    """
    waits, to_move = (scene.opp, scene.own) if scene.own_to_move else (scene.own, scene.opp)
    near, far = knight_distances(scene, to_move), knight_distances(scene, waits)
    blanks = [s for s in scene.blank if s in near or s in far]
    theirs = {s: near[s] for s in blanks if near.get(s, math.inf) <= far.get(s, math.inf)}
    mine = {s: far[s] for s in blanks if s not in theirs}
    down, across = abs(waits[0] - to_move[0]), abs(waits[1] - to_move[1])
    role = 1 - (down + across) % 2
    found = []
    for player, (own, other, square) in enumerate(((mine, theirs, waits), (theirs, mine, to_move))):
        for s, steps in own.items():
            part = 6 * player + (steps - 1 if steps <= 4 else 5 - steps % 2)
            found.append(_weights(weights)["squares"][role, 81 * part + _kind(scene, s, own, other)])
        found.append(_weights(weights)["knights"][role, 81 * player + _kind(scene, square, own, other)])
        for even in (0, 1):
            size = sum(steps % 2 == 1 - even for steps in own.values())
            place = 24 * (2 * player + even) + min(size // 4, 23)
            found.append(_weights(weights)["sizes"][role, place])
    offset = 13 * min(down, across) + max(down, across)
    found.append(_weights(weights)["offsets"][role, offset])
    first, *others = (sum(int(row[channel]) for row in found) for channel in range(32))
    said = [min(max(other, 0), 64) ** 2 for other in others]
    opinions = map(int, _weights(weights)["opinions"][role])
    value = 4096 * first + sum(a * b for a, b in zip(said, opinions, strict=True))
    return (-value if scene.own_to_move else value) / 2**18


def _kind(scene: Scene, square: Square, own: Collection[Square], other: Collection[Square]) -> int:
    around = moves(scene, square)
    return 9 * len(around & set(own)) + len(around & set(other))


@cache
def _weights(name: Literal["shipped"]) -> dict[str, Any]:
    assert name == "shipped"
    folder = Path(str(files("isolarium"))) / "heuristics" / "data"
    (file,) = folder.glob("learned-*.npz")
    return dict(np.load(file))


def corner_penalty(scene: Scene, weight: float = 1, near: int = 2) -> float:
    """`improved`, less weight * max(0, 1 + o - m) within Manhattan distance `near` of a corner."""
    row, col = scene.own
    corner = min(row, scene.rows - 1 - row) + min(col, scene.cols - 1 - col)
    lead = own_moves(scene) - opp_moves(scene)
    return lead - weight * max(0, 1 - lead) if corner <= near else float(lead)


def normalised(scene: Scene) -> float:
    """(m - o) / (m + o), 0 where both are 0."""
    own, opp = own_moves(scene), opp_moves(scene)
    return (own - opp) / (own + opp) if own + opp else 0.0


def staged(scene: Scene, first: Reference = improved, then: Reference = cut_off_reachable, at: float = 0.5) -> float:
    """`first` until the filled share of the board reaches `at`, and `then` from there.

    Reading: a share of exactly `at` is `then`'s.
    """
    return first(scene) if coverage(scene) < at else then(scene)


# Report 004


def ratio(scene: Scene) -> float:
    """Quotient m / o, +inf where o is 0, even where m is 0 too."""
    opp = opp_moves(scene)
    return own_moves(scene) / opp if opp else math.inf


def lookahead_max(scene: Scene) -> float:
    """The best m' - o' after a move of own's, -inf without any."""
    following = [after_own(scene, target) for target in moves(scene, scene.own)]
    return max((improved(child) for child in following), default=-math.inf)


def lookahead_weighted(scene: Scene) -> float:
    """Best over own's moves of the worst over the answers of m * m'' - o''.

    m is counted before both moves. Own without a move is -inf, one without an answer +inf.
    """
    now = own_moves(scene)

    def worst(child: Scene) -> float:
        answers = [after_opp(child, target) for target in moves(child, child.opp)]
        scores = (float(now * own_moves(grand) - opp_moves(grand)) for grand in answers)
        return min(scores, default=math.inf)

    following = [after_own(scene, target) for target in moves(scene, scene.own)]
    return max((worst(child) for child in following), default=-math.inf)


def log_count(count: int) -> float:
    """Logarithm of a count of moves, where none count as 1/2."""
    return math.log(count or 0.5)


def minmax_local(
    scene: Scene, p_max: float = 10, p_min: float = 0.1, sign: Literal["report", "paper"] = "report"
) -> float:
    """1 / the least penalty w1 + w2 over own's moves and their answers.

    Reading: 'paper' negates both w1 and w2, and the least of the negated sums is taken. +inf for
    one move without an answer is the value of the whole, before any penalty is weighed. A least
    penalty that is 0 but for rounding is 0.
    """
    following = [after_own(scene, target) for target in moves(scene, scene.own)]
    if not following:
        return -math.inf
    if any(opp_moves(child) == 0 for child in following):
        return math.inf
    factor = {"report": 1, "paper": -1}[sign]
    least = min(factor * weight for child in following for weight in penalties(scene, child, p_max, p_min))
    return 1 / least if abs(least) > 1e-9 else math.inf


def penalties(scene: Scene, child: Scene, p_max: float, p_min: float) -> Iterable[float]:
    """w1 + w2 of each answer in `child`, which a move of own's made from `scene`."""
    n, o1 = own_moves(scene), opp_moves(child)
    log_s = log_count(own_moves(child)) - log_count(o1)
    log_s1 = -log_s  # S' is S upside down
    w1 = -math.log(n) + (p_min - 1) * (log_s1 - log_s)
    for target in moves(child, child.opp):
        grand = after_opp(child, target)
        log_s2 = log_count(opp_moves(grand)) - log_count(own_moves(grand))
        yield w1 - math.log(o1) + (p_max - 1) * (log_s2 - log_s1)


REFERENCE: dict[str, Reference] = {
    "null": null,
    "open": open_moves,
    "center": center,
    "improved": improved,
    "balanced": balanced,
    "keep_options": keep_options,
    "push_out": push_out,
    "fill_center": fill_center,
    "way_out": way_out,
    "fill_diagonal": fill_diagonal,
    "distance": distance,
    "free_moves": free_moves,
    "aggressive": aggressive,
    "lookahead_ratio": lookahead_ratio,
    "lookahead_ratio_as_printed": lookahead_ratio_as_printed,
    "open_cluster": open_cluster,
    "weighted_moves": weighted_moves,
    "reachable": reachable,
    "cut_off_reachable": cut_off_reachable,
    "stealer": stealer,
    "learned": learned,
    "corner_penalty": corner_penalty,
    "normalised": normalised,
    "ratio": ratio,
    "lookahead_max": lookahead_max,
    "lookahead_weighted": lookahead_weighted,
    "minmax_local": minmax_local,
    "staged": staged,
}
