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
"""In a batch of `TASK_S`."""
MOST_GROWTH: Final = 4


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
        fitting = int(task_s * pairs / max(seconds, 1e-6))
        most = int(MOST_PAIRS * task_s / TASK_S)
        self._sizes[span.encounter] = max(1, min(fitting, MOST_GROWTH * size, most))

    def again(self, spans: list[Span]) -> None:
        """Take back what has to be played again, in order."""
        self._again.extendleft(reversed(spans))

    def lost(self, spans: list[Span]) -> int:
        """Take back what a dead worker was given, in order; how often the first of them was lost by now."""
        self.again(spans)
        self._losses[spans[0]] += 1
        return self._losses[spans[0]]
