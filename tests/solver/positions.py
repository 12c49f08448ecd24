"""Random positions that are hard for a solver and quick to enumerate: boards of every size with blocked squares."""

import random

from isolarium.game.board import Board, Square
from isolarium.game.position import Player, Position


def random_position(rng: random.Random, most_blanks: int = 15) -> Position:
    """Both players somewhere on any board, with up to `most_blanks` blanks around them; some are mirror positions."""
    board = Board(rng.randint(3, 13), rng.randint(3, 13))
    first, second = rng.sample(board.squares, 2)
    around = _grow(rng, board, [first, second], rng.randint(0, most_blanks))
    opposite = Square(board.rows - 1 - first.row, board.cols - 1 - first.col)
    if rng.random() < 0.1 and opposite != first:
        second = opposite
        around = set(rng.sample(sorted(around), min(len(around), 8)))
        around |= {Square(board.rows - 1 - row, board.cols - 1 - col) for row, col in around}
    return _position(rng, board, around, first, second)


def separated_position(rng: random.Random, most_blanks: int = 10) -> Position:
    """Both players on a large board, each with blanks of its own, most often too far apart to meet."""
    board = Board(rng.randint(6, 13), rng.randint(10, 13))
    first = Square(rng.randrange(board.rows), 0)
    second = Square(rng.randrange(board.rows), board.cols - 1)
    around = _grow(rng, board, [first], rng.randint(1, most_blanks))
    around |= _grow(rng, board, [second], rng.randint(1, most_blanks))
    return _position(rng, board, around, first, second)


def _position(rng: random.Random, board: Board, around: set[Square], first: Square, second: Square) -> Position:
    blank = board.mask_of(around - {first, second})
    return Position(board, blank, first, second, rng.choice(list(Player)))


def _grow(rng: random.Random, board: Board, seeds: list[Square], many: int) -> set[Square]:
    """So many squares, or fewer, most of them a knight's move from another one or from a seed."""
    reached = list(seeds)
    for _ in range(many):
        near = board.knight_moves(rng.choice(reached))
        reached.append(rng.choice(near or board.squares))
    return set(reached)
