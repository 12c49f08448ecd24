"""Isolation, the first version of the project: get_move also gets the legal moves."""


class Timeout(Exception):
    """Subclass base exception for code clarity."""


def custom_score(game, player):
    if game.is_loser(player):
        return float("-inf")
    if game.is_winner(player):
        return float("inf")
    own_moves = game.get_legal_moves(player)
    opp_moves = game.get_legal_moves(game.get_opponent(player))
    blank = len(game.get_blank_spaces())
    total = game.width * game.height
    if blank > total * 0.6:
        return float(len(own_moves) - len(opp_moves))
    return float(len(own_moves) - 2 * len(opp_moves) + len(set(own_moves) - set(opp_moves)))


class CustomPlayer:
    def __init__(self, search_depth=3, score_fn=custom_score, iterative=True, method="alphabeta", timeout=10.0):
        self.search_depth = search_depth
        self.iterative = iterative
        self.score = score_fn
        self.method = method
        self.time_left = None
        self.TIMER_THRESHOLD = timeout

    def get_move(self, game, legal_moves, time_left):
        self.time_left = time_left
        if not legal_moves:
            return -1, -1
        if game.move_count == 0:
            return int(game.height / 2), int(game.width / 2)
        # reflect the first move if that can be done
        if game.move_count == 1:
            row, col = game.get_player_location(game.get_opponent(self))
            reflection = game.height - 1 - row, game.width - 1 - col
            if reflection in legal_moves:
                return reflection
        best_move = sorted(legal_moves)[0]
        search = getattr(self, self.method)
        try:
            if self.iterative:
                depth = 1
                while True:
                    score, move = search(game, depth)
                    if move != (-1, -1):
                        best_move = move
                    if score in (float("inf"), float("-inf")):
                        break
                    depth += 1
            else:
                _, best_move = search(game, self.search_depth)
        except Timeout:
            pass
        return best_move

    def minimax(self, game, depth, maximizing_player=True):
        if self.time_left() < self.TIMER_THRESHOLD:
            raise Timeout()
        moves = sorted(game.get_legal_moves())
        if depth == 0 or not moves:
            return self.score(game, self), (-1, -1)
        results = []
        for m in moves:
            results.append((self.minimax(game.forecast_move(m), depth - 1, not maximizing_player)[0], m))
        return max(results) if maximizing_player else min(results)

    def alphabeta(self, game, depth, alpha=float("-inf"), beta=float("inf"), maximizing_player=True):
        if self.time_left() < self.TIMER_THRESHOLD:
            raise Timeout()
        moves = sorted(game.get_legal_moves())
        if depth == 0 or not moves:
            return self.score(game, self), (-1, -1)
        best_move = moves[0]
        best = float("-inf") if maximizing_player else float("inf")
        for m in moves:
            score, _ = self.alphabeta(game.forecast_move(m), depth - 1, alpha, beta, not maximizing_player)
            if maximizing_player:
                if score > best:
                    best, best_move = score, m
                if best >= beta:
                    return best, best_move
                alpha = max(alpha, best)
            else:
                if score < best:
                    best, best_move = score, m
                if best <= alpha:
                    return best, best_move
                beta = min(beta, best)
        return best, best_move
