"""Runs as objects that display themselves: a match, a tournament, a tuning run."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from isolarium.analysis.run_accuracy import RunAccuracy, run_accuracy
from isolarium.analysis.run_statistics import overview_of
from isolarium.api.arguments import read_path, read_workers
from isolarium.api.display import Displayed, Picture, Records, one_of, progress_bar
from isolarium.arena.game import Game
from isolarium.arena.game_batch import REASONS, GameBatch
from isolarium.arena.game_counts import exact_sums
from isolarium.arena.plan import Format
from isolarium.arena.results import MOST_SAMPLED, Results, read_results
from isolarium.arena.run_db import Record
from isolarium.arena.run_store import find_run, full_names
from isolarium.errors import InputError
from isolarium.game.position import Player
from isolarium.reporting.model import Block, table_records
from isolarium.reporting.run_summary import run_json, run_summary, summary_title
from isolarium.reporting.run_tables import losses_table, pairs_table, standings_table
from isolarium.reporting.terminal import PLAIN_WIDTH
from isolarium.reporting.tuning_tables import answer_words, trials_table, tuning_blocks, tuning_json, tuning_title
from isolarium.reporting.verdict import verdict_of
from isolarium.stats import EloEstimate, PairSummary, RateEstimate, Ratings
from isolarium.studies.tuning_runner import TuningResults

if TYPE_CHECKING:
    from isolarium.reporting.model import Chart

import tempfile
from contextlib import suppress
from typing import IO, Final

from isolarium.compat import is_ours, lock
from isolarium.processes.worker import finalize
from isolarium.removal import remove_tree
from isolarium.safe_files import open_file

RunTable = Literal["standings", "pairs", "losses", "games"]
TABLES = {"standings": standings_table, "pairs": pairs_table, "losses": losses_table}


class StoredResult(Displayed):
    """A result with a folder; a temporary folder is removed with this object.

    Attributes:
        folder: The folder.
    """

    def __init__(self, folder: Path, temporary: Path | None) -> None:
        self.folder = folder
        self._temporary = None if temporary is None else TemporaryFolder(temporary)

    @property
    def _kept(self) -> Path | None:
        """The folder, unless it is temporary."""
        return self.folder if self._temporary is None else None

    def _place_for(self, out: str | Path | None) -> Path:
        """Return the folder for a report: the given folder, or else the result's own.

        Raises:
            InputError: If no folder is given and the result's own folder is temporary.
        """
        if out is not None:
            return read_path("out", out, "a folder")
        if self._kept is None:
            problem = "this run's folder is temporary"
            raise InputError(f"out: {problem}; name a folder for the report")
        return self._kept


class Run(StoredResult):
    """A run: a `Match` or a `Tournament`.

    Attributes:
        results: All figures.
        folder: The run's folder; without `runs` a temporary one, removed with this object.
    """

    def __init__(self, results: Results, folder: Path, temporary: Path | None = None) -> None:
        super().__init__(folder, temporary)
        self.results = results

    @property
    def finished(self) -> bool:
        """Whether the run is complete."""
        return self.results.finished

    @property
    def verdict(self) -> str:
        """The conclusion from the run, in words."""
        return verdict_of(self.results).words

    def games(self) -> Iterator[Game]:
        """Yield every game with the agents' reports, by encounter, pair and leg."""
        with closing(Record(self.folder)) as record:
            yield from record.games()

    def records(self, of: RunTable = "standings") -> Records:
        """Return figures as rows, for data frames and other programs.

        Args:
            of: `standings` for one row per agent, best first; `pairs` for one row per encounter; `losses` for the
                reasons of losses; or `games` for one row per game, whose `record` is text that `read_game` reads.

        Raises:
            InputError: If `of` is not one of these.

        Example:
            >>> rows = played.records("games")
            >>> len(rows), rows.columns[:4]
            (40, ['encounter', 'pair', 'game', 'first'])
            >>> isolarium.read_game(rows[0]["record"]).outcome().reason
            <Reason.NO_MOVES: 'no moves'>
        """
        if one_of("records", of, ("standings", "pairs", "losses", "games")) == "games":
            with closing(Record(self.folder)) as record:
                return Records(row for batch in record.batches() for row in _rows(record, batch))
        return Records(table_records(TABLES[of](self.results)))

    def to_json(self) -> dict[str, Any]:
        """Return the JSON output of the command."""
        return run_json(self.results, self._kept)

    def chart(self) -> Picture:
        """Draw the agents' strengths with their intervals, as in the report's first chart."""
        # Imported here because the charts take longer to import than everything else.
        from isolarium.reporting.interval_charts import standings_chart

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
        """Write the run's report.

        The report is a self-contained page, with its charts and tables as files beside it.

        Args:
            out: The folder to write it to; by default the run's own, unless it is temporary.
            accuracy: Whether to compare a sample of the games with perfect play, which takes a while.
            workers: The number of processes for this comparison; by default one for each core.
            progress: Whether to show progress; by default on a terminal and in a notebook.

        Returns:
            The path of the page.

        Raises:
            InputError: If the folder cannot be written to, or is needed but missing.
        """
        from isolarium.reporting.run_report import write_report

        folder = self._place_for(out)
        with closing(Record(self.folder)) as record:
            overview = overview_of(record, sample=MOST_SAMPLED if accuracy else 0)
            sample = overview.results.sample
            found = _accuracy(record, sample, workers, progress) if accuracy else None
            return write_report(record, folder, found, overview).page

    def resume(
        self, *own: Any, workers: int | None = None, cluster: str | None = None, progress: bool | None = None
    ) -> Self:
        """Play the missing games of an interrupted run.

        Args:
            *own: The functions, classes and objects of your program that play in the run, unchanged
                since the run began.
            workers: The number of processes; by default one for each core.
            cluster: A Dask cluster to play on instead.
            progress: Whether to show progress; by default on a terminal and in a notebook.

        Returns:
            This run, with all its games.

        Raises:
            InputError: If an object is missing or has changed, or an argument is invalid.
            RunAborted: If the run cannot continue.
        """
        from isolarium.api.runs import resume_run

        self.results = resume_run(self.folder, own, workers, cluster, progress)
        return self

    def _title(self) -> str:
        return summary_title(self.results)

    def _blocks(self) -> Iterable[Block]:
        return run_summary(self.results, PLAIN_WIDTH, self._kept)


