"""A threading.Timer says when to stop, since calling time_left() at every node was slow."""

from threading import Event, Timer


class AlphaBetaPlayer:
    def __init__(self, budget=0.02):
        self.budget = budget

    def get_move(self, game, time_left):
        moves = sorted(game.get_legal_moves())
        if not moves:
            return (-1, -1)
        over = Event()
        timer = Timer(self.budget, over.set)
        timer.start()
        best = moves[0]
        try:
            for depth in range(1, 20):
                scored = []
                for m in moves:
                    if over.is_set() or time_left() < 15:
                        return best
                    scored.append((self.value(game.forecast_move(m), depth - 1, over, time_left), m))
                best = max(scored)[1]
        finally:
            timer.cancel()
            timer.join()
        return best

    def value(self, game, depth, over, time_left):
        moves = game.get_legal_moves()
        if not moves or depth == 0 or over.is_set() or time_left() < 15:
            own = len(game.get_legal_moves(self))
            return own - len(game.get_legal_moves(game.get_opponent(self)))
        pick = max if game.active_player is self else min
        return pick(self.value(game.forecast_move(m), depth - 1, over, time_left) for m in moves)
