"""`isolarium engine`: an agent that other programs play with, in UGI."""

import sys
from typing import Annotated

import typer

from isolarium.cli.options import BoardOption
from isolarium.errors import InputError
from isolarium.game.notation import parse_board
from isolarium.processes.line_reader import Lines

EXAMPLES = """\b
Examples:
  isolarium engine
  isolarium engine --agent alphabeta:improved@nodes=8000 --board 9x11
"""


def engine(
    agent: Annotated[
        str, typer.Option(metavar="AGENT", help="Who thinks; isolarium agents says what there are.")
    ] = "strong:stealer",
    board: BoardOption = "7x7",
) -> None:
    """Let other programs play with an agent, in UGI.

    UGI, the Universal Game Interface, is spoken in lines on stdin and stdout: ugi, isready, position, go and so on, as
    docs/how-to/engines.md shows. It ends with quit, or when there is no more input.
    """
    size = parse_board(board)
    # Inside: they load the compiler.
    from isolarium.agents import read_spec
    from isolarium.engine.ugi_session import Session

    spec = read_spec(agent)
    try:
        descriptor = sys.stdin.fileno()
    except (AttributeError, OSError, ValueError):
        raise InputError("stdin: closed; expected lines in UGI") from None
    Session(spec, size, Lines(descriptor).hear, _say).run()


def _say(line: str) -> None:
    print(line, flush=True)
