"""The plan of a run: everything that decides which games are played, and how. It is stored with the run."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from functools import cached_property
from hashlib import sha256
from itertools import combinations, combinations_with_replacement, cycle, islice
from math import isfinite
from pathlib import Path
from typing import Any, Final

from isolab.agents import read_specs
from isolab.arena.openings import (
    Opening,
    all_openings,
    opening_of,
    openings_from_file,
    position_after,
    random_openings,
)
from isolab.errors import InputError
from isolab.game.board import Board
from isolab.game.notation import parse_board, parse_square
from isolab.grammar import tree_of
from isolab.stats import SprtPlan

MOST_PAIRS: Final = 10_000_000
MOST_PLIES: Final = 60
MOST_PLAYERS: Final = 1000


class Format(StrEnum):
    """Who meets whom."""

    MATCH = "match"
    ROUND_ROBIN = "round robin"
    GAUNTLET = "gauntlet"


@dataclass(frozen=True, slots=True)
class Encounter:
    """Two agents that meet, by their places in the plan's list of players; one that meets itself is both."""

    first: int
    second: int


@dataclass(frozen=True)
class Sweep:
    """How the agents under test came about: one text with values put into it.

    Attributes:
        template: the spec with `{}` in place of each value.
        values: for every agent, what was put in.
    """

    template: str
    values: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Plan:
    """What is to be played.

    Attributes:
        format: who meets whom.
        agents: the agents under test, by spec; in a match the two of them.
        opponents: in a gauntlet, whom they meet.
        board: ROWSxCOLS.
        pairs: pairs for every encounter; with a test, at the most.
        seed: openings and all that is left to chance are drawn from it.
        openings: `random`, `all` (every start up to symmetry, over and over if there are more pairs), or `file`.
        plies: random moves after the placements of random openings.
        lines: the openings of a file, each its squares.
        test: for a match, the bounds of the sequential test that may end it early.
        move_ms: what a move may take on the clock; who takes longer loses.
        title: what it is called.
        study: the text of the study's file, where it came from one.
        self_play: in a round robin, whether every agent also meets itself.
        sweep: where the agents are one spec with different parameters, which.
        is_timed: whether the clock decides what an agent plays; it follows from the rest.
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
        """Check the parts that a person gave, and write every agent in its full form."""
        put = object.__setattr__
        put(self, "board", str(parse_board(self.board)))
        texts = list(dict.fromkeys((*self.agents, *self.opponents)))
        specs = dict(zip(texts, read_specs(texts), strict=True))
        put(self, "agents", tuple(str(specs[text]) for text in self.agents))
        put(self, "opponents", tuple(str(specs[text]) for text in self.opponents))
        by_clock = any(spec.limit.time_ms is not None for spec in specs.values())
        put(self, "is_timed", by_clock or self.move_ms is not None)
        self._check_numbers()
        self._check_format()

    def _check_numbers(self) -> None:
        if not 1 <= self.pairs <= MOST_PAIRS:
            raise InputError(f"pairs={self.pairs}: expected from 1 to {MOST_PAIRS:,}")
        if not 0 <= self.plies <= MOST_PLIES:
            raise InputError(f"plies={self.plies}: expected from 0 to {MOST_PLIES}")
        if self.plies and self.openings != "random":
            raise InputError(f"plies={self.plies}: expected random openings, the only ones longer")
        if not 0 <= self.seed < 1 << 62:
            raise InputError(f"seed={self.seed}: expected a number from 0 on, below 2**62")
        if self.openings not in ("random", "all", "file"):
            raise InputError(f"openings={self.openings}: expected random, all, or a file")
        if self.move_ms is not None and not (isfinite(self.move_ms) and self.move_ms > 0):
            raise InputError(f"move_ms={self.move_ms:g}: expected more than 0")

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
        if (self.format is Format.GAUNTLET) != bool(self.opponents):
            wanted = "at least one" if self.format is Format.GAUNTLET else "none"
            raise InputError(
                f"a {self.format} with {len(self.opponents)} opponents: expected {wanted}"
            )
        if self.test is not None and self.format is not Format.MATCH:
            raise InputError(f"a sequential test in a {self.format}: expected a match")
        if self.self_play and self.format is not Format.ROUND_ROBIN:
            raise InputError(f"agents against themselves in a {self.format}: expected a tournament")

    @property
    def players(self) -> tuple[str, ...]:
        """Every agent, those under test first."""
        return self.agents + self.opponents

    @cached_property
    def encounters(self) -> tuple[Encounter, ...]:
        """Who meets whom, in order."""
        under_test = range(len(self.agents))
        if self.format is Format.GAUNTLET:
            rest = range(len(self.agents), len(self.players))
            return tuple(Encounter(one, other) for one in under_test for other in rest)
        meet = combinations_with_replacement if self.self_play else combinations
        return tuple(Encounter(one, other) for one, other in meet(under_test, 2))

    @property
    def games(self) -> int:
        """How many games there are at the most."""
        return 2 * self.pairs * len(self.encounters)

    def openings_in_order(self) -> Iterator[Opening]:
        """The opening of every pair, one by one; a list that is too short is gone through again."""
        board = parse_board(self.board)
        if self.openings == "random":
            return islice(random_openings(board, self.seed, self.plies), self.pairs)
        lines = [_opening(line, board) for line in self.lines]
        return islice(cycle(lines or all_openings(board, self.seed)), self.pairs)

    def draw_openings(self) -> list[Opening]:
        """The opening of every pair, in order."""
        return list(self.openings_in_order())

    def files(self) -> dict[str, str]:
        """The files that agents' specs name, each with a digest of its text as it is now; not those that are gone."""
        named = sorted({file for spec in self.players for file in tree_of(spec).files})
        digests = {file: digest_of(file) for file in named}
        return {file: digest for file, digest in digests.items() if digest is not None}

    def to_json(self) -> str:
        """The plan as text; `plan_from_json` reads it back."""
        return json.dumps(asdict(self), ensure_ascii=False)


