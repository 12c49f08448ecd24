"""`isolarium calibrate`: heuristics against exactly solved positions."""

from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isolarium.cli import completion
from isolarium.cli.exits import whole_file
from isolarium.cli.options import BoardOption, JsonOption, SeedOption
from isolarium.cli.progress_display import compile_for, display
from isolarium.errors import InputError
from isolarium.game.board import Board
from isolarium.game.notation import parse_board
from isolarium.speed import per_second

if TYPE_CHECKING:
    from isolarium.analysis.calibration import Calibration, Sample

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
    from isolarium.analysis import calibration
    from isolarium.cli.console import ANY_WIDTH, Screen
    from isolarium.heuristics.catalogue import catalogue
    from isolarium.reporting.exact_tables import calibration_blocks, calibration_json
    from isolarium.spec.resolve import read_heuristic

    chosen = [str(read_heuristic(name)) for name in heuristic or ()] or [*catalogue()]
    sample = _drawn(parse_board(board), positions, seed)
    with display() as shown:
        found = calibration.calibrate(
            chosen,
            sample,
            lambda done, total: shown.tell(lambda: f"{done} of {total} heuristics asked"),
        )
    if chart is not None:
        _write_chart(found, chart)
    if as_json:
        typer.echo(dumps(calibration_json(found)))
    else:
        Screen(ANY_WIDTH).show(calibration_blocks(found))


def _drawn(board: Board, wanted: int, seed: int) -> "Sample":
    from isolarium.analysis.calibration import draw_deciding_sample

    with display() as shown:
        compile_for(board, False, shown)
    with display() as shown:

        def tell(done: int, total: int) -> None:
            rate = per_second(done, shown.elapsed)
            shown.tell(lambda: f"{board}: {done:,} of {total:,} positions · {rate:,.0f} a second")

        return draw_deciding_sample(board, wanted, seed, tell)


def _write_chart(found: "Calibration", path: Path) -> None:
    # Altair, which few ask for, takes longer to load than the rest together.
    from isolarium.reporting.charts.chart import png, svg_of
    from isolarium.reporting.charts.intervals import calibration_chart

    svg = svg_of(calibration_chart(found))
    with whole_file(path) as file:
        file.write(png(svg) if path.suffix.lower() == ".png" else svg.encode())
