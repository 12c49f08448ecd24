"""Runs that were played from Python: they show themselves, and give their figures and games."""

import shutil
import weakref
from collections.abc import Iterator
from contextlib import closing
from html import escape
from pathlib import Path

from isolab.arena import match_text, tournament_text
from isolab.arena.record import GameRow, Record
from isolab.arena.results import Results
from isolab.arena.table import as_html
from isolab.arena.tournament_tables import tables_of
from isolab.stats import EloEstimate, PairSummary, RateEstimate, Ratings, elo_difference

WIDTH = 100


class Run:
    """A run that was played, and its record; a temporary one is removed when this object is.

    Attributes:
        results: all figures.
        folder: where the record is.
    """

    def __init__(self, results: Results, folder: Path, temporary: Path | None = None) -> None:
        self.results = results
        self.folder = folder
        self._is_temporary = temporary is not None
        if temporary is not None:
            weakref.finalize(self, shutil.rmtree, temporary, ignore_errors=True)

    @property
    def finished(self) -> bool:
        """Whether everything that was to be played was."""
        return self.results.finished

    def games(self) -> Iterator[GameRow]:
        """Every game, by encounter, pair and leg."""
        with closing(Record(self.folder)) as record:
            yield from record.games()

    @property
    def _kept(self) -> Path | None:
        """Where the record stays, if it does."""
        return None if self._is_temporary else self.folder


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

    @property
    def verdict(self) -> str:
        """What the match has shown, in words."""
        return match_text.verdict(self.results)

    def __repr__(self) -> str:
        """Return what the command prints."""
        return "\n".join(match_text.match_lines(self.results, self._kept))

    def _repr_html_(self) -> str:
        """Show the answer in a notebook."""
        title, *lines = match_text.match_lines(self.results, self._kept)
        width = match_text.LABEL_WIDTH
        rows = "".join(
            f"<tr><th>{escape(line[:width].strip())}</th>"
            f'<td style="text-align: left">{_spaced(line[width:])}</td></tr>'
            for line in lines
        )
        return f"<p><b>{escape(title)}</b></p><table><tbody>{rows}</tbody></table>"


def _spaced(text: str) -> str:
    """Text as HTML, which would swallow the gaps between its parts."""
    return escape(text.strip()).replace("     ", " &emsp; ")


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

    @property
    def verdict(self) -> str:
        """Who is best, in words."""
        return tournament_text.verdict(self.results)

    def __repr__(self) -> str:
        """Return what the command prints."""
        lines = tournament_text.tournament_lines(self.results, self._kept, WIDTH)
        return "\n".join("".join(piece.text for piece in line).rstrip() for line in lines)

    def _repr_html_(self) -> str:
        """Show the tables in a notebook."""
        tables = "".join(as_html(table) for table in tables_of(self.results, WIDTH))
        title = escape(tournament_text.title_of(self.results))
        return f"<p><b>{title}</b></p>{tables}<p>{escape(self.verdict)}</p>"
