"""Starts and placements of solved boards, which the map of starts tells without any search."""

from collections.abc import Iterator

from isolab.analysis.accuracy import Mark, MarkedMove, Marker
from isolab.game.board import Square
from isolab.game.position import Position
from isolab.game.record import GameRecord
from isolab.solver.starts import start_map

PLACEMENTS = 2


def start_wins(position: Position) -> bool | None:
    """Whether the player to move wins a start, placements included; None of other positions and unsolved boards."""
    placed = (position.first is not None) + (position.second is not None)
    is_start = (
        position.blank_count + placed == position.board.size and position.to_move == placed % 2
    )
    found = start_map(position.board)
    if found is None or not is_start:
        return None
    if position.first is None:
        return not all(found.answers(square) for square in position.board.squares)
    if position.second is None:
        return bool(found.answers(position.first))
    return found.first_wins(position.first, position.second)


def marks_with_placements(marker: Marker, game: GameRecord) -> Iterator[MarkedMove]:
    """Every move's mark as it gets ready: the placements' by the map where there is one, the rest by the marker."""
    placed = placement_marks(game)
    yield from placed
    yield from marker.marks(game, first_ply=1 + len(placed))


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
