"""The names of agents and runs.

Full names are unique identifiers; short names are easier to read.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from isolarium.arena.plan import Format, Plan
from isolarium.spec.parser import tree_of
from isolarium.text import counted, printable, shortened

LONGEST: Final = 38
"""The maximum length of a short name."""


@dataclass(frozen=True, slots=True)
class Names:
    """The names of a run's players, in the plan's order.

    Attributes:
        full: The specs; repeated specs are numbered from the second on.
        short: The full names without the parts in `left_out`; also unique.
        left_out: The parts that short names omit, such as `alphabeta, nodes=8000`; empty if none.
    """

    full: tuple[str, ...]
    short: tuple[str, ...]
    left_out: str = ""


def names_of(plan: Plan) -> Names:
    """Return the players' names.

    Short names omit the search and the limit that all agents share; agents without a limit, such as `random`, are
    ignored. In a match, and if the agents have nothing in common, short names omit the most common limit.
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
    others = "" if len(limits) == 1 else " unless a name gives another"
    return Names(full, _readable(names), f"limit {usual}{others}")


def full_names(plan: Plan) -> tuple[str, ...]:
    """Return a unique name for each player."""
    return _numbered(plan.players)


def _without_shared(plan: Plan) -> tuple[tuple[str, ...], str] | None:
    """Return the names without the shared search and limit, and the omitted parts.

    Return None if nothing can be omitted.
    """
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
    """Return a run's title, or a description of its matchup if it has no title.

    If `short` is true, the description omits the parts that the agents share.
    """
    return plan.title or matchup_of(plan, short=short)


def matchup_of(plan: Plan, *, short: bool = False) -> str:
    """Return a short description of a run's matchup."""
    if plan.sweep is not None:
        return f"sweep of {plan.sweep.template} against {' and '.join(plan.opponents)}"
    if plan.format is Format.GAUNTLET:
        return f"{counted(len(plan.agents), 'agent')} against {counted(len(plan.opponents), 'opponent')}"
    if len(plan.players) == 2:
        return " vs ".join(names_of(plan).short if short else plan.players)
    return f"{plan.format} of {counted(len(plan.agents), 'agent')}"
