"""Rivest's min/max approximation, which expands the most influential nodes.

R. L. Rivest, Game tree searching by min/max approximation, Artificial Intelligence 34 (1988) 77-96.

Max is the player to move at the root. Values are positive: 1 for a game that Max has lost, 1023 for
a game that Max has won, and `512 + 510*h / (scale + |h|)`, from 2 to 1022, for a heuristic value h.
Every edge of the tree has a penalty. The search repeatedly expands the tip with the smallest sum of
penalties on its path from the root, adding all its successors.

- The reverse approximation, the paper's practical form and the default, backs up true minima and maxima. The penalty of
  the edge to a child `c` is `constant + |ln v(c) - ln v(best)|`, where `best` is the best of all the children.
- The generalised means back up `M = (sum a**q / n) ** (1/q)` of the children's values `a`, with `q = p` if Max is to
  move and `q = -p` if Min is; an edge's penalty is `-ln(dM/da)`: `ln n + (p-1) ln(M/a)` and `ln n + (p+1) ln(a/M)`.

A tip adds no penalty. Finished games and tips at the depth limit are never expanded, so their
penalty is infinite. Unless switched off, the same holds for a node whose winner the tree proves;
such a node has the value of a finished game. The search ends when the root's penalty is infinite,
or at a limit. Ties go to the leftmost move. At the root, this is the first move in the order drawn
by the seed; below the root, it is the move with the lowest square number under the symmetry.

Contract: the chosen move is the root's child with the best value. A node is a position entered: the
root, and every successor added. If the successors of a tip would exceed the node limit, the tip is
not expanded and the search ends. If even the root cannot be expanded, the choice is its first move,
without a score. The depth is the largest d, up to the depth of the deepest node, such that every
unfinished position less than d plies from the root has been expanded. A result is reported as
proven only if proven nodes are switched on; its principal variation follows the best values and may
be neither the shortest nor the longest.

All arithmetic uses logarithms, because only `ln v` of the values in the tree is needed. The
logarithms of static values and the constant are rounded to multiples of 2**-44, which makes the
sums of the reverse approximation exact: paths that are equal by the paper's rule are equal here,
and rounding errors never override the tie rule.
"""

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from isolarium.errors import InputError
from isolarium.game.position import Position
from isolarium.game.tables import MOST_SQUARES, true_square
from isolarium.game.view import View, targets
from isolarium.limits import Limit
from isolarium.native.arithmetic import natural_exp, natural_log
from isolarium.native.jit import compiled_twin, kernel
from isolarium.native.memory import load_constant, load_float, load_word, store_float, store_word
from isolarium.native.squareset import count, is_empty, lowest, single, without_lowest
from isolarium.search.driver import CompiledSearch, Extend
from isolarium.search.kernel_state import (
    AT_QUOTA,
    DEPTH,
    FINISHED,
    FINITE,
    INFINITE,
    MAX_DEPTH,
    MEMORY,
    NODES,
    PARAMETERS,
    PAUSED,
    PV,
    PV_LENGTH,
    ROOT,
    SCORE,
    STARTED,
    STATE,
    TABLE,
    WIN,
    Block,
    Choose,
    begin_choice,
    list_root_moves,
    ranked,
    root_position,
)
from isolarium.search.protocol import Evaluator

# Bound when compiled
WORDS: int = 0
evaluate: Any = None

MIDDLE, REACH = 512.0, 510.0
GRID: Final = 2.0**44


def on_grid(x: float) -> float:
    """Round to the nearest multiple of 1/GRID."""
    return math.floor(x * GRID + 0.5) / GRID


compiled_twin(on_grid)(on_grid)

LN_LOST: Final = 0.0
LN_WON: Final = on_grid(natural_log(1023.0))
LN_LEAST: Final = on_grid(natural_log(MIDDLE - REACH))
LN_MIDDLE: Final = on_grid(natural_log(MIDDLE))
LN_MOST: Final = on_grid(natural_log(MIDDLE + REACH))
NEVER: Final = math.inf
"""The penalty of a node that must not be expanded."""

# A node: the logarithm of its value; the penalty of its best path; the address of its first child,
# or 0 (the other children follow the first); and in one word: move | number of children << 8 |
# index of the best path's child << 16
LN_VALUE, PENALTY, CHILDREN, LINK = range(4)
NODE_BYTES: Final = 32

# The head of a tree: settings, the first block, root, free memory, depth, the path to a tip, and
# the number of tips at each depth, finished games excluded
REVERSE, CONSTANT, POWER, SCALE, PROVEN, FIRST, FIRST_END, TOP, FREE, END, DEEPEST = range(11)
PATH: Final = 11
OPEN: Final = PATH + MOST_SQUARES + 1
HEAD_WORDS: Final = OPEN + MOST_SQUARES + 1

