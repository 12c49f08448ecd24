"""Holds heuristics against solved positions, and shows what came of it."""

from collections.abc import Sequence
from json import dumps
from pathlib import Path

import typer

from isolarium.analysis.calibration import Calibration, calibrate
from isolarium.analysis.calibration_positions import Sample, draw_deciding_sample
from isolarium.cli.console import ANY_WIDTH, Screen
from isolarium.cli.exits import whole_file
from isolarium.cli.progress_display import display
from isolarium.cli.work.solve import compile_for
from isolarium.game.board import Board
from isolarium.game.notation import parse_board
from isolarium.heuristics.catalogue import catalogue
from isolarium.reporting.calibration_tables import calibration_blocks, calibration_json
from isolarium.spec.resolve import read_heuristic
from isolarium.speed import per_second


def calibrate_and_show(
    names: Sequence[str],
    board: str,
    positions: int,
    seed: int,
    chart: Path | None,
    as_json: bool,
) -> None:
    """Draw positions, ask heuristics, write the chart if one is wanted, and print the table.

    Args:
        names: the heuristics; none: the whole catalogue.
        board: the board of the positions.
        positions: how many for each stage of the game.
        seed: what they are drawn from.
        chart: where to write the picture; its ending says in which form.
        as_json: whether to print JSON.

    Raises:
        InputError: something of that is not what it should be, or the positions decide nothing.
    """
    chosen = [str(read_heuristic(name)) for name in names] or [*catalogue()]
    sample = _drawn(parse_board(board), positions, seed)
    with display() as shown:
        found = calibrate(
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


def _drawn(board: Board, wanted: int, seed: int) -> Sample:
    with display() as shown:
        compile_for(board, False, shown)
    with display() as shown:

        def tell(done: int, total: int) -> None:
            rate = per_second(done, shown.elapsed)
            shown.tell(lambda: f"{board}: {done:,} of {total:,} positions · {rate:,.0f} a second")

        return draw_deciding_sample(board, wanted, seed, tell)


def _write_chart(found: Calibration, path: Path) -> None:
    # Altair, which few ask for, takes longer to load than the rest together.
    from isolarium.reporting.charts.calibration import calibration_chart
    from isolarium.reporting.charts.chart import png, svg_of

    svg = svg_of(calibration_chart(found))
    with whole_file(path) as file:
        file.write(png(svg) if path.suffix.lower() == ".png" else svg.encode())
