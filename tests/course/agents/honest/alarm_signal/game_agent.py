"""SIGALRM ends the search, as in my chess engine."""

import signal
from contextlib import contextmanager


class OutOfTime(Exception):
    pass


def on_alarm(signum, frame):
    raise OutOfTime


@contextmanager
def limit(seconds):
    old = signal.signal(signal.SIGALRM, on_alarm)
    signal.alarm(5)  # what is set last counts
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    except OutOfTime:
        pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


class CustomPlayer:
    def get_move(self, game, time_left):
        moves = sorted(game.get_legal_moves())
        if not moves:
            return (-1, -1)
        self.best, self.time_left = moves[0], time_left
        with limit(0.02):
            for depth in range(1, 25):
                self.best = self.root(game, moves, depth)
        return self.best

    def root(self, game, moves, depth):
        return max(moves, key=lambda m: -self.negamax(game.forecast_move(m), depth - 1))

    def negamax(self, game, depth):
        if self.time_left() < 15:
            raise OutOfTime
        moves = game.get_legal_moves()
        if not moves:
            return -1000 + game.move_count
        if depth == 0:
            return len(moves) - len(game.get_legal_moves(game.inactive_player))
        return max(-self.negamax(game.forecast_move(m), depth - 1) for m in moves)
