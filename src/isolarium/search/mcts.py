"""Monte-Carlo tree search: UCT with random rollouts that also proves results.

UCT is by Kocsis and Szepesvári (2006); backing up proven results is the MCTS-Solver of Winands,
Björnsson and Saito (2008). An iteration descends the tree by UCB1, trying every move of a node once
before any move twice, until it reaches a position never entered before. From there it plays random
moves to the end of the game and records the result along its path. A position's moves are added to
the tree when it is entered for the second time.

Every position entered counts as a node. In each iteration these are the root, every tree position
on the way down, and every position of the rollout. The count never exceeds the limit: the iteration
that reaches the limit is interrupted, and its result is not recorded. If a slice ends within an
iteration, the next slice resumes there, so slices never affect the result.

Contract: a proven score is the result under perfect play. A position is lost if its mover has no
move or all moves lead to won positions, and won if some move leads to a lost one. Proven positions
are not entered again, and the search ends once the root is proven. The plies of a proven result are
the length of the line that proves it, which may be longer than the shortest.

The choice is a proven win if there is one, otherwise the most visited move that is not proven lost.
If all moves are lost, it is the move with the longest line found, then the most visited. Among
equal moves, the choice is the first in the root's order. The score is the mean result of the
choice, from -1 (all rollouts lost) to 1, or None until one of its rollouts has ended. The depth is
the depth to which the tree is complete: every line of that many plies has been entered, or ends or
is proven earlier. For a proven root, the depth is the length of the proof.
"""

import math
from typing import Any, Final

import numpy as np

from isolarium.errors import InputError
from isolarium.game.position import Position
from isolarium.game.tables import MOST_SQUARES, true_square
from isolarium.game.view import targets
from isolarium.limits import Limit
from isolarium.native.arithmetic import GAMMA, below, mixed
from isolarium.native.jit import kernel
from isolarium.native.memory import load_float, load_word, store_float, store_word
from isolarium.native.squareset import count, is_empty, load_set, lowest, single, store_set, without_lowest
from isolarium.search.driver import CompiledSearch
from isolarium.search.kernel_state import (
    AT_QUOTA,
    DEPTH,
    FINISHED,
    MAX_DEPTH,
    MEMORY,
    NODES,
    OWN_INPUTS,
    PV,
    PV_LENGTH,
    ROOT,
    SCORE,
    SEED,
    SPARE,
    STARTED,
    STATE,
    TABLE,
    WIN,
    Block,
    begin_choice,
    list_root_moves,
    root_position,
)

WORDS: int = 0  # Bound when compiled

# The search's own inputs
EXPLORATION: Final = OWN_INPUTS  # UCB1's constant, a double
CAPACITY: Final = OWN_INPUTS + 1  # the number of nodes that the memory has room for, NODE_BYTES each
PATH: Final = OWN_INPUTS + 2  # the address of MOST_SQUARES + 1 words

# The search's own words of the state
USED: Final = SPARE + 2  # the number of nodes it holds
RANDOM: Final = SPARE + 3  # the state of the random generator
PLY: Final = SPARE + 4  # of the last tree position on the way down; -1 before the root is entered
ROLLED: Final = SPARE + 5  # the moves of the rollout; -1 while still in the tree
SCRATCH: Final = SPARE + 6
HERE: Final = SPARE + 7  # the current position: blanks, mover and other, under the symmetry
HOME: Final = SPARE + 12  # the root, in the same form

# A node of the tree takes four words. The wins are those of the player who moved to the node. The
# facts are, from the lowest bit: the destination square (8 bits); the number of children (8); the
# plies searched in full plus one, or 0 if never entered (8); and the proof: 0 for none, p + 1 for
# won in p plies, -(p + 1) for lost in p plies.
VISITS, WINS, CHILDREN, FACTS = 0, 1, 2, 3
NODE_BYTES: Final = 32
COUNT_SHIFT, FULL_SHIFT, PROOF_SHIFT = 8, 16, 24
ENTERED: Final = 1 << FULL_SHIFT
LOST_HERE: Final = -1 << PROOF_SHIFT
"""The proof of a position whose mover has no legal move."""
MOST_FULL: Final = 255

MOST_TREE_NODES: Final = 1 << 22
"""The maximum size of a search's tree, 128 MiB.

Once the tree is full, rollouts start from its existing leaves."""


