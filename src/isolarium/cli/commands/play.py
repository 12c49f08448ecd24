"""`isolarium play`: a game in the terminal between people, agents, or one of each."""

from contextlib import closing
from typing import Annotated

import typer

from isolarium.agents.levels import LEVELS, USUAL
from isolarium.cli import completion
from isolarium.errors import InputError
from isolarium.game.board import parse_board
from isolarium.game.notation import parse_position
from isolarium.game.position import Position

NUMBERS = [str(number) for number in range(1, len(LEVELS) + 1)]


def play(
    board: Annotated[
        str | None,
        typer.Option(metavar="ROWSxCOLS", help="Empty board to start from, 3x3 to 13x13.", show_default="7x7"),
    ] = None,
    first: Annotated[
        str | None,
        typer.Option(
            metavar="human|AGENT",
            help="First player: human, or an agent such as greedy:open.",
            show_default="human",
            autocompletion=completion.agents,
        ),
    ] = None,
    second: Annotated[
        str | None,
        typer.Option(
            metavar="human|AGENT",
            help="Second player: human, or an agent such as greedy:open.",
            show_default=f"the agent of level {USUAL.level}",
            autocompletion=completion.agents,
        ),
    ] = None,
    level: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            max=len(LEVELS),
            help=f"Level of the player you do not choose: 1 ({LEVELS[0].name}) "
            f"to {len(LEVELS)} ({LEVELS[-1].name}); isolarium agents lists them.",
            autocompletion=lambda incomplete: completion.matching(NUMBERS, incomplete),
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            help="Random seed; the same seed reproduces the same game.",
            show_default="random, and printed",
        ),
    ] = None,
    position: Annotated[
        str | None, typer.Option(metavar="POSITION", help="Position to start from, instead of --board.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the game of two agents as one JSON object.")] = False,
) -> None:
    """Play a game in the terminal.

    Type the square to move to, such as d4, or its number. Type help for the other commands, and
    quit to leave. At the end, the command prints the winner, and the game on one line. Two agents
    play without any input.

    Examples:
        isolarium play --level 2
        isolarium play --first greedy:open --second random --board 9x11 --seed 7
    """
    start = _start(board, position)
    if None not in (first, second, level):
        raise InputError("--level, --first and --second: use at most two of them")
    opponent = USUAL if level is None else LEVELS[level - 1]
    if first is None:
        first = "human" if level is None or second is None else opponent.agent
    if second is None:
        second = opponent.agent
    if as_json and "human" in (first, second):
        raise InputError("--json: needs two agents; set --first and --second")
    from isolarium.cli.terminal_game import TerminalGame, play_agents, print_game_json, seat_players

    with closing(seat_players(first, second, seed, start)) as seats:
        if seats.people:
            if opponent.agent in (first, second):
                typer.echo(f"Level {opponent.level}, {opponent.name}: {opponent.about}.")
            TerminalGame(start, seats).play()
        elif as_json:
            print_game_json(start, seats)
        else:
            play_agents(start, seats)


def _start(board: str | None, position: str | None) -> Position:
    if position is None:
        return Position.empty(parse_board("7x7" if board is None else board))
    if board is not None:
        raise InputError("--board and --position: use only one of them")
    return parse_position(position)
