"""What this student's scores are made of. Another student has another module of the same name."""

OWNER = "generation 2"


def mobility(game, player):
    """How many moves a player has more than its opponent."""
    own = len(game.get_legal_moves(player))
    return own - len(game.get_legal_moves(game.get_opponent(player)))


def from_centre(game, player):
    """How far from the centre a player stands, squared."""
    row, col = game.get_player_location(player)
    return (row - (game.height - 1) / 2) ** 2 + (col - (game.width - 1) / 2) ** 2
