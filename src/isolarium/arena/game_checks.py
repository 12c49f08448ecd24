"""The checks of games by a plan and the rules, used for both writing and reading.

A game may come from a cluster's worker, a file, or a bug in our code. `GameRules` checks a single game in plain Python.
The functions below it check all games of a batch at once, by the same rules: its span, every game's opening, each of
its moves, how it ended, and who won.
"""

from collections.abc import Callable
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from isolarium.arena.batch_codec import check_values
from isolarium.arena.game import MOST, ClockTroubles, Game, Moves
from isolarium.arena.game import check_values as check_game_values
from isolarium.arena.game_batch import REASONS, GameBatch
from isolarium.arena.lines import Lines
from isolarium.arena.openings import PLACEMENTS
from isolarium.arena.plan import Plan
from isolarium.arena.schedule import Span
from isolarium.game.board import Board, parse_board
from isolarium.game.position import Player, Reason


class GameRules:
    """The check of a plan's openings and games, which alone decides whether a game is accepted.

    Args:
        plan: The plan.
    """

    def __init__(self, plan: Plan) -> None:
        board = parse_board(plan.board)
        self._encounters, self._pairs = plan.encounters, plan.pairs
        self._reach = {str(square): {str(other) for other in board.knight_moves(square)} for square in board.squares}

    def check_place(self, encounter: int, pair: int, leg: int) -> None:
        """Check that the plan includes a game with this encounter, pair and leg.

        Raises:
            ValueError: If the plan does not include the game.
        """
        planned = 0 <= encounter < len(self._encounters) and 0 <= pair < self._pairs and leg in (0, 1)
        if not planned:
            raise ValueError(f"a game {encounter}, {pair}, {leg} that the plan does not have")

    def players(self, encounter: int, leg: int) -> tuple[int, int]:
        """Return the first and the second player, as indices into the plan's players."""
        met = self._encounters[encounter]
        return (met.first, met.second) if leg == 0 else (met.second, met.first)

    def check_opening(self, moves: Moves) -> None:
        """Check that an opening places both players and follows the rules.

        Raises:
            ValueError: If the opening is invalid.
        """
        reach = self._reach
        legal = (
            len(moves) >= PLACEMENTS
            and len(set(moves)) == len(moves)
            and all(square in reach for square in moves[:PLACEMENTS])
            and all(to in reach[here] for here, to in zip(moves, moves[2:], strict=False))
        )
        if not legal:
            raise ValueError(f"moves that are against the rules: {' '.join(moves)}")

    def check_game(self, game: Game, opening_of: Callable[[int], Moves]) -> None:
        """Check a game's values, numbers, players, moves, end and winner.

        Args:
            game: The game.
            opening_of: Returns the opening of a pair of the plan.

        Raises:
            ValueError: If anything is wrong.
        """
        check_game_values(game)
        self.check_place(game.encounter, game.pair, game.leg)
        if game.players != self.players(game.encounter, game.leg):
            raise ValueError(f"{_named(game)}: it has the players of another game")
        if game.opening != opening_of(game.pair):
            raise ValueError(f"{_named(game)}: it has the opening of another game")
        moves = game.line
        self.check_opening(moves)
        is_over = self._reach[moves[-2]] <= set(moves)
        by_rule = game.reason is Reason.NO_MOVES
        last_mover = Player(1 - len(moves) % 2)
        # Either agent may fail before its first move, even on the other agent's turn.
        won = game.winner == last_mover or not game.moves
        if is_over != by_rule or not won:
            raise ValueError(f"a game that did not end this way: {' '.join(moves)}: {game.reason}")


def _named(game: Game) -> str:
    return f"game {game.encounter}, {game.pair}, {game.leg}"


def check_troubles(troubles: ClockTroubles) -> None:
    """Check that all values are valid counts.

    Raises:
        ValueError: If a value is not a valid count.
    """
    counts = (troubles.pairs_replayed, troubles.late_moves_held_up)
    if not all(type(count) is int and 0 <= count < MOST for count in counts):
        raise ValueError("troubles with the clock that are not counts")


# All games of a batch at once


AT_ONCE: Final = 8192
"""The number of games checked at a time, so that the tables fit into a processor's cache."""
Flags = NDArray[np.bool_]


