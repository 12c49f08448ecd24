"""Isolab from Python: `isolab.match("alphabeta:improved", "mcts", pairs=200)` plays, and shows what came of it."""

import shutil
import sys
import tempfile
import weakref
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Self

from isolab.arena.game_row import GameRow
from isolab.arena.plan import Plan
from isolab.arena.planning import Conditions, match_plan, sweep_plan, tournament_plan
from isolab.arena.record import Record
from isolab.arena.results import Results, read_results
from isolab.arena.runner import Progress, play_run
from isolab.arena.runs import begin_run
from isolab.errors import InputError
from isolab.permits import check_may_start
from isolab.reporting.html import write_fragment
from isolab.reporting.progress import progress_line
from isolab.reporting.run_summary import run_json, run_summary, summary_title
from isolab.reporting.terminal import PLAIN_WIDTH, plain_text
from isolab.reporting.verdict import verdict_of
from isolab.stats import (
    EloEstimate,
    PairSummary,
    RateEstimate,
    Ratings,
    SprtPlan,
    elo_difference,
)


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

    @property
    def _kept(self) -> Path | None:
        """Where the record stays, if it does."""
        return None if self._is_temporary else self.folder

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


def match(
    first: str,
    second: str,
    *,
    pairs: int | None = None,
    board: str = "7x7",
    seed: int = 1,
    openings: str = "random",
    plies: int = 0,
    test: tuple[float, float] | SprtPlan | None = None,
    move_ms: float | None = None,
    limit: str | None = None,
    name: str = "",
    workers: int | None = None,
    runs: str | Path | None = None,
    progress: bool | None = None,
) -> Match:
    """Let two agents play pairs of games: each opening twice, with the sides swapped.

    Args:
        first: an agent's spec, such as `alphabeta:improved`.
        second: the agent it meets.
        pairs: how many; by default 500, each opening of a list once, or as many as the test needs.
        board: ROWSxCOLS.
        seed: the same seed, the same games.
        openings: `random`, `all`, or the path of a file.
        plies: random moves after the placements.
        test: two Elo differences; the match stops as soon as one of them is shown to be wrong.
        move_ms: who takes longer for a move loses.
        limit: a limit for both, such as `ms=150`, in place of their own.
        name: what to call the run.
        workers: processes; by default one a core.
        runs: the folder to keep the run in; without one its record goes with the object that is returned.
        progress: whether to show progress on stderr; by default where somebody sees it.

    Raises:
        InputError: something is not as it should be; the message says what.
    """
    check_may_start()
    conditions = Conditions(pairs, board, seed, openings, plies, move_ms, limit, name)
    plan = match_plan(first, second, conditions, _test_plan(test))
    return Match(*_play(plan, workers, runs, progress))


def tournament(
    agents: Sequence[str],
    *,
    against: Sequence[str] = (),
    field: str = "",
    self_play: bool = False,
    pairs: int | None = None,
    board: str = "7x7",
    seed: int = 1,
    openings: str = "random",
    plies: int = 0,
    move_ms: float | None = None,
    limit: str | None = None,
    name: str = "",
    workers: int | None = None,
    runs: str | Path | None = None,
    progress: bool | None = None,
) -> Tournament:
    """Let every agent meet every other, or every one of a field.

    Args:
        agents: the agents' specs.
        against: whom they meet; without any, and without a field, each other.
        field: a field with a name, `course` or `fixed-depth`, to be met too.
        self_play: whether each also meets itself.
        pairs: pairs of games for every two that meet; by default 100, or each opening of a list once.
        board: ROWSxCOLS.
        seed: the same seed, the same games.
        openings: `random`, `all`, or the path of a file.
        plies: random moves after the placements.
        move_ms: who takes longer for a move loses.
        limit: a limit for all, such as `ms=150`, in place of their own.
        name: what to call the run.
        workers: processes; by default one a core.
        runs: the folder to keep the run in; without one its record goes with the object that is returned.
        progress: whether to show progress on stderr; by default where somebody sees it.

    Raises:
        InputError: something is not as it should be; the message says what.
    """
    check_may_start()
    conditions = Conditions(pairs, board, seed, openings, plies, move_ms, limit, name)
    plan = tournament_plan(_several(agents), conditions, _several(against), field, self_play)
    return Tournament(*_play(plan, workers, runs, progress))


