"""A lesson: one thing that was looked at in somebody's agent, how often it was tried, and what came of it."""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, TypeVar

from isolarium.agents import AgentFailure
from isolarium.game.outcome import Reason
from isolarium.game.position import Position

LESSON_S: Final = 60.0
"""How long a lesson goes on; one that is over says how far it came."""
MOST_EXAMPLES: Final = 3

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Example:
    """A position that shows what is meant.

    Attributes:
        position: in our notation.
        told: what happened there.
    """

    position: str
    told: str


@dataclass
class Lesson:
    """One thing that was looked at.

    Attributes:
        topic: a word for it, the same for every agent.
        whose: the class, method or function.
        question: what was asked, in a few words.
        advice: what to do where the answer is no.
        unit: what is counted.
        tried: how many.
        wrong: in how many of them the answer was no.
        examples: the first of those.
        skipped: why it was not asked, or not every time.
        is_cut_short: whether it took too long to try everything.
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
    def is_fine(self) -> bool:
        """Whether the answer was yes, every time."""
        return self.tried > 0 and not self.wrong

    def miss(self, position: Position, told: str) -> None:
        """Count a no."""
        self.wrong += 1
        if len(self.examples) < MOST_EXAMPLES:
            self.examples.append(Example(str(position), told))

    def pass_over(self, why: str) -> None:
        """Count a try as none: it says nothing of the question."""
        self.tried -= 1
        self.skipped = self.skipped or why

    def each(self, tries: Iterable[T]) -> Iterator[T]:
        """The tries one by one, counted, until there is no time left."""
        ends = time.monotonic() + LESSON_S
        for one in tries:
            if time.monotonic() > ends:
                self.is_cut_short = True
                return
            self.tried += 1
            yield one


def skipped(lessons: list[Lesson], why: str) -> list[Lesson]:
    """The same lessons, which are not asked."""
    for lesson in lessons:
        lesson.skipped = why
    return lessons


FAILED: Final = {
    Reason.ILLEGAL_MOVE: "it",
    Reason.RESIGNATION: "it",
    Reason.TIME: "it did not come to an end:",
    Reason.CRASH: "it failed:",
    Reason.MEMORY: "it ran",
}
"""What comes before the words of a failure."""


def told_of(failure: AgentFailure, name: str) -> str:
    """What an agent did instead of answering."""
    said = str(failure).removeprefix(f"{name}: ")
    return f"{FAILED[failure.reason]} {said}"
