"""What a search returns: a move, and how it came to it."""

from dataclasses import dataclass

from isolab.game.board import Square


@dataclass(frozen=True, slots=True)
class Report:
    """What a search knows about the move that it chose.

    Attributes:
        score: the value for the player who searched, infinite where the end of the game, or the heuristic, says so;
            None where the search has no opinion.
        depth: plies looked ahead in full.
        nodes: positions entered.
        time_ms: how long it took.
        pv: the principal variation, the chosen move first.
        proven: the score is the true end of the game under perfect play, not an estimate.
        plies: moves to the end of the game, where the score is proven and that is known; a principal variation that
            does not break off before is as long.
    """

    score: float | None
    depth: int
    nodes: int
    time_ms: float
    pv: tuple[Square, ...]
    proven: bool = False
    plies: int | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """A move with its report."""

    move: Square
    report: Report