def _rows(record: Record, batch: GameBatch) -> Iterator[dict[str, Any]]:
    """Yield games as rows of plain values, each with the whole game as text."""
    labels, board = full_names(record.plan), record.board
    columns = (batch.encounters + 1, batch.pairs + 1, batch.legs + 1, batch.winners, batch.reasons)
    nodes = exact_sums(batch.move_games, batch.nodes, len(batch))
    texts = zip(batch.openings.texts(board), batch.moves.texts(board), strict=True)
    plain = zip(*(column.tolist() for column in columns), batch.players.tolist(), strict=True)
    for number, (encounter, pair, game, winner, reason, players) in enumerate(plain):
        opening, moves = next(texts)
        first, second = labels[players[0]], labels[players[1]]
        yield {
            "encounter": encounter,
            "pair": pair,
            "game": game,
            "first": first,
            "second": second,
            "winner": _SEATS[winner],
            "winning_agent": second if winner else first,
            "reason": _REASONS[reason],
            "note": batch.notes.get(number, ""),
            "plies": len(opening) + len(moves),
            "nodes": nodes[number],
            "record": " ".join([f"{board}:", *opening, *moves]),
        }


_SEATS: Final = tuple(map(str, Player))
_REASONS: Final = tuple(map(str, REASONS))


def _accuracy(record: Record, sample: Sequence[Game], workers: int | None, progress: bool | None) -> RunAccuracy:
    with progress_bar(progress) as bar:
        return run_accuracy(
            record,
            workers=read_workers(workers),
            progress=None if bar is None else lambda done, of: bar.count(done, of, "games solved"),
            sample=sample,
        )


def _drawn(chart: "Chart") -> Picture:
    from isolarium.reporting.chart import svg_of

    return Picture(svg_of(chart), chart.title)


class Match(Run):
    """A match."""

    @property
    def rate(self) -> RateEstimate:
        """The first agent's share of the points."""
        return self.results.encounters[0].rate

    @property
    def elo(self) -> EloEstimate:
        """The difference in Elo that corresponds to `rate`."""
        return self.results.encounters[0].elo

    @property
    def superiority(self) -> float | None:
        """The likelihood that the first agent is better.

        None with fewer than five distinct openings.
        """
        return self.results.encounters[0].superiority

    @property
    def pairs(self) -> PairSummary:
        """Pairs won, split and lost by the first agent."""
        return self.results.encounters[0].summary


class Tournament(Run):
    """A tournament or a sweep."""

    @property
    def ratings(self) -> Ratings | None:
        """Joint ratings, best first; None for two agents."""
        return self.results.ratings

    @property
    def rates(self) -> dict[str, RateEstimate]:
        """Each agent's share of the points against all others."""
        return dict(zip(self.results.labels, self.results.rates, strict=True))


