"""Heuristics of your own: copy this file, change it, and let it play.

    isolarium analyze '7/7/2A4/3x3/4B2/7/7 a' --agent alphabeta:my_heuristic.py:freer
    isolarium match alphabeta:my_heuristic.py:freer alphabeta:improved

docs/how-to/write-a-heuristic.md explains every word of it.
"""

from isolarium.heuristics import after, center_distance, heuristic, legal_moves, mobility, squares


@heuristic
def freer(view, own, opp):
    """Have more moves than the opponent."""
    return mobility(view, own) - mobility(view, opp)


@heuristic
def best_step(view, own, opp):
    """Have one move that leaves many more, rather than many that lead nowhere."""
    most = 0
    for square in squares(legal_moves(view, own)):
        most = max(most, mobility(after(view, square), square))
    return most - mobility(view, opp)


@heuristic(names={"side": {"inside": -1.0, "outside": 1.0}})
def drifting(view, own, opp, weight=0.5, side="inside"):
    """Have more moves, and drift to one side: to the middle of the board or to its edge."""
    return freer(view, own, opp) + weight * side * center_distance(view, own)
