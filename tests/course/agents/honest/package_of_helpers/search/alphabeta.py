from .errors import SearchTimeout


class Searcher:
    def __init__(self, player, timer, score):
        self.player, self.timer, self.score = player, timer, score

    def deepen(self, game, deepest=15):
        best = min(game.get_legal_moves())
        try:
            for depth in range(1, deepest):
                best = self.root(game, depth)
        except SearchTimeout:
            pass
        return best

    def root(self, game, depth):
        alpha, best = float("-inf"), None
        for move in sorted(game.get_legal_moves()):
            value = self.low(game.forecast_move(move), depth - 1, alpha, float("inf"))
            if best is None or value > alpha:
                alpha, best = max(alpha, value), move
        return best

    def low(self, game, depth, alpha, beta):
        self.timer.check()
        moves = game.get_legal_moves()
        if depth == 0 or not moves:
            return self.score(game, self.player)
        for move in moves:
            beta = min(beta, self.high(game.forecast_move(move), depth - 1, alpha, beta))
            if beta <= alpha:
                break
        return beta

    def high(self, game, depth, alpha, beta):
        self.timer.check()
        moves = game.get_legal_moves()
        if depth == 0 or not moves:
            return self.score(game, self.player)
        for move in moves:
            alpha = max(alpha, self.low(game.forecast_move(move), depth - 1, alpha, beta))
            if beta <= alpha:
                break
        return alpha