def sweep(
    template: str,
    *values: str,
    against: str | Sequence[str],
    pairs: int | None = None,
    board: str = "7x7",
    seed: int = 1,
    openings: str = "random",
    plies: int = 0,
    move_ms: float | None = None,
    limit: str | None = None,
    name: str = "",
    workers: int | None = None,
    runs: str | Path | None = None,
    progress: bool | None = None,
) -> Tournament:
    """Let one agent with many values of its parameters meet the same opponents.

    Args:
        template: a spec with `{}` for each list of values, such as `alphabeta:balanced(weight={})`.
        values: the lists, such as `0,0.5,1`, or `0:1:0.25` for all numbers in steps of 0.25.
        against: whom they meet.
        pairs: pairs of games for every two that meet; by default 500, or each opening of a list once.
        board: ROWSxCOLS.
        seed: the same seed, the same games.
        openings: `random`, `all`, or the path of a file.
        plies: random moves after the placements.
        move_ms: who takes longer for a move loses.
        limit: a limit for all, such as `ms=150`, in place of their own.
        name: what to call the run.
        workers: processes; by default one a core.
        runs: the folder to keep the run in; without one its record goes with the object that is returned.
        progress: whether to show progress on stderr; by default where somebody sees it.

    Raises:
        InputError: something is not as it should be; the message says what.
    """
    check_may_start()
    conditions = Conditions(pairs, board, seed, openings, plies, move_ms, limit, name)
    plan = sweep_plan(template, values, _several(against), conditions)
    return Tournament(*_play(plan, workers, runs, progress))


def _several(specs: str | Sequence[str]) -> Sequence[str]:
    """A single spec is a list of one: as a sequence it would be its letters."""
    return [specs] if isinstance(specs, str) else specs


def _test_plan(test: tuple[float, float] | SprtPlan | None) -> SprtPlan | None:
    if test is None or isinstance(test, SprtPlan):
        return test
    try:
        return SprtPlan(*test)
    except (TypeError, ValueError) as error:
        raise InputError(f"test: {error}; expected two numbers such as (0, 20)") from None


def _play(
    plan: Plan, workers: int | None, runs: str | Path | None, progress: bool | None
) -> tuple[Results, Path, Path | None]:
    """Play a plan; what it says, where it is, and, if it is not to stay, what is to be removed."""
    if runs is not None:
        return *_play_in(Path(runs), plan, workers, progress), None
    temporary = Path(tempfile.mkdtemp(prefix="isolab-run-"))
    try:
        return *_play_in(temporary, plan, workers, progress), temporary
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def _play_in(
    runs: Path, plan: Plan, workers: int | None, progress: bool | None
) -> tuple[Results, Path]:
    with closing(begin_run(runs, plan)) as record:
        if _is_watched() if progress is None else progress:
            with ProgressLine() as line:
                play_run(record, workers, line.show)
        else:
            play_run(record, workers)
        return read_results(record), record.folder


def _is_watched() -> bool:
    """Whether somebody sees stderr: on a terminal or in a notebook."""
    return "ipykernel" in sys.modules or (sys.stderr is not None and sys.stderr.isatty())


class ProgressLine:
    """One line on stderr that is written over again and again, and gone at the end."""

    def __init__(self) -> None:
        self._width = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._write("")
        print(end="\r", file=sys.stderr, flush=True)

    def show(self, progress: Progress) -> None:
        """Show how far it is."""
        self._write(progress_line(progress))

    def _write(self, text: str) -> None:
        print("\r" + text.ljust(self._width), end="", file=sys.stderr, flush=True)
        self._width = len(text)
