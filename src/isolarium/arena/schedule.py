"""Which pairs are played next, and how many at a time."""

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

TASK_S: Final = 0.2
"""How long a batch should take: long against the 1 ms that handing it over costs, short against a person's patience."""
WORKER_S: Final = 0.01
"""And so much more for each worker: whoever hands them out to many would else do nothing but that."""
MOST_PAIRS: Final = 512
"""In a batch of `TASK_S`,"""
MOST_PAIRS_OF_MANY: Final = 1024
"""and in a longer one: an answer with the games has a limited size."""
MOST_GROWTH: Final = 4
PATIENCE_S: Final = 300.0
"""The least that a worker may take for a batch before it is given up,"""
PATIENCE: Final = 20.0
"""and so many times what the slowest pairs of the encounter have taken so far."""
LONGEST_S: Final = 86400.0
"""What it may take while nothing is known of its encounter."""


@dataclass(frozen=True, slots=True)
class Span:
    """Pairs of one encounter, from `first` up to but not including `end`."""

    encounter: int
    first: int
    end: int


class Schedule:
    """Hands out the pairs that are missing: always some of the encounter that is furthest behind.

    A batch is sized by how long its own encounter's pairs have taken so far, since one encounter may be a thousand
    times slower than another.

    Args:
        encounters: how many there are.
        pairs: how many each has.
        is_done: whether a pair of an encounter needs no playing.

    Attributes:
        workers: how many there are to play.
    """

    def __init__(self, encounters: int, pairs: int, is_done: Callable[[int, int], bool]) -> None:
        self.workers = 1
        self._pairs = pairs
        self._is_done = is_done
        self._next = [0] * encounters
        self._sizes = [1] * encounters
        self._slowest = [0.0] * encounters  # seconds a pair
        self._again: deque[Span] = deque()
        self._losses: Counter[Span] = Counter()

    def next(self) -> Span | None:
        """What to play next; None if nothing is left to hand out."""
        if self._again:
            return self._again.popleft()
        while True:
            first = min(self._next, default=self._pairs)
            if first >= self._pairs:
                return None
            span = self._span(self._next.index(first), first)
            self._next[span.encounter] = span.end
            if span.first < span.end:
                return span

    def _span(self, encounter: int, first: int) -> Span:
        """The next missing pairs of an encounter, as many as fit; an empty span at its end if there are none."""
        while first < self._pairs and self._is_done(encounter, first):
            first += 1
        end = first
        most = min(self._pairs, first + self._sizes[encounter])
        while end < most and not self._is_done(encounter, end):
            end += 1
        return Span(encounter, first, end)

    def took(self, span: Span, seconds: float) -> None:
        """Learn how long a span took."""
        pairs, size = span.end - span.first, self._sizes[span.encounter]
        task_s = max(TASK_S, WORKER_S * self.workers)
        self._slowest[span.encounter] = max(self._slowest[span.encounter], seconds / pairs)
        fitting = int(task_s * pairs / max(seconds, 1e-6))
        most = min(int(MOST_PAIRS * task_s / TASK_S), MOST_PAIRS_OF_MANY)
        self._sizes[span.encounter] = max(1, min(fitting, MOST_GROWTH * size, most))

    def patience(self, span: Span) -> float:
        """How many seconds a worker may take for a span, by what is known now."""
        slowest = self._slowest[span.encounter]
        if not slowest:
            return LONGEST_S
        return max(PATIENCE_S, PATIENCE * slowest * (span.end - span.first))

    def again(self, spans: list[Span]) -> None:
        """Take back what has to be played again, in order."""
        self._again.extendleft(reversed(spans))

    def lost(self, spans: list[Span]) -> int:
        """Take back what a dead worker was given, in order; how often the first of them was lost by now."""
        self.again(spans)
        self._losses[spans[0]] += 1
        return self._losses[spans[0]]
