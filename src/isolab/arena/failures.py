"""Games that agents lost by something else than the game: how many, and what happened the first time."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from isolab.arena.results import Results
from isolab.game.outcome import Reason

BY: Final = {
    Reason.ILLEGAL_MOVE: "by an illegal move",
    Reason.RESIGNATION: "by resignation",
    Reason.TIME: "on time",
    Reason.CRASH: "by a crash",
    Reason.MEMORY: "by running out of memory",
}


@dataclass(frozen=True, slots=True)
class Failure:
    """The games that one agent lost early for one reason.

    Attributes:
        player: the agent's place among the plan's players.
        reason: why they were lost.
        lost: how many.
        games: games the agent played.
        note: what was said of the first of them.
    """

    player: int
    reason: Reason
    lost: int
    games: int
    note: str

    def told(self, name: str) -> str:
        """`open lost 60 of 60 games by a crash: TypeError: ...`, for an agent of that name."""
        note = f": {self.note}" if self.note else ""
        return f"{self.shortly(name)}{note}"

    def shortly(self, name: str) -> str:
        """The same without the note."""
        return f"{name} lost {self.lost:,} of {self.games:,} games {BY[self.reason]}"


def failures(results: Results) -> list[Failure]:
    """Every early end there was, by player, the most frequent reason first."""
    return [
        Failure(player, reason, lost, figures.games, _note(results, player, reason))
        for player, figures in enumerate(results.agents)
        for reason, lost in figures.losses.most_common()
        if reason is not Reason.NO_MOVES
    ]


def broken(results: Results) -> Iterator[Failure]:
    """The main failure of each agent that failed in more than half of its games: its figures say nothing of its play.

    To resign is an agent's right, and no failure.
    """
    seen = set[int]()
    for failure in failures(results):
        if failure.player in seen or failure.reason is Reason.RESIGNATION:
            continue
        seen.add(failure.player)
        losses = results.agents[failure.player].losses
        failed = losses.total() - losses[Reason.NO_MOVES] - losses[Reason.RESIGNATION]
        if 2 * failed > failure.games:
            yield failure


def _note(results: Results, player: int, reason: Reason) -> str:
    """The first note, without the agent's name before it."""
    note = results.agents[player].notes.get(reason, "")
    return note.removeprefix(f"{results.plan.players[player]}: ")
