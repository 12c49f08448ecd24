"""The plan of a run: the games to play and their conditions."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from enum import StrEnum
from functools import cached_property
from itertools import combinations, combinations_with_replacement, cycle, islice
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any, Final

from isolarium.agents import parse_spec, read_specs
from isolarium.arena import Conditions
from isolarium.arena.openings import (
    Opening,
    all_openings,
    choose_openings,
    opening_of,
    position_after,
    random_columns,
    random_openings,
    repeated_columns,
)
from isolarium.errors import InputError, quoted
from isolarium.game.board import Board, parse_board, parse_square
from isolarium.limits import check_move_ms, read_seed
from isolarium.safe_files import digest_file, read_json
from isolarium.spec.parser import parse_limit, tree_of
from isolarium.spec.template import Sweep, sweep_of
from isolarium.stats import SprtPlan
from isolarium.text import did_you_mean, printable

if TYPE_CHECKING:
    from isolarium.arena.openings import Columns

MOST_PAIRS: Final = 10_000_000
MOST_PLIES: Final = 60
MOST_PLAYERS: Final = 1000
MOST_GAMES: Final = 1_000_000_000
MOST_ELO: Final = 4000
"""The maximum Elo difference of a test; larger differences round to 0 or 100%."""
LEAST_ERROR: Final = 1e-9
LONGEST_TEXT: Final = 2000
"""The maximum number of characters in a spec or a title."""
MOST_AGENT_FILE: Final = 1 << 29
"""The maximum size in bytes of a file named in a spec; a neural network may be large."""
CONTROL: Final = re.compile("[\x00-\x1f\x7f-\x9f]")
"""Control characters, which a terminal would interpret."""


class Format(StrEnum):
    """The format of a run, which determines the agents that play each other."""

    MATCH = "match"
    ROUND_ROBIN = "round robin"
    GAUNTLET = "gauntlet"


@dataclass(frozen=True, slots=True)
class Encounter:
    """Two agents that play each other, as indices into the plan's players.

    The two indices are equal if an agent plays itself.
    """

    first: int
    second: int


@dataclass(frozen=True)
class Plan:
    """The plan of a run.

    Attributes:
        format: The format, which determines the agents that play each other.
        agents: The specs of the agents under test; in a match, both agents.
        opponents: In a gauntlet, the opponents of the agents under test.
        board: ROWSxCOLS.
        pairs: Pairs per encounter; with a test, the maximum.
        seed: The random seed of openings and agents.
        openings: `random`, `all` (every start up to symmetry, repeated if there are more pairs), or `file`.
        plies: Random moves after the placements of random openings.
        lines: The openings of a file, each as a list of squares.
        test: For a match, the sequential test that may end it early.
        move_ms: The time limit of a move; exceeding it loses the game.
        title: The run's title.
        study: The text of the study's file, if the run belongs to a study.
        self_play: In a round robin, whether each agent also plays itself.
        sweep: The sweep that generated the agents under test, if there is one.
        is_timed: Whether the clock affects the moves; derived from the other fields.
    """

    format: Format
    agents: tuple[str, ...]
    opponents: tuple[str, ...] = ()
    board: str = "7x7"
    pairs: int = 100
    seed: int = 1
    openings: str = "random"
    plies: int = 0
    lines: tuple[tuple[str, ...], ...] = ()
    test: SprtPlan | None = None
    move_ms: float | None = None
    title: str = ""
    study: Mapping[str, Any] = field(default_factory=dict)
    self_play: bool = False
    sweep: Sweep | None = None
    is_timed: bool = field(init=False)

    def __post_init__(self) -> None:
        """Check the fields, and replace every agent's spec with its full form."""
        put = object.__setattr__
        board = parse_board(self.board)
        put(self, "board", str(board))
        texts = list(dict.fromkeys((*self.agents, *self.opponents)))
        specs = dict(zip(texts, read_specs(texts, board), strict=True))
        put(self, "agents", tuple(str(specs[text]) for text in self.agents))
        put(self, "opponents", tuple(str(specs[text]) for text in self.opponents))
        by_clock = any(spec.limit.time_ms is not None for spec in specs.values())
        put(self, "is_timed", by_clock or self.move_ms is not None)
        put(self, "title", printable(self.title))
        self.check()

    def check(self) -> None:
        """Check that the run can be played and its database can be read.

        Raises:
            InputError: If the plan is invalid.
        """
        self._check_numbers()
        self._check_format()
        self._check_test()

    def _check_numbers(self) -> None:
        if not 1 <= self.pairs <= MOST_PAIRS:
            raise InputError(f"pairs={self.pairs}: expected 1 to {MOST_PAIRS:,}")
        if not 0 <= self.plies <= MOST_PLIES:
            raise InputError(f"plies={self.plies}: expected 0 to {MOST_PLIES}")
        if self.plies and self.openings != "random":
            raise InputError(f"plies={self.plies}: expected random openings")
        read_seed(self.seed)
        if self.openings not in ("random", "all", "file"):
            raise InputError(f"openings={self.openings}: expected random, all, or a file")
        if self.move_ms is not None:
            check_move_ms(self.move_ms)

    def _check_format(self) -> None:
        least = 1 if self.self_play or self.format is Format.GAUNTLET else 2
        many = len(self.agents)
        if self.format is Format.MATCH and many != 2:
            raise InputError(f"a match of {many} agents: expected 2")
        if many < least:
            agents = "1 agent" if many == 1 else f"{many} agents"
            raise InputError(f"a {self.format} of {agents}: expected at least {least}")
        if len(self.players) > MOST_PLAYERS:
            raise InputError(f"{len(self.players)} agents: expected at most {MOST_PLAYERS}")
        if self.games > MOST_GAMES:
            raise InputError(f"{self.games:,} games: expected at most {MOST_GAMES:,}")
        if len(self.title) > LONGEST_TEXT:
            raise InputError(f"a name of {len(self.title):,} letters: expected at most {LONGEST_TEXT:,}")
        if (self.format is Format.GAUNTLET) != bool(self.opponents):
            wanted = "at least one" if self.format is Format.GAUNTLET else "none"
            raise InputError(f"a {self.format} with {len(self.opponents)} opponents: expected {wanted}")
        if self.test is not None and self.format is not Format.MATCH:
            raise InputError(f"a sequential test in a {self.format}: expected a match")
        if self.self_play and self.format is not Format.ROUND_ROBIN:
            raise InputError(f"agents against themselves in a {self.format}: expected a tournament")

    def _check_test(self) -> None:
        if self.test is None:
            return
        for name, elo in (("elo0", self.test.elo0), ("elo1", self.test.elo1)):
            if abs(elo) > MOST_ELO:
                raise InputError(f"test: {name}={elo:g}: expected -{MOST_ELO:,} to {MOST_ELO:,}")
        for name, error in (("alpha", self.test.alpha), ("beta", self.test.beta)):
            if error < LEAST_ERROR:
                raise InputError(f"test: {name}={error:g}: expected at least {LEAST_ERROR:g}")

    @property
    def players(self) -> tuple[str, ...]:
        """All agents, starting with the agents under test."""
        return self.agents + self.opponents

    @cached_property
    def encounters(self) -> tuple[Encounter, ...]:
        """The encounters in order."""
        under_test = range(len(self.agents))
        if self.format is Format.GAUNTLET:
            rest = range(len(self.agents), len(self.players))
            return tuple(Encounter(one, other) for one in under_test for other in rest)
        meet = combinations_with_replacement if self.self_play else combinations
        return tuple(Encounter(one, other) for one, other in meet(under_test, 2))

    @property
    def games(self) -> int:
        """The maximum number of games in the run."""
        return 2 * self.pairs * len(self.encounters)

    def opening_columns(self) -> "Columns":
        """Return the opening of every pair as columns, repeating a list that is too short."""
        board = parse_board(self.board)
        if self.openings == "random":
            return random_columns(board, self.seed, self.plies, self.pairs)
        return repeated_columns(board, self._listed(board), self.pairs)

    def draw_openings(self) -> list[Opening]:
        """Return the opening of every pair, repeating a list that is too short."""
        board = parse_board(self.board)
        if self.openings == "random":
            return list(islice(random_openings(board, self.seed, self.plies), self.pairs))
        return list(islice(cycle(self._listed(board)), self.pairs))

    def _listed(self, board: Board) -> list[Opening]:
        return [_opening(line, board) for line in self.lines] or all_openings(board, self.seed)

    def files(self) -> dict[str, str]:
        """Return the existing files named in specs, with digests of their content."""
        named = sorted({file for spec in self.players for file in tree_of(spec).files})
        digests = {file: digest_of(file) for file in named}
        return {file: digest for file, digest in digests.items() if digest is not None}

    def books(self) -> set[str]:
        """Return the names of the files that are opening books."""
        named = (tree_of(spec).book for spec in self.players)
        return {book for book in named if book is not None}

    def to_json(self) -> str:
        """Return the plan as JSON; `plan_from_json` reads it."""
        return json.dumps(asdict(self), ensure_ascii=False)


