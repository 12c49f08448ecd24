"""What was played, as objects that show themselves: a match, a tournament, a tuned agent."""

import shutil
import weakref
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from isolab.arena.game_row import GameRow
from isolab.arena.record import Record
from isolab.arena.results import Results
from isolab.reporting.html import write_fragment
from isolab.reporting.run_summary import run_json, run_summary, summary_title
from isolab.reporting.terminal import PLAIN_WIDTH, plain_text
from isolab.reporting.tuning import answer_words, tuning_blocks, tuning_json, tuning_title
from isolab.reporting.verdict import verdict_of
from isolab.stats import (
    EloEstimate,
    PairSummary,
    RateEstimate,
    Ratings,
    elo_difference,
)
from isolab.tuning.playing import TuningFindings


class Kept:
    """Something that was played, and its folder; a temporary one is removed when this object is.

    Attributes:
        folder: where it is.
    """

    def __init__(self, folder: Path, temporary: Path | None) -> None:
        self.folder = folder
        self._is_temporary = temporary is not None
        if temporary is not None:
            weakref.finalize(self, shutil.rmtree, temporary, ignore_errors=True)

    @property
    def _kept(self) -> Path | None:
        """Where it stays, if it does."""
        return None if self._is_temporary else self.folder


class Run(Kept):
    """A run that was played, and its record.

    Attributes:
        results: all figures.
    """

    def __init__(self, results: Results, folder: Path, temporary: Path | None = None) -> None:
        super().__init__(folder, temporary)
        self.results = results

    @property
    def finished(self) -> bool:
        """Whether everything that was to be played was."""
        return self.results.finished

    @property
    def verdict(self) -> str:
        """What the run has shown, in words."""
        return verdict_of(self.results).words

    def games(self) -> Iterator[GameRow]:
        """Every game, by encounter, pair and leg."""
        with closing(Record(self.folder)) as record:
            yield from record.games()

    def to_json(self) -> dict[str, Any]:
        """Every figure, as the command prints them with `--json`."""
        return run_json(self.results, self._kept)

    def __repr__(self) -> str:
        """Return what the command prints."""
        blocks = run_summary(self.results, PLAIN_WIDTH, self._kept)
        return f"{summary_title(self.results)}\n{plain_text(blocks)}"

    def _repr_html_(self) -> str:
        """Show the same in a notebook."""
        blocks = run_summary(self.results, PLAIN_WIDTH, self._kept)
        return write_fragment(summary_title(self.results), blocks)


class Match(Run):
    """A match that was played."""

    @property
    def rate(self) -> RateEstimate:
        """The first agent's share of the points."""
        return self.results.encounters[0].rate

    @property
    def elo(self) -> EloEstimate:
        """The same as a difference in Elo."""
        return elo_difference(self.rate)

    @property
    def superiority(self) -> float:
        """How likely the first agent is the better one."""
        return self.results.encounters[0].superiority

    @property
    def pairs(self) -> PairSummary:
        """Pairs won, split and lost by the first agent."""
        return self.results.encounters[0].summary


class Tournament(Run):
    """A tournament or a sweep that was played."""

    @property
    def ratings(self) -> Ratings | None:
        """Joint ratings, best first; None for two agents."""
        return self.results.ratings

    @property
    def rates(self) -> dict[str, RateEstimate]:
        """Every agent's share of the points against all others."""
        return dict(zip(self.results.labels, self.results.rates, strict=True))


class Tuned(Kept):
    """A tuning run that was played.

    Attributes:
        found: the trials, what is believed of all values, and the confirmation.
    """

    def __init__(self, found: TuningFindings, folder: Path, temporary: Path | None = None) -> None:
        super().__init__(folder, temporary)
        self.found = found

    @property
    def values(self) -> dict[str, str]:
        """The values that were chosen, by parameter."""
        return dict(zip(self.found.tuning.names, self.found.best.row, strict=True))

    @property
    def agent(self) -> str:
        """The spec of the agent with these values."""
        return self.found.tuning.spec(self.found.best.row)

    @property
    def rate(self) -> RateEstimate | None:
        """Its share of the points against the untuned, from openings that no trial had; None if it is the untuned."""
        return self.found.answer.rate if self.found.answer else None

    @property
    def elo(self) -> EloEstimate | None:
        """The same as a difference in Elo."""
        return elo_difference(self.rate) if self.rate else None

    @property
    def answer(self) -> str:
        """What was shown, in words."""
        return answer_words(self.found)

    def to_json(self) -> dict[str, Any]:
        """Every figure, as the command prints them with `--json`; it writes a report besides."""
        return {**tuning_json(self.found), "run": str(self._kept) if self._kept else None}

    def __repr__(self) -> str:
        """Return what the command prints."""
        return f"{tuning_title(self.found)}\n{plain_text(tuning_blocks(self.found, self._kept))}"

    def _repr_html_(self) -> str:
        """Show the same in a notebook."""
        return write_fragment(tuning_title(self.found), tuning_blocks(self.found, self._kept))
