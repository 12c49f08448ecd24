"""From what a person asks for to a plan, with the defaults that commands and notebooks share."""

from collections.abc import Sequence
from typing import Any, Final

from isolarium.agents import parse_spec
from isolarium.arena.conditions import Conditions
from isolarium.arena.plan import Format, Plan, choose_openings
from isolarium.errors import InputError, quoted
from isolarium.spec.parser import parse_limit
from isolarium.spec.template import sweep_of
from isolarium.stats import SprtPlan
from isolarium.text import did_you_mean

MATCH_PAIRS = 500
TEST_PAIRS = 20_000
TOURNAMENT_PAIRS = 100
SWEEP_PAIRS = 500


def match_plan(
    first: str, second: str, conditions: Conditions, test: SprtPlan | None = None
) -> Plan:
    """A match of two agents; with a test, pairs of random openings are as many as it may need.

    Raises:
        InputError: something is not as it should be; the message says what.
    """
    return Plan(
        format=Format.MATCH,
        agents=_agents(conditions, (first, second)),
        test=test,
        **_fields(conditions, TEST_PAIRS if test else MATCH_PAIRS),
    )


def tournament_plan(
    agents: Sequence[str],
    conditions: Conditions,
    against: Sequence[str] = (),
    field: str = "",
    self_play: bool = False,
) -> Plan:
    """Every agent against every other, or, where there are opponents, against each of these.

    Raises:
        InputError: something is not as it should be; the message says what.
    """
    opponents = (*against, *(field_named(field) if field else ()))
    return Plan(
        format=Format.GAUNTLET if opponents else Format.ROUND_ROBIN,
        agents=_agents(conditions, agents),
        opponents=_agents(conditions, opponents),
        self_play=self_play,
        **_fields(conditions, TOURNAMENT_PAIRS),
    )


def sweep_plan(
    template: str, values: Sequence[str], against: Sequence[str], conditions: Conditions
) -> Plan:
    """One agent with many values of its parameters against the same opponents.

    Raises:
        InputError: something is not as it should be; the message says what.
    """
    sweep, specs = sweep_of(template, list(values))
    if not against:
        raise InputError("a sweep without an opponent: expected one to be met, such as random")
    return Plan(
        format=Format.GAUNTLET,
        agents=_agents(conditions, specs),
        opponents=_agents(conditions, against),
        sweep=sweep,
        **_fields(conditions, SWEEP_PAIRS),
    )


def _fields(conditions: Conditions, usual_pairs: int) -> dict[str, Any]:
    """The fields of a plan that the conditions decide."""
    chosen = choose_openings(conditions.openings, conditions.board)
    pairs = (chosen.supply or usual_pairs) if conditions.pairs is None else conditions.pairs
    return {
        "board": conditions.board,
        "pairs": pairs,
        "seed": conditions.seed,
        "openings": chosen.kind,
        "plies": conditions.plies,
        "lines": chosen.lines,
        "move_ms": conditions.move_ms,
        "title": conditions.name,
    }


def _agents(conditions: Conditions, specs: Sequence[str]) -> tuple[str, ...]:
    """The agents, under the one limit if there is one; agents that take no limit stay as they are.

    Raises:
        InputError: If a spec or the limit is wrong, or the limit would never end an agent's search.
    """
    if conditions.limit is None:
        return tuple(specs)
    limit = parse_limit(conditions.limit)
    return tuple(str(parse_spec(spec).with_limit(*limit)) for spec in specs)


# Fields of opponents that have a name


FIELDS: Final = {
    # The course's tournament: Random, then minimax at depth 3 and alpha-beta, each with its three heuristics. The
    # course gave alpha-beta 150 ms a move; 8,000 nodes is what its programs visit in that time.
    "course": (
        "random",
        "minimax:open@depth=3",
        "minimax:center@depth=3",
        "minimax:improved@depth=3",
        "alphabeta:open@nodes=8000",
        "alphabeta:center@nodes=8000",
        "alphabeta:improved@nodes=8000",
    ),
    # The same at fixed depths, as reports 003 and 004 had it.
    "fixed-depth": (
        "random",
        "minimax:null@depth=3",
        "minimax:open@depth=3",
        "minimax:improved@depth=3",
        "alphabeta:null@depth=5",
        "alphabeta:open@depth=5",
        "alphabeta:improved@depth=5",
    ),
}


def field_named(name: str) -> tuple[str, ...]:
    """The opponents of a field.

    Raises:
        InputError: there is no such field.
    """
    if name in FIELDS:
        return FIELDS[name]
    hint = did_you_mean(name, FIELDS) or f"there are {', '.join(FIELDS)}"
    raise InputError(f"no field {quoted(name)} ({hint})")
