"""What the README shows."""

# mypy: ignore-errors
# People's files have no types.

import isolarium
from isolarium.heuristics import heuristic, mobility, seen


@heuristic
def freer(view, own, opp):
    """Have more moves."""
    return mobility(view, own) - mobility(view, opp)


print(freer(*seen(isolarium.parse_position("7/7/2A4/3x3/4B2/7/7 a"))))
position = isolarium.parse_position("7/7/2A4/3x3/4B2/7/7 a")
print(*position.legal_moves())
game = isolarium.read_game("7x7: d4 b3 e6")
print(game.position)
