"""Many positions, as games by random moves pass through them."""

import random
from collections.abc import Iterator

from isolarium.game.board import Board, Square
from isolarium.game.position import Position


def random_games(board: Board, seed: int) -> Iterator[list[tuple[Position, Square | None]]]:
    """Games without end, each as its positions with the move that was made; the last has none."""
    chance = random.Random(seed)
    while True:
        position, game = Position.empty(board), []
        while moves := position.legal_moves():
            game.append((position, chance.choice(moves)))
            position = position.play(game[-1][1])
        yield [*game, (position, None)]
