"""A pool of one worker kept for the whole game, and a small pool for the root moves."""

import concurrent.futures
from concurrent.futures import ThreadPoolExecutor, as_completed
from multiprocessing.pool import ThreadPool

EXECUTOR = ThreadPoolExecutor(max_workers=1)


def spread(game, start, steps=2):
    """Squares that can be reached in so many jumps."""
    blank, seen, frontier = set(game.get_blank_spaces()), set(), {start}
    for _ in range(steps):
        frontier = {
            (r + dr, c + dc)
            for r, c in frontier
            for dr, dc in ((1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1))
        } & blank
        seen |= frontier
    return len(seen)


class AlphaBetaPlayer:
    def get_move(self, game, time_left):
        future = EXECUTOR.submit(self.think, game, time_left)
        try:
            return future.result(timeout=100)
        except concurrent.futures.TimeoutError:
            return game.get_legal_moves()[0]

    def think(self, game, time_left):
        moves = sorted(game.get_legal_moves())
        if not moves:
            return (-1, -1)
        if game.get_player_location(game.get_opponent(self)) is None:
            return moves[len(moves) // 2]
        values = {}
        with ThreadPoolExecutor(max_workers=2) as pool:
            jobs = {pool.submit(self.score, game.forecast_move(m)): m for m in moves}
            for job in as_completed(jobs):
                values[jobs[job]] = job.result()
        return max(moves, key=lambda m: values[m])

    def score(self, game):
        if not game.get_legal_moves():
            return 1000
        opponent = game.get_opponent(self)
        mine = spread(game, game.get_player_location(self))
        return mine - spread(game, game.get_player_location(opponent))
