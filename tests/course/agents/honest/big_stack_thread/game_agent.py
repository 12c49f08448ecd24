"""The usual trick for deep recursion in Python: a thread with a stack of its own."""

import sys
import threading

threading.stack_size(64 * 1024 * 1024)
sys.setrecursionlimit(100000)


class Search:
    def __init__(self, game, player, limit):
        self.game, self.player, self.limit = game, player, limit
        self.nodes, self.answer = 0, None

    def run(self):
        self.answer = max(sorted(self.game.get_legal_moves()), key=lambda m: self.longest(self.game.forecast_move(m)))

    def longest(self, game):
        """How long I can go on alone, counted by a depth-first search over a list that is a linked chain."""
        blank = set(game.get_blank_spaces())
        start = game.get_player_location(self.player)
        return self.walk(start, blank, 0) - len(game.get_legal_moves(game.active_player))

    def walk(self, square, blank, steps):
        self.nodes += 1
        if self.nodes > self.limit:
            return steps
        best = steps
        r, c = square
        for n in ((r + 1, c + 2), (r + 2, c + 1), (r - 1, c + 2), (r - 2, c + 1),
                  (r + 1, c - 2), (r + 2, c - 1), (r - 1, c - 2), (r - 2, c - 1)):  # fmt: skip
            if n in blank:
                blank.remove(n)
                best = max(best, self.walk(n, blank, steps + 1))
                blank.add(n)
        return best


def chain(n):
    return None if n == 0 else [chain(n - 1)]


class AlphaBetaPlayer:
    def get_move(self, game, time_left):
        if not game.get_legal_moves():
            return (-1, -1)
        if game.get_player_location(self) is None:
            return game.get_legal_moves()[7]
        search = Search(game, self, 3000)

        def work():
            chain(20000)
            search.run()

        worker = threading.Thread(target=work, name="deep")
        worker.start()
        worker.join()
        return search.answer
