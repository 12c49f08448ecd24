"""The endgame of separated players: each walks alone, and the longer walk wins.

A walk is a sequence of moves onto blanks of its region, none twice. `meeting` computes whether two players can still
meet.
"""

from typing import Any, Final

from isolarium.game.tables import MOST_SQUARES
from isolarium.game.view import knight_steps_in_lanes, targets
from isolarium.native.jit import kernel
from isolarium.native.memory import load_word, store_word
from isolarium.native.simd_sets import occupied
from isolarium.native.squareset import (
    count,
    is_empty,
    load_set,
    lowest,
    single,
    store_set,
    without_lowest,
)

TOO_HARD: Final = -1
BUDGET: Final = 20_000
"""The most steps of one walk's search: a tenth of a millisecond."""

# The scratch memory: the number of steps searched in all, then a frame for each step of a walk.
SEARCHED: Final = 0
FRAMES: Final = 1
FRAME_WORDS: Final = 6  # the region before the step, and its untried alternatives
SCRATCH_WORDS: Final = FRAMES + (MOST_SQUARES + 1) * FRAME_WORDS


@kernel
def meeting(table: int, blank: Any, one: Any, other: Any) -> tuple[Any, Any, int]:
    """Search breadth first from two sets of squares at once, for one move in each lane.

    Returns the squares that each gets to before or with the other (those it reaches strictly first are these less the
    other's), and in which lanes any square can be reached by both, one bit each. In the other lanes the two sets are
    everything each can reach; in every lane their union is everything either can reach.

    Proof: on a shortest path of `one` to a square that it reaches no later than `other`, the same holds for every
    square before it, so stopping where the other was first loses none of them; and every square that can be reached is
    reached first by the nearer player. If a square can be reached by both, the blanks connected to it are all reached
    by one or the other, and each reaches some, so somewhere a square of one's is a square of the other's or a knight's
    move from it.
    """
    front_one, front_other = one, other
    got_one, got_other = blank - blank, blank - blank
    free = blank
    while occupied(front_one | front_other) != 0:
        front_one, front_other = (
            knight_steps_in_lanes(table, front_one) & free,
            knight_steps_in_lanes(table, front_other) & free,
        )
        got_one, got_other = got_one | front_one, got_other | front_other
        free = free - front_one - front_other
    return (
        got_one,
        got_other,
        occupied((got_one | knight_steps_in_lanes(table, got_one)) & got_other),
    )


@kernel
def longer_walk_wins(
    table: int, light: Any, mine: Any, me: int, yours: Any, you: int, scratch: int, words: int
) -> int:
    """Return 1 if the player on `you`, to move, wins, -1 if not, 0 if unknown.

    The two players cannot meet. Neither can take a square that the other could use, so both make their longest walks.
    The player to move runs out first unless its walk is longer: it needs one move more than the other, who answers each
    of them while possible.
    """
    # 1. Compare bounds, the cheap ones first.
    your_most = most_steps(light, yours, you)
    my_least = greedy_steps(table, mine, me)
    if your_most <= my_least:
        return -1
    my_most = most_steps(light, mine, me)
    your_least = greedy_steps(table, yours, you)
    if your_least > my_most:
        return 1
    # 2. Find my longest walk, within the range that matters: below your_least I lose, your_most is enough.
    floor = max(my_least, your_least - 1)
    my_walk = longest_walk(table, light, mine, me, floor, min(my_most, your_most), scratch, words)
    if my_walk == TOO_HARD:
        return 0
    if my_walk >= your_most:
        return -1
    if my_walk < your_least:
        return 1
    # 3. Find whether you have a longer one.
    goal = my_walk + 1
    your_walk = longest_walk(table, light, yours, you, my_walk, goal, scratch, words)
    if your_walk == TOO_HARD:
        return 0
    return 1 if your_walk >= goal else -1


@kernel
def most_steps(light: Any, region: Any, square: int) -> int:
    """Return an upper bound on the length of a walk in `region` from `square`.

    Colours alternate, so k steps take (k + 1) // 2 squares of the colour that `square` does not have, and k // 2 of its
    own.
    """
    on_light = not is_empty(single(light, square) & light)
    lights = count(region & light)
    darks = count(region) - lights
    same = lights if on_light else darks
    opposite = darks if on_light else lights
    return min(2 * opposite, 2 * same + 1)


@kernel
def greedy_steps(table: int, region: Any, square: int) -> int:
    """Return the length of one walk, a lower bound.

    It moves to the square with the fewest onward moves, and into a dead end only if there is no other square.
    """
    length = 0
    while True:
        moves = targets(table, region, square) & region
        if is_empty(moves):
            return length
        best, fewest = -1, 100
        while not is_empty(moves):
            there = lowest(moves)
            moves = without_lowest(moves)
            onward = count(targets(table, region, there) & region)
            if onward == 0:
                onward = 50
            if onward < fewest:
                best, fewest = there, onward
        region = region - single(region, best)
        square = best
        length += 1


@kernel
def longest_walk(
    table: int,
    light: Any,
    region: Any,
    square: int,
    floor: int,
    enough: int,
    scratch: int,
    words: int,
) -> int:
    """Return the length L of the longest walk, clipped to `floor` and `enough`.

    `floor` if L <= floor; L if floor < L < enough; if L >= enough, some length from `enough` to L; or TOO_HARD.
    The search is depth first. It leaves a branch once the colours of the remaining squares rule out a better result.
    """
    best = floor
    length = 0
    searched = 0
    moves = targets(table, region, square) & region
    while best < enough:
        if is_empty(moves):
            if length == 0:
                break
            length -= 1
            frame = scratch + (FRAMES + length * FRAME_WORDS) * 8
            region, moves = load_set(frame, 0, words), load_set(frame, 3, words)
            continue
        searched += 1
        if searched > BUDGET:
            best = TOO_HARD
            break
        there = lowest(moves)
        moves = without_lowest(moves)
        left = region - single(region, there)
        if length + 1 > best:
            best = length + 1
        onward = targets(table, left, there) & left
        if is_empty(onward) or length + 1 + most_steps(light, left, there) <= best:
            continue
        frame = scratch + (FRAMES + length * FRAME_WORDS) * 8
        store_set(frame, 0, region)
        store_set(frame, 3, moves)
        length += 1
        region, moves = left, onward
    store_word(scratch, SEARCHED, load_word(scratch, SEARCHED) + searched)
    return best
