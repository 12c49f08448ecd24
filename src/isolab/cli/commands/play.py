"""`isolab play`: a game in the terminal between people, agents, or one of each."""

from contextlib import closing
from typing import Annotated

import typer

from isolab.cli import completing
from isolab.errors import InputError
from isolab.game.notation import parse_board, parse_position
from isolab.game.position import Position

EXAMPLES = """\b
Examples:
  isolab play --second greedy:open
  isolab play --first greedy:open --second random --board 9x11 --seed 7
"""

_SEAT = "A person (human) or an agent, for instance random or greedy:open."


def play(
    board: Annotated[
        str | None,
        typer.Option(metavar="ROWSxCOLS", help="The empty board to start from. [default: 7x7]"),
    ] = None,
    first: Annotated[
        str, typer.Option(metavar="human|AGENT", help=_SEAT, autocompletion=completing.agents)
    ] = "human",
    second: Annotated[
        str, typer.Option(metavar="human|AGENT", help=_SEAT, autocompletion=completing.agents)
    ] = "greedy:open",
    seed: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=0, help="The same seed, the same game. [default: drawn and shown]"
        ),
    ] = None,
    position: Annotated[
        str | None, typer.Option(metavar="TEXT", help="The position to start from, as one line.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the game as one JSON object (two agents only).")
    ] = False,
) -> None:
    """Play a game in the terminal.

    Type the square to go to, such as d4, or the number drawn in it; help lists the commands.
    The game ends with who won and why, and the record as one line. quit and the end of the input
    leave with status 0, Ctrl-C with status 130. Two agents play without being asked anything.
    """
    start = _start(board, position)
    if as_json and "human" in (first, second):
        raise InputError("--json: a person plays; expected an agent for --first and for --second")
    from isolab.cli.terminal.demonstration import demonstrate, print_game_json
    from isolab.cli.terminal.game import TerminalGame
    from isolab.cli.terminal.seats import take_seats

    with closing(take_seats(first, second, seed, start)) as seats:
        if seats.people:
            TerminalGame(start, seats).play()
        elif as_json:
            print_game_json(start, seats)
        else:
            demonstrate(start, seats)


def _start(board: str | None, position: str | None) -> Position:
    if position is None:
        return Position.empty(parse_board("7x7" if board is None else board))
    if board is not None:
        raise InputError("--board and --position: both given; expected one of them")
    return parse_position(position)
