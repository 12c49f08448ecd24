"""`isolarium calibrate`: heuristics against exactly solved positions."""

from pathlib import Path
from typing import Annotated

import typer

from isolarium.cli import completion
from isolarium.cli.options import BoardOption, JsonOption, SeedOption
from isolarium.errors import InputError

EXAMPLES = """\b
Examples:
  isolarium calibrate improved distance stealer --board 5x5 --positions 100
  isolarium calibrate 'distance(scale=2)' --board 6x6 --positions 50 --json
"""


def calibrate(
    heuristic: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[HEURISTIC]...",
            help="Such as improved, or FILE.py:FUNCTION.",
            autocompletion=completion.heuristics,
        ),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="The whole catalogue.")] = False,
    board: BoardOption = "7x7",
    positions: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, help="Solved positions for each stage of the game; there are four."
        ),
    ] = 2000,
    seed: SeedOption = 1,
    chart: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A picture to write, .svg or .png.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Hold heuristics against solved positions.

    Is its best move right, and does its sign tell the winner? Positions come from games of ordinary
    agents with random moves mixed in, at most one of a game for each stage. The best move has the
    highest value after it; equal ones share. It is asked where moves win and moves lose, and none
    ends the game at once. Positions past the solver's reach, which their blank squares tell, are
    left out: on 7x7 there are none.
    """
    if chart is not None and chart.suffix.lower() not in (".svg", ".png"):
        raise InputError(f"--chart {chart}: expected a file that ends in .svg or .png")
    if every == bool(heuristic):
        raise InputError("expected heuristics, such as improved distance, or --all")
    from isolarium.cli.work.calibrate import calibrate_and_show

    calibrate_and_show(heuristic or [], board, positions, seed, chart, as_json)
