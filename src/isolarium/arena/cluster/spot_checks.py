"""Whether workers of a cluster can be believed: some batches are played twice, by two of them, and compared.

Where two differ, this machine plays the batch too; who differs from that is named, and its games are played again. For
that the record keeps which worker played what, as facts of at most `BATCHES` batches each.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from secrets import token_hex
from typing import Any, Final, Generic, TypeVar

from isolarium.arena.game import Game
from isolarium.arena.provenance import signature
from isolarium.arena.run_db import Record
from isolarium.arena.schedule import Span
from isolarium.text import printable

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
