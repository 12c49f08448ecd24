"""What agents are called in tables."""

from collections import Counter
from dataclasses import dataclass

from isolab.arena.plan import Plan


def labels_of(plan: Plan) -> tuple[str, ...]:
    """The players' specs, numbered from the second on where one occurs more than once."""
    return _numbered(plan.players)


@dataclass(frozen=True, slots=True)
class ShortLabels:
    """Names without what all of them share.

    Attributes:
        labels: a name for each player, different for every one of them.
        shared: what was left out, such as `alphabeta, nodes=8000`; empty if nothing was.
    """

    labels: tuple[str, ...]
    shared: str


def short_labels(plan: Plan) -> ShortLabels:
    """The players' names without the search and the limit that all of them have.

    An agent without a limit, such as `random`, does not stand in the way of leaving out the others'.
    """
    heads, limits = zip(*map(_parts, plan.players), strict=True)
    left_out = []
    names = list(plan.players)
    common = {limit for limit in limits if limit}
    if len(common) == 1 and sum(map(bool, limits)) > 1:
        names = list(heads)
        left_out.append(common.pop())
    searches = {name.partition(":")[0] for name in heads}
    if len(searches) == 1 and all(":" in name for name in heads):
        names = [name.partition(":")[2] for name in names]
        left_out.insert(0, searches.pop())
    if len(set(names)) < len(set(plan.players)):
        return ShortLabels(labels_of(plan), "")
    return ShortLabels(_numbered(names), ", ".join(left_out))


def _parts(spec: str) -> tuple[str, str]:
    """What stands before the limit, and the limit."""
    head, at, limit = spec.rpartition("@")
    return (head, limit) if at and ".py:" not in limit else (spec, "")


def _numbered(names: tuple[str, ...] | list[str]) -> tuple[str, ...]:
    seen: Counter[str] = Counter()
    labels = []
    for name in names:
        seen[name] += 1
        labels.append(name if seen[name] == 1 else f"{name} #{seen[name]}")
    return tuple(labels)
