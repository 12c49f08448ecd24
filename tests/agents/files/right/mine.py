"""A heuristic of the folder `right`."""

# mypy: ignore-errors
# People's files have no types, and their neighbours are found by Isolarium alone.

import helpers

from isolarium.heuristics import heuristic


@heuristic
def mine(view, own, opp):
    return helpers.constant(view)
