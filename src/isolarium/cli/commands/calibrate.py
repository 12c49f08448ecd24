"""`isolarium calibrate`: heuristics evaluated on exactly solved positions."""

from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isolarium.cli import completion
from isolarium.cli.app import whole_file
from isolarium.cli.options import BoardOption, JsonOption, SeedOption
from isolarium.cli.progress_display import compile_for, display
from isolarium.errors import InputError
from isolarium.game.board import Board, parse_board
from isolarium.limits import per_second

if TYPE_CHECKING:
    from isolarium.analysis.calibration import Calibration, Sample


def calibrate(
    heuristic: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="HEURISTIC",
            help="Heuristics to evaluate, such as improved or FILE.py:FUNCTION.",
            autocompletion=completion.heuristics,
        ),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Evaluate the whole catalogue.")] = False,
    board: BoardOption = "7x7",
    positions: Annotated[
        int, typer.Option(metavar="N", min=1, help="Number of solved positions for each of the four stages.")
    ] = 2000,
    seed: SeedOption = 1,
    chart: Annotated[Path | None, typer.Option(metavar="FILE", help="Chart to write, .svg or .png.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Evaluate heuristics on solved positions.

    Measure how often a heuristic's best move is right, and how often its sign predicts the winner. The positions come
    from games between ordinary agents with random moves mixed in, at most one per game and stage. The best move is the
    one that leads to the highest value; tied moves share the score. Best moves are measured in positions where some
    moves win and some lose, and no move ends the game at once. Positions with too many blank squares for the solver are
    left out; 7x7 has no such positions.

    Examples:
        isolarium calibrate improved distance stealer --board 5x5 --positions 100
        isolarium calibrate 'distance(scale=2)' --board 6x6 --positions 50 --json
    """
    if chart is not None and chart.suffix.lower() not in (".svg", ".png"):
        raise InputError(f"--chart {chart}: expected a file that ends in .svg or .png")
    if every == bool(heuristic):
        raise InputError("expected heuristics, such as improved distance, or --all")
    from isolarium.analysis import calibration
    from isolarium.cli.screen import ANY_WIDTH, Screen
    from isolarium.heuristics.lookup import catalogue
    from isolarium.reporting.exact_tables import calibration_blocks, calibration_json
    from isolarium.spec.resolve import read_heuristic

    chosen = [str(read_heuristic(name)) for name in heuristic or ()] or [*catalogue()]
    sample = _draw_sample(parse_board(board), positions, seed)
    with display() as shown:
        found = calibration.calibrate(
            chosen, sample, lambda done, total: shown.update(lambda: f"{done} of {total} heuristics evaluated")
        )
    if chart is not None:
        _write_chart(found, chart)
    if as_json:
        typer.echo(dumps(calibration_json(found)))
    else:
        Screen(ANY_WIDTH).show(calibration_blocks(found))


def _draw_sample(board: Board, wanted: int, seed: int) -> "Sample":
    from isolarium.analysis.calibration import draw_deciding_sample

    with display() as shown:
        compile_for(board, False, shown)
    with display() as shown:

        def tell(done: int, total: int) -> None:
            rate = per_second(done, shown.elapsed)
            shown.update(lambda: f"{board}: {done:,} of {total:,} positions · {rate:,.0f} a second")

        return draw_deciding_sample(board, wanted, seed, tell)


def _write_chart(found: "Calibration", path: Path) -> None:
    # Imported here: Altair takes longer to load than everything else, and few users request a
    # chart.
    from isolarium.reporting.chart import png, svg_of
    from isolarium.reporting.interval_charts import calibration_chart

    svg = svg_of(calibration_chart(found))
    with whole_file(path) as file:
        file.write(png(svg) if path.suffix.lower() == ".png" else svg.encode())
