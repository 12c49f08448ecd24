"""What this student's score is made of. Another student has another module of the same name."""

OWNER = "generation 1"


def chase(game, player):
    """My moves less twice the opponent's."""
    own = len(game.get_legal_moves(player))
    return own - 2 * len(game.get_legal_moves(game.get_opponent(player)))
