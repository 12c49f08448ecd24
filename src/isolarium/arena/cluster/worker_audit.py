"""Checks the workers of a run while it is played: what they are refused for, and whether their games can be believed.

Some batches are played by two workers (`spot_checks.py` says which). Where they differ, this machine plays the batch
too; all games of who differs from that are taken out of the record, and played by others.
"""

import json
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass, field, replace
from hashlib import sha256
from secrets import token_hex
from typing import Any, Final, Generic, TypeVar

from isolarium.arena.game import Game
from isolarium.arena.provenance import signature
from isolarium.arena.run_db import Record, written
from isolarium.arena.schedule import Span
from isolarium.errors import RunAborted
from isolarium.text import counted, printable

CHECKED: Final = 0.01
"""The share of the batches that is played again."""
PLAYED_BY: Final = "played by "
"""With which the facts begin that say what a worker has played; its name follows, and a number."""
BATCHES: Final = 500
FACT: Final = "trust"
Task = TypeVar("Task")
"""What workers are given: the span of a batch, or a position to solve."""


def comparable(games: Iterable[Game]) -> str:
    """Everything of games that is the same wherever they are played: not their times, nor how a failure was told."""
    return json.dumps(
        [
            (
                *(game.encounter, game.pair, game.leg, game.moves, game.winner, game.reason),
                *(game.scores, game.depths, game.nodes),
            )
            for game in games
        ]
    )


@dataclass(frozen=True, slots=True)
class Check(Generic[Task]):
    """Something that is to be done again by another.

    Attributes:
        task: what that is.
        worker: who has done it.
        found: what that came to; games as `comparable` makes them.
    """

    task: Task
    worker: str
    found: Any


def secret_of(seed: int) -> str:
    """What the checks of a run are drawn from: always the same here, and nothing that a worker knows."""
    return signature(f"checks {seed}") or token_hex()


@dataclass
class Trust(Generic[Task]):
    """The checks of a run.

    Attributes:
        share: of what is done that is checked.
        secret: which that is follows from it.
        waiting: what another worker is to be found for.
        distrusted: workers that were found out.
    """

    share: float
    secret: str
    waiting: list[Check[Task]] = field(default_factory=list)
    distrusted: set[str] = field(default_factory=set)

    def draws(self, task: Task) -> bool:
        """Whether something is checked, which nobody else can know beforehand."""
        drawn = sha256(f"{self.secret} {task}".encode()).digest()
        return int.from_bytes(drawn[:8]) < self.share * 2**64

    def next_for(self, worker: str) -> Check[Task] | None:
        """A check that a worker can make, which is taken off the list."""
        for place, check in enumerate(self.waiting):
            if check.worker != worker:
                return self.waiting.pop(place)
        return None

    def distrust(self, worker: str) -> None:
        """Believe nothing of a worker any more."""
        self.distrusted.add(worker)
        self.waiting = [check for check in self.waiting if check.worker != worker]


@dataclass(frozen=True)
class Verdicts:
    """What the checks of a run have shown, as its record keeps it.

    Attributes:
        checked: batches that two workers played alike.
        differed: workers whose games were played again, with how many.
        refused: workers that were given nothing, with the reason.
    """

    checked: int = 0
    differed: dict[str, int] = field(default_factory=dict)
    refused: tuple[str, ...] = ()


NO_VERDICTS: Final = Verdicts()


def read_verdicts(record: Record) -> Verdicts:
    """What is known of a run's workers.

    Raises:
        InputError: the record is damaged.
    """
    found = record.json_fact(FACT, {})
    with record.checked():
        if type(found) is not dict or not found.keys() <= {"checked", "differed", "refused"}:
            raise ValueError("what it says of its workers is nothing that was written")
        checked, differed = found.get("checked", 0), found.get("differed", {})
        refused = found.get("refused", [])
        kinds = [(checked, int), (differed, dict), (refused, list)]
        counts, told = differed.values() if type(differed) is dict else (), refused
        if (
            any(type(value) is not kind for value, kind in kinds)
            or any(type(count) is not int or count < 0 for count in (checked, *counts))
            or any(type(text) is not str for text in told)
        ):
            raise ValueError("what it says of its workers is nothing that was written")
    named = {printable(worker): count for worker, count in differed.items()}
    return Verdicts(checked, named, tuple(map(printable, refused)))


def write_verdicts(record: Record, verdicts: Verdicts) -> None:
    """Keep them with the run."""
    told = {
        "checked": verdicts.checked,
        "differed": verdicts.differed,
        "refused": verdicts.refused,
    }
    record.set_fact(FACT, json.dumps(told))


class Origins:
    """Which worker has played what, kept with the games.

    Args:
        record: of the run.
        sitting: how often the run was taken up: what was noted before is added to, and never changed.
    """

    def __init__(self, record: Record, sitting: int) -> None:
        self._record, self._sitting = record, sitting
        self._counts: dict[str, int] = {}
        self._batches: dict[str, list[tuple[int, int, int]]] = {}

    def fact(self, worker: str, span: Span, speed: float | None) -> tuple[str, str]:
        """The fact that says what a worker has played, a span more than before."""
        count = self._counts[worker] = self._counts.get(worker, -1) + 1
        if count % BATCHES == 0:
            self._batches[worker] = []
        self._batches[worker].append((span.encounter, span.first, span.end))
        value: dict[str, Any] = {"batches": self._batches[worker]}
        if speed is not None:
            value["nodes_a_second"] = round(speed)
        return f"{PLAYED_BY}{worker} {self._sitting}.{count // BATCHES}", json.dumps(value)

    def take_back(self, worker: str) -> list[Span]:
        """Remove all that a worker has played from the record; what that was."""
        names, spans = self._record.facts_beginning(f"{PLAYED_BY}{worker} "), list[Span]()
        for name in names:
            batches = self._record.json_fact(name, {})["batches"]
            spans += [Span(*batch) for batch in batches]
        self._record.remove([(span.encounter, span.first, span.end) for span in spans], names)
        self._counts.pop(worker, None)
        return spans


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