def check_span(batch: GameBatch, span: Span) -> None:
    """Check that a batch has each leg of each pair of a span, once and in order.

    Raises:
        ValueError: If a game is missing, repeated, or outside the span.
    """
    pairs = np.repeat(np.arange(span.first, span.end), 2)
    both = min(len(batch), len(pairs))
    differs = (
        (batch.encounters[:both] != span.encounter)
        | (batch.pairs[:both] != pairs[:both])
        | (batch.legs[:both] != np.arange(both) % 2)
    )
    if differs.any() or len(batch) < len(pairs):
        number = int(differs.argmax()) if differs.any() else both
        found = game_name(batch, number) if number < len(batch) else "nothing"
        expected = f"{span.encounter}, {pairs[number]}, {number % 2}"
        raise ValueError(f"{found} in place of game {expected}")
    if len(batch) > len(pairs):
        raise ValueError(f"{len(batch)} games; expected {len(pairs)}")


def check_games(batch: GameBatch) -> None:
    """Check the values, openings, moves, ends and winners of all games.

    Raises:
        ValueError: If anything is wrong; the message names the first game.
    """
    check_values(batch)
    for first in range(0, len(batch), AT_ONCE):
        end = min(first + AT_ONCE, len(batch))
        lines = batch.openings.part(first, end).followed_by(batch.moves.part(first, end))
        visited, is_legal = _walked(batch.board, lines)
        if not is_legal.all():
            number = first + int((~is_legal).argmax())
            line = _line_text(batch, number)
            raise ValueError(f"{game_name(batch, number)}: moves that are against the rules: {line}")
        has_ended = _is_rightly_ended(batch, first, end, lines, visited)
        if not has_ended.all():
            number = first + int((~has_ended).argmax())
            end_text = f"{_line_text(batch, number)}: {REASONS[batch.reasons[number]]}"
            raise ValueError(f"{game_name(batch, number)}: a game that did not end this way: {end_text}")


def check_openings(board: Board, lines: Lines) -> None:
    """Check that openings place both players and follow the rules.

    Raises:
        ValueError: If an opening is invalid.
    """
    if lines.squares.size and int(lines.squares.max()) >= board.size:
        raise ValueError("an opening with a square that the board does not have")
    for first in range(0, len(lines), AT_ONCE):
        part = lines.part(first, min(first + AT_ONCE, len(lines)))
        _, is_legal = _walked(board, part)
        if not is_legal.all():
            line = " ".join(part.text(int((~is_legal).argmax()), board))
            raise ValueError(f"moves that are against the rules: {line}")


def game_name(batch: GameBatch, number: int) -> str:
    """Return a game's place in the plan, for a message."""
    return f"game {batch.encounters[number]}, {batch.pairs[number]}, {batch.legs[number]}"


def _line_text(batch: GameBatch, number: int) -> str:
    texts = (batch.openings.text(number, batch.board), batch.moves.text(number, batch.board))
    return " ".join(texts[0] + texts[1])


@cache
def _reach(board: Board) -> Flags:
    """Return for each square whether a knight reaches each other square."""
    found = np.zeros((board.size, board.size), dtype=np.bool_)
    for square in board.squares:
        for other in board.knight_moves(square):
            found[board.index(square), board.index(other)] = True
    return found


def _walked(board: Board, lines: Lines) -> tuple[Flags, Flags]:
    """Return the squares that each line visits, and whether each line follows the rules."""
    lengths, squares = lines.lengths, lines.squares
    games = np.repeat(np.arange(len(lines)), lengths)
    visited = np.zeros((len(lines), board.size), dtype=np.bool_)
    visited[games, squares] = True
    is_legal = (lengths >= PLACEMENTS) & (visited.sum(axis=1) == lengths)
    is_jump = _reach(board)[squares[:-2], squares[2:]] | (games[:-2] != games[2:])
    is_legal[games[2:][~is_jump]] = False
    return visited, is_legal


def _is_rightly_ended(batch: GameBatch, first: int, end: int, lines: Lines, visited: Flags) -> Flags:
    """Return whether each game ended for its stated reason, with the right winner."""
    to_move = lines.squares[lines.starts[1:] - PLACEMENTS]
    is_over = ~(_reach(batch.board)[to_move] & ~visited).any(axis=1)
    is_by_rule = batch.reasons[first:end] == 0
    last_mover = 1 - lines.lengths % 2
    # Either agent may fail before its first move, even on the other agent's turn.
    has_moves = batch.moves.lengths[first:end] > 0
    has_won = (batch.winners[first:end] == last_mover) | ~has_moves
    flags: Flags = (is_over == is_by_rule) & has_won
    return flags
