"""From what a person asks for to a plan, with the defaults that commands and notebooks share."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import product
from typing import Any, Final

from isolab.agents import parse_spec
from isolab.arena.plan import Format, Plan, Sweep, choose_openings
from isolab.errors import InputError, quoted
from isolab.grammar import parse_limit
from isolab.stats import SprtPlan
from isolab.text import did_you_mean

MATCH_PAIRS = 500
TEST_PAIRS = 20_000
TOURNAMENT_PAIRS = 100
SWEEP_PAIRS = 500


@dataclass(frozen=True, slots=True)
class Conditions:
    """What all games of a run have in common.

    Attributes:
        pairs: pairs of games for every two that meet; None: each opening of a list once, else as is usual.
        board: ROWSxCOLS.
        seed: the same seed, the same games.
        openings: `random`, `all`, or the path of a file.
        plies: random moves after the placements.
        move_ms: who takes longer for a move loses.
        limit: a limit for all, such as `ms=150`, in place of their own.
        name: what to call the run.
    """

    pairs: int | None = None
    board: str = "7x7"
    seed: int = 1
    openings: str = "random"
    plies: int = 0
    move_ms: float | None = None
    limit: str | None = None
    name: str = ""

    def fields(self, usual_pairs: int) -> dict[str, Any]:
        """The fields of a plan that say this."""
        chosen = choose_openings(self.openings, self.board)
        return {
            "board": self.board,
            "pairs": (chosen.supply or usual_pairs) if self.pairs is None else self.pairs,
            "seed": self.seed,
            "openings": chosen.kind,
            "plies": self.plies,
            "lines": chosen.lines,
            "move_ms": self.move_ms,
            "title": self.name,
        }

    def agents(self, specs: Sequence[str]) -> tuple[str, ...]:
        """The agents, under the one limit if there is one; those that take none stay as they are.

        Raises:
            InputError: a spec or the limit is wrong, or would never end one of them.
        """
        if self.limit is None:
            return tuple(specs)
        limit = parse_limit(self.limit)
        return tuple(str(parse_spec(spec).with_limit(*limit)) for spec in specs)


def match_plan(
    first: str, second: str, conditions: Conditions, test: SprtPlan | None = None
) -> Plan:
    """A match of two agents; with a test, pairs of random openings are as many as it may need.

    Raises:
        InputError: something is not as it should be; the message says what.
    """
    return Plan(
        format=Format.MATCH,
        agents=conditions.agents((first, second)),
        test=test,
        **conditions.fields(TEST_PAIRS if test else MATCH_PAIRS),
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
        agents=conditions.agents(agents),
        opponents=conditions.agents(opponents),
        self_play=self_play,
        **conditions.fields(TOURNAMENT_PAIRS),
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
        agents=conditions.agents(specs),
        opponents=conditions.agents(against),
        sweep=sweep,
        **conditions.fields(SWEEP_PAIRS),
    )


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


# Sweeps: one spec with many values put into it


PLACE: Final = "{}"
MOST_AGENTS: Final = 500
_NUMBER: Final = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)"
_RANGE: Final = re.compile(f"({_NUMBER}):({_NUMBER}):({_NUMBER})")


def sweep_of(template: str, values: list[str]) -> tuple[Sweep, tuple[str, ...]]:
    """The specs that come of putting every value, or every combination of values, into a template.

    Args:
        template: a spec with `{}` for each list of values, in order.
        values: the lists, each as `parse_values` takes it.

    Raises:
        InputError: there are not as many lists as places, or a list is wrong.
    """
    places = template.count(PLACE)
    if places == 0:
        raise InputError(f"{quoted(template)}: no {{}} in it; expected one where the values go")
    if places != len(values):
        told = f"{places} places {{}} and {len(values)} lists of values"
        raise InputError(f"{quoted(template)}: {told}; expected as many --values as places")
    rows = tuple(product(*map(parse_values, values)))
    if len(rows) > MOST_AGENTS:
        raise InputError(f"{len(rows)} combinations of values; expected at most {MOST_AGENTS}")
    specs = []
    for row in rows:
        spec = template
        for value in row:
            spec = spec.replace(PLACE, value, 1)
        specs.append(spec)
    return Sweep(template, rows), tuple(specs)


def parse_values(text: str) -> tuple[str, ...]:
    """`0,0.5,1` as it stands, or `0:1:0.25` for the numbers from 0 to 1 in steps of 0.25, both ends included.

    Raises:
        InputError: a value is missing, comes twice, or a range does not end.
    """
    found = _RANGE.fullmatch(text.strip())
    values = _numbers(found) if found else [part.strip() for part in text.split(",")]
    if "" in values:
        raise InputError(f"values {quoted(text)}: one is missing; expected a list such as 0,0.5,1")
    if len(set(values)) < len(values):
        raise InputError(f"values {quoted(text)}: one comes twice; expected each once")
    return tuple(values)


def _numbers(found: re.Match[str]) -> list[str]:
    first, last, by = map(Decimal, found.groups())
    count = int((last - first) / by) + 1 if by else 0
    if not 1 <= count <= MOST_AGENTS:
        raise InputError(
            f"values {quoted(found[0])}: expected FROM:TO:STEP with 1 to {MOST_AGENTS} values"
        )
    return [format(first + number * by, "f") for number in range(count)]
