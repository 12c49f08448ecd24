"""Transpositions found under all eight symmetries of the board, keyed with game.hash() and with Zobrist numbers."""

import random
from collections import OrderedDict

EXACT, LOWER, UPPER = range(3)


class SearchTimeout(Exception):
    pass


class LRU(OrderedDict):
    def remember(self, key, value, most=5000):
        self[key] = value
        self.move_to_end(key)
        if len(self) > most:
            self.popitem(last=False)


def symmetries(height, width):
    """Index tables of the flat, column-major board state."""
    index = lambda r, c: r + c * height
    flips = [
        lambda r, c: (r, c),
        lambda r, c: (height - 1 - r, c),
        lambda r, c: (r, width - 1 - c),
        lambda r, c: (height - 1 - r, width - 1 - c),
    ]
    if height == width:
        flips += [lambda r, c, f=f: f(c, r) for f in flips]
    return [[index(*f(i % height, i // height)) for i in range(height * width)] for f in flips]


class AlphaBetaPlayer:
    def __init__(self, timeout=10.0):
        self.TIMER_THRESHOLD = timeout
        self.table, self.tables, self.zobrist = LRU(), None, None

    def prepare(self, game):
        self.tables = symmetries(game.height, game.width)
        generator = random.Random(1)
        cells = game.height * game.width
        self.zobrist = [[generator.getrandbits(64) for _ in range(cells)] for _ in range(3)]

    def key(self, game):
        *cells, turn, two, one = game._board_state
        numbers = []
        for table in self.tables:
            h = turn
            for i, cell in enumerate(cells):
                if cell:
                    h ^= self.zobrist[0][table[i]]
            for who, place in ((1, one), (2, two)):
                if place is not None:
                    h ^= self.zobrist[who][table[place]]
            numbers.append(h)
        return min(numbers), hash(game.active_player is self)

    def get_move(self, game, time_left):
        self.time_left = time_left
        if self.tables is None:
            self.prepare(game)
        moves = sorted(game.get_legal_moves())
        seen = {game.hash(): (-1, -1)}
        best = moves[0] if moves else seen[game.hash()]
        try:
            for depth in range(1, 1 + len(game.get_blank_spaces())):
                scored = [(-self.negamax(game.forecast_move(m), depth - 1, -1e9, 1e9), m) for m in moves]
                best = max(scored, default=(0, best))[1]
        except SearchTimeout:
            pass
        return best

    def negamax(self, game, depth, alpha, beta):
        if self.time_left() < self.TIMER_THRESHOLD:
            raise SearchTimeout
        key, before = self.key(game), alpha
        if key in self.table:
            d, flag, value = self.table[key]
            if d >= depth and (
                flag == EXACT or (flag == LOWER and value >= beta) or (flag == UPPER and value <= alpha)
            ):
                return value
        moves = sorted(game.get_legal_moves())
        if not moves:
            return -1000.0
        if depth == 0:
            return float(len(moves) - len(game.get_legal_moves(game.inactive_player)))
        value = max_so_far = float("-inf")
        for move in moves:
            value = -self.negamax(game.forecast_move(move), depth - 1, -beta, -alpha)
            max_so_far = max(max_so_far, value)
            alpha = max(alpha, value)
            if alpha >= beta:
                break
        flag = UPPER if max_so_far <= before else LOWER if max_so_far >= beta else EXACT
        self.table.remember(key, (depth, flag, max_so_far))
        return max_so_far
