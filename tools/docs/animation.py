"""The animated game at the top of the README: `docs/images/game.svg`."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

import isolarium
from isolarium.game import svg
from isolarium.game.board import Board, Square
from isolarium.game.position import Player, Position
from isolarium.game.record import GameRecord

BLUE: Final = "strong:stealer@nodes=2000"
ORANGE: Final = "alphabeta:improved@nodes=500"
SEED: Final = 4

STEP_S: Final = 0.6
GLIDE_S: Final = 0.25
END_S: Final = 4.0
"""How long a move takes, how much of that time the knight glides, and how long the end is shown."""

FIRST_SHOWN: Final = 12
"""The ply after which the film begins, so that a preview or a print shows a position; it then repeats in full."""

CAPTION: Final = 34
STYLE: Final = (
    "<style>.still{display:none}"
    "@media (prefers-reduced-motion:reduce){.still{display:inline}.moving{display:none}}</style>"
)


def drawing() -> str:
    """Return the animation of a game between two agents, as SVG."""
    game = isolarium.play(BLUE, ORANGE, start="7x7", seed=SEED)
    return "\n".join(_Film(game).elements()) + "\n"


class _Film:
    """A game with the time at which each of its moves begins."""

    def __init__(self, game: GameRecord) -> None:
        self._game = game
        self._board: Board = game.start.board
        self._length = STEP_S * (len(game.moves) + 1) + END_S

    def elements(self) -> Iterator[str]:
        """Yield the lines of the SVG: the empty board, then what appears on it."""
        width = svg.LABELS + self._board.cols * svg.CELL + svg.MARGIN
        height = svg.LABELS + self._board.rows * svg.CELL + svg.MARGIN + CAPTION
        yield (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" role="img">'
        )
        yield f"<title>A game of knight Isolation on {self._board}</title>"
        yield f'<rect width="{width}" height="{height}" rx="10" fill="{svg.FRAME_COLOUR}"/>'
        empty = svg.draw_svg(Position.empty(self._board), legal=False).splitlines()
        yield from empty[3:-1]  # without its size, title and frame
        yield STYLE
        moving = [*self._moving()]
        yield from ('<g class="moving">', *moving, "</g>")
        yield '<g class="still">'
        yield from filter(None, (re.sub("<animate[^>]*>", "", line) for line in moving))
        yield "</g>"
        yield "</svg>"

    def _moving(self) -> Iterator[str]:
        """Yield what moves; without its animations, it is the position at which the film begins."""
        moves = self._game.moves
        for ply, square in enumerate(moves[:-2]):
            yield self._blocked(square, ply + 2)
        for player in Player:
            yield from self._knight(player, moves[player::2])
        yield self._caption()

    def _centre(self, square: Square) -> tuple[float, float]:
        return svg.LABELS + (square.col + 0.5) * svg.CELL, svg.LABELS + (square.row + 0.5) * svg.CELL

    def _share(self, ply: int, later: float = 0.0) -> str:
        """Return when a ply begins, as a share of the film's length."""
        return f"{(STEP_S * (ply + 1) + later) / self._length:.4f}"

    @property
    def _timing(self) -> str:
        begin = STEP_S * (FIRST_SHOWN + 1) + GLIDE_S
        return f'repeatCount="indefinite" begin="-{begin:g}s" dur="{self._length:g}s"'

    def _appearing(self, ply: int) -> str:
        animate = f'<animate attributeName="opacity" calcMode="discrete" {self._timing}'
        return f'{animate} values="0;1" keyTimes="0;{self._share(ply)}"/>'

    def _blocked(self, square: Square, ply: int) -> str:
        x, y = self._centre(square)
        side = svg.CELL - svg.GAP
        return (
            f'<rect x="{x - side / 2:g}" y="{y - side / 2:g}" width="{side:g}" height="{side:g}" '
            f'fill="{svg.BLOCKED_COLOUR}" opacity="{int(ply <= FIRST_SHOWN)}">{self._appearing(ply)}</rect>'
        )

    def _knight(self, player: Player, squares: Sequence[Square]) -> Iterator[str]:
        """Yield a knight that appears on its first square and glides from move to move."""
        places = [f"{x:g} {y:g}" for x, y in map(self._centre, squares)]
        values, times = [places[0]], ["0"]
        for turn in range(1, len(places)):
            ply = 2 * turn + player
            values += [places[turn - 1], places[turn]]
            times += [self._share(ply), self._share(ply, GLIDE_S)]
        shown = places[(FIRST_SHOWN - player) // 2]
        yield f'<g transform="translate({shown})">{self._appearing(player)}'
        yield (
            f'<animateTransform attributeName="transform" type="translate" {self._timing} '
            f'values="{";".join([*values, places[-1]])}" '
            f'keyTimes="{";".join([*times, "1"])}"/>'
        )
        colour = svg.PLAYER_COLOURS[player]
        if player is Player.FIRST:
            yield f'<circle r="16.5" fill="{colour}"/>'
        else:
            yield f'<rect x="-15" y="-15" width="30" height="30" rx="6" fill="{colour}"/>'
        yield f'<path d="{svg.KNIGHT_PATH}" fill="{svg.PIECE_COLOUR}"/></g>'

    def _caption(self) -> str:
        outcome = self._game.position.outcome()
        assert outcome is not None
        winner, loser = ("Blue", "Orange")[:: 1 if outcome.winner is Player.FIRST else -1]
        x = svg.LABELS + self._board.cols * svg.CELL / 2
        y = svg.LABELS + self._board.rows * svg.CELL + svg.MARGIN + CAPTION / 2
        return (
            f'<text x="{x:g}" y="{y:g}" fill="{svg.LABEL_COLOUR}" text-anchor="middle" font-size="15" '
            'font-family="system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif" opacity="0">'
            f"{loser} has no legal move: {winner} wins.{self._appearing(len(self._game.moves))}</text>"
        )
