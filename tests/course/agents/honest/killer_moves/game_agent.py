"""Principal variation search with killer moves, the history heuristic and quiescence."""

INFINITY = float("inf")


class SearchTimeout(Exception):
    pass


def mobility(game):
    return len(game.get_legal_moves()) - len(game.get_legal_moves(game.inactive_player))


class AlphaBetaPlayer:
    MAX_PLY = 40

    def __init__(self, timeout=10.0):
        self.TIMER_THRESHOLD = timeout
        self.killers = [[None, None] for _ in range(self.MAX_PLY)]
        self.history = {}
        self.pv = []

    def get_move(self, game, time_left):
        self.time_left = time_left
        moves = sorted(game.get_legal_moves())
        if not moves:
            return (-1, -1)
        best = moves[0]
        self.pv = []
        try:
            for depth in range(1, self.MAX_PLY - 4):
                value, line = self.pvs(game, depth, 0, -INFINITY, INFINITY)
                if line:
                    self.pv, best = line, line[0]
                if abs(value) > 900:
                    break
        except SearchTimeout:
            pass
        return best

    def ordered(self, game, ply):
        first = self.pv[ply] if ply < len(self.pv) else None
        killers = self.killers[ply]

        def rank(m):
            return (m != first, m not in killers, -self.history.get(m, 0), m)

        return sorted(game.get_legal_moves(), key=rank)

    def pvs(self, game, depth, ply, alpha, beta):
        if self.time_left() < self.TIMER_THRESHOLD:
            raise SearchTimeout
        if depth == 0:
            return self.quiesce(game, ply, alpha, beta, 2), []
        moves = self.ordered(game, ply)
        if not moves:
            return -1000 + ply, []
        line, value = [], -INFINITY
        for i, move in enumerate(moves):
            child = game.forecast_move(move)
            if i == 0 or alpha == -INFINITY:
                score, rest = self.negated(child, depth, ply, -beta, -alpha)
            else:
                score, rest = self.negated(child, depth, ply, -alpha - 0.5, -alpha)
                if alpha < score < beta:
                    score, rest = self.negated(child, depth, ply, -beta, -score)
            if score > value:
                value, line = score, [move, *rest]
            alpha = max(alpha, value)
            if alpha >= beta:
                if move not in self.killers[ply]:
                    self.killers[ply] = [move, self.killers[ply][0]]
                self.history[move] = self.history.get(move, 0) + depth * depth
                break
        return value, line

    def negated(self, game, depth, ply, alpha, beta):
        score, line = self.pvs(game, depth - 1, ply + 1, alpha, beta)
        return -score, line

    def quiesce(self, game, ply, alpha, beta, more):
        """Go on while the player to move is nearly stuck."""
        if self.time_left() < self.TIMER_THRESHOLD:
            raise SearchTimeout
        moves = game.get_legal_moves()
        if not moves:
            return -1000 + ply
        if len(moves) > 1 or more == 0:
            return mobility(game)
        return -self.quiesce(game.forecast_move(moves[0]), ply + 1, -beta, -alpha, more - 1)