class MonteCarlo(CompiledSearch):
    """Monte-Carlo tree search; the module's docstring states its contract.

    A depth limit applies only to the tree: rollouts start at that depth. Without a limit, the
    search ends when the root is proven. The seed draws the board's symmetry, the order of moves and
    the rollouts; without a seed the rollouts are always the same. Memory for the tree is reserved
    but not written, so the system allocates it page by page as the tree grows.

    Args:
        c: UCB1's exploration constant for results from 0 to 1. A larger value tries moves more
            evenly.
        most_nodes: The maximum number of nodes in the tree, which always has room for the root and
            its moves.

    Raises:
        InputError: If `c` is negative or not finite.
    """

    def __init__(self, c: float = 1.4, most_nodes: int = MOST_TREE_NODES) -> None:
        if not 0 <= c < math.inf:
            raise InputError(f"c={c}: expected a finite number of at least 0")
        super().__init__(mcts)
        self.inputs.floats[EXPLORATION] = c
        capacity = max(most_nodes, 1 + MOST_SQUARES)
        self._pool = np.empty(capacity * NODE_BYTES // 8, dtype=np.int64)
        self._path = Block(MOST_SQUARES + 1)
        self.inputs.words[[CAPACITY, MEMORY, PATH]] = (capacity, self._pool.ctypes.data, self._path.address)

    def ends_by_itself(self, limit: Limit) -> bool:
        """See `CompiledSearch`; a depth does not end this search."""
        return limit.time_ms is None and limit.nodes is not None

    def start(self, position: Position, limit: Limit, seed: int | None = None) -> None:
        """See `Search`.

        Raises:
            InputError: If the game is over, or if the depth is the only limit, which cannot end
                this search.
        """
        if limit.depth is not None and limit.nodes is None and limit.time_ms is None:
            raise InputError(f"{limit}: a depth alone does not end Monte-Carlo tree search; add nodes or ms")
        super().start(position, limit, seed)


def mcts(inputs: int, quota: int) -> int:
    """Search up to `quota` nodes in total; see `kernel_state.py`."""
    state, pool = load_word(inputs, STATE), load_word(inputs, MEMORY)
    path = load_word(inputs, PATH)

    # 1. The first slice writes the root.
    if load_word(state, STARTED) == 0:
        begin_choice(inputs, state, WORDS)
        start_tree(load_word(inputs, TABLE), state, pool, WORDS)
    table = load_word(inputs, TABLE)

    # 2. Resume the interrupted iteration.
    nodes = load_word(state, NODES)
    deepest = load_word(state, MAX_DEPTH)
    random = load_word(state, RANDOM)
    ply, rolled = load_word(state, PLY), load_word(state, ROLLED)
    blank: Any = load_set(state, HERE, WORDS)
    mover, other = load_word(state, HERE + 3), load_word(state, HERE + 4)
    node = load_word(path, ply) if ply >= 0 else pool
    proven = proof(pool) != 0

    while not proven:
        # 3. Descend the tree to a position never entered before, or to one that does not get
        # children.
        while rolled < 0 and nodes < quota:
            if ply < 0:
                node = pool
                blank = load_set(state, HOME, WORDS)
                mover, other = load_word(state, HOME + 3), load_word(state, HOME + 4)
            else:
                node = next_child(inputs, state, pool, node)
                square = load_word(node, FACTS) & 255
                blank = blank - single(blank, square)
                mover, other = other, square
            nodes += 1
            ply += 1
            store_word(path, ply, node)
            if load_word(node, CHILDREN) == 0:
                moves: Any = targets(table, blank, mover) & blank
                room = load_word(inputs, CAPACITY) - load_word(state, USED)
                if load_word(node, VISITS) == 0 or ply >= deepest or count(moves) > room:
                    rolled = 0
                else:
                    random = expand(state, pool, node, moves, random)

        # 4. Roll out.
        moves = targets(table, blank, mover) & blank
        while nodes < quota and not is_empty(moves):
            random += GAMMA
            for _ in range(below(random, count(moves))):
                moves = without_lowest(moves)
            square = lowest(moves)
            blank = blank - single(blank, square)
            mover, other = other, square
            moves = targets(table, blank, mover) & blank
            nodes += 1
            rolled += 1

        # 5. Stop within the iteration if the quota is reached.
        if rolled < 0 or not is_empty(moves):
            break

        # 6. The player to move has no move and loses: back up the result.
        proven = back_up(pool, path, ply, rolled)
        ply, rolled = -1, -1

    store_word(state, NODES, nodes)
    store_word(state, RANDOM, random)
    store_word(state, PLY, ply)
    store_word(state, ROLLED, rolled)
    store_set(state, HERE, blank)
    store_word(state, HERE + 3, mover)
    store_word(state, HERE + 4, other)
    write_choice(table, state, pool)
    return FINISHED if proven else AT_QUOTA


# The tree


@kernel
def start_tree(table: int, state: int, pool: int, words: int) -> None:
    """Start the tree with the root and its moves, in the order drawn by the seed."""
    blank, mover, other = root_position(table, state, words)
    moves = list_root_moves(table, state, blank, mover)
    clear_node(pool, 0)
    store_word(pool, VISITS, 1)  # As if once visited as a leaf, like other nodes with children
    store_word(pool, CHILDREN, 1)
    store_word(pool, FACTS, moves << COUNT_SHIFT | ENTERED)
    for i in range(moves):
        clear_node(pool + (1 + i) * NODE_BYTES, load_word(state, ROOT + i))
    store_word(state, USED, 1 + moves)
    for at in (HOME, HERE):
        store_set(state, at, blank)
        store_word(state, at + 3, mover)
        store_word(state, at + 4, other)
    store_word(state, PLY, -1)
    store_word(state, ROLLED, -1)
    store_word(state, RANDOM, mixed(load_word(state, SEED)))
    store_word(state, STARTED, 1)


@kernel
def clear_node(node: int, square: int) -> None:
    """Write a node for the move to `square` that has not been entered."""
    store_word(node, VISITS, 0)
    store_word(node, WINS, 0)
    store_word(node, CHILDREN, 0)
    store_word(node, FACTS, square)


@kernel
def expand(state: int, pool: int, node: int, moves: Any, random: int) -> int:
    """Add a node's children in random order.

    Returns the new state of the random generator.
    """
    first = load_word(state, USED)
    children = pool + first * NODE_BYTES
    amount = 0
    while not is_empty(moves):
        clear_node(children + amount * NODE_BYTES, lowest(moves))
        moves = without_lowest(moves)
        amount += 1
    for last in range(amount - 1, 0, -1):
        random += GAMMA
        one = children + last * NODE_BYTES
        another = children + below(random, last + 1) * NODE_BYTES
        square = load_word(one, FACTS)
        store_word(one, FACTS, load_word(another, FACTS))
        store_word(another, FACTS, square)
    store_word(node, CHILDREN, first)
    store_word(node, FACTS, load_word(node, FACTS) | amount << COUNT_SHIFT)
    store_word(state, USED, first + amount)
    return random


@kernel
def child_count(node: int) -> int:
    """Return the number of a node's children; 0 for a leaf."""
    return load_word(node, FACTS) >> COUNT_SHIFT & 255


@kernel
def proof(node: int) -> int:
    """Return a node's proof, or 0 if it has none.

    The proof is p + 1 if the node's mover wins in p plies, and -(p + 1) if it loses in p plies.
    """
    return load_word(node, FACTS) >> PROOF_SHIFT


@kernel
def next_child(inputs: int, state: int, pool: int, node: int) -> int:
    """Return the child to try next.

    Untried children come first, in order, then the child with the largest upper bound (UCB1).

    An unproven node has no child proven won for its mover, and at least one that is not proven
    lost.
    """
    visits = load_word(node, VISITS)
    amount = child_count(node)
    child = pool + load_word(node, CHILDREN) * NODE_BYTES
    if visits <= amount:  # The first visit was as a leaf.
        return child + (visits - 1) * NODE_BYTES
    bonus = load_float(inputs, EXPLORATION) * math.sqrt(logarithm(state, visits))
    best, chosen = -1.0, child
    for _ in range(amount):
        if proof(child) == 0:
            share = 1.0 / math.sqrt(float(load_word(child, VISITS)))
            bound = (load_word(child, WINS) * share + bonus) * share
            if bound > best:
                best, chosen = bound, child
        child += NODE_BYTES
    return chosen


@kernel
def back_up(pool: int, path: int, ply: int, rolled: int) -> bool:
    """Record a result along the path and return whether the root is proven.

    The loser is to move `rolled` plies after the end of the path. A node's proof can change only if
    its child's proof changed.
    """
    tip = load_word(path, ply)
    changed = load_word(tip, VISITS) == 0
    if changed:
        facts = load_word(tip, FACTS) | ENTERED
        store_word(tip, FACTS, facts | LOST_HERE if rolled == 0 else facts)
    for at in range(ply, -1, -1):
        node = load_word(path, at)
        store_word(node, VISITS, load_word(node, VISITS) + 1)
        store_word(node, WINS, load_word(node, WINS) + (1 - (ply + rolled - at & 1)))
        if changed and at < ply:
            changed = settle(pool, node)
    return proof(pool) != 0


@kernel
def settle(pool: int, node: int) -> bool:
    """Update proof and full depth from the children; return whether they changed."""
    facts = load_word(node, FACTS)
    child = pool + load_word(node, CHILDREN) * NODE_BYTES
    shallowest, longest = MOST_FULL, 0
    for _ in range(child_count(node)):
        known = proof(child)
        if known < 0:
            store_word(node, FACTS, facts & (1 << PROOF_SHIFT) - 1 | 1 - known << PROOF_SHIFT)
            return True
        if known == 0:
            shallowest = min(shallowest, load_word(child, FACTS) >> FULL_SHIFT & 255)
        longest = max(longest, known)
        child += NODE_BYTES
    if shallowest == MOST_FULL:
        store_word(node, FACTS, facts | -(longest + 1) << PROOF_SHIFT)
        return True
    settled = facts & ~(255 << FULL_SHIFT) | 1 + shallowest << FULL_SHIFT
    store_word(node, FACTS, settled)
    return settled != facts


@kernel
def write_choice(table: int, state: int, pool: int) -> None:
    """Write the choice with its principal variation, score and depth."""
    node = best_child(pool, pool)
    known, visits = proof(pool), load_word(node, VISITS)
    if known != 0:
        plies = abs(known) - 1
        store_float(state, SCORE, WIN - plies if known > 0 else plies - WIN)
        store_word(state, DEPTH, plies)
    else:
        mean = load_word(node, WINS) / visits if visits > 0 else math.nan
        store_float(state, SCORE, 2.0 * mean - 1.0)
        store_word(state, DEPTH, (load_word(pool, FACTS) >> FULL_SHIFT & 255) - 1)
    length = 0
    while True:
        store_word(state, PV + length, true_square(table, load_word(node, FACTS) & 255))
        length += 1
        if child_count(node) == 0:
            break
        node = best_child(pool, node)
        if load_word(node, VISITS) == 0:
            break
    store_word(state, PV_LENGTH, length)


@kernel
def best_child(pool: int, node: int) -> int:
    """Return the child to play.

    The choice is a child that is proven lost for the opponent; otherwise the most visited unproven
    child; otherwise the longest loss.
    """
    child = pool + load_word(node, CHILDREN) * NODE_BYTES
    best_rank, best_value, chosen = -1, -1, child
    for _ in range(child_count(node)):
        known = proof(child)
        rank = 1 if known == 0 else 2 if known < 0 else 0
        value = max(known, 0) << 48 | load_word(child, VISITS)
        if rank > best_rank or (rank == best_rank and value > best_value):
            best_rank, best_value, chosen = rank, value, child
        child += NODE_BYTES
    return chosen


# Arithmetic


@kernel
def logarithm(state: int, number: int) -> float:
    """Return the natural logarithm to nine digits, identical on every machine.

    The last bit of a library's logarithm may differ between machines, and with it the chosen move.
    """
    store_float(state, SCRATCH, number * 0.7071067811865476)
    bits = load_word(state, SCRATCH)
    exponent = (bits >> 52) - 1022
    store_word(state, SCRATCH, bits & (1 << 52) - 1 | 1023 << 52)
    mantissa = load_float(state, SCRATCH) * 0.7071067811865476
    # number = mantissa * 2**exponent, the mantissa from sqrt(1/2) to sqrt(2); then the series of 2
    # artanh(z).
    z = (mantissa - 1.0) / (mantissa + 1.0)
    q = z * z
    series = 1.0 + q * (1.0 / 3 + q * (1.0 / 5 + q * (1.0 / 7 + q * (1.0 / 9))))
    return 2.0 * z * series + exponent * 0.6931471805599453
