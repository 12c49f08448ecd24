"""Monte-Carlo tree search: UCT with uniformly random rollouts, which also proves wins and losses.

UCT is Kocsis and Szepesvári (2006); the back-up of proven results is the MCTS-Solver of Winands, Björnsson and Saito
(2008). An iteration goes down the tree by UCB1, every move of a node once before any of them twice; comes to a position
it has never entered; plays random moves from there to the end of the game; and counts the result on its way. A position
gets its moves into the tree when it is entered for the second time.

A node counted is a position entered: in each iteration the root, every position of the tree on the way down, and every
position of the rollout. The count never passes the limit: the iteration that reaches it is broken off and counts for
nothing else. A slice that ends in the middle of an iteration is taken up there, so slices do not show in the result.

Contract: a proven score is the end of the game under perfect play. A position is lost when its mover has no move or all
moves lead to won positions, and won when a move leads to a lost one. Proven positions are not entered again; once the
root is proven the search ends. The plies of a proven result are those of the line that proves it, which may be longer
than the shortest.

The choice is a proven win; else the move most visited among those not proven lost; else, all being lost, the one with
the longest line found, then the most visited. Among equals the first in the root's order is taken. The score is the
mean result of the choice, from -1 (all rollouts lost) to 1, or none before a rollout of it has ended. The depth is that
of the tree in full: every line of so many plies has been entered, or ends or is proven before; of a proven root, the
plies of the proof.
"""

import math
from typing import Any, Final

import numpy as np
from numba import types

from isolarium.errors import InputError
from isolarium.game.position import Position
from isolarium.game.tables import MOST_SQUARES, true_square
from isolarium.game.view import targets
from isolarium.limits import Limit
from isolarium.native.arithmetic import GAMMA, below, mixed
from isolarium.native.jit import kernel
from isolarium.native.memory import load_float, load_word, store_float, store_word
from isolarium.native.squareset import (
    count,
    is_empty,
    load_set,
    lowest,
    single,
    store_set,
    without_lowest,
)
from isolarium.search.driver import CompiledSearch, Extend, Run
from isolarium.search.kernel_state import (
    DEPTH,
    MAX_DEPTH,
    NODES,
    PV,
    PV_LENGTH,
    ROOT,
    SCORE,
    SEED,
    SPARE,
    STARTED,
    WIN,
    list_root_moves,
    root_position,
)

WORDS: int = 0  # bound when compiled

EXPLORATION: Final = SPARE  # UCB1's constant, a double
CAPACITY: Final = SPARE + 1  # how many nodes the pool has room for
USED: Final = SPARE + 2  # how many it holds
RANDOM: Final = SPARE + 3  # the generator's word
PLY: Final = (
    SPARE + 4
)  # the last position of the tree on the way down; -1 before the root is entered
ROLLED: Final = SPARE + 5  # moves of the rollout; -1 while still in the tree
SCRATCH: Final = SPARE + 6
HERE: Final = SPARE + 7  # where the search stands: blanks, mover, other, by the image's numbers
HOME: Final = SPARE + 12  # the root, likewise

# A node of the tree takes four words. Wins are those of the player who moved there. Facts, from the lowest bit: the
# square moved to (8 bits); how many children (8); plies looked ahead in full, plus one, 0 for a node never entered (8);
# and above these the proof: 0 for none, p + 1 for won in p plies, -(p + 1) for lost in p.
VISITS, WINS, CHILDREN, FACTS = 0, 1, 2, 3
NODE_BYTES: Final = 32
COUNT_SHIFT, FULL_SHIFT, PROOF_SHIFT = 8, 16, 24
ENTERED: Final = 1 << FULL_SHIFT
LOST_HERE: Final = -1 << PROOF_SHIFT
"""The proof of a position whose mover has no move."""
MOST_FULL: Final = 255

MOST_TREE_NODES: Final = 1 << 22
"""The tree of one search at the most: 128 MiB. When it is full, rollouts go on from the tips that it has."""


