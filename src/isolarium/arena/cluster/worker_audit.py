"""Checks the workers of a run while it is played: what they are refused for, and whether their games can be believed.

Some batches are played by two workers (`spot_checks.py` says which). Where they differ, this machine plays the batch
too; all games of who differs from that are taken out of the record, and played by others.
"""

from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import replace
from typing import Any

from isolarium.arena.cluster.spot_checks import (
    Check,
    Origins,
    Trust,
    comparable,
    read_verdicts,
    secret_of,
    write_verdicts,
)
from isolarium.arena.game import Game
from isolarium.arena.run_db import Record, written
from isolarium.arena.schedule import Span
from isolarium.errors import RunAborted
from isolarium.text import counted


class Checking:
    """What is known of a run's workers.

    Args:
        record: the run's, open for writing.
        share: of the batches, that are played twice.
        play_here: batches as this machine plays them, made `comparable`; none if it was told to stop first.
        play_again: is called with a worker and all that it had played, which nobody has now.
    """

    def __init__(
        self,
        record: Record,
        share: float,
        play_here: Callable[[list[Span]], list[str]],
        play_again: Callable[[str, list[Span]], None],
    ) -> None:
        self._record = record
        self._trust = Trust[Span](share, secret_of(record.plan.seed) if share else "")
        self._verdicts = read_verdicts(record)
        self._origins = Origins(record, len(record.sittings()))
        self._turned_away: list[str] = []
        self._play_here, self._play_again = play_here, play_again

    @property
    def distrusted(self) -> Set[str]:
        """Workers that were found out."""
        return self._trust.distrusted

    @property
    def is_waiting(self) -> bool:
        """Whether a worker is still to be found for a check."""
        return bool(self._trust.waiting)

    def next_for(self, worker: str) -> Check[Span] | None:
        """A check that a worker can make, which is its own from then on."""
        return self._trust.next_for(worker)

    def leave(self, checks: Iterable[Check[Span]]) -> None:
        """Leave checks that a worker was to make to others."""
        self._trust.waiting += checks

    def draw(self, span: Span, worker: str, games: Iterable[Game]) -> None:
        """Have what a worker played checked, if it is drawn."""
        if self._trust.draws(span):
            self._trust.waiting.append(Check(span, worker, comparable(games)))

    def origin(self, worker: str, span: Span, speed: float | None) -> tuple[str, str]:
        """The fact that says what a worker has played, a span more than before."""
        return self._origins.fact(worker, span, speed)

    def turn_away(self, why: str) -> None:
        """Note of a worker that it is given nothing."""
        self._turned_away.append(why)
        if why not in self._verdicts.refused:
            self._conclude(refused=(*self._verdicts.refused, why))

    def check(self, span: Span, games: Sequence[Game]) -> None:
        """See that a worker has returned the games that it was given.

        Raises:
            ValueError: If it has not.
        """
        self._record.check_batch(span, games)

    def reject(self, worker: str, why: str) -> None:
        """Believe nothing of a worker that returned what cannot be; what it has played is played again."""
        games = self._take_back(worker)
        again = f"; its {counted(games, 'game')} were played again by others" if games else ""
        self.turn_away(f"{why}{again}")

    def check_anybody(self, is_there: bool) -> None:
        """See that somebody is there to play, or may still come.

        Raises:
            RunAborted: all who were there were refused or found out.
        """
        if self._turned_away and not is_there:
            raise RunAborted(f"no worker is left to play: {'; '.join(self._turned_away)}")

    def compare(self, check: Check[Span], games: Iterable[Game], worker: str) -> None:
        """See whether a batch was played alike by two workers; if not, who is wrong."""
        again = comparable(games)
        if check.found == again:
            self._conclude(checked=self._verdicts.checked + 1)
            return
        truth = self._play_here([check.task])
        for one, found in ((check.worker, check.found), (worker, again)):
            if not truth:  # told to stop: nobody knows who it was
                self._take_back(one)
            elif found != truth[0]:
                self._distrust(one)

    def check_the_rest(self, workers: Iterable[str]) -> None:
        """Once all is played, check here what none of these workers can."""
        rest, there = self._trust.waiting, set(workers)
        if any(there - {check.worker} for check in rest):
            return
        truths = self._play_here([check.task for check in rest])
        for check, truth in zip(rest, truths, strict=False):
            if check.worker in self.distrusted:
                continue
            if check.found == truth:
                self._conclude(checked=self._verdicts.checked + 1)
            else:
                self._distrust(check.worker)
        self._trust.waiting = []

    def _distrust(self, worker: str) -> None:
        """Believe nothing of a worker: all that it has played is played again by others."""
        self._turned_away.append(f"the games of {worker} were not what they should be")
        games = self._verdicts.differed.get(worker, 0) + self._take_back(worker)
        self._conclude(differed={**self._verdicts.differed, worker: games})

    def _take_back(self, worker: str) -> int:
        """Take a worker's games out of the record, and give it nothing more; how many those were."""
        self._trust.distrust(worker)
        with written(self._record):
            spans = self._origins.take_back(worker)
        self._play_again(worker, spans)
        return 2 * sum(span.end - span.first for span in spans)

    def _conclude(self, **known: Any) -> None:
        """Write down what is known of the workers."""
        self._verdicts = replace(self._verdicts, **known)
        with written(self._record):
            write_verdicts(self._record, self._verdicts)
