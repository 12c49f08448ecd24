"""Mobility of every square at once, with NumPy arrays."""

import numpy as np

KNIGHT = np.array([(-2, -1), (-2, 1), (-1, -2), (-1, 2), (1, -2), (1, 2), (2, -1), (2, 1)])


class SearchTimeout(Exception):
    pass


def board_to_array(game):
    # the board state is column-major, so reshape and transpose
    cells = np.array(game._board_state[:-3], dtype=np.int8)
    return cells.reshape(game.width, game.height).T


def mobility_map(blank):
    h, w = blank.shape
    padded = np.pad(blank, 2, mode="constant")
    total = np.zeros_like(blank, dtype=np.int64)
    for dr, dc in KNIGHT:
        total += padded[2 + dr : 2 + dr + h, 2 + dc : 2 + dc + w]
    return total


def custom_score(game, player):
    if game.is_loser(player):
        return float("-inf")
    if game.is_winner(player):
        return float("inf")
    own, opp = game.get_player_location(player), game.get_player_location(game.get_opponent(player))
    if own is None or opp is None:
        return 0.0
    reach = mobility_map(1 - board_to_array(game))
    return float(2 * reach[own] - 3 * reach[opp] + np.clip(reach.sum(), 0, 40) / 64)


class AlphaBetaPlayer:
    def __init__(self, score_fn=custom_score, timeout=10.0):
        self.score = score_fn
        self.TIMER_THRESHOLD = timeout

    def get_move(self, game, time_left):
        self.time_left = time_left
        legal = np.array(game.get_legal_moves())
        if legal.size == 0:
            return (-1, -1)
        # the most central square first: good for pruning, and a safe answer
        center = np.array([(game.height - 1) / 2, (game.width - 1) / 2])
        order = np.argsort(((legal - center) ** 2).sum(axis=1), kind="stable")
        best = tuple(int(x) for x in legal[order[0]])
        if game.move_count < 2:
            return best
        try:
            for depth in range(1, 12):
                best = self.alphabeta(game, depth)
        except SearchTimeout:
            pass
        return best

    def alphabeta(self, game, depth, alpha=-np.inf, beta=np.inf):
        best = (-1, -1)
        for move in game.get_legal_moves():
            value = -self.search(game.forecast_move(move), depth - 1, -beta, -alpha, -1)
            if value > alpha or best == (-1, -1):
                alpha, best = max(alpha, value), move
        return best

    def search(self, game, depth, alpha, beta, sign):
        if self.time_left() < self.TIMER_THRESHOLD:
            raise SearchTimeout()
        moves = game.get_legal_moves()
        if depth == 0 or not moves:
            return sign * self.score(game, self)
        for move in moves:
            alpha = np.maximum(alpha, -self.search(game.forecast_move(move), depth - 1, -beta, -alpha, -sign))
            if alpha >= beta:
                break
        return alpha
