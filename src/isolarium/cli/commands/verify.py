"""`isolarium verify`: certificates, verified by the rules alone."""

from json import dumps
from pathlib import Path
from time import perf_counter
from typing import Annotated

import typer

from isolarium.cli.options import JsonOption
from isolarium.cli.progress_display import display
from isolarium.solver.certificate import verify as check
from isolarium.text import counted


def verify(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Certificate written by isolarium solve --certificate.")],
    as_json: JsonOption = False,
) -> None:
    """Verify a certificate by the rules alone.

    A certificate is valid if its strategy answers every reply until the end of the game and wins.
    The check uses only the rules in plain Python and shares no code with the solver.

    Exit status:
        2: The certificate is not valid; the message gives the location of the error.

    Examples:
        isolarium solve '5/1A3/5/3B1/5 a' --certificate proof.certificate
        isolarium verify proof.certificate
    """
    began = perf_counter()
    with display() as shown:
        strategy = check(file, lambda replies: shown.update(lambda: f"verifying · {replies:,} replies"))
    time_s = perf_counter() - began
    wins = strategy.winner == strategy.position.to_move
    if as_json:
        facts = {
            "position": str(strategy.position),
            "wins": wins,
            "winner": str(strategy.winner),
            "replies": strategy.replies,
            "mirrors": strategy.mirrors,
            "longest": strategy.longest,
            "time_s": round(time_s, 3),
        }
        typer.echo(dumps(facts))
        return
    letter = "AB"[strategy.winner]
    typer.echo(f"position    {strategy.position}")
    typer.echo(f"proved      {strategy.winner} ({letter}) wins against every defence")
    typer.echo(
        f"checked     {counted(strategy.replies, 'reply', 'replies')}, games of up to "
        f"{counted(strategy.longest, 'ply', 'plies')}, {counted(strategy.mirrors, 'mirror position')}"
    )
    typer.echo(f"time        {time_s:,.2f} s")
