"""Measure the modules that course agents import: calls of a board, and a plain alpha-beta's nodes a second.

The course's own Board lets alpha-beta with `improved` visit 50 to 75 thousand nodes a second.
"""

from collections.abc import Callable
from math import inf
from time import thread_time
from typing import Any

from isolarium.course.adapter import make_board
from isolarium.course.modules.first.isolation import Board, isolation
from isolarium.course.modules.first.sample_players import improved_score
from isolarium.course.modules.later.isolation import Isolation
from isolarium.game.notation import parse_position

POSITIONS = [
    "7/7/2A4/7/4B2/7/7 a",
    "1x5/3x3/2A2x1/3x3/1x2B2/2x4/5x1 a",
    "xx1x3/1xxx2x/x1A1xx1/2x1x2/xx1xBx1/1xx1x2/3x1xx a",
]
DEPTH = 5
ROUNDS = 5
CALLS = 20_000


class Search:
    """Alpha-beta without a clock; counts the positions it enters, including the root and the leaves."""

    def __init__(self) -> None:
        self.nodes = 0

    def value(self, game: Board, depth: int, alpha: float, beta: float) -> float:
        """Return the value for the first player."""
        self.nodes += 1
        moves = game.get_legal_moves()
        if depth == 0 or not moves:
            return improved_score(game, "first")
        maximizing = game.active_player == "first"
        for move in moves:
            value = self.value(game.forecast_move(move), depth - 1, alpha, beta)
            if maximizing:
                alpha = max(alpha, value)
            else:
                beta = min(beta, value)
            if alpha >= beta:
                break
        return alpha if maximizing else beta


def microseconds(function: Callable[[], Any]) -> float:
    """Return the best time of a few rounds of a call."""
    best = inf
    for _ in range(ROUNDS):
        began = thread_time()
        for _ in range(CALLS):
            function()
        best = min(best, thread_time() - began)
    return best / CALLS * 1e6


def nodes_a_second(games: list[Board]) -> float:
    """Return the best rate of a few rounds."""
    best = 0.0
    for _ in range(ROUNDS):
        search, began = Search(), thread_time()
        for game in games:
            search.value(game, DEPTH, -inf, inf)
        best = max(best, search.nodes / (thread_time() - began))
    return best


def show(what: str, function: Callable[[], Any]) -> None:
    """Print how long a call takes."""
    print(f"course board {what:<36} {microseconds(function):6.2f} microseconds")


def main() -> None:
    """Print a line for each measurement."""
    games = [make_board(Board, parse_position(line), "first", "second") for line in POSITIONS]
    for game in games:
        moves = game.get_legal_moves()
        show(f"get_legal_moves, {len(moves)} moves", game.get_legal_moves)
    show("forecast_move", lambda: game.forecast_move(moves[0]))
    show("improved_score", lambda: improved_score(game, "first"))
    print(f"course board alpha-beta, improved: {nodes_a_second(games):9,.0f} nodes a second")
    isolation.on_position = int
    print(f"course board the same, counted:    {nodes_a_second(games):9,.0f} nodes a second")
    isolation.on_position = None
    state = Isolation().result(57).result(0)
    show("later project: actions", state.actions)
    show("later project: result", lambda: state.result(25))
    show("later project: liberties", lambda: state.liberties(57))


if __name__ == "__main__":
    main()
