"""The agents' names as reports and charts write them: short enough to read, and still different."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from isolab.arena.labels import labels_of, numbered, short_labels
from isolab.arena.plan import Plan
from isolab.grammar import tree_of
from isolab.text import printable, shortened

LONGEST: Final = 38


@dataclass(frozen=True, slots=True)
class ShownNames:
    """What agents are called in a report.

    Attributes:
        names: a name for each player, different for every one of them.
        left_out: what the names do not say, in words; empty where they say everything.
    """

    names: tuple[str, ...]
    left_out: str


def names_of(plan: Plan) -> ShownNames:
    """Names without what all agents share, as in the tables of the terminal; or without the limit that most have."""
    short = short_labels(plan)
    if len(plan.players) > 2 and short.shared:
        return ShownNames(_readable(short.labels), f"all {short.shared}")
    trees = [tree_of(spec) for spec in plan.players]
    limits = Counter(tree.limit for tree in trees if tree.limit)
    [(usual, agents)] = limits.most_common(1) or [("", 0)]
    if agents < 2:
        return ShownNames(_readable(labels_of(plan)), "")
    names = [tree.head if tree.limit == usual else str(tree) for tree in trees]
    others = "" if len(limits) == 1 else " where a name says no other"
    return ShownNames(_readable(numbered(names)), f"limit {usual}{others}")


def _readable(names: Iterable[str]) -> tuple[str, ...]:
    """Names that can be printed, the long ones shortened in the middle, and numbered where two look alike."""
    seen: Counter[str] = Counter()
    found = []
    for name in names:
        name = shortened(printable(name), LONGEST)
        seen[name] += 1
        found.append(name if seen[name] == 1 else f"{name} #{seen[name]}")
    return tuple(found)
