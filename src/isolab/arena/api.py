"""Matches, tournaments and sweeps from Python: `isolab.match("alphabeta:improved", "mcts", pairs=200)`."""

import shutil
import sys
import tempfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from isolab.arena.plan import Plan
from isolab.arena.plans import Conditions, match_plan, sweep_plan, tournament_plan
from isolab.arena.played import Match, Tournament
from isolab.arena.progress_line import ProgressLine
from isolab.arena.results import Results, read_results
from isolab.arena.runner import play_run
from isolab.arena.runs import begin_run
from isolab.arena.workers import check_may_start
from isolab.errors import InputError
from isolab.stats import SprtPlan


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
    check_may_start()
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