def digest_of(file: str) -> str | None:
    """A digest of a file's text as it is now; None where there is no such file."""
    try:
        return sha256(Path(file).expanduser().read_bytes()).hexdigest()
    except (OSError, RuntimeError, ValueError):  # such as ~nobody, or a null byte
        return None


def plan_from_json(text: str) -> Plan:
    """Read what `Plan.to_json` wrote. Nothing is checked again: an agent's file may be gone, its games are not."""
    found = json.loads(text)
    found["format"] = Format(found["format"])
    found["test"] = SprtPlan(**found["test"]) if found["test"] else None
    for name in ("agents", "opponents"):
        found[name] = tuple(found[name])
    found["lines"] = tuple(tuple(line) for line in found["lines"])
    if found.get("sweep"):
        values = tuple(tuple(row) for row in found["sweep"]["values"])
        found["sweep"] = Sweep(found["sweep"]["template"], values)
    plan = object.__new__(Plan)
    plan.__dict__.update(found)
    return plan


@dataclass(frozen=True, slots=True)
class OpeningChoice:
    """Which openings a person asked for, as a plan keeps them.

    Attributes:
        kind: `random`, `all` or `file`.
        lines: those of a file.
        supply: how many there are; None where they do not run out.
    """

    kind: str
    lines: tuple[tuple[str, ...], ...] = ()
    supply: int | None = None


def choose_openings(text: str, board: str) -> OpeningChoice:
    """Read `random`, `all` or the path of a file.

    Raises:
        InputError: it is no file of openings.
    """
    if text == "random":
        return OpeningChoice("random")
    squares = parse_board(board)
    if text == "all":
        return OpeningChoice("all", supply=len(all_openings(squares, seed=0)))
    lines = _lines(openings_from_file(Path(text), squares))
    return OpeningChoice("file", lines, len(lines))


def lines_of_file(path: Path, board: str) -> tuple[tuple[str, ...], ...]:
    """The openings of a file, as a plan keeps them."""
    return _lines(openings_from_file(path, parse_board(board)))


def _lines(openings: list[Opening]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(map(str, opening.moves)) for opening in openings)


def _opening(line: tuple[str, ...], board: Board) -> Opening:
    moves = tuple(parse_square(text, board) for text in line)
    return opening_of(position_after(board, moves), moves)
