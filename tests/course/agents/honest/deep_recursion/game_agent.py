"""Rollouts written recursively: thousands of calls deep, so the limit has to be raised."""

import random
import sys

sys.setrecursionlimit(10000)

JUMPS = [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)]


def neighbours(square, blank):
    r, c = square
    return [(r + a, c + b) for a, b in JUMPS if (r + a, c + b) in blank]


def playout(me, you, blank, my_turn):
    """Who wins a random game, one call a move."""
    here = me if my_turn else you
    options = neighbours(here, blank)
    if not options:
        return 0 if my_turn else 1
    there = options[random.randrange(len(options))]
    if my_turn:
        return playout(there, you, blank - {there}, False)
    return playout(me, there, blank - {there}, True)


def playouts(n, me, you, blank):
    """The wins of n games: one more call for each of them."""
    if n == 0:
        return 0
    return playout(me, you, blank, False) + playouts(n - 1, me, you, blank)


def depth_of(n):
    """A chain of calls that is as deep as the limit allows, to see that it is really there."""
    return 0 if n == 0 else 1 + depth_of(n - 1)


class CustomPlayer:
    games = 300

    def __init__(self):
        assert depth_of(9000) == 9000

    def get_move(self, game, time_left):
        moves = game.get_legal_moves()
        if not moves:
            return (-1, -1)
        opponent = game.get_player_location(game.get_opponent(self))
        if opponent is None or game.get_player_location(self) is None:
            return random.choice(moves)
        blank = frozenset(game.get_blank_spaces())
        results = {}
        for move in sorted(moves):
            if time_left() < 20:
                break
            results[move] = playouts(self.games, move, opponent, blank - {move})
        return max(sorted(results), key=results.get)
