"""A run on the screen while it goes on: a few living lines on a terminal, a plain line now and then elsewhere."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from rich.console import Console
from rich.live import Live
from rich.text import Text

if TYPE_CHECKING:
    from isolab.arena.runner import Progress
    from isolab.arena.standings import Tally

PLAIN_EVERY_S: Final = 10.0
MOST_STANDINGS: Final = 12


class RunDisplay:
    """Shows what a run is doing, how far it is, and how it stands so far. It writes to stderr."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._console = Console(stderr=True, highlight=False, markup=False, emoji=False)
        self._live: Live | None = None
        self._printed = float("-inf")

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Show it for as long as the block lasts, on a terminal from its beginning on."""
        if not self._console.is_terminal:
            yield
            return
        first = Text(f"{self._label}: starting...")
        with Live(first, console=self._console, transient=True, refresh_per_second=4) as live:
            self._live = live
            try:
                yield
            finally:
                self._live = None

    def update(self, progress: "Progress") -> None:
        """Show how far it is."""
        from isolab.arena.progress_line import describe

        line = f"{self._label}: {describe(progress)}"
        if self._live is not None:
            room = min(MOST_STANDINGS, self._console.height - 3)
            self._live.update(Text("\n".join([line, *standings(progress.tally, room)])))
        elif time.monotonic() - self._printed > PLAIN_EVERY_S:
            self._printed = time.monotonic()
            print("\n".join([line, *standings(progress.tally, 1)]), file=sys.stderr, flush=True)


def standings(tally: "Tally", most: int) -> Iterator[str]:
    """The best agents under test so far, a line each; none for a match, whose score is in the line above."""
    from isolab.arena.labels import short_labels
    from isolab.arena.results import player_rate

    if len(tally.plan.encounters) < 2:
        return
    labels = short_labels(tally.plan).labels[: len(tally.plan.agents)]
    games = {player: 2 * tally.player_summary(player).pairs for player in range(len(labels))}
    rates = {player: player_rate(tally, player) for player in games if games[player]}
    best = sorted(rates, key=lambda player: -rates[player].rate)[: max(0, most)]
    width = max((len(labels[player]) for player in best), default=0)
    for rank, player in enumerate(best, start=1):
        yield f"  {rank:>2}  {labels[player]:<{width}}  {rates[player]!s:<20} {games[player]:>7,} games"
    if len(labels) > len(best) > 1:
        yield f"      and {len(labels) - len(best)} more"