BLOCK_NODES: Final = 1 << 15
MOST_NODES: Final = 1 << 24
"""The maximum size of a search's tree, 512 MiB; a full tree ends the search."""


class MinMaxApproximation(CompiledSearch):
    """Min/max approximation with one heuristic.

    A full tree ends the search like a limit. With a depth as the only limit, the score of the
    reverse approximation is the minimax value at that depth.

    Args:
        evaluator: The heuristic.
        reverse: Whether to back up true minima and maxima instead of generalised means.
        constant: The reverse approximation's penalty for every edge; a larger one searches more
            broadly.
        p: The exponent of the generalised means; infinity would give the maximum.
        scale: The heuristic value halfway between 0 and infinity.
        proven: Whether nodes with a proven winner count as finished games.
        tree: The memory to use.

    Raises:
        InputError: If a number is out of bounds.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        *,
        reverse: bool = True,
        constant: float = 0.05,
        p: float = 10.0,
        scale: float = 10.0,
        proven: bool = True,
        tree: "Tree | None" = None,
    ) -> None:
        for name, value, least, most in (
            ("constant", constant, 0.0, 1e6),
            ("p", p, 1.0, 1e6),
            ("scale", scale, 1e-6, 1e9),
        ):
            if not least <= value <= most:
                raise InputError(f"{name}={value:g}: expected a number from {least:g} to {most:g}")
        super().__init__(minmax_approximation, evaluator)
        self.tree = tree or Tree()
        head = self.tree.head
        head.words[[REVERSE, PROVEN]] = reverse, proven
        head.words.view(np.float64)[[CONSTANT, POWER, SCALE]] = on_grid(constant), p, scale
        self.inputs.words[MEMORY] = head.address

    def ends_by_itself(self, limit: Limit) -> bool:
        """See `CompiledSearch`; larger trees need more than one block."""
        nodes = limit.nodes
        return limit.time_ms is None and nodes is not None and nodes <= self.tree.block_nodes

    def start(self, position: Position, limit: Limit, seed: int | None = None) -> None:
        """See `Search`."""
        super().start(position, limit, seed)
        self.tree.clear()

    def _extending(self, choose: Choose) -> Extend:
        inputs, tree = self.inputs.address, self.tree

        def extend(quota: int) -> bool:
            while True:
                status = choose(inputs, quota)
                if status != PAUSED:
                    return status == FINISHED
                if not tree.grow():
                    return True

        return extend


class Tree:
    """The memory of one tree at a time, reused from move to move.

    Blocks are added while the tree grows, so nodes never move, and blocks are kept for the next
    search. The cap on nodes is less exact than a limit: a node's children are adjacent, and the
    rest of a block may be too small for them.
    """

    def __init__(self, most_nodes: int = MOST_NODES, block_nodes: int = BLOCK_NODES) -> None:
        """Limit the memory to that of `most_nodes` nodes, but at least one block."""
        assert block_nodes > MOST_SQUARES, "a block must hold the root and its children"
        self.head = Block(HEAD_WORDS)
        self._most_blocks = max(1, most_nodes // block_nodes)
        self.block_nodes = block_nodes
        self._block_words = block_nodes * NODE_BYTES // 8
        first = Block(self._block_words)
        self._blocks = [first]
        self._used = 1
        self.head.words[[FIRST, FIRST_END]] = first.address, first.address + 8 * len(first.words)

    def clear(self) -> None:
        """Use only the first block; the search removes the nodes when it starts."""
        self._used = 1

    def grow(self) -> bool:
        """Add a block of nodes; return False if the cap is reached."""
        if self._used == self._most_blocks:
            return False
        if self._used == len(self._blocks):
            self._blocks.append(Block(self._block_words))
        start = self._blocks[self._used].address
        self._used += 1
        self.head.words[[FREE, END]] = start, start + self._block_words * 8
        return True

    def read(self) -> "Node":
        """Return the current tree for inspection; this is slow."""
        return self._read(int(self.head.words[TOP]))

    def _read(self, address: int) -> "Node":
        block, place = self._place(address)
        words = self._blocks[block].words[place : place + NODE_BYTES // 8]
        value, penalty = words[:CHILDREN].view(np.float64).tolist()
        first, link = words[CHILDREN:].tolist()
        children = [self._read(first + i * NODE_BYTES) for i in range(link >> 8 & 255)]
        # Nodes are added from the first block on, so the address of the children shows the order of
        # expansion.
        when = self._place(first) if children else None
        return Node(link & 255, natural_exp(value), penalty, tuple(children), when)

    def _place(self, address: int) -> tuple[int, int]:
        """Return the block that contains an address, and the index of its word."""
        places = [(address - block.address) // 8 for block in self._blocks]
        return next((n, word) for n, word in enumerate(places) if 0 <= word < self._block_words)


@dataclass(frozen=True, slots=True)
class Node:
    """A node of a tree, as `Tree.read` returns it.

    Attributes:
        move: The square entered, by its number under the symmetry; meaningless at the root.
        value: The value for the player to move at the root, from 1 to 1023.
        penalty: The penalty of the best path from this node to a tip.
        children: The successors in order; empty if the node was not expanded.
        grown: A key that sorts nodes by the order of expansion; None if the node was not expanded.
    """

    move: int
    value: float
    penalty: float
    children: tuple["Node", ...]
    grown: tuple[int, int] | None


def minmax_approximation(inputs: int, quota: int) -> int:
    """Search up to `quota` nodes in total; see `kernel_state.py`.

    The search pauses if the tree needs another block.
    """
    state, tree = load_word(inputs, STATE), load_word(inputs, MEMORY)
    parameters = load_word(inputs, PARAMETERS)
    begins = load_word(state, STARTED) == 0
    if begins:
        begin_choice(inputs, state, WORDS)
        clear_tree(tree)
    table = load_word(inputs, TABLE)
    rows, cols = load_constant(table, 0), load_constant(table, 1)
    unplaced = load_constant(table, 2)
    max_depth = load_word(state, MAX_DEPTH)
    scale = load_float(tree, SCALE)
    nodes = load_word(state, NODES)
    root_blank, root_mover, root_other = root_position(table, state, WORDS)

    # 1. The first slice writes the root, a tip.
    if begins:
        store_word(state, STARTED, 1)
        list_root_moves(table, state, root_blank, root_mover)
        top = load_word(tree, FREE)
        store_word(tree, TOP, top)
        store_word(tree, FREE, top + NODE_BYTES)
        write_node(top, 0, LN_MIDDLE, 0.0)
        store_word(tree, OPEN, 1)
        nodes += 1
    top = load_word(tree, TOP)

    status = FINISHED
    while load_float(top, PENALTY) < NEVER:
        # 2. Follow the best path to its tip.
        node, ply = top, 0
        blank, mover, other = root_blank, root_mover, root_other
        while load_word(node, CHILDREN) != 0:
            store_word(tree, PATH + ply, node)
            place = load_word(node, LINK) >> 16
            node = load_word(node, CHILDREN) + place * NODE_BYTES
            square = load_word(node, LINK) & 255
            blank = blank - single(blank, square)
            mover, other = other, square
            ply += 1
        store_word(tree, PATH + ply, node)

        # 3. Stop if the tip's successors would exceed the quota or the block.
        moves = targets(table, blank, mover) & blank
        width = count(moves)
        child = load_word(tree, FREE)
        after = child + width * NODE_BYTES
        if nodes + width > quota:
            status = AT_QUOTA
            break
        if after > load_word(tree, END):
            status = PAUSED
            break

        # 4. Add all successors. The heuristic is evaluated for Max, who moves at even plies.
        store_word(node, CHILDREN, child)
        store_word(node, LINK, load_word(node, LINK) | width << 8)
        store_word(tree, FREE, after)
        nodes += width
        replies = targets(table, blank, other)
        max_moved = ply & 1 == 0
        opened = 0
        for place in range(width):
            square = load_word(state, ROOT + place) if ply == 0 else lowest(moves)
            moves = without_lowest(moves)
            left = blank - single(blank, square)
            if is_empty(replies & left):
                write_node(child, square, LN_WON if max_moved else LN_LOST, NEVER)
            else:
                found = 0.0
                if other != unplaced:
                    own = square if max_moved else other
                    opp = other if max_moved else square
                    view = View(left, not max_moved, rows, cols, table, parameters)
                    found = evaluate(view, own, opp)
                penalty = NEVER if ply + 1 == max_depth else 0.0
                write_node(child, square, ln_static_value(found, scale), penalty)
                opened += 1
            child += NODE_BYTES
        store_word(tree, DEEPEST, max(load_word(tree, DEEPEST), ply + 1))
        store_word(tree, OPEN + ply, load_word(tree, OPEN + ply) - 1)
        store_word(tree, OPEN + ply + 1, load_word(tree, OPEN + ply + 1) + opened)

        # 5. Update values and best paths towards the root as long as they change.
        while ply >= 0 and back_up(tree, load_word(tree, PATH + ply), ply & 1 == 0):
            ply -= 1

    store_word(state, NODES, nodes)
    write_report(table, state, tree)
    return status


@kernel
def clear_tree(tree: int) -> None:
    """Remove all nodes, and start at the beginning of the first block."""
    for place in range(DEEPEST, HEAD_WORDS):
        store_word(tree, place, 0)
    store_word(tree, FREE, load_word(tree, FIRST))
    store_word(tree, END, load_word(tree, FIRST_END))


@kernel
def write_node(node: int, move: int, ln_value: float, penalty: float) -> None:
    """Write a node without children."""
    store_float(node, LN_VALUE, ln_value)
    store_float(node, PENALTY, penalty)
    store_word(node, CHILDREN, 0)
    store_word(node, LINK, move)


@kernel
def ln_static_value(found: float, scale: float) -> float:
    """Return the logarithm of a heuristic's value on the tree's scale, 2 to 1022."""
    found = ranked(found)
    if abs(found) == INFINITE:
        return LN_MOST if found > 0 else LN_LEAST
    return on_grid(natural_log(MIDDLE + REACH * found / (scale + abs(found))))


@kernel
def heuristic_value(ln_value: float, scale: float) -> float:
    """Return the heuristic's value that a value in the tree represents.

    It is rounded to the six decimals that logarithms preserve.
    """
    if ln_value >= LN_MOST:
        return INFINITE
    if ln_value <= LN_LEAST:
        return -INFINITE
    distance = natural_exp(ln_value) - MIDDLE
    found = min(FINITE, max(-FINITE, scale * distance / (REACH - abs(distance))))
    return math.floor(found * 1e6 + 0.5) / 1e6 if abs(found) < 1e6 else found


@kernel
def best_child(node: int, maximises: bool) -> int:
    """Return the child with the best value, the leftmost among equals."""
    child = load_word(node, CHILDREN)
    best: int = child
    best_value = load_float(child, LN_VALUE)
    for _ in range(1, load_word(node, LINK) >> 8 & 255):
        child += NODE_BYTES
        value = load_float(child, LN_VALUE)
        if value > best_value if maximises else value < best_value:
            best, best_value = child, value
    return best


@kernel
def generalised_mean(node: int, best: float, p: float, maximises: bool) -> float:
    """Return ln M, the generalised mean of the children.

    Values relative to `best`, the best ln v of the children, avoid overflow.
    """
    child = load_word(node, CHILDREN)
    width = load_word(node, LINK) >> 8 & 255
    total = 0.0
    for place in range(width):
        value = load_float(child + place * NODE_BYTES, LN_VALUE)
        total += natural_exp(-p * abs(value - best))
    short = (natural_log(width) - natural_log(total)) / p
    return best - short if maximises else best + short


@kernel
def back_up(tree: int, node: int, maximises: bool) -> bool:
    """Update a node's value and best path; return whether value or penalty changed."""
    best = load_float(best_child(node, maximises), LN_VALUE)
    child = load_word(node, CHILDREN)
    link = load_word(node, LINK)
    width = link >> 8 & 255
    value, least, arrow = best, NEVER, 0
    if load_word(tree, PROVEN) != 0 and best in (LN_LOST, LN_WON):
        pass  # Only decided games have these values: one child decides, or all agree.
    elif load_word(tree, REVERSE) != 0:
        constant = load_float(tree, CONSTANT)
        for place in range(width):
            cost = constant + abs(load_float(child, LN_VALUE) - best)
            penalty = load_float(child, PENALTY) + cost
            if penalty < least:
                least, arrow = penalty, place
            child += NODE_BYTES
    else:
        p = load_float(tree, POWER)
        value = generalised_mean(node, best, p, maximises)
        steepness = p - 1.0 if maximises else -(p + 1.0)
        ln_width = natural_log(width)
        for place in range(width):
            cost = ln_width + steepness * (value - load_float(child, LN_VALUE))
            penalty = load_float(child, PENALTY) + cost
            if penalty < least:
                least, arrow = penalty, place
            child += NODE_BYTES
    changed: bool = load_float(node, LN_VALUE) != value or load_float(node, PENALTY) != least
    store_float(node, LN_VALUE, value)
    store_float(node, PENALTY, least)
    store_word(node, LINK, (link & 0xFFFF) | arrow << 16)
    return changed


@kernel
def write_report(table: int, state: int, tree: int) -> None:
    """Write the best line, the score and the depth, once the root is expanded."""
    top = load_word(tree, TOP)
    value = load_float(top, LN_VALUE)
    score = heuristic_value(value, load_float(tree, SCALE))
    node, length = top, 0
    while load_word(node, CHILDREN) != 0:
        node = best_child(node, length & 1 == 0)
        store_word(state, PV + length, true_square(table, load_word(node, LINK) & 255))
        length += 1
    if length == 0:
        return
    if load_word(tree, PROVEN) != 0 and value == LN_WON:
        score = WIN - length
    if load_word(tree, PROVEN) != 0 and value == LN_LOST:
        score = length - WIN
    store_word(state, PV_LENGTH, length)
    store_float(state, SCORE, score)

    depth = 0
    while depth < load_word(tree, DEEPEST) and load_word(tree, OPEN + depth) == 0:
        depth += 1
    store_word(state, DEPTH, depth)
