"""A student's agent for the course's first version, whose `get_move` is given the legal moves."""

from evaluation import chase


class Timeout(Exception):
    """The time for this move is over."""


def custom_score(game, player):
    if game.is_loser(player):
        return float("-inf")
    if game.is_winner(player):
        return float("inf")
    return float(chase(game, player))


class CustomPlayer:
    """Minimax or alpha-beta, to a fixed depth or deepening until the time is over."""

    def __init__(self, search_depth=3, score_fn=custom_score, iterative=True, method="minimax", timeout=10.0):
        self.search_depth = search_depth
        self.iterative = iterative
        self.score = score_fn
        self.method = method
        self.time_left = None
        self.TIMER_THRESHOLD = timeout

    def get_move(self, game, legal_moves, time_left):
        self.time_left = time_left
        if not legal_moves:
            return (-1, -1)
        if game.move_count < 1:
            return (game.height // 2, game.width // 2)
        best = legal_moves[0]
        search = self.minimax if self.method == "minimax" else self.alphabeta
        deepest = len(game.get_blank_spaces())
        depths = range(1, deepest + 1) if self.iterative else [self.search_depth]
        try:
            for depth in depths:
                best = search(game, depth)[1]
        except Timeout:
            pass
        return best

    def check_time(self):
        if self.time_left() < self.TIMER_THRESHOLD:
            raise Timeout

    def minimax(self, game, depth, maximizing_player=True):
        self.check_time()
        moves = game.get_legal_moves()
        if depth == 0 or not moves:
            return self.score(game, self), (-1, -1)
        choices = [(self.minimax(game.forecast_move(m), depth - 1, not maximizing_player)[0], m) for m in moves]
        return max(choices) if maximizing_player else min(choices)

    def alphabeta(self, game, depth, alpha=float("-inf"), beta=float("inf"), maximizing_player=True):
        self.check_time()
        moves = game.get_legal_moves()
        if depth == 0 or not moves:
            return self.score(game, self), (-1, -1)
        best, best_move = (float("-inf") if maximizing_player else float("inf")), moves[0]
        for move in moves:
            value, _ = self.alphabeta(game.forecast_move(move), depth - 1, alpha, beta, not maximizing_player)
            if (value > best) if maximizing_player else (value < best):
                best, best_move = value, move
            if (best >= beta) if maximizing_player else (best <= alpha):
                break
            if maximizing_player:
                alpha = max(alpha, best)
            else:
                beta = min(beta, best)
        return best, best_move
