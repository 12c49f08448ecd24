"""The settings of a tuning run, and the plans that they determine.

Openings come from one stream without repetition. Each round of trials takes the next openings, so values that are tried
again are tried on new openings, and the confirmation uses openings that no trial used.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import islice
from typing import Final

from isolarium.arena.openings import random_openings
from isolarium.arena.plan import MOST_ELO, MOST_PLIES, Format, Plan
from isolarium.errors import InputError, check_kind, quoted
from isolarium.game.board import Board, parse_board
from isolarium.limits import MOST_SEED
from isolarium.spec.parser import AgentTree, Argument, Call, parse_tree
from isolarium.spec.resolve import read_spec, read_specs
from isolarium.spec.template import EMPTY, Place, Sweep, fill, places_of
from isolarium.stats import SprtPlan

BOUNDS: Final = {
    "trials": (2, 500),
    "round": (2, 500),
    "pairs": (2, 100_000),
    "positions": (1, 100_000),
    "confirm": (1, 100_000),
    "seed": (0, MOST_SEED),
    "plies": (0, MOST_PLIES),
}
"""The bounds of every integer setting."""
MOST_OPENINGS: Final = 1_000_000
"""The maximum number of openings; drawing that many takes up to a minute."""
MOST_SQUARES: Final = 99
"""The maximum number of squares for tuning on exact values.

On larger boards, few positions can be solved.
"""
INSIDE: Final = 0.3137
"""A fraction of a range at which the value is rarely an integer."""

Row = tuple[str, ...]
"""The value of each parameter, as text."""


class Objective(StrEnum):
    """The measure of a trial's score: games won, or exact values of positions."""

    GAMES = "games"
    TRUTH = "truth"


def read_objective(text: str) -> Objective:
    """Return the objective with this name.

    Raises:
        InputError: If no objective has this name.
    """
    try:
        return Objective(text)
    except ValueError:
        raise InputError(f"on {quoted(text)}: expected games or truth") from None