def digest_of(file: str) -> str | None:
    """Return a digest of a file's current content; None if there is no such file.

    Raises:
        InputError: If the file is too large.
    """
    try:
        path = Path(file).expanduser()
        return digest_file(path, MOST_AGENT_FILE) if path.is_file() else None
    except InputError:
        raise
    except (OSError, RuntimeError, ValueError):  # Such as an unknown user in ~USER, or a null byte
        return None


# Reading a plan from a database, which may come from an untrusted source


JSON_TYPES: Final[dict[str, tuple[type, ...]]] = {
    **dict.fromkeys(("format", "board", "openings", "title"), (str,)),
    **dict.fromkeys(("pairs", "seed", "plies"), (int,)),
    **dict.fromkeys(("self_play", "is_timed"), (bool,)),
    **dict.fromkeys(("agents", "opponents", "lines"), (list,)),
    **dict.fromkeys(("test", "sweep"), (dict, NoneType)),
    "study": (dict,),
    "move_ms": (int, float, NoneType),
}
"""The JSON types of each field of a plan."""


def plan_from_json(text: str) -> Plan:
    """Read a plan that `Plan.to_json` wrote.

    Agents are not looked up, because their files may no longer exist.

    Raises:
        ValueError: If the plan is invalid. `InputError` is a ValueError.
    """
    found = read_json(text)
    if type(found) is not dict or set(found) != set(JSON_TYPES):
        raise ValueError("its plan does not have the fields of a plan")
    for name, types in JSON_TYPES.items():
        if type(found[name]) not in types:
            raise ValueError(f"its plan has a value of the wrong type: {name}")
    found["format"] = Format(found["format"])
    found["agents"], found["opponents"] = _texts(found["agents"]), _texts(found["opponents"])
    found["lines"] = tuple(_texts(line) for line in found["lines"])
    found["test"] = _test(found["test"])
    found["sweep"] = _sweep(found["sweep"], len(found["agents"]))
    found["title"] = printable(found["title"])
    plan = object.__new__(Plan)
    plan.__dict__.update(found)
    plan.check()
    for spec in plan.players:
        tree_of(spec)
    if str(parse_board(plan.board)) != plan.board:
        raise ValueError(f"board {plan.board!r}")
    return plan


