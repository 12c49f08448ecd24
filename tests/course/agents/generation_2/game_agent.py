"""A student's agents: minimax to a fixed depth, and alpha-beta that deepens until the time is over."""

from evaluation import from_centre, mobility

NO_MOVE = (-1, -1)


class SearchTimeout(Exception):
    """The time for this move is over."""


def custom_score(game, player):
    """My moves less the opponent's, and a little for standing near the centre."""
    if game.is_loser(player) or game.is_winner(player):
        return game.utility(player)
    return float(mobility(game, player) - 0.1 * from_centre(game, player))


def custom_score_2(game, player):
    """My moves less twice the opponent's."""
    if game.is_loser(player) or game.is_winner(player):
        return game.utility(player)
    own = len(game.get_legal_moves(player))
    return float(own - 2 * len(game.get_legal_moves(game.get_opponent(player))))


def custom_score_3(game, player):
    """My moves less the opponent's, the more weighty the fuller the board."""
    if game.is_loser(player) or game.is_winner(player):
        return game.utility(player)
    return float(mobility(game, player) * game.move_count)


class IsolationPlayer:
    """What both agents have in common."""

    def __init__(self, search_depth=3, score_fn=custom_score, timeout=10.0):
        self.search_depth = search_depth
        self.score = score_fn
        self.time_left = None
        self.TIMER_THRESHOLD = timeout

    def check_time(self):
        if self.time_left() < self.TIMER_THRESHOLD:
            raise SearchTimeout


class MinimaxPlayer(IsolationPlayer):
    """The best move to a fixed depth."""

    def get_move(self, game, time_left):
        self.time_left = time_left
        moves = game.get_legal_moves()
        if not moves:
            return NO_MOVE
        try:
            return self.minimax(game, self.search_depth)
        except SearchTimeout:
            return moves[0]

    def minimax(self, game, depth):
        self.check_time()
        moves = game.get_legal_moves()
        if not moves:
            return NO_MOVE
        return max(moves, key=lambda move: self.value(game.forecast_move(move), depth - 1))

    def value(self, game, depth):
        self.check_time()
        moves = game.get_legal_moves()
        if depth == 0 or not moves:
            return self.score(game, self)
        values = [self.value(game.forecast_move(move), depth - 1) for move in moves]
        return max(values) if game.active_player == self else min(values)


class AlphaBetaPlayer(IsolationPlayer):
    """The best move of the deepest search that there was time for."""

    def get_move(self, game, time_left):
        self.time_left = time_left
        moves = game.get_legal_moves()
        if not moves:
            return NO_MOVE
        best = moves[0]
        try:
            for depth in range(1, len(game.get_blank_spaces()) + 1):
                best = self.alphabeta(game, depth)
        except SearchTimeout:
            pass
        return best

    def alphabeta(self, game, depth, alpha=float("-inf"), beta=float("inf")):
        self.check_time()
        moves = game.get_legal_moves()
        if not moves:
            return NO_MOVE
        best = moves[0]
        for move in moves:
            value = self.min_value(game.forecast_move(move), depth - 1, alpha, beta)
            if value > alpha:
                alpha, best = value, move
        return best

    def max_value(self, game, depth, alpha, beta):
        self.check_time()
        moves = game.get_legal_moves()
        if depth == 0 or not moves:
            return self.score(game, self)
        value = float("-inf")
        for move in moves:
            value = max(value, self.min_value(game.forecast_move(move), depth - 1, alpha, beta))
            if value >= beta:
                return value
            alpha = max(alpha, value)
        return value

    def min_value(self, game, depth, alpha, beta):
        self.check_time()
        moves = game.get_legal_moves()
        if depth == 0 or not moves:
            return self.score(game, self)
        value = float("inf")
        for move in moves:
            value = min(value, self.max_value(game.forecast_move(move), depth - 1, alpha, beta))
            if value <= alpha:
                return value
            beta = min(beta, value)
        return value
