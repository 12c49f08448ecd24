"""The marks of placements on a solved board, which its map of starts tells without any search."""

from isolab.analysis.accuracy import Mark, MarkedMove
from isolab.game.board import Square
from isolab.game.position import Position
from isolab.game.record import GameRecord
from isolab.web.truth import start_wins

PLACEMENTS = 2


def placement_marks(game: GameRecord) -> list[MarkedMove]:
    """The marks of a game's placements, if it begins with the empty board and that is solved; otherwise none."""
    if game.start != Position.empty(game.start.board) or start_wins(game.start) is None:
        return []
    played = zip(game.positions(), game.moves[:PLACEMENTS], strict=False)
    return [_marked(ply, before, move) for ply, (before, move) in enumerate(played, start=1)]


def _marked(ply: int, before: Position, move: Square) -> MarkedMove:
    player, moves = before.to_move, before.legal_moves()
    winning = [square for square in moves if not start_wins(before.play(square))]
    if not winning:
        return MarkedMove(ply, player, move, Mark.LOST, False)
    if move not in winning:
        keeps = winning[0]
        return MarkedMove(ply, player, move, Mark.MISTAKE, True, decides=True, keeps=keeps)
    return MarkedMove(ply, player, move, Mark.RIGHT, True, decides=len(winning) < len(moves))
