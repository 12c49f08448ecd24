"""`isolab runs`: which runs there are."""

import sys
from json import dumps
from typing import TYPE_CHECKING

import typer

from isolab.cli.plan_options import JsonOption
from isolab.cli.running import DEFAULT_RUNS, RunsOption

if TYPE_CHECKING:
    from isolab.arena.runs import RunFacts

EXAMPLES = """\b
Examples:
  isolab runs
  isolab runs --json
"""


def runs(runs: RunsOption = DEFAULT_RUNS, as_json: JsonOption = False) -> None:
    """List the runs: what was played, and how far it came."""
    from isolab.arena.runs import list_runs

    found = list_runs(runs)
    if as_json:
        typer.echo(dumps([_facts(run) for run in found]))
    elif not found:
        typer.echo(f"no runs in {runs} yet; isolab match makes one")
    else:
        _show(found)


def _facts(run: "RunFacts") -> dict[str, object]:
    return {
        "name": run.name,
        "folder": str(run.folder),
        "title": run.title,
        "started": run.started,
        "games": run.games,
        "games_planned": run.games_planned,
        "state": run.state,
    }


def _show(found: "list[RunFacts]") -> None:
    from isolab.cli.run_tables import TableScreen
    from isolab.reporting.model import Column, Table, rows_of

    columns = (
        Column("name", "run", "<", repeats=True),
        Column("state", "state", "<"),
        Column("games", "games"),
        Column("title", "what was played", "<", shrinks=True),
    )
    watched = sys.stdout.isatty()
    rows = rows_of(
        columns,
        [
            (run.name, run.state, _games(run), run.short_title if watched else run.title)
            for run in found
        ],
    )
    TableScreen(10_000).show([Table("runs", "", columns, rows)])


def _games(run: "RunFacts") -> str:
    if run.state == "finished":
        return f"{run.games:,}"
    return f"{run.games:,} of {run.games_planned:,}"
