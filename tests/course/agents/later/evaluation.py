"""What this student's score is made of. Another student has another module of the same name."""

OWNER = "later"


def liberties(state, player_id):
    """My cells to go to less the opponent's."""
    own, other = state.locs[player_id], state.locs[1 - player_id]
    return len(state.liberties(own)) - len(state.liberties(other))
