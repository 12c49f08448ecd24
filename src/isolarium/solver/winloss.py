"""The win/loss search: exact and depth first, with separated endgames and a table.

Colour the board like a chessboard. A knight changes colour with every move. Throughout the game, therefore, one player,
the stealer, always moves when both knights stand on the same colour, and the other player, the runner, when they stand
on different colours. Only the stealer can take a square that the other could move to next. The two players have
different aims, so their moves are ordered differently.

Contract: RESULT is 1 if the player to move at the root wins, -1 if it loses; a winning move is in WINNING. Both are
valid against every opponent. A table entry holds its whole position, so a collision cannot change an answer.
"""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from isolarium.game.board import Board, Square
from isolarium.game.move_order import queued, sort_in
from isolarium.game.position import Position
from isolarium.game.symmetry import Symmetry
from isolarium.game.tables import INFO, MOST_SQUARES, entry_address, pack_squares, pack_words, table_address, words_for
from isolarium.game.view import targets
from isolarium.limits import Allowance
from isolarium.native.entry_points import compile_entry
from isolarium.native.jit import compiled_twin, kernel
from isolarium.native.memory import load_constant, load_word, store_word
from isolarium.native.simd_sets import in_every_lane, load_lane, load_lanes, store_counts, store_lane, store_lanes
from isolarium.native.squareset import count, half_turned, is_empty, load_set, lowest, single, store_set, without_lowest
from isolarium.solver.separated_endgame import SCRATCH_WORDS, SEARCHED, longer_walk_wins, meeting

WORDS: int = 0  # Bound when compiled

SLICE_NODES: Final = 20_000
SLICE_STEPS: Final = 500_000
"""The nodes and walk steps between two checks of the limits: a few milliseconds."""
SHORT_SLICE_NODES: Final = 1000
SHORT_SLICE_STEPS: Final = 100_000
"""The nodes between two checks for callers that must stop within a millisecond."""
MOST_FRAMES: Final = MOST_SQUARES + 1
LEAST_BITS: Final = 10
MOST_BITS: Final = 16
"""The table has 2**10 entries, or 2**16 for positions with more than MANY_BLANKS blanks."""
MANY_BLANKS: Final = 30

# Words of the state
NODES: Final = 0
RESULT: Final = 1  # 1 won, -1 lost for the player to move, 0 not known yet
WINNING: Final = 2  # a winning move, -1 if there is none
PLY: Final = 3
STARTED: Final = 4
LIGHT: Final = 5  # three words: the squares of the colour of a1
# Used while a node's moves are examined: eight words each, one per move,
SORT: Final = 8
KEYS: Final = 16
MY_FIRST: Final = 24  # Squares that the mover reaches first after the move
YOUR_FIRST: Final = 32
# and eight sets each.
BLANKS: Final = 40  # the blanks after the move; later, the squares the mover can reach
FRONTS: Final = 64  # the square the move leads to; later, the squares the other can reach
STATE_WORDS: Final = 88

# A frame: the blanks, starting at word 0, then these words; from AFTER_AT on, the relevant blanks
# after each of up to eight moves.
MOVER_AT, OTHER_AT, QUEUE_AT, SQUARES_AT, AFTER_AT = 3, 4, 5, 6, 7
FRAME_WORDS: Final = AFTER_AT + 8 * 3

# A table entry: WORDS words of blanks, then mover | other << 8 | result + 1 << 16 | FILLED.
FILLED: Final = 1 << 20
RESULT_BITS: Final = 3 << 16


