"""`isolab calibrate`: heuristics against exactly solved positions."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isolab.cli.plan_options import BoardOption, JsonOption, SeedOption

if TYPE_CHECKING:
    from isolab.analysis.calibration import Calibration
    from isolab.analysis.calibration_positions import Sample
    from isolab.game.board import Board
    from isolab.heuristics.binding import Bound

EXAMPLES = """\b
Examples:
  isolab calibrate improved distance stealer --board 5x5 --positions 100
  isolab calibrate 'distance(scale=2)' --board 6x6 --positions 50 --json
"""


def calibrate(
    heuristic: Annotated[
        list[str] | None,
        typer.Argument(metavar="[HEURISTIC]...", help="Such as improved, or FILE.py:FUNCTION."),
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
    from isolab.analysis.calibration import calibrate as hold_against
    from isolab.cli.living_line import living_line
    from isolab.game.notation import parse_board

    form = _checked_form(chart)
    chosen, where = _chosen(heuristic or [], every), parse_board(board)
    sample = _drawn(where, positions, seed)
    with living_line() as line:
        found = hold_against(
            chosen,
            sample,
            lambda done, total: line.tell(lambda: f"{done} of {total} heuristics asked"),
        )
    if chart is not None:
        _write_chart(found, chart, form)
    _show(found, as_json)


def _chosen(texts: list[str], every: bool) -> "list[Bound]":
    from isolab.errors import InputError
    from isolab.heuristics.binding import bind
    from isolab.heuristics.catalogue import catalogue
    from isolab.heuristics.parsing import parse_heuristic

    if every == bool(texts):
        raise InputError("expected heuristics, such as improved distance, or --all")
    return [*map(bind, catalogue().values())] if every else [*map(parse_heuristic, texts)]


def _drawn(board: "Board", wanted: int, seed: int) -> "Sample":
    from isolab.analysis.calibration_positions import draw_sample
    from isolab.cli.living_line import living_line
    from isolab.cli.solving import compile_for
    from isolab.errors import InputError

    compile_for(board, distance=False)
    with living_line() as line:

        def tell(done: int, total: int) -> None:
            rate = done / max(line.elapsed, 1e-3)
            line.tell(lambda: f"{board}: {done:,} of {total:,} positions · {rate:,.0f} a second")

        sample = draw_sample(board, wanted, seed, tell)
    if not any(one.decides for one in sample.positions):
        raise InputError(
            f"{board}, {wanted} positions: none has moves that win and moves that lose; expected more positions"
        )
    return sample


def _checked_form(chart: Path | None) -> str:
    """The form of the picture, by the file's ending.

    Raises:
        InputError: there is no such form.
    """
    from isolab.errors import InputError

    form = "" if chart is None else chart.suffix.lower()
    if chart is not None and form not in (".svg", ".png"):
        raise InputError(f"--chart {chart}: expected a file that ends in .svg or .png")
    return form


def _write_chart(found: "Calibration", path: Path, form: str) -> None:
    from isolab.cli.whole_file import whole_file
    from isolab.reporting.charts.calibration import calibration_chart
    from isolab.reporting.charts.chart import png

    svg = calibration_chart(found).svg()
    with whole_file(path) as file:
        file.write(png(svg) if form == ".png" else svg.encode())


def _show(found: "Calibration", as_json: bool) -> None:
    from isolab.cli.run_tables import TableScreen
    from isolab.reporting.calibration import calibration_blocks, calibration_json

    if as_json:
        from json import dumps

        typer.echo(dumps(calibration_json(found)))
    else:
        TableScreen().show(calibration_blocks(found))
