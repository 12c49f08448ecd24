"""Runs on the command line: played, gone on with, shown, and listed."""

import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from json import dumps
from pathlib import Path
from typing import Final

import typer

from isolab.arena.labels import short_labels
from isolab.arena.plan import Plan
from isolab.arena.progress_line import describe
from isolab.arena.record import Record
from isolab.arena.results import Results, player_rate, read_results
from isolab.arena.runner import Progress, RunAborted, play_run
from isolab.arena.runs import RunFacts, begin_run, find_run, list_runs
from isolab.arena.standings import Tally
from isolab.arena.table import Piece
from isolab.cli.console import TableScreen
from isolab.cli.endings import FAILED, interruptible
from isolab.cli.progress import Display, display
from isolab.text import shortened

MOST_STANDINGS: Final = 12
LEAST_TITLE: Final = 40
"""What a title gets even on a narrow screen."""


def play_and_show(
    make_plan: Callable[[], Plan],
    label: str,
    runs: Path,
    workers: int | None,
    as_json: bool,
    *,
    accuracy: bool = False,
) -> None:
    """Play a new run, and print what it says, of a match with its accuracy if that is wanted.

    Something is on the screen before the plan is made.
    """
    with display(label, "starting...") as shown, closing(begin_run(runs, make_plan())) as record:
        results = _play(record, workers, shown)
    _show(results, record.folder, workers, as_json, accuracy)


def resume_and_show(
    run: str, runs: Path, workers: int | None, as_json: bool, *, accuracy: bool
) -> None:
    """Play what is missing of a run, and print what it says."""
    with closing(Record(find_run(run, runs), writes=True)) as record:
        label = record.plan.title or str(record.plan.format)
        with display(label, "starting...") as shown:
            results = _play(record, workers, shown)
    _show(results, record.folder, workers, as_json, accuracy)


def _play(record: Record, workers: int | None, shown: Display) -> Results:
    try:
        with interruptible() as interrupted:
            play_run(
                record,
                workers,
                lambda progress: tell_of_run(progress, shown),
                lambda: bool(interrupted),
            )
    except RunAborted as error:
        shown.clear()
        typer.echo(f"isolab: {error}; isolab resume {record.folder} goes on", err=True)
        raise typer.Exit(FAILED) from None
    return read_results(record)


def _show(
    results: Results, folder: Path, workers: int | None, as_json: bool, accuracy: bool
) -> None:
    # Loaded now: before the games the solver would only keep the workers waiting.
    from isolab.cli.work.run_tables import show_results_and_exit

    show_results_and_exit(results, folder, workers, as_json, accuracy)


def tell_of_run(progress: Progress, shown: Display) -> None:
    """Say how far a run is, with the standings below where there is room."""
    shown.tell(lambda: describe(progress), lambda room: _standings(progress.tally, room))


def _standings(tally: Tally, room: int) -> Iterator[str]:
    """The best agents under test so far, a line each; none for a match, whose score is in the line above."""
    if len(tally.plan.encounters) < 2:
        return
    most = min(MOST_STANDINGS, room)
    labels = short_labels(tally.plan).labels[: len(tally.plan.agents)]
    games = {player: 2 * tally.player_summary(player).pairs for player in range(len(labels))}
    rates = {player: player_rate(tally, player) for player in games if games[player]}
    best = sorted(rates, key=lambda player: -rates[player].rate)[: max(0, most)]
    width = max((len(labels[player]) for player in best), default=0)
    for rank, player in enumerate(best, start=1):
        yield f"  {rank:>2}  {labels[player]:<{width}}  {rates[player]!s:<20} {games[player]:>7,} games"
    if len(labels) > len(best) > 1:
        yield f"      and {len(labels) - len(best)} more"


def show_runs(runs: Path, as_json: bool) -> None:
    """List the runs of a folder."""
    found = list_runs(runs)
    if as_json:
        typer.echo(dumps([_facts(run) for run in found]))
    elif not found:
        typer.echo(f"no runs in {runs} yet; isolab match makes one")
    else:
        _list(found)


def _facts(run: RunFacts) -> dict[str, object]:
    return {
        "name": run.name,
        "folder": str(run.folder),
        "title": run.title,
        "started": run.started,
        "games": run.games,
        "games_planned": run.games_planned,
        "state": run.state,
    }


def _list(found: list[RunFacts]) -> None:
    screen = TableScreen()
    names = max(len(run.name) for run in found)
    counts = [_games(run) for run in found]
    wide = max(map(len, counts))
    for run, games in zip(found, counts, strict=True):
        line = f"{run.name:<{names}}  {run.state:<8}  {games:>{wide}} games  "
        room = max(LEAST_TITLE, screen.width - len(line))
        title = fitted(run.title, room) if sys.stdout.isatty() else run.title
        screen.show([[Piece(line), Piece(title, "note")]])


def fitted(title: str, room: int) -> str:
    """A title in so many letters; where two play, without what both share, and with something of either name."""
    one, versus, other = title.partition(" vs ")
    if not versus or len(title) <= room:
        return shortened(title, room)
    one, other = _without_shared(one, other)
    names = room - len(versus)
    kept = max(names // 2, names - len(other))
    one = shortened(one, kept)
    return f"{one}{versus}{shortened(other, names - len(one))}"


def _without_shared(one: str, other: str) -> tuple[str, str]:
    """Two specs without the limit and the search that both have."""
    if one == other:
        return one, other
    (head, at, limit), (head2, at2, limit2) = one.rpartition("@"), other.rpartition("@")
    if at and at2 and limit == limit2:
        one, other = head, head2
    (search, colon, name), (search2, colon2, name2) = one.partition(":"), other.partition(":")
    return (name, name2) if colon and colon2 and search == search2 else (one, other)


def _games(run: RunFacts) -> str:
    if run.state == "finished":
        return f"{run.games:,}"
    return f"{run.games:,} of {run.games_planned:,}"