def winloss_slice(
    table: int, state: int, frames: int, entries: int, mask: int, walks: int, most_nodes: int, most_steps: int
) -> int:
    """Search until `most_nodes` nodes or about `most_steps` walk steps in all.

    Returns 1 if RESULT is known, else 0. The first frame holds the position, and a node is a position entered. A
    position with n blanks needs at most n + 1 frames, because every move takes a blank.
    """
    light: Any = load_set(state, LIGHT, WORDS)
    nodes, ply = load_word(state, NODES), load_word(state, PLY)
    frame = frames + ply * FRAME_WORDS * 8

    # 1. Enter the root only in the first slice.
    entering = load_word(state, STARTED) == 0
    store_word(state, STARTED, 1)
    won = 0  # the result of the node at `ply` for its mover: 1, -1, or 0 while unknown

    while True:
        if entering:
            # 2. Enter the node: the table may hold it, or one of its moves may win at once.
            entering = False
            nodes += 1
            blank: Any = load_set(frame, 0, WORDS)
            me, you = load_word(frame, MOVER_AT), load_word(frame, OTHER_AT)
            won = 0
            if ply > 0 and colour(table, me) == colour(table, you):
                entry = entry_address(entries, mask, WORDS + 1, blank, me, you)
                tag = load_word(entry, WORDS)
                if tag & ~RESULT_BITS == me | you << 8 | FILLED and is_empty(load_set(entry, 0, WORDS) ^ blank):
                    won = (tag >> 16 & 3) - 1
            if won == 0:
                winning = expand(table, light, state, frame, walks, WORDS)
                if winning >= 0:
                    won = 1
                    if ply == 0:
                        store_word(state, WINNING, winning)
        if won == 0:
            queue = load_word(frame, QUEUE_AT)
            if queue == 0:
                won = -1
            else:
                # 3. Descend into the next move, unless the slice is over.
                if nodes >= most_nodes or load_word(walks, SEARCHED) >= most_steps:
                    store_word(state, NODES, nodes)
                    store_word(state, PLY, ply)
                    return 0
                slot = (queue & 255) - 1
                store_word(frame, QUEUE_AT, queue >> 8)
                square = load_word(frame, SQUARES_AT) >> (8 * slot) & 255
                below = frame + FRAME_WORDS * 8
                store_set(below, 0, load_lane(frame, AFTER_AT + slot, WORDS))
                store_word(below, MOVER_AT, load_word(frame, OTHER_AT))
                store_word(below, OTHER_AT, square)
                frame = below
                ply += 1
                entering = True
                continue

        # 4. The node is known: store it if its mover is the stealer, and update its parent.
        if ply == 0:
            store_word(state, RESULT, won)
            store_word(state, NODES, nodes)
            return 1
        me, you = load_word(frame, MOVER_AT), load_word(frame, OTHER_AT)
        if colour(table, me) == colour(table, you):
            blank = load_set(frame, 0, WORDS)
            entry = entry_address(entries, mask, WORDS + 1, blank, me, you)
            store_set(entry, 0, blank)
            store_word(entry, WORDS, me | you << 8 | (won + 1) << 16 | FILLED)
        ply -= 1
        frame -= FRAME_WORDS * 8
        if won == -1:
            won = 1
            if ply == 0:
                store_word(state, WINNING, you)
        else:
            won = 0


@kernel
def expand(table: int, light: Any, state: int, frame: int, walks: int, words: int) -> int:
    """Examine every move of the node in `frame`.

    Returns the square of a move that wins at once, or -1. In the latter case, the frame's queue holds the moves left to
    search, the most promising in its lowest byte, each as slot + 1 (at most 8, so the queue is never negative).
    SQUARES_AT holds their destination squares, a byte per slot, and the words from AFTER_AT on hold the relevant blanks
    after each move.
    """
    blank = load_set(frame, 0, words)
    me, you = load_word(frame, MOVER_AT), load_word(frame, OTHER_AT)
    moves = targets(table, blank, me) & blank
    replies = targets(table, blank, you) & blank
    store_word(frame, QUEUE_AT, 0)
    if is_empty(moves):
        return -1
    # 1. The other player loses if it has no reply, or only one whose square the mover can take.
    if count(replies) <= 1 and is_empty(replies - moves):
        return lowest(moves) if is_empty(replies) else lowest(replies)
    # 2. List the moves with their mobility. From here on, the other player can reply to every move.
    stealer = colour(table, me) == colour(table, you)
    size = load_constant(table, 2)
    store_lanes(state, BLANKS, in_every_lane(blank - blank, 8))  # Unused lanes end at once.
    slots = 0
    squares = 0
    while not is_empty(moves):
        square = lowest(moves)
        moves = without_lowest(moves)
        left = blank - single(blank, square)
        onward = targets(table, left, square) & left
        own = count(onward)
        # A move loses if it leaves no onward square, or only one that the other player can take, as
        # in step 1.
        if own == 0 or (own == 1 and not is_empty(onward & replies)):
            continue
        if is_mirror(left, square, you, size):
            return square
        store_word(state, KEYS + slots, (8 * count(replies & left) if stealer else 0) - 4 * own)
        store_lane(state, BLANKS + slots, left)
        store_lane(state, FRONTS + slots, single(blank, square))
        squares |= square << (8 * slots)
        slots += 1
    if slots == 0:
        return -1
    # 3. Compute the territories, the reachable squares, and whether the two players can still meet.
    from_you = single(blank, you)
    if slots <= 2:
        meet = measure(table, state, frame, in_every_lane(from_you, 2), words, 2)
    elif slots <= 4:
        meet = measure(table, state, frame, in_every_lane(from_you, 4), words, 4)
    else:
        meet = measure(table, state, frame, in_every_lane(from_you, 8), words, 8)
    # 4. Judge separated players by their walks; queue all other moves, smallest key first.
    length = 0
    for slot in range(slots):
        if meet >> slot & 1 == 0:
            square = squares >> (8 * slot) & 255
            mine = load_lane(state, BLANKS + slot, words)
            yours = load_lane(state, FRONTS + slot, words)
            verdict = longer_walk_wins(table, light, mine, square, yours, you, walks, words)
            if verdict == -1:
                return square
            if verdict == 1:
                continue
        territory = load_word(state, YOUR_FIRST + slot) - load_word(state, MY_FIRST + slot)
        key = load_word(state, KEYS + slot) + 2 * territory
        length = sort_in(state + SORT * 8, length, key << 8 | (slot + 1))
    store_word(frame, QUEUE_AT, queued(state + SORT * 8, length))
    store_word(frame, SQUARES_AT, squares)
    return -1


