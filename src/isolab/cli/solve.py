"""`isolab solve`: who wins with perfect play, exactly."""

from pathlib import Path
from typing import Annotated

import typer

EXAMPLES = """\b
Examples:
  isolab solve '7/7/2A4/7/4B2/7/7 a'
  isolab solve --board 5x5 --all
"""


def solve(
    position: Annotated[
        str | None,
        typer.Argument(metavar="[POSITION]", help="A position line, or ROWSxCOLS: an empty board."),
    ] = None,
    file: Annotated[
        str | None,
        typer.Option("--file", metavar="FILE", help="Solve a position a line; - is stdin."),
    ] = None,
    board: Annotated[
        str | None, typer.Option("--board", metavar="ROWSxCOLS", help="The board of --all.")
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Solve every start of --board up to symmetry.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="With --all: the record, to go on from later."),
    ] = None,
    distance: Annotated[
        bool, typer.Option("--distance", help="Find out how long the game lasts, too.")
    ] = False,
    certificate: Annotated[
        Path | None,
        typer.Option("--certificate", metavar="FILE", help="Write the winner's strategy there."),
    ] = None,
    nodes: Annotated[
        int | None,
        typer.Option("--nodes", metavar="N", min=1, help="Give up on a position at N nodes."),
    ] = None,
    ms: Annotated[
        float | None,
        typer.Option("--ms", metavar="MS", min=0, help="Give up on a position after MS."),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option("--workers", metavar="N", min=1, max=256, help="[default: one a core]"),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print an object a line.")] = False,
) -> None:
    """Find out who wins with perfect play, and with which move.

    Exact for any position on any board; a limit ends it with 'unknown', never with a guess. With
    --all and --out, whatever ends the work, the same command goes on from what the file holds.
    """
    from isolab.cli.solving import Effort, check_request, cores
    from isolab.limits import Limit

    check_request(position, file, board, every, out, distance, certificate)
    effort = Effort(Limit(nodes=nodes, time_ms=ms), workers or cores(), distance, as_json)
    if position is not None:
        from isolab.cli.solve_one import solve_one

        solve_one(position, effort, certificate)
    elif file is not None:
        from isolab.cli.solve_file import solve_file

        solve_file(file, effort)
    elif board is not None:
        from isolab.cli.solve_all import solve_all

        solve_all(board, out, effort)
