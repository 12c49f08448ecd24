"""One thread a move does the search and puts its answers into a queue; the move waits for it to finish."""

import queue
import threading


class Worker(threading.Thread):
    def __init__(self, game, player, answers, stop):
        super().__init__(daemon=True)
        self.game, self.player, self.answers, self.stop = game, player, answers, stop
        self.lock = threading.RLock()

    def run(self):
        for depth in range(1, 7):
            if self.stop.is_set():
                break
            move = self.root(depth)
            if move is None:
                break
            with self.lock:
                self.answers.put((depth, move))
        self.answers.put(None)

    def root(self, depth):
        scores = {}
        for move in sorted(self.game.get_legal_moves()):
            scores[move] = self.value(self.game.forecast_move(move), depth - 1)
            if self.stop.is_set():
                return None
        return max(scores, key=scores.get)

    def value(self, game, depth):
        if self.player.time_left() < 15:
            self.stop.set()
        moves = game.get_legal_moves()
        if not moves or depth == 0 or self.stop.is_set():
            other = game.get_legal_moves(game.get_opponent(self.player))
            return len(game.get_legal_moves(self.player)) - len(other)
        pick = max if game.active_player is self.player else min
        return pick(self.value(game.forecast_move(m), depth - 1) for m in moves)


class AlphaBetaPlayer:
    def get_move(self, game, time_left):
        self.time_left = time_left
        moves = sorted(game.get_legal_moves())
        if not moves:
            return (-1, -1)
        answers, stop = queue.Queue(), threading.Event()
        worker = Worker(game, self, answers, stop)
        worker.start()
        best = moves[0]
        while True:
            item = answers.get()
            if item is None:
                break
            best = item[1]
        worker.join()
        return best