def _texts(values: Any) -> tuple[str, ...]:
    """Return a list of texts as a tuple.

    Raises:
        ValueError: If a value is not a text, is too long, or has control characters.
    """
    if type(values) is not list or not all(type(text) is str for text in values):
        raise ValueError("its plan has something other than texts in a list of texts")
    if any(len(text) > LONGEST_TEXT or CONTROL.search(text) for text in values):
        raise ValueError("its plan has texts that are too long or have control characters")
    return tuple(values)


def _test(bounds: dict[str, Any] | None) -> SprtPlan | None:
    if bounds is None:
        return None
    known = {field.name for field in fields(SprtPlan)}
    kinds = {name: (bool,) if name == "normalised" else (int, float) for name in known}
    if not all(name in known and type(one) in kinds[name] for name, one in bounds.items()):
        raise ValueError("its sequential test is invalid")
    return SprtPlan(**bounds)


def _sweep(found: dict[str, Any] | None, agents: int) -> Sweep | None:
    if found is None:
        return None
    if set(found) != {"template", "values"} or type(found["values"]) is not list:
        raise ValueError("its sweep is invalid")
    [template] = _texts([found["template"]])
    values = tuple(_texts(row) for row in found["values"])
    if len(values) != agents:
        raise ValueError("its sweep has more or fewer values than agents")
    return Sweep(template, values)


