"""A heuristic of the folder `left`."""

# mypy: ignore-errors
# People's files have no types, and their neighbours are found by Isolab alone.

import helpers

from isolab.heuristics import heuristic


@heuristic
def mine(view, own, opp):
    return helpers.constant(view)
