"""What agents and runs are called: in full where they must be told apart, short where people read them."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from isolarium.arena.plan import Format, Plan
from isolarium.spec.parser import tree_of
from isolarium.text import counted, printable, shortened

LONGEST: Final = 38
"""Letters of a short name; the full one says the rest."""


@dataclass(frozen=True, slots=True)
class Names:
    """What the players of a run are called, in the plan's order.

    Attributes:
        full: the specs, numbered from the second on where one occurs more than once.
        short: the same without what is left out, different for every one of them.
        left_out: what the short names do not say, such as `alphabeta, nodes=8000`; empty if they say everything.
    """

    full: tuple[str, ...]
    short: tuple[str, ...]
    left_out: str = ""


def names_of(plan: Plan) -> Names:
    """The players' names, the short ones without the search and the limit that all of them have.

    An agent without a limit, such as `random`, does not stand in the way of leaving out the others'. Where there is
    nothing that all share, and in a match, the limit that most have is left out.
    """
    full = full_names(plan)
    if len(plan.players) > 2:
        shared = _without_shared(plan)
        if shared is not None:
            return Names(full, *shared)
    trees = [tree_of(spec) for spec in plan.players]
    limits = Counter(tree.limit for tree in trees if tree.limit)
    [(usual, agents)] = limits.most_common(1) or [("", 0)]
    if agents < 2:
        return Names(full, _readable(plan.players))
    names = [tree.head if tree.limit == usual else str(tree) for tree in trees]
    others = "" if len(limits) == 1 else " where a name says no other"
    return Names(full, _readable(names), f"limit {usual}{others}")


def full_names(plan: Plan) -> tuple[str, ...]:
    """A name for each player that tells it from all others."""
    return _numbered(plan.players)


def _without_shared(plan: Plan) -> tuple[tuple[str, ...], str] | None:
    """Names without the search and the limit that all have, and what these are; None if nothing can be left out."""
    trees, left_out = [tree_of(spec) for spec in plan.players], []
    limits = [tree.limit for tree in trees if tree.limit]
    if len(limits) > 1 and len(set(limits)) == 1:
        trees = [tree.without_limit() for tree in trees]
        left_out.append(limits[0])
    searches = {str(tree.search) for tree in trees}
    if len(searches) == 1 and all(tree.body for tree in trees):
        trees = [tree.without_search() for tree in trees]
        left_out.insert(0, searches.pop())
    names = [str(tree) for tree in trees]
    if not left_out or len(set(names)) < len(set(plan.players)):
        return None
    return _readable(names), ", ".join(left_out)


def _readable(names: Iterable[str]) -> tuple[str, ...]:
    return _numbered(shortened(printable(name), LONGEST) for name in names)


def _numbered(names: Iterable[str]) -> tuple[str, ...]:
    seen: Counter[str] = Counter()
    found = []
    for name in names:
        seen[name] += 1
        found.append(name if seen[name] == 1 else f"{name} #{seen[name]}")
    return tuple(found)


def title_of(plan: Plan, *, short: bool = False) -> str:
    """What a run is called, or else what was to be played, in a few words; short, without what the agents share."""
    return plan.title or matchup_of(plan, short=short)


def matchup_of(plan: Plan, *, short: bool = False) -> str:
    """What was to be played, in a few words."""
    if plan.sweep is not None:
        return f"sweep of {plan.sweep.template} against {' and '.join(plan.opponents)}"
    if plan.format is Format.GAUNTLET:
        return f"{counted(len(plan.agents), 'agent')} against {counted(len(plan.opponents), 'opponent')}"
    if len(plan.players) == 2:
        return " vs ".join(names_of(plan).short if short else plan.players)
    return f"{plan.format} of {counted(len(plan.agents), 'agent')}"
