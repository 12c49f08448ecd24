"""Checks of agents, and the positions used for them.

The positions come from random games, after both players have been placed.
"""

import random
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import Final, TypeVar

from isolarium.agents import AgentFailure
from isolarium.game.board import Board
from isolarium.game.position import Player, Position, Reason

CHECK_S: Final = 60.0
"""The time limit of a check; a check that reaches it reports its progress."""
MOST_EXAMPLES: Final = 3
MOST_GAMES: Final = 5000
"""The number of random games to search for positions of a kind."""

NAMES: Final = {
    "number": "deterministic",
    "mirror": "symmetric",
    "end": "terminal values",
    "minimax": "best move",
    "alphabeta": "equals minimax",
    "cuts": "prunes",
    "win": "wins at once",
    "play on": "plays on",
    "time": "stops in time",
}
"""The short names of the checks by topic."""

T = TypeVar("T")
Kind = Callable[[Position], bool]


@dataclass(frozen=True, slots=True)
class Example:
    """A failure of a check.

    Attributes:
        position: The position in which the check failed, as text.
        text: A description of the failure.
    """

    position: str
    text: str


@dataclass
class Check:
    """A question about an agent, with its answer.

    Attributes:
        topic: The question in one word, the same for every agent.
        whose: The class, method or function that is checked.
        question: The question.
        advice: The advice shown if the answer is no.
        unit: The unit of the counts.
        tried: The number of attempts.
        wrong: The number of failed attempts.
        examples: The first failures.
        skipped: Why the check, or part of it, was skipped.
        is_cut_short: Whether the check was stopped by the time limit.
    """

    topic: str
    whose: str
    question: str
    advice: str
    unit: str = "position"
    tried: int = 0
    wrong: int = 0
    examples: list[Example] = field(default_factory=list)
    skipped: str = ""
    is_cut_short: bool = False

    @property
    def name(self) -> str:
        """The short name of the check, such as `plays on`: what an agent that passes it does."""
        return NAMES[self.topic]

    @property
    def is_passed(self) -> bool:
        """Whether the check ran and never failed."""
        return self.tried > 0 and not self.wrong

    def fail(self, position: Position, text: str) -> None:
        """Count a failed attempt."""
        self.wrong += 1
        if len(self.examples) < MOST_EXAMPLES:
            self.examples.append(Example(str(position), text))

    def discount(self, why: str) -> None:
        """Leave the current attempt out of the count."""
        self.tried -= 1
        self.skipped = self.skipped or why

    def each(self, tries: Iterable[T]) -> Iterator[T]:
        """Yield and count attempts until the time limit."""
        ends = time.monotonic() + CHECK_S
        for one in tries:
            if time.monotonic() > ends:
                self.is_cut_short = True
                return
            self.tried += 1
            yield one


def skip(checks: list[Check], why: str) -> list[Check]:
    """Mark checks as skipped."""
    for check in checks:
        check.skipped = why
    return checks


FAILED: Final = {
    Reason.ILLEGAL_MOVE: "it",
    Reason.RESIGNATION: "it",
    Reason.TIME: "it did not finish:",
    Reason.CRASH: "it failed:",
    Reason.MEMORY: "it ran",
}
"""The prefix of a failure's message."""


def failure_text(failure: AgentFailure, name: str) -> str:
    """Describe how an agent failed to answer."""
    message = str(failure).removeprefix(f"{name}: ")
    return f"{FAILED[failure.reason]} {message}"


# Positions


def random_positions(board: Board, seed: str) -> Iterator[list[Position]]:
    """Yield the positions of random games after the placements."""
    for number in range(MOST_GAMES):
        chance = random.Random(f"{seed} {number}")
        game, position = list[Position](), Position.empty(board)
        while moves := position.legal_moves():
            position = position.play(chance.choice(moves))
            if not position.placing:
                game.append(position)
        yield game


@lru_cache(32)  # All agents of a file are checked on the same positions.
def sample(board: Board, seed: str, kind: Kind, wanted: int) -> tuple[Position, ...]:
    """Return positions of a kind, at most one per game.

    Fewer are returned if the random games do not contain enough of them.
    """

    def found() -> Iterator[Position]:
        for number, game in enumerate(random_positions(board, seed)):
            matching = [position for position in game if kind(position)]
            if matching:
                yield random.Random(f"{seed} {number} which").choice(matching)

    return tuple(islice(found(), wanted))


def first_can_move(position: Position) -> bool:
    """Whether the first player is to move and has a legal move."""
    return position.to_move is Player.FIRST and position.outcome() is None


def wins_at_once_or_loses(position: Position) -> bool:
    """Whether the first player can win at once, or else loses at once.

    Some moves win immediately; after every other move the opponent can win immediately.
    """
    if not first_can_move(position) or not _can_end(position):  # A fast test that rules out most positions
        return False
    afters = [position.play(move) for move in position.legal_moves()]
    unfinished = [after for after in afters if after.outcome() is None]
    return 0 < len(unfinished) < len(afters) and all(map(_can_end, unfinished))


def loses_soon(position: Position) -> bool:
    """Whether the opponent can end the game after every move of the first player."""
    return first_can_move(position) and all(_can_end(position.play(move)) for move in position.legal_moves())


def _can_end(position: Position) -> bool:
    """Whether some move leaves the opponent without a legal move.

    The move takes the opponent's last square, or the opponent already has none.
    """
    other = position.other
    assert other is not None
    left = position.board.knight_mask(other) & position.blank
    taken = left & position.legal_mask
    return bool(position.legal_mask) and (not left or (left == taken and left.bit_count() == 1))


def is_lost_by(loser: Player, position: Position) -> bool:
    """Whether the game is over and this player has lost."""
    return position.to_move is loser and position.outcome() is not None