def _opening(line: tuple[str, ...], board: Board) -> Opening:
    moves = tuple(parse_square(text, board) for text in line)
    return opening_of(position_after(board, moves), moves)


# Making a plan from a user's arguments, with the defaults that commands and notebooks share


MATCH_PAIRS = 500
TEST_PAIRS = 20_000
TOURNAMENT_PAIRS = 100
SWEEP_PAIRS = 500


def match_plan(first: str, second: str, conditions: Conditions, test: SprtPlan | None = None) -> Plan:
    """Plan a match of two agents.

    With a test, the default number of pairs is the maximum that the test may need.

    Raises:
        InputError: If an argument is invalid.
    """
    return Plan(
        format=Format.MATCH,
        agents=_agents(conditions, (first, second)),
        test=test,
        **_fields(conditions, TEST_PAIRS if test else MATCH_PAIRS),
    )


def tournament_plan(
    agents: Sequence[str], conditions: Conditions, against: Sequence[str] = (), field: str = "", self_play: bool = False
) -> Plan:
    """Plan a tournament.

    Every agent plays every other agent or, if there are opponents, every opponent.

    Args:
        agents: The agents under test.
        conditions: The conditions.
        against: The opponents.
        field: The name of a predefined field of additional opponents.
        self_play: Whether each agent also plays itself.

    Raises:
        InputError: If an argument is invalid.
    """
    opponents = (*against, *(field_named(field) if field else ()))
    return Plan(
        format=Format.GAUNTLET if opponents else Format.ROUND_ROBIN,
        agents=_agents(conditions, agents),
        opponents=_agents(conditions, opponents),
        self_play=self_play,
        **_fields(conditions, TOURNAMENT_PAIRS),
    )


def sweep_plan(template: str, values: Sequence[str], against: Sequence[str], conditions: Conditions) -> Plan:
    """Plan a sweep: one agent with many values of its parameters.

    Raises:
        InputError: If an argument is invalid.
    """
    sweep, specs = sweep_of(template, list(values))
    if not against:
        raise InputError("a sweep without an opponent: expected at least one, such as random")
    return Plan(
        format=Format.GAUNTLET,
        agents=_agents(conditions, specs),
        opponents=_agents(conditions, against),
        sweep=sweep,
        **_fields(conditions, SWEEP_PAIRS),
    )


def _fields(conditions: Conditions, usual_pairs: int) -> dict[str, Any]:
    """Return the fields of a plan that follow from the conditions."""
    check_name(conditions.name)
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
        "title": conditions.name.strip(),
    }


def check_name(name: str) -> None:
    """Check the title of a new run, which also names its folder.

    Raises:
        InputError: If the title looks like a path.
    """
    if "/" in name or "\\" in name:
        raise InputError(f"name {quoted(name)}: expected a title without slashes")


def _agents(conditions: Conditions, specs: Sequence[str]) -> tuple[str, ...]:
    """Return the agents with the conditions' limit, if it is set.

    Agents that take no limit are unchanged.

    Raises:
        InputError: If a spec or the limit is invalid, or the limit would never end an agent's search.
    """
    if conditions.limit is None:
        return tuple(specs)
    limit = parse_limit(conditions.limit)
    return tuple(str(parse_spec(spec).with_limit(*limit)) for spec in specs)


FIELDS: Final = {  # of opponents
    # The course's tournament: Random, then minimax at depth 3 and alpha-beta, each with its three
    # heuristics. The course gave alpha-beta 150 ms a move, in which its programs visit about 8,000
    # nodes.
    "course": (
        "random",
        "minimax:open@depth=3",
        "minimax:center@depth=3",
        "minimax:improved@depth=3",
        "alphabeta:open@nodes=8000",
        "alphabeta:center@nodes=8000",
        "alphabeta:improved@nodes=8000",
    ),
    # The same agents at fixed depths, as in reports 003 and 004.
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
    """Return the opponents of a named field.

    Raises:
        InputError: If no field has this name.
    """
    if name in FIELDS:
        return FIELDS[name]
    hint = did_you_mean(name, FIELDS) or f"there are {', '.join(FIELDS)}"
    raise InputError(f"no field named {quoted(name)} ({hint})")
