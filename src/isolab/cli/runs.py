"""`isolab runs`: which runs there are."""

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
    """List the runs: what was played, how far it came, and whether it is finished."""
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
    from isolab.arena.table import Piece, shortened
    from isolab.cli.run_tables import TableScreen

    screen = TableScreen()
    names = max(len(run.name) for run in found)
    counts = [_games(run) for run in found]
    wide = max(map(len, counts))
    for run, games in zip(found, counts, strict=True):
        line = f"{run.name:<{names}}  {run.state:<8}  {games:>{wide}} games  "
        room = max(20, screen.width - len(line))
        screen.show([[Piece(line), Piece(shortened(run.title, room), "note")]])


def _games(run: "RunFacts") -> str:
    if run.state == "finished":
        return f"{run.games:,}"
    return f"{run.games:,} of {run.games_planned:,}"
