"""Policy sampling. Everything from numpy is imported, as in the notebook this was written in."""

from numpy import *
from numpy.random import choice, permutation, rand

TEMPERATURE = 0.75


def softmax(x):
    e = exp((x - x.max()) / TEMPERATURE)
    return e / e.sum()


class CustomPlayer:
    """Samples moves by the mobility they leave, better ones more often."""

    def __init__(self, rollouts=12):
        self.rollouts = rollouts

    def get_move(self, game, time_left):
        moves = game.get_legal_moves()
        if len(moves) == 0:
            return (-1, -1)
        if len(moves) > 8:
            return moves[choice(len(moves))]
        value = zeros(len(moves))
        for i in range(len(moves)):
            child = game.forecast_move(moves[i])
            value[i] = len(child.get_legal_moves(self)) - len(child.get_legal_moves())
            if child.is_winner(self):
                return moves[i]
        votes = zeros(len(moves), dtype=int64)
        for _ in arange(self.rollouts):
            if time_left() < 5.0:
                break
            votes[choice(len(moves), p=softmax(around(value, 6)))] += 1
        if rand() < 0.125:  # explore
            return moves[permutation(len(moves))[0]]
        return moves[int(argmax(votes))]