def read_run(run: str | Path, runs: str | Path = "runs") -> Match | Tournament:
    """Read a stored run, finished or not, played from Python or by a command.

    Args:
        run: The run's name or folder; `last` is the run started last.
        runs: The folder of runs.

    Raises:
        InputError: If there is no such run, or its database is damaged.
    """
    read_path("run", run, "a run's name or its folder")
    folder = find_run(str(run), read_path("runs", runs, "a folder"))
    with closing(Record(folder)) as record:
        kind = Match if record.plan.format is Format.MATCH else Tournament
        return kind(read_results(record), folder)


class Tuned(StoredResult):
    """A tuning run.

    Attributes:
        found: The trials, the estimates for all values, and the confirmation.
        folder: The run's folder; without `runs` a temporary one, removed with this object.
    """

    def __init__(self, found: TuningResults, folder: Path, temporary: Path | None = None) -> None:
        super().__init__(folder, temporary)
        self.found = found

    @property
    def values(self) -> dict[str, str]:
        """The best values, by parameter."""
        return dict(zip(self.found.tuning.names, self.found.best.row, strict=True))

    @property
    def agent(self) -> str:
        """The spec of the agent with the best values."""
        return self.found.tuning.spec(self.found.best.row)

    @property
    def rate(self) -> RateEstimate | None:
        """The tuned agent's share of the points against the untuned agent.

        None if both are the same.
        """
        return self.found.answer.rate if self.found.answer else None

    @property
    def elo(self) -> EloEstimate | None:
        """The difference in Elo that corresponds to `rate`."""
        return self.found.answer.elo if self.found.answer else None

    @property
    def answer(self) -> str:
        """The conclusion from the confirmation, in words."""
        return answer_words(self.found)

    def records(self) -> Records:
        """Return the trials as rows, in descending order of their estimates."""
        return Records(table_records(trials_table(self.found)))

    def to_json(self) -> dict[str, Any]:
        """Return the JSON that the command prints with `--json`."""
        return {**tuning_json(self.found), "run": str(self._kept) if self._kept else None}

    def chart(self) -> Picture:
        """Draw the estimates for all values of the parameters, with the trials."""
        from isolarium.reporting.tuning_report import response_chart

        return _drawn(response_chart(self.found))

    def report(self, out: str | Path | None = None) -> Path:
        """Write the report: the answer, the response to every parameter, and all trials.

        Args:
            out: The folder to write it to; by default the run's own, unless it is temporary.

        Returns:
            The path of the page.

        Raises:
            InputError: If the folder cannot be written to, or is needed but missing.
        """
        from isolarium.reporting.tuning_report import write_tuning_report

        return write_tuning_report(self.found, self.folder, self._place_for(out))

    def _title(self) -> str:
        return tuning_title(self.found)

    def _blocks(self) -> Iterable[Block]:
        return tuning_blocks(self.found, self._kept)


# Temporary folders of runs, which are removed with the object that represents the run
#
# A killed process, such as a notebook's kernel, does not remove its folders. So each folder has a
# file that its process keeps locked, and a process that creates its first folder removes all
# folders whose files are no longer locked.

PREFIX: Final = "isolarium-run-"
HELD: Final = "held"
"""The file that a process locks as long as it needs the folder."""

_held: dict[Path, IO[bytes]] = {}


def make_folder() -> Path:
    """Create a temporary folder, and remove those that killed processes left."""
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    file = (folder / f"{HELD}.new").open("wb")
    lock(file)
    (folder / f"{HELD}.new").rename(folder / HELD)  # The file is locked before it appears.
    _held[folder] = file
    if not _is_free(folder):  # Without locks, abandoned folders cannot be recognized.
        for other in folder.parent.glob(f"{PREFIX}*"):
            if _is_free(other):
                remove_tree(other)
    return folder


class TemporaryFolder:
    """A temporary folder, removed once no object refers to this object any more."""

    def __init__(self, folder: Path) -> None:
        finalize(self, remove_folder, folder)


def remove_folder(folder: Path) -> None:
    """Remove a temporary folder."""
    remove_tree(folder)
    if folder in _held:
        _held.pop(folder).close()


def _is_free(folder: Path) -> bool:
    """Return whether a folder's file belongs to Isolarium and is no longer locked."""
    with suppress(OSError, InputError):
        if not folder.is_symlink() and is_ours(folder.stat()):
            with open_file(folder / HELD, 0) as file:
                return lock(file)
    return False
