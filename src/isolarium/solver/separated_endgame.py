"""The endgame of separated players: each walks alone, and the longer walk wins.

A walk is a sequence of moves to different blank squares of the player's region. `meeting` computes whether the two
players can still meet.
"""

from typing import Any, Final

from isolarium.game.tables import MOST_SQUARES
from isolarium.game.view import knight_steps_in_lanes, targets
from isolarium.native.jit import kernel
from isolarium.native.memory import load_word, store_word
from isolarium.native.simd_sets import occupied
from isolarium.native.squareset import count, is_empty, load_set, lowest, single, store_set, without_lowest

TOO_HARD: Final = -1
BUDGET: Final = 20_000
"""The maximum number of steps to search for one walk: a tenth of a millisecond."""

# The scratch memory: the total number of steps searched, then a frame for each step of a walk.
SEARCHED: Final = 0
FRAMES: Final = 1
FRAME_WORDS: Final = 6  # The region before the step, and the untried alternatives to the step
SCRATCH_WORDS: Final = FRAMES + (MOST_SQUARES + 1) * FRAME_WORDS


@kernel
def meeting(table: int, blank: Any, one: Any, other: Any) -> tuple[Any, Any, int]:
    """Search breadth first from two sets of squares at once, for one move in each lane.

    Returns two sets and a bit mask of lanes. Each set holds the squares that one player reaches no later than the
    other; without the other player's set, it holds the squares reached strictly first. The mask has a bit for each lane
    in which both players can reach a common square. In the other lanes, each set holds all the squares that the player
    can reach. In every lane, the union of the sets holds all the squares that either player can reach.

    Proof: if `one` reaches a square no later than `other`, the same holds for every earlier square on a shortest path
    of `one` to it. So the search may stop at squares that the other player reached first without losing any square of
    the result. Every reachable square is reached first by the nearer player. If both players can reach a common square,
    every blank connected to it is reached by at least one of them, and each player reaches some of these blanks.
    Therefore some square of one set is also in the other set, or is a knight's move from a square of the other set.
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
    return (got_one, got_other, occupied((got_one | knight_steps_in_lanes(table, got_one)) & got_other))


@kernel
def longer_walk_wins(table: int, light: Any, mine: Any, me: int, yours: Any, you: int, scratch: int, words: int) -> int:
    """Return 1 if the player to move, on `you`, wins, -1 if not, and 0 if unknown.

    The two players cannot meet. Neither can take a square that the other could use, so each makes its longest walk. The
    player to move runs out of moves first unless its walk is longer, since the other player replies to every move as
    long as possible.
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
    # 2. Find my longest walk in the range that matters: below your_least I lose, and your_most is
    #    enough to win.
    floor = max(my_least, your_least - 1)
    my_walk = longest_walk(table, light, mine, me, floor, min(my_most, your_most), scratch, words)
    if my_walk == TOO_HARD:
        return 0
    if my_walk >= your_most:
        return -1
    if my_walk < your_least:
        return 1
    # 3. Find whether you have a longer walk.
    goal = my_walk + 1
    your_walk = longest_walk(table, light, yours, you, my_walk, goal, scratch, words)
    if your_walk == TOO_HARD:
        return 0
    return 1 if your_walk >= goal else -1


@kernel
def most_steps(light: Any, region: Any, square: int) -> int:
    """Return an upper bound on the length of a walk in `region` from `square`.

    The colours alternate, so k steps take (k + 1) // 2 squares of the colour opposite to that of `square`, and k // 2
    squares of the same colour.
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

    Each step moves to the square with the fewest onward moves, and to a dead end only if there is no other square.
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
    table: int, light: Any, region: Any, square: int, floor: int, enough: int, scratch: int, words: int
) -> int:
    """Return the length L of the longest walk, clipped to `floor` and `enough`.

    The result is `floor` if L <= floor, L if floor < L < enough, a length from `enough` to L if L >= enough, or
    TOO_HARD. The search is depth first. It prunes a branch if the colours of the remaining squares rule out a better
    result.
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
