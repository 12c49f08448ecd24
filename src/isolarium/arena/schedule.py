"""The schedule of a run: the order of the pairs and the sizes of the batches."""

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from isolarium.processes.worker import AHEAD

TASK_S: Final = 0.2
"""The intended time of a batch: much longer than the 1 ms needed to send it."""
CLUSTER_TASK_S: Final = 0.5
"""The same on a cluster, where a batch costs its processes 5 ms."""
WORKER_S: Final = 0.01
"""The extra time per batch and worker that lets the coordinator keep up."""
MOST_PAIRS: Final = 4096
"""The maximum number of pairs in a batch of `TASK_S`."""
MOST_PAIRS_OF_MANY: Final = 8192
"""The maximum number of pairs in a longer batch, since answers have limited size."""
MOST_GROWTH: Final = 4
MOST_SHRINKING: Final = 4
"""The factor by which batches are shorter towards the end, so that all workers finish together."""
PATIENCE_S: Final = 300.0
"""The shortest time limit of a batch."""
PATIENCE: Final = 20.0
"""A batch's time limit, as a multiple of its time if its pairs were the slowest."""
LONGEST_S: Final = 86400.0
"""The time limit of a batch while the speed of its encounter is unknown."""


@dataclass(frozen=True, slots=True)
class Span:
    """Pairs of one encounter, from `first` up to but not including `end`."""

    encounter: int
    first: int
    end: int


class Schedule:
    """A schedule of missing pairs that serves the encounter furthest behind first.

    The size of a batch depends on the speed of its own encounter so far, because one encounter may
    be a thousand times slower than another.

    Args:
        encounters: The number of encounters.
        pairs: The number of pairs in each.
        is_done: Returns whether a pair of an encounter is already complete.
        task_s: The intended time of a batch.

    Attributes:
        workers: The number of workers.
    """

    def __init__(
        self, encounters: int, pairs: int, is_done: Callable[[int, int], bool], task_s: float = TASK_S
    ) -> None:
        self.workers = 1
        self._task_s = task_s
        self._pairs = pairs
        self._is_done = is_done
        self._next = [0] * encounters
        self._sizes = [1] * encounters
        self._slowest = [0.0] * encounters  # Seconds per pair
        self._requeued: deque[Span] = deque()
        self._losses: Counter[Span] = Counter()

    def next(self) -> Span | None:
        """Return the next span to play; None if no span is left."""
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
        """Return the next missing pairs of an encounter, up to the size of a batch.

        The span is empty if no pairs are missing.
        """
        while first < self._pairs and self._is_done(encounter, first):
            first += 1
        end = first
        most = min(self._pairs, first + self._size(encounter))
        while end < most and not self._is_done(encounter, end):
            end += 1
        return Span(encounter, first, end)

    def _size(self, encounter: int) -> int:
        """Return the number of pairs in the next batch: less than usual if few pairs remain."""
        size, remaining = self._sizes[encounter], sum(self._pairs - first for first in self._next)
        return max(1, min(size, max(size // MOST_SHRINKING, remaining // (2 * AHEAD * self.workers))))

    def note_time(self, span: Span, seconds: float) -> None:
        """Adapt the size of the encounter's batches to the duration of a span."""
        pairs, size = span.end - span.first, self._sizes[span.encounter]
        task_s = max(self._task_s, WORKER_S * self.workers)
        self._slowest[span.encounter] = max(self._slowest[span.encounter], seconds / pairs)
        fitting = int(task_s * pairs / max(seconds, 1e-6))
        most = min(int(MOST_PAIRS * task_s / TASK_S), MOST_PAIRS_OF_MANY)
        self._sizes[span.encounter] = max(1, min(fitting, MOST_GROWTH * size, most))

    def time_limit_s(self, span: Span) -> float:
        """Return how many seconds a worker may take for a span.

        The limit is based on the encounter's slowest pairs so far.
        """
        slowest = self._slowest[span.encounter]
        if not slowest:
            return LONGEST_S
        return max(PATIENCE_S, PATIENCE * slowest * (span.end - span.first))

    def requeue(self, spans: list[Span]) -> None:
        """Put spans back at the front of the queue, in order."""
        self._requeued.extendleft(reversed(spans))

    def requeue_lost(self, spans: list[Span]) -> int:
        """Requeue a dead worker's spans; return how often the first one has been lost."""
        self.requeue(spans)
        self._losses[spans[0]] += 1
        return self._losses[spans[0]]
