"""Random positions, and one position in the three forms in which its value is asked for."""

import random
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from typing import Any

from isolarium.game.board import Board, Square
from isolarium.game.position import Player, Position
from isolarium.game.view import PlainView
from isolarium.heuristics.bound_heuristic import Bound
from tests.heuristics.reference import REFERENCE
from tests.heuristics.scene import Scene

Place = tuple[int, int]


def random_positions(board: Board, count: int, seed: int = 0) -> Iterator[Position]:
    """Positions with both players placed, each with either player to move.

    Half of them arose in random play, half are any squares blocked, few or most of them.
    """
    chance = random.Random(f"{board} {seed}")
    for place in range(count):
        position = (_played, _scattered)[place % 2](board, chance)
        for to_move in Player:
            first, second = position.first, position.second
            yield Position(board, position.blank, first, second, to_move)


def _played(board: Board, chance: random.Random) -> Position:
    position = Position.empty(board)
    length = chance.randrange(2, board.size)
    while position.placing or length > 0:
        moves = position.legal_moves()
        if not moves:
            break
        position = position.play(chance.choice(moves))
        length -= 1
    return position


def _scattered(board: Board, chance: random.Random) -> Position:
    share = chance.choice((0.1, 0.3, 0.6, 0.9))
    first, second = chance.sample(board.squares, 2)
    blank = sum(
        1 << board.index(square)
        for square in board.squares
        if square not in (first, second) and chance.random() < share
    )
    return Position(board, blank, first, second, Player.FIRST)


def squares_of(position: Position, player: Player) -> tuple[int, int]:
    """The numbers of the player's square and of the other's."""
    own, opp = position.square_of(player), position.square_of(player.other)
    assert own is not None
    assert opp is not None
    return position.board.index(own), position.board.index(opp)


def plain_view(position: Position, player: Player) -> PlainView:
    """The position as a plain heuristic sees it."""
    size = position.board.size
    blank = frozenset(number for number in range(size) if position.blank >> number & 1)
    return PlainView(position.board, blank, position.to_move == player)


def plain_value(bound: Bound, position: Position, player: Player) -> float:
    """The value in plain Python."""
    return bound.plain(plain_view(position, player), *squares_of(position, player))


def reference_value(bound: Bound, position: Position, player: Player) -> float:
    """The value by the independent reference."""
    own, opp = position.square_of(player), position.square_of(player.other)
    assert own is not None
    assert opp is not None
    board = position.board
    blank = frozenset((row, col) for row, col in board.squares if position.is_blank(Square(row, col)))
    scene = Scene(board.rows, board.cols, blank, own, opp, position.to_move == player)
    return _reference(bound, scene)


def _reference(bound: Bound, scene: Scene) -> float:
    arguments: dict[str, Any] = {
        name: partial(_reference, value) if isinstance(value, Bound) else value
        for name, value in bound.arguments.items()
    }
    if bound.heuristic.name == "free_moves":
        arguments["choose"] = partial(draw_by_rule, scene, arguments["d"], arguments["seed"])
    return REFERENCE[bound.heuristic.name](scene, **arguments)


# The rule by which `free_moves` draws, as its entry in the catalogue states it


def draw_by_rule(root: Scene, d: int, seed: int, moves: Sequence[Place], u: int, scene: Scene) -> Collection[Place]:
    """The u moves of the least mixed(ticket ^ number), in a scene some plies below the root."""
    left = d - (len(root.blank) - len(scene.blank))
    mover, other = (scene.own, scene.opp) if scene.own_to_move else (scene.opp, scene.own)

    def number(square: Place) -> int:
        return square[0] * scene.cols + square[1]

    place = 2**24 * left + 2**16 * number(mover) + 2**8 * number(other) + len(scene.blank)
    ticket = lowbias32(seed ^ lowbias32(place))
    return sorted(moves, key=lambda square: lowbias32(ticket ^ number(square)))[:u]


def lowbias32(word: int) -> int:
    """Wellons' hash function, by its published constants."""
    word ^= word >> 16
    word = word * 0x7FEB352D % 2**32
    word ^= word >> 15
    word = word * 0x846CA68B % 2**32
    return word ^ word >> 16
