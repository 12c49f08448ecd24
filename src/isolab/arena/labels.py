"""What agents are called in tables."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from isolab.arena.plan import Plan
from isolab.grammar import tree_of


def labels_of(plan: Plan) -> tuple[str, ...]:
    """The players' specs, numbered from the second on where one occurs more than once."""
    return numbered(plan.players)


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
    trees = [tree_of(spec) for spec in plan.players]
    left_out = []
    limits = [tree.limit for tree in trees if tree.limit]
    if len(limits) > 1 and len(set(limits)) == 1:
        trees = [tree.without_limit() for tree in trees]
        left_out.append(limits[0])
    searches = {str(tree.search) for tree in trees}
    if len(searches) == 1 and all(tree.body for tree in trees):
        left_out.insert(0, searches.pop())
        trees = [tree.without_search() for tree in trees]
    names = [str(tree) for tree in trees]
    if len(set(names)) < len(set(plan.players)):
        return ShortLabels(labels_of(plan), "")
    return ShortLabels(numbered(names), ", ".join(left_out))


def numbered(names: Iterable[str]) -> tuple[str, ...]:
    """The names, with a number from the second on where one occurs more than once."""
    seen: Counter[str] = Counter()
    labels = []
    for name in names:
        seen[name] += 1
        labels.append(name if seen[name] == 1 else f"{name} #{seen[name]}")
    return tuple(labels)