@kernel
def measure(table: int, state: int, frame: int, you: Any, words: int, lanes: int) -> int:
    """Measure the moves in the state and return those after which players can meet.

    Each move has a lane, and the result has one bit per lane. Squares that neither player can reach are never used, so
    they are removed from the blanks that are searched after a move.
    """
    blank, me = load_lanes(state, BLANKS, words, lanes), load_lanes(state, FRONTS, words, lanes)
    mine, yours, meet = meeting(table, blank, me, you)
    store_counts(state, MY_FIRST, mine - yours)
    store_counts(state, YOUR_FIRST, yours - mine)
    store_lanes(frame, AFTER_AT, mine | yours)
    store_lanes(state, BLANKS, mine)
    store_lanes(state, FRONTS, yours)
    return meet


@kernel
def is_mirror(blank: Any, me: int, you: int, size: int) -> bool:
    """Return whether a half turn keeps the position, with no blank in the middle.

    In such a position the player not to move wins by answering every move with its image. The image is blank because
    the move's square was blank, and it is a different square because only the middle is its own image. The resulting
    position is again unchanged by a half turn. The other squares may be blank or blocked.
    """
    if me + you != size - 1 or not is_empty(half_turned(blank, size) ^ blank):
        return False
    return size & 1 == 0 or is_empty(blank & single(blank, size >> 1))


@kernel
def colour(table: int, square: int) -> int:
    """Return 0 for the colour of a1, and 1 for the other colour."""
    info = load_constant(table, INFO + square)
    return ((info & 255) + (info >> 8 & 255)) & 1


Entry = tuple[Callable[..., Any], Any, dict[str, int]]
"""The arguments of `compile_entry`."""


def winloss_entry(words: int) -> Entry:
    """Return the search for boards whose square sets take `words` words."""
    return winloss_slice, types.int64(*[types.int64] * 8), {"WORDS": words}


@cache
def compiled_winloss(words: int) -> Callable[..., Any]:
    """Return the compiled search for boards whose square sets take `words` words."""
    return compile_entry(*winloss_entry(words))


class Answer(NamedTuple):
    """The result of a search.

    Attributes:
        wins: Whether the player to move wins; None if the search ended early.
        move: A winning move, if there is one.
        nodes: The number of positions entered.
    """

    wins: bool | None
    move: Square | None
    nodes: int


