"""A file beside people's heuristics."""

# mypy: ignore-errors
# People's files have no types.

from isolarium.heuristics import col, helper, row


@helper
def edges(view, square):
    return (row(view, square) in (0, view.rows - 1)) + (col(view, square) in (0, view.cols - 1))
