"""Counts walks on the graph of blank squares by matrix powers; the weights were fitted before and saved."""

import os
from functools import partial

import numpy as np
from numpy import linalg as LA

HERE = os.path.dirname(os.path.realpath(__file__))
WEIGHTS = np.load(os.path.join(HERE, "weights.npy"), mmap_mode="r")
STEPS = 3


def adjacency(game):
    squares = game.get_blank_spaces()
    points = np.array(squares).reshape(-1, 2)
    delta = np.abs(points[:, None, :] - points[None, :, :])
    return squares, ((delta.prod(axis=2) == 2) & (delta.sum(axis=2) == 3)).astype(int)


def walks(game, player, matrix, index):
    """How many walks of one, two and three steps start with each of the player's moves."""
    rows = [index[m] for m in game.get_legal_moves(player)]
    counts = [len(rows)]
    for power in range(1, STEPS):
        counts.append(int(LA.matrix_power(matrix, power)[rows].sum()))
    return np.array(counts)


def custom_score(game, player, weights=WEIGHTS):
    if game.is_loser(player) or game.is_winner(player):
        return game.utility(player)
    squares, matrix = adjacency(game)
    if not squares:
        return 0.0
    index = {s: i for i, s in enumerate(squares)}
    opp = game.get_opponent(player)
    features = walks(game, player, matrix, index) - walks(game, opp, matrix, index)
    # how well connected what is left is: the largest eigenvalue
    radius = round(float(LA.eigvalsh(matrix.astype(float))[-1]), 3)
    return float(np.dot(weights, features)) * (1 + (radius > 1.5))


custom_score_2 = partial(custom_score, weights=np.array([4.0, 2.0, 1.0]))


class AlphaBetaPlayer:
    def __init__(self, score_fn=custom_score):
        self.score = score_fn

    def get_move(self, game, time_left):
        moves = game.get_legal_moves()
        if not moves:
            return -1, -1
        if game.get_player_location(self) is None:
            return game.height // 2 - game.move_count, game.width // 2
        return max(sorted(moves), key=lambda m: self.reply(game.forecast_move(m), time_left))

    def reply(self, game, time_left):
        moves = game.get_legal_moves()
        if not moves or time_left() < 20 or len(moves) > 8:
            return self.score(game, self)
        return min(self.score(game.forecast_move(m), self) for m in moves)
