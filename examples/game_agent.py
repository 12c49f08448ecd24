"""A student's agent as a course asks for it, with a typical mistake that `isolarium course` finds.

isolarium course examples/game_agent.py
"""


class SearchTimeoutError(Exception):
    """The time for this move is up."""


def custom_score(game, player):
    """Count the player's moves and prefer squares near the centre."""
    if game.is_loser(player) or game.is_winner(player):
        return game.utility(player)
    row, col = game.get_player_location(player)
    # The mistake: the centre of 7 rows is row 3, but `height / 2` is 3.5.
    from_centre = abs(row - game.height / 2) + abs(col - game.width / 2)
    return float(len(game.get_legal_moves(player)) - from_centre)


class AlphaBetaPlayer:
    """Alpha-beta with iterative deepening."""

    def __init__(self, search_depth=3, score_fn=custom_score, timeout=10.0):
        self.search_depth = search_depth
        self.score = score_fn
        self.time_left = None
        self.TIMER_THRESHOLD = timeout

    def get_move(self, game, time_left):
        """Return the best move found before the time is up."""
        self.time_left = time_left
        best = (-1, -1)
        try:
            for depth in range(1, game.width * game.height):
                best = self.alphabeta(game, depth)
        except SearchTimeoutError:
            pass
        return best

    def alphabeta(self, game, depth, alpha=float("-inf"), beta=float("inf")):
        """Return the best move of a search to a depth."""
        best, best_value = (-1, -1), float("-inf")
        for move in game.get_legal_moves():
            value = self.lowest(game.forecast_move(move), depth - 1, alpha, beta)
            if value > best_value or best == (-1, -1):
                best, best_value = move, value
            alpha = max(alpha, best_value)
        return best

    def lowest(self, game, depth, alpha, beta):
        """Return the value of a position in which the opponent is to move."""
        value = float("inf")
        moves = self.moves(game, depth)
        for move in moves:
            value = min(value, self.highest(game.forecast_move(move), depth - 1, alpha, beta))
            if value <= alpha:
                return value
            beta = min(beta, value)
        return value if moves else self.score(game, self)

    def highest(self, game, depth, alpha, beta):
        """Return the value of a position in which this agent is to move."""
        value = float("-inf")
        moves = self.moves(game, depth)
        for move in moves:
            value = max(value, self.lowest(game.forecast_move(move), depth - 1, alpha, beta))
            if value >= beta:
                return value
            alpha = max(alpha, value)
        return value if moves else self.score(game, self)

    def moves(self, game, depth):
        """Return the moves to search, none at depth 0."""
        if self.time_left() < self.TIMER_THRESHOLD:
            raise SearchTimeoutError
        return game.get_legal_moves() if depth > 0 else []
