"""What the colour law teaches: who is first at a square, and what a square is worth to who is."""

from isolarium.heuristics import (
    PlainView,
    Squares,
    heuristic,
    just,
    legal_moves,
    spread,
    squares,
    word,
)


@word
def worth(view: PlainView, area: Squares, cost: float) -> float:
    """The moves from each square of an area that stay in it, less `cost` for each square."""
    moves = 0
    for square in squares(area):
        moves += len(legal_moves(view, square) & area)
    return moves - cost * len(area)


@heuristic(
    formula="sum of n(s) - cost over the squares s that own is first at, less the same for opp; "
    "n(s): moves from s to others of them; equally far: who is to move, the stealer"
)
def stealer(view: PlainView, own: int, opp: int, cost: float = 0.5) -> float:
    """Be first at many squares that lead on to one another, and count ties as the stealer's.

    A knight changes colour with every move, so the player who is to move while both stand on the
    same colour is so for the whole game: the stealer, who can take a square that the other needs
    next. Only the stealer can be equally far from a square and be there first; the runner never
    is. So a square belongs to who gets there in fewer plies, whose turn it is included, and no
    square is left to both.

    A square is worth the moves that lead from it to other squares of the same owner, less `cost`:
    dead ends are a burden, for a game is won by the moves that can still be made. No report has it;
    docs/research/stealer.md says how it was found and what it won.
    """
    mine, theirs = just(view, own), just(view, opp)
    first, second = (mine, theirs) if view.own_to_move else (theirs, mine)
    free, ours, others = view.blank, view.blank - view.blank, view.blank - view.blank
    while first or second:
        first = spread(view, first) & free
        free = free - first
        second = spread(view, second) & free
        free = free - second
        ours, others = ours | first, others | second
    lead = worth(view, ours, cost) - worth(view, others, cost)
    return lead if view.own_to_move else -lead
