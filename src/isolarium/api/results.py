"""What was played, as objects that show themselves: a match, a tournament, a tuned agent."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from isolarium.analysis.run_accuracy import RunAccuracy, run_accuracy
from isolarium.analysis.run_statistics import overview_of
from isolarium.api.arguments import read_path, read_workers
from isolarium.api.display import Picture, Records, Shown, one_of
from isolarium.api.progress_bar import progress_bar
from isolarium.arena.export import games_as_values
from isolarium.arena.game import Game
from isolarium.arena.plan import Format
from isolarium.arena.results import MOST_SAMPLED, Results, read_results
from isolarium.arena.run_db import Record
from isolarium.arena.run_store import find_run
from isolarium.errors import InputError
from isolarium.reporting.csv_json import table_records
from isolarium.reporting.model import Block
from isolarium.reporting.run_summary import run_json, run_summary, summary_title
from isolarium.reporting.run_tables import losses_table, pairs_table, standings_table
from isolarium.reporting.terminal import PLAIN_WIDTH
from isolarium.reporting.tuning_tables import (
    answer_words,
    trials_table,
    tuning_blocks,
    tuning_json,
    tuning_title,
)
from isolarium.reporting.verdict import verdict_of
from isolarium.stats import (
    EloEstimate,
    PairSummary,
    RateEstimate,
    Ratings,
    elo_difference,
)
from isolarium.tuning.tuning_runner import TuningResults

if TYPE_CHECKING:
    from isolarium.reporting.model import Chart

import tempfile
from contextlib import suppress
from typing import IO, Final

from isolarium.compat import is_ours, lock
from isolarium.processes.worker import when_gone
from isolarium.removal import remove_tree
from isolarium.safe_files import open_file

RunTable = Literal["standings", "pairs", "losses", "games"]
TABLES = {"standings": standings_table, "pairs": pairs_table, "losses": losses_table}


class Kept(Shown):
    """Something that was played, and its folder; a temporary one is removed when this object is.

    Attributes:
        folder: where it is.
    """

    def __init__(self, folder: Path, temporary: Path | None) -> None:
        self.folder = folder
        self._temporary = None if temporary is None else TemporaryFolder(temporary)

    @property
    def _kept(self) -> Path | None:
        """Where it stays, if it does."""
        return self.folder if self._temporary is None else None

    def _place_for(self, out: str | Path | None) -> Path:
        """Where a report goes: the folder that is given, or its own.

        Raises:
            InputError: none is given, and its own does not stay.
        """
        if out is not None:
            return read_path("out", out, "a folder")
        if self._kept is None:
            told = "what was played goes with this object"
            raise InputError(f"out: {told}; expected a folder for the report")
        return self._kept


class Run(Kept):
    """A run that was played, and its record: a `Match` or a `Tournament`.

    Attributes:
        results: all figures.
        folder: where it is; without `runs` a temporary one, removed with this object.
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

    def games(self) -> Iterator[Game]:
        """Every game, by encounter, pair and leg, with what each mover said of its moves."""
        with closing(Record(self.folder)) as record:
            yield from record.games()

    def records(self, of: RunTable = "standings") -> Records:
        """Figures as rows, for data frames and other programs.

        Args:
            of: `standings`, a row for each agent, best first; `pairs`, a row for each two that met; `losses`, what
                agents lost by; or `games`, a row for each game, whose `record` is what `read_game` reads.

        Raises:
            InputError: it is none of these.

        Example:
            >>> rows = played.records("games")
            >>> len(rows), rows.columns[:4]
            (40, ['encounter', 'pair', 'game', 'first'])
            >>> isolarium.read_game(rows[0]["record"]).outcome().reason
            <Reason.NO_MOVES: 'no moves'>
        """
        if one_of("records", of, ("standings", "pairs", "losses", "games")) == "games":
            with closing(Record(self.folder)) as record:
                board = record.plan.board
                return Records(_game(board, values) for values in games_as_values(record, False))
        return Records(table_records(TABLES[of](self.results)))

    def to_json(self) -> dict[str, Any]:
        """Every figure, as the command prints them with `--json`."""
        return run_json(self.results, self._kept)

    def chart(self) -> Picture:
        """The agents' strengths with their intervals, as the first screen of a report shows them."""
        # Inside: what draws takes longer to load than all the rest.
        from isolarium.reporting.charts.intervals import standings_chart

        with closing(Record(self.folder)) as record:
            return _drawn(standings_chart(overview_of(record)))

    def report(
        self,
        out: str | Path | None = None,
        *,
        accuracy: bool = True,
        workers: int | None = None,
        progress: bool | None = None,
    ) -> Path:
        """Write the run's report: a page that needs no other file, with its charts and tables beside it.

        Args:
            out: the folder to write it to; by default the run's own, if it stays.
            accuracy: whether to hold a sample of the games against the truth, which takes a while.
            workers: processes for that; by default one a core.
            progress: whether to show progress; by default where somebody sees it.

        Returns:
            The path of the page.

        Raises:
            InputError: the folder cannot be written, or there is none.
        """
        from isolarium.reporting.run_report import write_report

        folder = self._place_for(out)
        with closing(Record(self.folder)) as record:
            overview = overview_of(record, sample=MOST_SAMPLED if accuracy else 0)
            sample = overview.results.sample
            found = _accuracy(record, sample, workers, progress) if accuracy else None
            return write_report(record, folder, found, overview).page

    def _title(self) -> str:
        return summary_title(self.results)

    def _blocks(self) -> Iterable[Block]:
        return run_summary(self.results, PLAIN_WIDTH, self._kept)