class MonteCarlo(CompiledSearch):
    """Monte-Carlo tree search; see the module for what its report promises.

    A depth, if any, is that of the tree: rollouts start there. With no limit at all the search ends when the root is
    proven. The seed draws the image of the board, the order of moves and the rollouts; without one the rollouts are
    always the same. The room for the tree is reserved and not written to: the system hands it out page by page as the
    tree grows.

    Args:
        c: UCB1's exploration constant for results from 0 to 1. The larger, the more evenly moves are tried.
        most_nodes: the room to reserve, or that for the root and its moves if that is more.

    Raises:
        InputError: `c` is negative or not finite.
    """

    def __init__(self, c: float = 1.4, most_nodes: int = MOST_TREE_NODES) -> None:
        if not 0 <= c < math.inf:
            raise InputError(f"c={c}: expected a number from 0 on")
        super().__init__(mcts_slice, types.boolean(*[types.int64] * 5))
        self._c = c
        self._capacity = max(most_nodes, 1 + MOST_SQUARES)
        self._pool = np.empty(self._capacity * NODE_BYTES // 8, dtype=np.int64)
        self._path = np.zeros(MOST_SQUARES + 1, dtype=np.int64)
        self._addresses = self.work.address, self._pool.ctypes.data, self._path.ctypes.data

    def start(self, position: Position, limit: Limit, seed: int | None = None) -> None:
        """See `Search`.

        Raises:
            InputError: the game is over, or the depth is the only limit, which ends nothing.
        """
        if limit.depth is not None and limit.nodes is None and limit.time_ms is None:
            raise InputError(
                f"{limit}: Monte-Carlo tree search has no end at a depth; add nodes or ms"
            )
        super().start(position, limit, seed)

    def _begin(self, run: Run, words: int, table: int, limit: Limit) -> Extend:
        self.work.floats[EXPLORATION] = self._c
        self.work.words[CAPACITY] = self._capacity
        state, pool, path = self._addresses
        return lambda quota: run(table, state, pool, path, quota)


def mcts_slice(table: int, state: int, pool: int, path: int, quota: int) -> bool:
    """Go on until `quota` nodes in all; whether the root is proven. The state then holds the choice so far."""
    # 1. The first slice lays the root.
    if load_word(state, STARTED) == 0:
        start_tree(table, state, pool, WORDS)

    # 2. Take up the iteration where it was left.
    nodes = load_word(state, NODES)
    deepest = load_word(state, MAX_DEPTH)
    random = load_word(state, RANDOM)
    ply, rolled = load_word(state, PLY), load_word(state, ROLLED)
    blank: Any = load_set(state, HERE, WORDS)
    mover, other = load_word(state, HERE + 3), load_word(state, HERE + 4)
    node = load_word(path, ply) if ply >= 0 else pool
    proven = proof(pool) != 0

    while not proven:
        # 3. Go down the tree, to a position never entered before or one that gets no moves.
        while rolled < 0 and nodes < quota:
            if ply < 0:
                node = pool
                blank = load_set(state, HOME, WORDS)
                mover, other = load_word(state, HOME + 3), load_word(state, HOME + 4)
            else:
                node = next_child(state, pool, node)
                square = load_word(node, FACTS) & 255
                blank = blank - single(blank, square)
                mover, other = other, square
            nodes += 1
            ply += 1
            store_word(path, ply, node)
            if load_word(node, CHILDREN) == 0:
                moves: Any = targets(table, blank, mover) & blank
                room = load_word(state, CAPACITY) - load_word(state, USED)
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

        # 5. Stop at the quota, in the middle of the iteration.
        if rolled < 0 or not is_empty(moves):
            break

        # 6. Whoever cannot move has lost: back that up.
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
    return proven


# The tree


@kernel
def start_tree(table: int, state: int, pool: int, words: int) -> None:
    """Make the tree the root with its moves, in the order that the seed gives them."""
    blank, mover, other = root_position(table, state, words)
    moves = list_root_moves(table, state, blank, mover)
    clear_node(pool, 0)
    store_word(pool, VISITS, 1)  # as if it had once been a tip, as every other node with children
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
    """Make a node never entered, of the move to `square`."""
    store_word(node, VISITS, 0)
    store_word(node, WINS, 0)
    store_word(node, CHILDREN, 0)
    store_word(node, FACTS, square)


@kernel
def expand(state: int, pool: int, node: int, moves: Any, random: int) -> int:
    """Give a node its children, in random order; the generator's word after that."""
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
    """How many children a node has; 0 for a tip."""
    return load_word(node, FACTS) >> COUNT_SHIFT & 255


@kernel
def proof(node: int) -> int:
    """A node's proof: 0 for none, p + 1 for won in p plies by its mover, -(p + 1) for lost."""
    return load_word(node, FACTS) >> PROOF_SHIFT


@kernel
def next_child(state: int, pool: int, node: int) -> int:
    """The child to try next: in order while any has not been tried, then that of the greatest upper bound (UCB1).

    A node not proven has no child that its mover has won, and one that is not lost for it.
    """
    visits = load_word(node, VISITS)
    amount = child_count(node)
    child = pool + load_word(node, CHILDREN) * NODE_BYTES
    if visits <= amount:  # the first visit was as a tip
        return child + (visits - 1) * NODE_BYTES
    bonus = load_float(state, EXPLORATION) * math.sqrt(logarithm(state, visits))
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
    """Count the result on the path down to `ply`, and what it proves; whether the root is proven.

    The loser is to move `rolled` plies after the path's end. Only what is changed below can change a node's proof.
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
    """Bring a node's proof and full depth in line with its children's; whether that changed anything."""
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
    """Write the principal variation, which begins with the choice, its score and the depth into the state."""
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
    """The child to play: lost for the opponent, else most visited of those not proven, else won as late as can be."""
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
    """The natural logarithm of a positive number, to nine digits and to the same bits on every machine.

    A library's logarithm may differ in its last bit from machine to machine, and with it a move chosen.
    """
    store_float(state, SCRATCH, number * 0.7071067811865476)
    bits = load_word(state, SCRATCH)
    exponent = (bits >> 52) - 1022
    store_word(state, SCRATCH, bits & (1 << 52) - 1 | 1023 << 52)
    mantissa = load_float(state, SCRATCH) * 0.7071067811865476
    # number = mantissa * 2**exponent, the mantissa from sqrt(1/2) to sqrt(2); then the series of 2 artanh(z).
    z = (mantissa - 1.0) / (mantissa + 1.0)
    q = z * z
    series = 1.0 + q * (1.0 / 3 + q * (1.0 / 5 + q * (1.0 / 7 + q * (1.0 / 9))))
    return 2.0 * z * series + exponent * 0.6931471805599453
