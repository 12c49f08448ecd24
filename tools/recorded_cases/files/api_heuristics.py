"""Heuristics as functions: called on a position in plain Python."""

# mypy: ignore-errors
# People's files have no types.

from own import freer, leaning

import isolarium.heuristics
from isolarium import InputError, parse_position
from isolarium.heuristics import heuristic, seen

print(sorted(isolarium.heuristics.__all__))
position = parse_position("7/7/2A4/3x3/4B2/7/7 a")
view, own, opp = seen(position)
print(freer(view, own, opp), leaning(view, own, opp, side=-1.0), leaning(view, own, opp, 2.0, side=1.0))
print(view.rows, view.cols, view.own_to_move, len(view.blank), own, opp)
print(type(freer).__name__, freer.__name__, freer.__doc__)
try:
    seen(parse_position("3/1A1/3 b"))
except InputError as error:
    print(error)
for wrong in (
    lambda view: 0,
    lambda view, own, opp, z: 0,
    lambda view, own, opp, z="x": 0,
    lambda view, own, opp, *, z=1.0: 0,
):
    try:
        heuristic(wrong)
    except InputError as error:
        print(error)
