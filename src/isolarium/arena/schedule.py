"""Which pairs are played next, and how many at a time."""

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

TASK_S: Final = 0.2
"""How long a batch should take: long compared to the 1 ms that handing it over costs, short for a person who waits."""
WORKER_S: Final = 0.01
"""How much longer a batch should take for each worker, so that the coordinator keeps up with many of them."""
MOST_PAIRS: Final = 512
"""The most pairs in a batch of `TASK_S`."""
MOST_PAIRS_OF_MANY: Final = 1024
"""The most pairs in a longer batch: an answer with its games has a limited size."""
MOST_GROWTH: Final = 4
PATIENCE_S: Final = 300.0
"""The shortest time limit of a batch."""
PATIENCE: Final = 20.0
"""A batch may take this many times as long as the encounter's slowest pairs so far."""
LONGEST_S: Final = 86400.0
"""The time limit of a batch while the speed of its encounter is unknown."""


@dataclass(frozen=True, slots=True)
class Span:
    """Pairs of one encounter, from `first` up to but not including `end`."""

    encounter: int
    first: int
    end: int


class Schedule:
    """Hands out the missing pairs, first those of the encounter furthest behind.

    The size of a batch follows from how long its own encounter's pairs have taken so far, since one encounter may be a
    thousand times slower than another.

    Args:
        encounters: The number of encounters.
        pairs: The number of pairs in each.
        is_done: Returns whether a pair of an encounter needs no playing.

    Attributes:
        workers: The number of workers.
    """

    def __init__(self, encounters: int, pairs: int, is_done: Callable[[int, int], bool]) -> None:
        self.workers = 1
        self._pairs = pairs
        self._is_done = is_done
        self._next = [0] * encounters
        self._sizes = [1] * encounters
        self._slowest = [0.0] * encounters  # seconds a pair
        self._requeued: deque[Span] = deque()
        self._losses: Counter[Span] = Counter()

    def next(self) -> Span | None:
        """Return what to play next; None if nothing is left to hand out."""
        if self._requeued:
            return self._requeued.popleft()
        while True:
            first = min(self._next, default=self._pairs)
            if first >= self._pairs:
                return None
            span = self._span(self._next.index(first), first)
            self._next[span.encounter] = span.end
            if span.first < span.end:
                return span

    def _span(self, encounter: int, first: int) -> Span:
        """Return the next missing pairs of an encounter, as many as fit.

        The span is empty if none are missing.
        """
        while first < self._pairs and self._is_done(encounter, first):
            first += 1
        end = first
        most = min(self._pairs, first + self._sizes[encounter])
        while end < most and not self._is_done(encounter, end):
            end += 1
        return Span(encounter, first, end)

    def note_time(self, span: Span, seconds: float) -> None:
        """Adapt the size of the encounter's batches to how long a span took."""
        pairs, size = span.end - span.first, self._sizes[span.encounter]
        task_s = max(TASK_S, WORKER_S * self.workers)
        self._slowest[span.encounter] = max(self._slowest[span.encounter], seconds / pairs)
        fitting = int(task_s * pairs / max(seconds, 1e-6))
        most = min(int(MOST_PAIRS * task_s / TASK_S), MOST_PAIRS_OF_MANY)
        self._sizes[span.encounter] = max(1, min(fitting, MOST_GROWTH * size, most))

    def time_limit_s(self, span: Span) -> float:
        """Return how many seconds a worker may take for a span.

        It follows from the slowest of the encounter's pairs so far.
        """
        slowest = self._slowest[span.encounter]
        if not slowest:
            return LONGEST_S
        return max(PATIENCE_S, PATIENCE * slowest * (span.end - span.first))

    def requeue(self, spans: list[Span]) -> None:
        """Hand these spans out again, before all others and in order."""
        self._requeued.extendleft(reversed(spans))

    def requeue_lost(self, spans: list[Span]) -> int:
        """Requeue a dead worker's spans; return how often the first has been lost."""
        self.requeue(spans)
        self._losses[spans[0]] += 1
        return self._losses[spans[0]]
