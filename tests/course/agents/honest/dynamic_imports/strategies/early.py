NAME = "early"


def score(game, player):
    r, c = game.get_player_location(player)
    return -abs(2 * r - game.height + 1) - abs(2 * c - game.width + 1)
