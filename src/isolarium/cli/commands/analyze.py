"""`isolarium analyze`: what agents think of a position, or of every move of a game."""

import re
import sys
from pathlib import Path
from typing import Annotated, Final

import typer

from isolarium.cli import completion
from isolarium.cli.options import JsonOption
from isolarium.errors import InputError, quoted
from isolarium.game.notation import EXAMPLE, parse_start
from isolarium.game.position import Position
from isolarium.game.record import GameRecord, read_game
from isolarium.safe_files import TooLargeError, open_file

MOST_BYTES: Final = 1_000_000

_POSITION: Final = re.compile(r"[0-9xAB/]+|.*\s[ab]", re.DOTALL)

EXAMPLES = """\b
Examples:
  isolarium analyze '7/7/2A4/3x3/4B2/7/7 a' --agent strong:improved --agent mcts
  isolarium analyze '5x5: c3 c2 b1 e3 d2 c4' --agent alphabeta:reachable@depth=6
"""


def analyze(
    target: Annotated[
        str,
        typer.Argument(
            metavar="POSITION|GAME|FILE",
            help="A position line or ROWSxCOLS, a game, a file with one of them, or - for stdin.",
        ),
    ],
    agent: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SPEC",
            help="Whom to ask; may be given repeatedly. [default: alphabeta:improved]",
            autocompletion=completion.agents,
        ),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="What agents draw from.")] = 0,
    as_json: JsonOption = False,
) -> None:
    """Ask agents about a position, or about every move of a game.

    Of a position it prints each agent's move with its score for the player to move, the depth,
    nodes, time and line that led there, and what the heuristic alone says of every move. Of a game
    it prints each agent's choice and score beside the move played, a star where they differ, and
    what the solver says of the move where it finishes: forced, right, a mistake, or lost anyway.
    Ctrl-C stops a search, shows the best found so far and leaves with status 130.
    """
    found = _read_target(target)
    from isolarium.cli.work.analyze import analyze_and_show

    analyze_and_show(found, agent or ["alphabeta:improved"], seed, as_json)


def _read_target(text: str) -> Position | GameRecord:
    """The position or the game that a person means.

    Raises:
        InputError: it is neither, nor the name of a file that holds one.
    """
    text = text.strip()
    if text == "-":
        text = sys.stdin.read(MOST_BYTES + 1)
        if len(text) > MOST_BYTES:
            raise InputError(f"stdin: expected at most {MOST_BYTES:,} characters")
        return _parse(text)
    if _is_notation(text):
        return _parse(text)
    return _parse(_read(text), f"{text}: ")


def _is_notation(text: str) -> bool:
    return bool(_POSITION.fullmatch(text)) or ":" in text or text.startswith(("{", "["))


def _parse(text: str, where: str = "") -> Position | GameRecord:
    text = text.strip()
    try:
        return parse_start(text) if _POSITION.fullmatch(text) else read_game(text)
    except InputError as error:
        raise InputError(f"{where}{error}") from None


def _read(file: str) -> str:
    try:
        if not file:
            raise ValueError("nothing given")
        with open_file(
            Path(file).expanduser(), MOST_BYTES, follow_links=True, pipes=True
        ) as source:
            return source.read().decode()
    except TooLargeError:
        why = "too long"
    except OSError as error:
        why = error.strerror or ""
    except (RuntimeError, ValueError) as error:
        why = str(error)
    raise InputError(
        f"{quoted(file)}: {why}; expected a position such as '{EXAMPLE}', "
        "a game such as '7x7: d4 b3', or a file with one of them"
    )