def _game(board: str, values: dict[str, Any]) -> dict[str, Any]:
    """A game in a row: what a data frame can hold, and the whole of it as text."""
    opening, moves = values["opening"], values["moves"]
    return {
        **{name: values[name] for name in ("encounter", "pair", "game", "first", "second")},
        "winner": values["winner"],
        "winning_agent": values[values["winner"]],
        "reason": values["reason"],
        "note": values["note"],
        "plies": len(opening) + len(moves),
        "nodes": sum(values["nodes"]),
        "record": " ".join([f"{board}:", *opening, *moves]),
    }


def _accuracy(
    record: Record, sample: Sequence[Game], workers: int | None, progress: bool | None
) -> RunAccuracy:
    with progress_bar(progress) as bar:
        return run_accuracy(
            record,
            workers=read_workers(workers),
            progress=None if bar is None else lambda done, of: bar.count(done, of, "games solved"),
            sample=sample,
        )


def _drawn(chart: "Chart") -> Picture:
    from isolarium.reporting.charts.chart import svg_of

    return Picture(svg_of(chart), chart.title)


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


def read_run(run: str | Path, runs: str | Path = "runs") -> Match | Tournament:
    """Read a run that was kept, finished or not, whether it was played from Python or by a command.

    Args:
        run: its name or its folder; `last` is the one begun last.
        runs: the folder with the runs.

    Raises:
        InputError: there is no such run, or its record is damaged.
    """
    read_path("run", run, "a run's name or its folder")
    folder = find_run(str(run), read_path("runs", runs, "a folder"))
    with closing(Record(folder)) as record:
        kind = Match if record.plan.format is Format.MATCH else Tournament
        return kind(read_results(record), folder)


class Tuned(Kept):
    """A tuning run that was played.

    Attributes:
        found: the trials, what is believed of all values, and the confirmation.
        folder: where it is; without `runs` a temporary one, removed with this object.
    """

    def __init__(self, found: TuningResults, folder: Path, temporary: Path | None = None) -> None:
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

    def records(self) -> Records:
        """The trials as rows, those believed to be best first."""
        return Records(table_records(trials_table(self.found)))

    def to_json(self) -> dict[str, Any]:
        """Every figure, as the command prints them with `--json`; it writes a report besides."""
        return {**tuning_json(self.found), "run": str(self._kept) if self._kept else None}

    def chart(self) -> Picture:
        """What is believed of every value of the parameters, with the trials."""
        from isolarium.reporting.charts.response import response_chart

        return _drawn(response_chart(self.found))

    def report(self, out: str | Path | None = None) -> Path:
        """Write the report: the answer, the response to every parameter, and all trials.

        Args:
            out: the folder to write it to; by default its own, if it stays.

        Returns:
            The path of the page.

        Raises:
            InputError: the folder cannot be written, or there is none.
        """
        from isolarium.reporting.tuning_report import write_tuning_report

        return write_tuning_report(self.found, self.folder, self._place_for(out))

    def _title(self) -> str:
        return tuning_title(self.found)

    def _blocks(self) -> Iterable[Block]:
        return tuning_blocks(self.found, self._kept)


PREFIX: Final = "isolarium-run-"
HELD: Final = "held"
"""The file that a process holds as long as it needs the folder."""

_held: dict[Path, IO[bytes]] = {}


def make_folder() -> Path:
    """A folder of our own, once those that were left behind are gone."""
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    file = (folder / f"{HELD}.new").open("wb")
    lock(file)
    (folder / f"{HELD}.new").rename(folder / HELD)  # who sees it finds it held
    _held[folder] = file
    if not _is_free(folder):  # where nothing can be held, nobody knows what was left behind
        for other in folder.parent.glob(f"{PREFIX}*"):
            if _is_free(other):
                remove_tree(other)
    return folder


class TemporaryFolder:
    """One of ours, which goes with the last object that holds this."""

    def __init__(self, folder: Path) -> None:
        when_gone(self, remove_folder, folder)


def remove_folder(folder: Path) -> None:
    """Remove one of ours."""
    remove_tree(folder)
    if folder in _held:
        _held.pop(folder).close()


def _is_free(folder: Path) -> bool:
    """Whether a folder was held by one of our processes, and is not now."""
    with suppress(OSError, InputError):
        if not folder.is_symlink() and is_ours(folder.stat()):
            with open_file(folder / HELD, 0) as file:
                return lock(file)
    return False
