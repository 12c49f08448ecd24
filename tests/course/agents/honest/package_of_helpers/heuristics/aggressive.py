def score(game, player):
    if game.is_loser(player) or game.is_winner(player):
        return game.utility(player)
    own = len(game.get_legal_moves(player))
    return float(own - 3 * len(game.get_legal_moves(game.get_opponent(player))))
