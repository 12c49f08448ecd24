"""The course's sample players and scores."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any, Callable

if TYPE_CHECKING:
    from .isolation import Board

    Move = tuple[int, int]
    Score = Callable[[Board, Any], float]

NO_MOVE = (-1, -1)


def null_score(game: Board, player: Any) -> float:
    """Return inf or -inf once the game is over, and 0.0 until then."""
    if game.is_loser(player):
        return float("-inf")
    if game.is_winner(player):
        return float("inf")
    return 0.0


def open_move_score(game: Board, player: Any) -> float:
    """Return the number of a player's legal moves; inf or -inf once the game is over."""
    if game.is_loser(player):
        return float("-inf")
    if game.is_winner(player):
        return float("inf")
    return float(len(game.get_legal_moves(player)))


def improved_score(game: Board, player: Any) -> float:
    """Return a player's number of moves minus its opponent's; inf or -inf at the end."""
    if game.is_loser(player):
        return float("-inf")
    if game.is_winner(player):
        return float("inf")
    own = len(game.get_legal_moves(player))
    return float(own - len(game.get_legal_moves(game.get_opponent(player))))


def center_score(game: Board, player: Any) -> float:
    """Return a player's squared distance from (height / 2, width / 2).

    It is inf or -inf once the game is over.

    As in the course, this point is half a square off the board's centre, and a larger distance is
    better.
    """
    if game.is_loser(player):
        return float("-inf")
    if game.is_winner(player):
        return float("inf")
    row, col = game.get_player_location(player)  # type: ignore[misc]  # of a placed player
    return float((game.height / 2.0 - row) ** 2 + (game.width / 2.0 - col) ** 2)


class RandomPlayer:
    """Plays random moves, using the generator of the `random` module."""

    def get_move(self, game: Board, *_: Any) -> Move:
        """Return a move, or (-1, -1) if there is none; further arguments are ignored."""
        moves = game.get_legal_moves()
        return random.choice(moves) if moves else NO_MOVE


class GreedyPlayer:
    """Plays the move with the highest score; of equal ones, the last square."""

    def __init__(self, score_fn: Score = open_move_score) -> None:
        self.score = score_fn

    def get_move(self, game: Board, *_: Any) -> Move:
        """Return a move, or (-1, -1) if there is none; further arguments are ignored."""
        scored = [(self.score(game.forecast_move(m), self), m) for m in game.get_legal_moves()]
        return max(scored)[1] if scored else NO_MOVE


class HumanPlayer:
    """Lets a person choose from the legal moves at the terminal, by number."""

    def get_move(self, game: Board, *_: Any) -> Move:
        """Return a move, or (-1, -1) if there is none; further arguments are ignored."""
        moves = sorted(game.get_legal_moves())
        if not moves:
            return NO_MOVE
        print(game.to_string())
        print("\t".join(f"[{number}] {move}" for number, move in enumerate(moves)))
        while True:
            answer = input("Number of your move: ").strip()
            if answer.isdecimal() and int(answer) < len(moves):
                return moves[int(answer)]
            print(f"Please type a number from 0 to {len(moves) - 1}.")
