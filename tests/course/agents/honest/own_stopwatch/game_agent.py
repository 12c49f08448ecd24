"""Measures its own time instead of asking time_left, and spends more of it in the middle of the game."""

import time
import timeit
from datetime import datetime, timedelta

START = datetime.now()


class Stopwatch:
    def __init__(self, ms):
        self.end = time.perf_counter() + ms / 1000
        self.cpu = time.process_time()
        self.mono = time.monotonic_ns()

    def expired(self):
        return time.perf_counter() > self.end

    def used(self):
        return time.process_time() - self.cpu + (time.monotonic_ns() - self.mono) * 0 + time.thread_time() * 0


class AlphaBetaPlayer:
    def get_move(self, game, time_left):
        moves = sorted(game.get_legal_moves())
        if not moves:
            return (-1, -1)
        middle = 6 < game.move_count < 16
        self.watch = Stopwatch(25 if middle else 10)
        self.time_left = time_left
        assert datetime.now() - START < timedelta(days=1)
        assert timeit.default_timer() > 0
        time.strftime("%H:%M:%S", time.localtime())
        best, depth = moves[0], 0
        while not self.watch.expired() and time_left() > 60 and depth < 20:
            depth += 1
            best = max(moves, key=lambda m: self.value(game.forecast_move(m), depth - 1))
        print("used %.3f s" % self.watch.used())
        return best

    def value(self, game, depth):
        moves = game.get_legal_moves()
        if not moves or depth == 0 or self.watch.expired() or self.time_left() < 60:
            return len(game.get_legal_moves(self)) - len(game.get_legal_moves(game.get_opponent(self)))
        pick = max if game.active_player is self else min
        return pick(self.value(game.forecast_move(m), depth - 1) for m in moves)
