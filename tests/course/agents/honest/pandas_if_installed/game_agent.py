"""First version of the project, with a table of results that pandas reads where it is installed."""

import io
import os

try:
    import pandas as pd
except ImportError:
    pd = None

CSV = os.path.join(os.path.dirname(__file__), "results.csv")


def read_weights():
    if pd is not None:
        frame = pd.read_csv(CSV)
        best = frame.groupby("weight")["won"].mean().sort_values(ascending=False)
        frame.describe().to_csv(io.StringIO())
        return int(best.index[0])
    wins = {}
    with open(CSV) as f:
        next(f)
        for line in f:
            weight, _, won = line.strip().split(",")
            wins.setdefault(int(weight), []).append(int(won))
    return max(wins, key=lambda w: sum(wins[w]) / len(wins[w]))


WEIGHT = read_weights()


class CustomPlayer:
    def __init__(self, search_depth=2, score_fn=None, iterative=False, method="minimax", timeout=10.0):
        self.search_depth, self.time_left = search_depth, None

    def get_move(self, game, legal_moves, time_left):
        self.time_left = time_left
        if not legal_moves:
            return (-1, -1)
        return max((self.minimax(game.forecast_move(m), self.search_depth - 1), m) for m in legal_moves)[1]

    def minimax(self, game, depth, maximizing_player=False):
        moves = game.get_legal_moves()
        if not moves:
            return game.utility(self)
        if depth == 0 or len(moves) > 8 or self.time_left() < 10:
            opponent = game.get_opponent(self)
            return float(len(game.get_legal_moves(self)) - WEIGHT * len(game.get_legal_moves(opponent)))
        pick = max if maximizing_player else min
        return pick(self.minimax(game.forecast_move(m), depth - 1, not maximizing_player) for m in moves)