@dataclass(frozen=True)
class Tuning:
    """The settings of a tuning run; stored in its folder.

    Attributes:
        agent: The template, with a placeholder for each parameter.
        against: The opponent of trials; empty for the agent with its defaults.
        on: The measure of a trial's score.
        trials: The total number of trials, over all rounds.
        round: Trials per round; the values of each round depend on the results of earlier rounds.
        pairs: Pairs of games per trial.
        positions: Solved positions per stage of the game, for tuning on exact values.
        gain: The smallest gain worth having, in Elo. The confirmation tests this gain against no gain.
        confirm: The maximum number of pairs of the confirmation.
        board: ROWSxCOLS.
        seed: Random seed; the same seed reproduces the same run.
        plies: The number of random moves of an opening after the placements.
        name: The name of the run.
    """

    agent: str
    against: str = ""
    on: Objective = Objective.GAMES
    trials: int = 40
    round: int = 8
    pairs: int = 200
    positions: int = 500
    gain: float = 20.0
    confirm: int = 5000
    board: str = "7x7"
    seed: int = 1
    plies: int = 2
    name: str = "tune"

    def check(self) -> None:
        """Check that the run can be played.

        Raises:
            InputError: If a setting is invalid.
        """
        self._check_kinds()
        board = parse_board(self.board)
        self._check_places()
        self._check_values()
        if self.on is Objective.TRUTH:
            self._check_exact(board)
        if "{" in self.against:
            problem = "expected an agent without places"
            raise InputError(f"against {quoted(self.against)}: {problem}")
        self._check_openings(board)
        if self.on is Objective.GAMES:
            self.round_plan(1, [self._first])
        self.confirmation_plan(self._first)

    def _check_kinds(self) -> None:
        """Check the type and bounds of every setting, since it may come from a file."""
        for what in ("agent", "against", "board", "name"):
            check_kind(what, getattr(self, what), str, "a text")
        for what, (least, most) in BOUNDS.items():
            value = getattr(self, what)
            check_kind(what, value, int, "a whole number")
            if not least <= value <= most:
                raise InputError(f"{what}={value}: expected {least} to {most:,}")
        check_kind("gain", self.gain, (int, float), "a number")
        if not 0 < self.gain <= MOST_ELO:
            raise InputError(f"gain={self.gain:g}: expected more than 0, at most {MOST_ELO:,}")
        if not self.name.strip():
            raise InputError(f"name {quoted(self.name)}: expected a name")

    def _check_places(self) -> None:
        for place in self.places:
            if not place.text:
                problem = "{} is empty; write {0..4} or {a|b}"
                raise InputError(f"{quoted(self.agent)}: {problem}")
            if place.values and len(set(map(place.share_of, place.values))) == 1:
                where = f"{{{place.text.strip()}}}"
                raise InputError(f"{quoted(where)}: only one value; expected at least two")

    def _check_exact(self, board: Board) -> None:
        if self.against:
            problem = "trials on truth have no opponent; use it with --on games"
            raise InputError(f"against {quoted(self.against)}: {problem}")
        if "{" in str(self._tree.search) or self._tree.is_program or self._tree.body is None:
            problem = "only parameters of a heuristic can be tuned on truth"
            raise InputError(f"{quoted(self.agent)}: {problem}")
        if board.size > MOST_SQUARES:
            problem = f"expected at most {MOST_SQUARES} squares, such as 9x11"
            raise InputError(f"board {board}: too large for tuning on truth; {problem}")

    def _check_openings(self, board: Board) -> None:
        tried = self.rounds * self.pairs
        if tried + self.confirm > MOST_OPENINGS:
            problem = f"expected at most {MOST_OPENINGS:,}: use fewer pairs or rounds"
            raise InputError(f"{tried + self.confirm:,} openings; {problem}")
        if len(self.openings) <= tried:
            found = f"{len(self.openings):,} openings on {board} with {self.plies} random moves"
            problem = f"the trials alone need {tried:,}: use fewer pairs, or more plies"
            raise InputError(f"{found}; {problem}")

    @property
    def _first(self) -> Row:
        """The first value of each placeholder."""
        return tuple(place.at(0.0) for place in self.places)

    def _check_values(self) -> None:
        """Check that every placeholder accepts all its values."""
        ends, inside, first = [self.untuned], list[tuple[Place, str]](), self._first
        for number, place in enumerate(self.places):
            rest = first[:number], first[number + 1 :]
            for value in place.values or (place.at(0.0), place.at(1.0)):
                ends.append(self.spec((*rest[0], value, *rest[1])))
            if not place.values:
                inside.append((place, self.spec((*rest[0], place.at(INSIDE), *rest[1]))))
        read_specs(ends)
        for place, spec in inside:
            try:
                read_spec(spec)
            except InputError as error:
                raise InputError(f"{error}; for steps, write {{{place.text} by 1}}") from None

    # The parameters

    @cached_property
    def places(self) -> list[Place]:
        """The template's placeholders, from left to right."""
        return places_of(self.agent)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the parameters, made unique."""
        tree = self._tree
        found = [name for call in (tree.search, tree.body) if call for name in _names(call)]
        if len(found) != len(self.places) or "" in found:
            raise InputError(f"{quoted(self.agent)}: expected places as PARAMETER={{...}} of a search or a heuristic")
        return tuple(
            name if found.count(name) == 1 else f"{name} #{found[:place].count(name) + 1}"
            for place, name in enumerate(found)
        )

    @cached_property
    def _tree(self) -> AgentTree:
        return parse_tree(self.agent)

    @cached_property
    def untuned(self) -> str:
        """The agent with every tuned parameter at its default."""
        assert self.names
        tree = self._tree
        body = None if tree.body is None else _without_places(tree.body)
        return str(AgentTree(_without_places(tree.search), body, tree.limit))

    @cached_property
    def defaults(self) -> dict[str, str]:
        """The defaults of the tuned parameters of a heuristic in the catalogue; others would need its file."""
        # Imported here because the catalogue loads NumPy.
        from isolarium.heuristics.bound_heuristic import format_value
        from isolarium.heuristics.lookup import catalogue

        body = self._tree.body
        found = {} if body is None or body.word not in catalogue() else catalogue()[body.word].defaults
        given = set() if body is None else {argument.name for argument in body.arguments}
        values = {name: found[name] for name in self.names if name in found and name in given}
        return {name: format_value(value) for name, value in values.items() if isinstance(value, (int, float, str))}

    @property
    def opponent(self) -> str:
        """The opponent of the trials."""
        return self.against or self.untuned

    def spec(self, row: Row) -> str:
        """Return the agent with the given values."""
        return fill(self.agent, row)

    def heuristic(self, row: Row) -> str:
        """Return the agent's heuristic with the given values."""
        return str(parse_tree(self.spec(row)).body)

    def format_row(self, row: Row) -> str:
        """Return values as text, such as `weight=1.5, f=arctan`."""
        return ", ".join(f"{name}={value}" for name, value in zip(self.names, row, strict=True))

    # The runs

    @property
    def rounds(self) -> int:
        """The number of rounds of games."""
        return -(-self.trials // self.round) if self.on is Objective.GAMES else 0

    def trials_of_round(self, number: int) -> int:
        """Return the number of trials of a round; rounds are numbered from 1."""
        return min(self.round, self.trials - (number - 1) * self.round)

    def seed_of(self, what: str) -> int:
        """Return the seed for a part of the run."""
        return random.Random(f"{self.seed} {what}").getrandbits(31)

    @cached_property
    def openings(self) -> list[Row]:
        """The distinct openings of the trials, round by round, then of the confirmation."""
        wanted, seen = self.rounds * self.pairs + self.confirm, set[str]()
        found = list[Row]()
        for opening in islice(random_openings(parse_board(self.board), self.seed, self.plies), wanted):
            if opening.cluster in seen:
                break
            seen.add(opening.cluster)
            found.append(tuple(map(str, opening.moves)))
        return found

    def round_plan(self, number: int, rows: Sequence[Row]) -> Plan:
        """Return the plan of a round, in which all trials use the same openings."""
        plain = fill(self.agent, (EMPTY,) * len(self.places))
        return Plan(
            format=Format.GAUNTLET,
            agents=tuple(map(self.spec, rows)),
            opponents=(self.opponent,),
            board=self.board,
            pairs=self.pairs,
            seed=self.seed_of(f"round {number}"),
            openings="file",
            lines=tuple(self.openings[(number - 1) * self.pairs : number * self.pairs]),
            title=f"{self.name}, round {number}",
            sweep=Sweep(plain, tuple(rows)),
        )

    def confirmation_plan(self, row: Row) -> Plan:
        """Return the plan of a sequential test of the given values on new openings."""
        lines = self.openings[self.rounds * self.pairs :]
        return Plan(
            format=Format.MATCH,
            agents=(self.spec(row), self.untuned),
            board=self.board,
            pairs=len(lines),
            seed=self.seed_of("confirmation"),
            openings="file",
            lines=tuple(lines),
            test=SprtPlan(0.0, self.gain),
            title=f"{self.name}, confirmation",
        )

    def is_untuned(self, row: Row) -> bool:
        """Return whether the given values are the defaults."""
        tuned, untuned = read_specs([self.spec(row), self.untuned])
        return str(tuned) == str(untuned)


def _names(call: Call) -> Iterator[str]:
    """Yield the parameters whose values are placeholders, in nested calls too."""
    for name, value in call.arguments:
        if _is_place(value):
            yield name
        else:
            yield from _names(value)


def _is_place(value: Call) -> bool:
    return value.word.startswith("{") and value.word.endswith("}")


def _without_places(call: Call) -> Call:
    kept = (Argument(name, _without_places(value)) for name, value in call.arguments if not _is_place(value))
    return Call(call.word, tuple(kept))
