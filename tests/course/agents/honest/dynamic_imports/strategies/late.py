NAME = "late"


def score(game, player):
    return len(game.get_legal_moves(player)) - len(game.get_legal_moves(game.get_opponent(player)))
