"""From what a person asks for to a plan, with the defaults that commands and notebooks share."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from isolarium.agents import parse_spec
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
