"""`isolarium engine`: an agent as a UGI engine for other programs."""

import sys
from typing import Annotated

import typer

from isolarium.cli.options import BoardOption
from isolarium.compat import LineReader
from isolarium.errors import InputError
from isolarium.game.board import parse_board


def engine(
    agent: Annotated[
        str, typer.Option(metavar="AGENT", help="Agent that plays; isolarium agents lists them.")
    ] = "strong:stealer",
    board: BoardOption = "7x7",
) -> None:
    """Run an agent as a UGI engine for other programs.

    The engine reads commands of the Universal Game Interface (UGI) from stdin
    and answers on stdout, one per line: ugi, isready, position, go and so on.
    It exits on quit or at the end of the input.

    Examples:
        isolarium engine
        isolarium engine --agent alphabeta:improved@nodes=8000 --board 9x11
    """
    size = parse_board(board)
    # Imported here because they load the compiler.
    from isolarium.agents import read_spec
    from isolarium.agents.ugi_session import Session

    spec = read_spec(agent)
    try:
        descriptor = sys.stdin.fileno()
    except (AttributeError, OSError, ValueError):
        raise InputError("stdin: closed; expected lines in UGI") from None
    Session(spec, size, LineReader(descriptor).read, _write).run()


def _write(line: str) -> None:
    print(line, flush=True)
