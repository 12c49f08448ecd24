"""`isolab runs`: which runs there are."""

from json import dumps
from typing import TYPE_CHECKING

import typer

from isolab.cli.plan_options import JsonOption
from isolab.cli.running import DEFAULT_RUNS, RunsOption

if TYPE_CHECKING:
    from isolab.arena.runs import RunFacts

LEAST_TITLE = 40
"""What a title gets even on a narrow screen."""
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
    import sys

    from isolab.arena.table import Piece
    from isolab.cli.run_tables import TableScreen

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
    from isolab.text import shortened

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
    from isolab.grammar import tree_of

    if one == other:
        return one, other
    first, second = tree_of(one), tree_of(other)
    if first.limit == second.limit:
        first, second = first.without_limit(), second.without_limit()
    if first.body and second.body and first.search == second.search:
        first, second = first.without_search(), second.without_search()
    return str(first), str(second)


def _games(run: "RunFacts") -> str:
    if run.state == "finished":
        return f"{run.games:,}"
    return f"{run.games:,} of {run.games_planned:,}"
