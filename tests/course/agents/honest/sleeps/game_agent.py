"""Gives the processor a rest now and then: my laptop got hot in tournaments."""

import random
import time


class Nap:
    def __init__(self, every=40):
        self.every = every
        self.count = 0

    def __call__(self):
        self.count += 1
        if self.count % self.every == 0:
            time.sleep(0.001)


class MinimaxPlayer:
    def __init__(self, search_depth=2):
        self.depth = search_depth
        self.nap = Nap()

    def get_move(self, game, time_left):
        time.sleep(0.002)
        self.time_left = time_left
        moves = game.get_legal_moves()
        if not moves:
            return (-1, -1)
        if game.move_count < 2:
            return random.choice(moves)
        return max(moves, key=lambda m: (self.value(game.forecast_move(m), self.depth - 1), m))

    def value(self, game, depth):
        self.nap()
        moves = game.get_legal_moves()
        if not moves:
            return game.utility(self)
        if depth == 0 or self.time_left() < 10:
            own = game.get_legal_moves(self)
            opp = game.get_legal_moves(game.get_opponent(self))
            return len(own) - len(opp)
        pick = max if game.active_player == self else min
        return pick(self.value(game.forecast_move(m), depth - 1) for m in moves)
