"""A position as a heuristic sees it: for trying one out in plain Python."""

from isolab.errors import InputError
from isolab.game.outcome import Player
from isolab.game.position import Position
from isolab.game.view import PlainView


def seen(position: Position, player: Player | None = None) -> tuple[PlainView, int, int]:
    """The view, own's square and opp's square, so that `improved(*seen(position))` is a value.

    Args:
        position: one in which both players are placed.
        player: whose value is asked for; by default the player to move.

    Raises:
        InputError: a player is not yet placed.
    """
    player = position.to_move if player is None else player
    own, opp = position.square_of(player), position.square_of(player.other)
    if own is None or opp is None:
        raise InputError(f"{position}: a heuristic needs both players placed")
    board = position.board
    blank = frozenset(map(board.index, board.squares_in(position.blank)))
    view = PlainView(board, blank, position.to_move == player)
    return view, board.index(own), board.index(opp)
