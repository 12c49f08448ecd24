"""`isolarium play`: a game in the terminal between people, agents, or one of each."""

from contextlib import closing
from typing import Annotated

import typer

from isolarium.agents.levels import LEVELS, USUAL
from isolarium.cli import completion
from isolarium.errors import InputError
from isolarium.game.notation import parse_board, parse_position
from isolarium.game.position import Position

EXAMPLES = """\b
Examples:
  isolarium play --level 2
  isolarium play --first greedy:open --second random --board 9x11 --seed 7
"""

NUMBERS = [str(number) for number in range(1, len(LEVELS) + 1)]
_SEAT = "A person (human) or an agent, for instance random or greedy:open."


def play(
    board: Annotated[
        str | None,
        typer.Option(metavar="ROWSxCOLS", help="The empty board to start from. [default: 7x7]"),
    ] = None,
    first: Annotated[
        str | None,
        typer.Option(
            metavar="human|AGENT",
            help=f"{_SEAT} [default: human]",
            autocompletion=completion.agents,
        ),
    ] = None,
    second: Annotated[
        str | None,
        typer.Option(
            metavar="human|AGENT",
            help=f"{_SEAT} [default: that of level {USUAL.level}]",
            autocompletion=completion.agents,
        ),
    ] = None,
    level: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            max=len(LEVELS),
            help="How strong the side plays that is not given, from first steps to champion; "
            "isolarium agents lists them.",
            autocompletion=lambda incomplete: completion.beginning(NUMBERS, incomplete),
        ),
    ] = None,
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
    if None not in (first, second, level):
        raise InputError("--level, --first and --second: all given; expected at most two of them")
    opponent = USUAL if level is None else LEVELS[level - 1]
    if first is None:
        first = "human" if level is None or second is None else opponent.agent
    if second is None:
        second = opponent.agent
    if as_json and "human" in (first, second):
        raise InputError("--json: a person plays; expected an agent for --first and for --second")
    from isolarium.cli.terminal.agent_game import demonstrate, print_game_json
    from isolarium.cli.terminal.person_game import TerminalGame
    from isolarium.cli.terminal.players import take_seats

    with closing(take_seats(first, second, seed, start)) as seats:
        if seats.people:
            if opponent.agent in (first, second):
                typer.echo(f"Level {opponent.level}, {opponent.name}: {opponent.about}.")
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
