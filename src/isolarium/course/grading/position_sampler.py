"""Positions to ask about, drawn from random games; in all of them both players are placed."""

import random
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import islice
from typing import Final

from isolarium.game.board import Board
from isolarium.game.outcome import Player
from isolarium.game.position import Position

MOST_GAMES: Final = 5000
"""How many random games are gone through for positions of a kind."""

Kind = Callable[[Position], bool]


def random_positions(board: Board, seed: str) -> Iterator[list[Position]]:
    """The positions of random games, after the placements, the last of each being the end."""
    for number in range(MOST_GAMES):
        chance = random.Random(f"{seed} {number}")
        game, position = list[Position](), Position.empty(board)
        while moves := position.legal_moves():
            position = position.play(chance.choice(moves))
            if not position.placing:
                game.append(position)
        yield game


@lru_cache(32)  # every agent of a file is asked about the same
def drawn(board: Board, seed: str, kind: Kind, wanted: int) -> tuple[Position, ...]:
    """So many positions of a kind, at most one of a game; fewer where random games have no more."""

    def found() -> Iterator[Position]:
        for number, game in enumerate(random_positions(board, seed)):
            those = [position for position in game if kind(position)]
            if those:
                yield random.Random(f"{seed} {number} which").choice(those)

    return tuple(islice(found(), wanted))


def goes_on(position: Position) -> bool:
    """Whether the first player is to move, and can."""
    return position.to_move is Player.FIRST and position.outcome() is None


def wins_at_once_or_loses(position: Position) -> bool:
    """Whether some moves of the first player end the game, and after every other the opponent can end it."""
    if not goes_on(position) or not _can_end(position):  # most cannot: the rest takes longer
        return False
    afters = [position.play(move) for move in position.legal_moves()]
    unfinished = [after for after in afters if after.outcome() is None]
    return 0 < len(unfinished) < len(afters) and all(map(_can_end, unfinished))


def loses_soon(position: Position) -> bool:
    """Whether the first player can move, and after every move the opponent can end the game."""
    return goes_on(position) and all(
        _can_end(position.play(move)) for move in position.legal_moves()
    )


def _can_end(position: Position) -> bool:
    """Whether some move leaves the opponent none: it takes the last square that they could go to, or they have none."""
    other = position.other
    assert other is not None
    left = position.board.knight_mask(other) & position.blank
    taken = left & position.legal_mask
    return bool(position.legal_mask) and (not left or (left == taken and left.bit_count() == 1))


def is_over(loser: Player, position: Position) -> bool:
    """Whether the game is over, and lost by that player."""
    return position.to_move is loser and position.outcome() is not None