class WinLossSearch:
    """The compiled search, run in slices; Python checks the limits between slices.

    Both players must be placed.

    Args:
        table: The memory for the table. By default it is cleared for each search, for two reasons: entries do not
            distinguish boards of the same width, and the node count must depend only on the position. Callers that
            search only one board and do not need exact node counts pass a `KeptTable`.
    """

    def __init__(self, table: "Table | None" = None) -> None:
        self._state = np.zeros(STATE_WORDS, dtype=np.int64)
        self._frames = np.zeros(MOST_FRAMES * FRAME_WORDS, dtype=np.int64)
        self._walks = np.zeros(SCRATCH_WORDS, dtype=np.int64)
        self._sets = self._state.view(np.uint64), self._frames.view(np.uint64)
        self._table = table or Table()
        self._addresses = [array.ctypes.data for array in (self._state, self._frames, self._walks)]

    def run(self, position: Position, allowance: Allowance, most_nodes: int | None = None) -> Answer:
        """Search until the answer is known, or the allowance or `most_nodes` is spent."""
        resume = self._begin(position, table_bits(position.blank_count))
        nodes = 0
        while not allowance.is_over() and (most_nodes is None or nodes < most_nodes):
            more = allowance.nodes_left(SLICE_NODES)
            known = resume(nodes + more if most_nodes is None else min(nodes + more, most_nodes))
            allowance.spent += int(self._state[NODES]) - nodes
            nodes = int(self._state[NODES])
            if known:
                return self._answer(position.board)
        return Answer(None, None, nodes)

    def slices(self, position: Position, most_nodes: int) -> Iterator[Answer]:
        """Search for about a millisecond at a time, and yield the answer after each slice.

        The last answer is final unless `most_nodes` has run out. Do not start another search before the iteration ends.
        """
        # Clearing a table takes as long as filling it.
        bits = max(LEAST_BITS, most_nodes.bit_length())
        resume = self._begin(position, min(bits, table_bits(position.blank_count)), SHORT_SLICE_STEPS)
        nodes, known = 0, False
        while not known and nodes < most_nodes:
            known = resume(min(nodes + SHORT_SLICE_NODES, most_nodes))
            nodes = int(self._state[NODES])
            yield self._answer(position.board) if known else Answer(None, None, nodes)

    def look(self, position: Position) -> tuple[Answer, tuple[Square, ...]]:
        """Return the answer if it needs no search, or else the moves left to search.

        The most promising move comes first.
        """
        if self._begin(position, 0)(0):
            return self._answer(position.board), ()
        queue, squares = (self._frames[at : at + 1].tobytes() for at in (QUEUE_AT, SQUARES_AT))
        moves = [position.board.square(squares[slot - 1]) for slot in queue if slot]
        return Answer(None, None, 1), tuple(moves)

    def _begin(self, position: Position, table_bits: int, slice_steps: int = SLICE_STEPS) -> Callable[[int], bool]:
        """Set up the position; return a function that searches up to a number of nodes."""
        board, words = position.board, words_for(position.board)
        state, frames, walks = self._state, self._frames, self._walks
        state_sets, frame_sets = self._sets
        state[:] = 0
        state[WINNING] = -1
        state_sets[LIGHT : LIGHT + words] = _light(board)
        frame_sets[:words] = pack_words(position.blank, words)
        frames[MOVER_AT], frames[OTHER_AT] = pack_squares(position)
        walks[SEARCHED] = 0
        run = compiled_winloss(words)
        table = table_address(board, Symmetry.IDENTITY)
        at_state, at_frames, at_walks = self._addresses
        entries, mask = self._table.begin(table_bits, words + 1)
        fixed = table, at_state, at_frames, entries, mask, at_walks

        def resume(most_nodes: int) -> bool:
            return bool(run(*fixed, most_nodes, int(walks[SEARCHED]) + slice_steps))

        return resume

    def _answer(self, board: Board) -> Answer:
        state = self._state
        wins = bool(state[RESULT] > 0)
        return Answer(wins, board.square(int(state[WINNING])) if wins else None, int(state[NODES]))


class Table:
    """The memory for a table, reused for each position and cleared before each."""

    def __init__(self) -> None:
        self._words: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._address = 0

    def begin(self, bits: int, entry_words: int) -> tuple[int, int]:
        """Return the address of an empty table with `2 ** bits` entries, and its size minus 1."""
        needed = entry_words << bits
        if len(self._words) < needed:
            self._words = np.zeros(needed, dtype=np.int64)
            self._address = self._words.ctypes.data
        self._words[:needed] = 0
        return self._address, (1 << bits) - 1


class KeptTable(Table):
    """A table that keeps its entries from one position of a board to the next.

    Every entry holds its whole position and is valid for that position, so answers are as exact as with an empty table.
    Positions similar to earlier ones take fewer nodes, so the number of nodes depends on the earlier searches.

    Args:
        bits: The binary logarithm of the number of entries; the sizes that searches request have no effect.
    """

    def __init__(self, bits: int) -> None:
        super().__init__()
        self._bits = bits
        self._begun: tuple[int, int] | None = None

    def forget(self) -> None:
        """Clear the table before the next position."""
        self._begun = None

    def begin(self, bits: int, entry_words: int) -> tuple[int, int]:
        """Return the table as in `Table`, with the entries of earlier positions."""
        if self._begun is None:
            self._begun = super().begin(self._bits, entry_words)
        return self._begun


def table_bits(blanks: int) -> int:
    """Return the binary logarithm of the number of entries for a position."""
    return MOST_BITS if blanks > MANY_BLANKS else LEAST_BITS


compiled_twin(table_bits)(table_bits)


@cache
def _light(board: Board) -> list[int]:
    """Return the squares of the colour of a1 as words."""
    light = board.mask_of(square for square in board.squares if sum(square) % 2 == 0)
    return pack_words(light, words_for(board))
