"""A value network. With PyTorch if it is there, with NumPy if not."""

from pathlib import Path

import numpy as np

try:
    import torch

    torch.set_num_threads(1)
except ImportError:
    torch = None

with np.load(Path(__file__).with_name("net.npz")) as saved:
    NET = {name: saved[name] for name in saved.files}


def features(game, player):
    opponent = game.get_opponent(player)
    own, opp = game.get_legal_moves(player), game.get_legal_moves(opponent)
    shared = len(set(own) & set(opp))
    return np.array([len(own), len(opp), shared, game.move_count / 8], dtype=np.float64)


def forward(x):
    # weights and inputs are sixteenths, so that both ways of computing this are exact
    if torch is not None:
        with torch.no_grad():
            hidden = torch.relu(torch.from_numpy(x) @ torch.from_numpy(NET["w1"]))
            return float((hidden @ torch.from_numpy(NET["w2"]))[0])
    hidden = np.maximum(x @ NET["w1"] + NET["b1"], 0)
    return float((hidden @ NET["w2"] + NET["b2"])[0])


class CustomPlayer:
    def get_move(self, game, time_left):
        best, chosen = None, (-1, -1)
        for move in sorted(game.get_legal_moves()):
            child = game.forecast_move(move)
            value = 1e6 if child.is_winner(self) else forward(features(child, self))
            if best is None or value > best:
                best, chosen = value, move
        return chosen
