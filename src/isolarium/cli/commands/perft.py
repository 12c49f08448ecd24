"""`isolarium perft`: the number of move sequences from a position."""

import time
from json import dumps
from typing import Annotated

import typer

from isolarium.cli.options import JsonOption
from isolarium.cli.progress_display import COMPILING, notice
from isolarium.errors import InputError
from isolarium.game.notation import format_position, parse_start
from isolarium.limits import per_second


def perft(
    start: Annotated[str, typer.Argument(metavar="START", help="Position, or ROWSxCOLS for an empty board.")],
    depth: Annotated[int, typer.Argument(metavar="DEPTH", min=0, help="Number of moves in a sequence.")],
    as_json: JsonOption = False,
) -> None:
    """Count the move sequences from a position.

    Print the number of sequences of DEPTH moves, including placements, the
    time that counting took on one core, and the rate. The time does not
    include compiling, which happens once per machine.

    Examples:
        isolarium perft 7x7 6
        isolarium perft '7/7/2A4/3x3/4B2/7/7 a' 9 --json
    """
    position = parse_start(start)
    if depth > position.board.size:
        squares = f"{position.board.size}, the number of squares of {position.board}"
        raise InputError(f"depth {depth}: expected 0 to {squares}")
    from isolarium.game.perft import perft as count_sequences

    with notice(COMPILING):
        count_sequences(position, 1)
    began = time.perf_counter()
    count = count_sequences(position, depth)
    time_s = time.perf_counter() - began
    rate = per_second(count, time_s)
    if as_json:
        figures = {"count": count, "time_s": round(time_s, 6), "per_second": round(rate)}
        typer.echo(dumps({"position": format_position(position), "depth": depth, **figures}))
        return
    typer.echo(f"position    {format_position(position)}")
    typer.echo(f"depth       {depth}")
    typer.echo(f"sequences   {count:,}")
    typer.echo(f"time        {time_s:,.2f} s" if time_s > 1 else f"time        {time_s * 1e3:.2f} ms")
    typer.echo(f"rate        {rate / 1e6:,.1f} million sequences a second")
