import os
import pickle
import sys


def load_book(name="book.pickle"):
    # python game_agent.py finds it in ".", tournament.py started from elsewhere does not
    for folder in (os.getcwd(), os.path.dirname(os.path.abspath(__file__)), sys.path[0]):
        path = os.path.join(folder, name)
        if os.path.exists(path):
            with open(path, "rb") as f:
                return pickle.load(f)
    return None


BOOK = load_book()


class SearchTimeout(Exception):
    """Subclass base exception for code clarity."""


def custom_score(game, player):
    if game.is_loser(player):
        return float("-inf")
    if game.is_winner(player):
        return float("inf")
    own = game.get_legal_moves(player)
    opp = game.get_legal_moves(game.get_opponent(player))
    return float(len(own) - 1.5 * len(opp)) + 0.25 * len(set(own) & set(opp))


class AlphaBetaPlayer:
    def __init__(self, search_depth=3, score_fn=custom_score, timeout=10.0):
        self.search_depth = search_depth
        self.score = score_fn
        self.time_left = None
        self.TIMER_THRESHOLD = timeout

    def get_move(self, game, time_left):
        self.time_left = time_left
        if BOOK is not None and game.move_count < 2:
            reply = BOOK.lookup(game)
            if reply is not None:
                return reply
        legal_moves = game.get_legal_moves()
        best_move = legal_moves[0] if legal_moves else (-1, -1)
        depth = 1
        try:
            while depth <= len(game.get_blank_spaces()):
                best_move = self.alphabeta(game, depth) or best_move
                depth += 1
        except SearchTimeout:
            pass
        return best_move

    def alphabeta(self, game, depth, alpha=float("-inf"), beta=float("inf"), maximizing=True):
        return self._search(game, depth, alpha, beta, maximizing)[1]

    def _search(self, game, depth, alpha, beta, maximizing):
        if self.time_left() < self.TIMER_THRESHOLD:
            raise SearchTimeout()
        moves = sorted(game.get_legal_moves())
        if not moves or depth == 0:
            return self.score(game, self), None
        chosen = moves[0]
        for m in moves:
            v, _ = self._search(game.forecast_move(m), depth - 1, alpha, beta, not maximizing)
            if maximizing and v > alpha:
                alpha, chosen = v, m
            elif not maximizing and v < beta:
                beta, chosen = v, m
            if alpha >= beta:
                break
        return (alpha if maximizing else beta), chosen
