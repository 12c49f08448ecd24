"""Split into modules for the code review."""

try:  # as a package, for my unit tests
    from .utils import middle
except ImportError:  # as a script
    from utils import middle

from heuristics import aggressive  # a folder without __init__.py
from search import Searcher, Timer

custom_score = aggressive.score


class IsolationPlayer:
    def __init__(self, search_depth=3, score_fn=custom_score, timeout=12.0):
        self.score, self.timeout = score_fn, timeout


class AlphaBetaPlayer(IsolationPlayer):
    def get_move(self, game, time_left):
        if not game.get_legal_moves():
            return (-1, -1)
        if game.move_is_legal(middle(game)) and game.get_player_location(self) is None:
            return middle(game)
        return Searcher(self, Timer(time_left, self.timeout), self.score).deepen(game)
