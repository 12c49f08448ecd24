"""`isolarium solve`: who wins with perfect play, exactly."""

from pathlib import Path
from typing import Annotated

import typer

from isolarium.cli.cluster import ClusterOption
from isolarium.cli.options import ThreadsOption
from isolarium.errors import InputError, quoted
from isolarium.game.notation import parse_board, parse_start
from isolarium.game.position import Position
from isolarium.limits import Limit
from isolarium.processes.worker import usual_workers

EXAMPLES = """\b
Examples:
  isolarium solve '7/7/2A4/7/4B2/7/7 a'
  isolarium solve --board 5x5 --all
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
        typer.Option("--out", metavar="FILE", help="Keep what is solved, to go on from later."),
    ] = None,
    distance: Annotated[
        bool, typer.Option("--distance", help="Find out how long the game lasts, too.")
    ] = False,
    certificate: Annotated[
        Path | None,
        typer.Option("--certificate", metavar="FILE", help="Write the winner's strategy there."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Write over a certificate that is there.")
    ] = False,
    nodes: Annotated[
        int | None,
        typer.Option("--nodes", metavar="N", min=1, help="Give up on a position at N nodes."),
    ] = None,
    ms: Annotated[
        float | None,
        typer.Option("--ms", metavar="MS", min=0, help="Give up on a position after MS."),
    ] = None,
    workers: ThreadsOption = None,
    cluster: ClusterOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print an object a line.")] = False,
) -> None:
    """Find out who wins with perfect play, and with which move.

    Exact for any position on any board; a limit ends it with 'unknown', never with a guess. With
    --out, whatever ends the work, the same command goes on from what the file holds: the starts
    of --all, or the parts that a hard POSITION is solved in.
    """
    _check(position, file, board, every, out, distance, certificate, cluster)
    if cluster is not None and workers is not None:
        raise InputError("cluster and workers: expected one of them")
    if certificate is not None and certificate.exists() and not force:
        raise InputError(f"{certificate}: there already; expected a new file, or --force")
    asked = None if position is None else _parse(position)
    starts_of = None if board is None else parse_board(board)
    from isolarium.cli.work.solve import Effort, solve_all, solve_file, solve_one

    limit = Limit(nodes=nodes, time_ms=ms)
    effort = Effort(limit, workers or usual_workers(), distance, as_json, cluster)
    if asked is not None:
        solve_one(asked, effort, certificate, out)
    elif file is not None:
        solve_file(file, effort)
    elif starts_of is not None:
        solve_all(starts_of, out, effort)


def _parse(text: str) -> Position:
    if ":" in text:
        raise InputError(
            f"{quoted(text)}: expected a position and not a game; isolarium analyze marks a game's moves"
        )
    return parse_start(text)


def _check(
    position: str | None,
    file: str | None,
    board: str | None,
    every: bool,
    out: Path | None,
    distance: bool,
    certificate: Path | None,
    cluster: str | None,
) -> None:
    """See that exactly one thing was asked for, with the options that belong to it.

    Raises:
        InputError: it was not.
    """
    if sum((position is not None, file is not None, board is not None or every)) != 1:
        raise InputError("expected one of POSITION, --file FILE, and --board ROWSxCOLS --all")
    if (board is not None) != every:
        raise InputError(
            f"{'--all: expected --board ROWSxCOLS' if every else '--board: expected --all'} with it"
        )
    for option, misplaced, place in (
        ("--out", out is not None and file is not None, "a POSITION or --all"),
        ("--cluster", cluster is not None and not every, "--all"),
        ("--certificate", certificate is not None and position is None, "a POSITION"),
        ("--distance", distance and every, "a POSITION or --file"),
    ):
        if misplaced:
            raise InputError(f"{option}: expected {place} with it")
    if out is not None and distance:
        raise InputError("--out and --distance: expected one of them")
