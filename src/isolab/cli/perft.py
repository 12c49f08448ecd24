"""`isolab perft`: count the move sequences of a position."""

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from isolab.game.position import Position

EXAMPLES = """\b
Examples:
  isolab perft 7x7 6
  isolab perft '7/7/2A4/3x3/4B2/7/7 a' 9 --json
"""


def perft(
    start: Annotated[
        str, typer.Argument(metavar="START", help="A position line, or ROWSxCOLS: an empty board.")
    ],
    depth: Annotated[int, typer.Argument(metavar="DEPTH", min=0, help="Moves in a sequence.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Count the move sequences of a position.

    Prints how many sequences of DEPTH moves there are, placements included, how long counting took
    on one core, and the rate. Compiling, which happens once on a machine, is not in the time.
    """
    from isolab.game.notation import format_position, parse_start
    from isolab.speed import per_second

    position = parse_start(start)
    _check_depth(depth, position)
    count, time_s = _timed_count(position, depth)
    rate = per_second(count, time_s)
    if as_json:
        from json import dumps

        figures = {"count": count, "time_s": round(time_s, 6), "per_second": round(rate)}
        typer.echo(dumps({"position": format_position(position), "depth": depth, **figures}))
        return
    typer.echo(f"position    {format_position(position)}")
    typer.echo(f"depth       {depth}")
    typer.echo(f"sequences   {count:,}")
    typer.echo(
        f"time        {time_s:,.2f} s" if time_s > 1 else f"time        {time_s * 1e3:.2f} ms"
    )
    typer.echo(f"rate        {rate / 1e6:,.1f} million sequences a second")


def _check_depth(depth: int, position: "Position") -> None:
    from isolab.errors import InputError

    most = position.board.size
    if depth > most:
        raise InputError(f"depth {depth}: expected 0 to {most}, the squares of {position.board}")


def _timed_count(position: "Position", depth: int) -> tuple[int, float]:
    """Return the count and the seconds it took, once everything was compiled."""
    from time import perf_counter

    from isolab.cli.notice import notice_if_slow
    from isolab.game.perft import perft as count_sequences

    with notice_if_slow("compiling (first time only)..."):
        count_sequences(position, 1)
    began = perf_counter()
    count = count_sequences(position, depth)
    return count, perf_counter() - began
