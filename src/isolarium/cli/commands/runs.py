"""`isolarium runs`: which runs there are."""

import sys
from dataclasses import asdict
from json import dumps
from typing import TYPE_CHECKING

import typer

from isolarium.cli.options import DEFAULT_RUNS, JsonOption, RunsOption

if TYPE_CHECKING:
    from isolarium.arena.run_store import RunFacts

EXAMPLES = """\b
Examples:
  isolarium runs
  isolarium runs --json
"""


def runs(runs: RunsOption = DEFAULT_RUNS, as_json: JsonOption = False) -> None:
    """List the runs: what was played, and how far it came."""
    from isolarium.arena.run_store import list_runs

    found = list_runs(runs)
    if as_json:
        typer.echo(dumps([_facts(run) for run in found]))
    elif not found:
        typer.echo(f"no runs in {runs} yet; isolarium match makes one")
    else:
        _list(found)


def _facts(run: "RunFacts") -> dict[str, object]:
    facts = asdict(run)
    names = ("name", "folder", "title", "played", "started", "games", "games_planned", "state")
    return {name: facts[name] for name in names} | {"folder": str(run.folder)}


def _list(found: "list[RunFacts]") -> None:
    from isolarium.cli.console import ANY_WIDTH, Screen
    from isolarium.reporting.model import Column, Table, rows_of

    columns = (
        Column("name", "run", "<", repeats=True),
        Column("state", "state", "<"),
        Column("games", "games"),
        Column("title", "what was played", "<", shrinks=True),
    )
    watched = sys.stdout.isatty()
    rows = [(run.name, run.state, _games(run), _title(run, watched)) for run in found]
    Screen(plain_width=ANY_WIDTH).show([Table("runs", "", columns, rows_of(columns, rows))])


def _title(run: "RunFacts", short: bool) -> str:
    """What it is called, with who played."""
    title = run.short_title if short else run.title
    return f"{title}: {run.played}" if run.played else title


def _games(run: "RunFacts") -> str:
    if not run.is_readable:
        return ""
    if run.state == "finished":
        return f"{run.games:,}"
    return f"{run.games:,} of {run.games_planned:,}"
