"""The agents' names as reports and charts write them: short enough to read, and still different."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from isolab.arena.labels import labels_of, short_labels
from isolab.arena.plan import Plan
from isolab.text import printable, shortened

LONGEST: Final = 38
_LIMIT: Final = re.compile(r"@([a-z_]+=[^@\s]+)(?= #[0-9]+$|$)")


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
    limits = Counter(found[1] for spec in plan.players if (found := _LIMIT.search(spec)))
    [(usual, agents)] = limits.most_common(1) or [("", 0)]
    if agents < 2:
        return ShownNames(_readable(labels_of(plan)), "")
    names = [
        _LIMIT.sub(lambda found: "" if found[1] == usual else found[0], label)
        for label in labels_of(plan)
    ]
    others = "" if len(limits) == 1 else " where a name says no other"
    return ShownNames(_readable(names), f"limit {usual}{others}")


def _readable(names: Iterable[str]) -> tuple[str, ...]:
    """Names that can be printed, the long ones shortened in the middle, and numbered where two look alike."""
    seen: Counter[str] = Counter()
    found = []
    for name in names:
        name = shortened(printable(name), LONGEST)
        seen[name] += 1
        found.append(name if seen[name] == 1 else f"{name} #{seen[name]}")
    return tuple(found)
