"""Whether two players can still meet; and, where they cannot, each walks alone and the longer walk wins.

A walk makes one move after the other onto blanks of its region, none twice.
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
"""Steps that one walk may be searched for: a tenth of a millisecond."""

# The scratch: how many steps were searched in all, then a frame for each step of a walk.
SEARCHED: Final = 0
FRAMES: Final = 1
FRAME_WORDS: Final = 6  # the region before the step, and the steps left to try instead of it
SCRATCH_WORDS: Final = FRAMES + (MOST_SQUARES + 1) * FRAME_WORDS


@kernel
def meeting(table: int, blank: Any, one: Any, other: Any) -> tuple[Any, Any, int]:
    """Breadth-first from two sets of squares at once, through blanks; all moves of a node together, one a lane.

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
    """Who wins where the two cannot meet: 1 if the player on `you`, to move; -1 if it loses; 0 if that is too hard.

    Neither can take a square that the other could use, so both make their longest walks. The player to move runs out
    first unless its walk is longer: it needs one move more than the other, who answers each of them while it can.
    """
    # 1. Bounds, the cheap ones first.
    your_most = most_steps(light, yours, you)
    my_least = greedy_steps(table, mine, me)
    if your_most <= my_least:
        return -1
    my_most = most_steps(light, mine, me)
    your_least = greedy_steps(table, yours, you)
    if your_least > my_most:
        return 1
    # 2. My longest walk, as far as it matters: shorter than your_least is lost, your_most is enough.
    floor = max(my_least, your_least - 1)
    my_walk = longest_walk(table, light, mine, me, floor, min(my_most, your_most), scratch, words)
    if my_walk == TOO_HARD:
        return 0
    if my_walk >= your_most:
        return -1
    if my_walk < your_least:
        return 1
    # 3. Whether there is a longer one for you.
    goal = my_walk + 1
    your_walk = longest_walk(table, light, yours, you, my_walk, goal, scratch, words)
    if your_walk == TOO_HARD:
        return 0
    return 1 if your_walk >= goal else -1


@kernel
def most_steps(light: Any, region: Any, square: int) -> int:
    """A length that no walk in `region` from `square` exceeds.

    Colours alternate, so k steps take (k + 1) // 2 squares of the colour that `square` has not, and k // 2 of its own.
    """
    on_light = not is_empty(single(light, square) & light)
    lights = count(region & light)
    darks = count(region) - lights
    same = lights if on_light else darks
    opposite = darks if on_light else lights
    return min(2 * opposite, 2 * same + 1)


@kernel
def greedy_steps(table: int, region: Any, square: int) -> int:
    """The length of one walk: it goes where fewest moves remain, and into a dead end only if there is nothing else."""
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
    """The length L of the longest walk, as far as it matters.

    `floor` if L <= floor; L if floor < L < enough; if L >= enough, some length from `enough` to L; or TOO_HARD.
    Depth first. A branch is left as soon as the colours of what remains forbid it to beat the best so far.
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
