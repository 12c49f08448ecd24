"""A file beside people's heuristics."""

# mypy: ignore-errors
# People's files have no types.

from isolarium.heuristics import col, row, word


@word
def at_the_edge(view, square):
    """How many edges a square is at."""
    return (row(view, square) in (0, view.rows - 1)) + (col(view, square) in (0, view.cols - 1))
