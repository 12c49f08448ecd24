"""Early losses: games ended by a failure of an agent."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from isolarium.arena.results import Results
from isolarium.game.outcome import Reason

BY: Final = {
    Reason.ILLEGAL_MOVE: "by an illegal move",
    Reason.RESIGNATION: "by resignation",
    Reason.TIME: "on time",
    Reason.CRASH: "by a crash",
    Reason.MEMORY: "by running out of memory",
}


@dataclass(frozen=True, slots=True)
class Failure:
    """The early losses of one agent for one reason.

    Attributes:
        player: The agent's index in the plan's players.
        reason: The reason of the losses.
        lost: The number of these losses.
        games: The number of games that the agent played.
        note: The note of the first loss.
    """

    player: int
    reason: Reason
    lost: int
    games: int
    note: str

    def describe(self, name: str) -> str:
        """Describe the failure in words, for an agent with the given name.

        For instance `open lost 60 of 60 games by a crash: TypeError: ...`.
        """
        has_note = self.note and self.reason is not Reason.RESIGNATION
        return f"{self.summarize(name)}: {self.note}" if has_note else self.summarize(name)

    def summarize(self, name: str) -> str:
        """Return the description without the note."""
        return f"{name} lost {self.lost:,} of {self.games:,} games {BY[self.reason]}"


def failures(results: Results) -> list[Failure]:
    """Return all early losses by player, starting with the most frequent reason."""
    return [
        Failure(player, reason, lost, figures.games, _note(results, player, reason))
        for player, figures in enumerate(results.agents)
        for reason, lost in figures.losses.most_common()
        if reason is not Reason.NO_MOVES
    ]


def broken(results: Results) -> Iterator[Failure]:
    """Yield the main failure of each agent that failed in more than half of its games.

    Resigning is not a failure. The other statistics of a failing agent are meaningless.
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
    """Return the first note without the agent's name at its start."""
    note = results.agents[player].notes.get(reason, "")
    return note.removeprefix(f"{results.plan.players[player]}: ")
