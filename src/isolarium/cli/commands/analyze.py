"""`isolarium analyze`: what agents think of a position, or of every move of a game."""

import re
import sys
from contextlib import suppress
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from isolarium.cli import completion
from isolarium.cli.exits import FAILED, INTERRUPTED, interruptible
from isolarium.cli.options import JsonOption
from isolarium.cli.progress_display import COMPILING, display, notice
from isolarium.errors import InputError, quoted
from isolarium.game.notation import EXAMPLE, parse_start
from isolarium.game.outcome import Player
from isolarium.game.position import Position
from isolarium.game.record import GameRecord, read_game
from isolarium.limits import Limit
from isolarium.safe_files import TooLargeError, open_file

if TYPE_CHECKING:
    from isolarium.analysis.agent_analysis import Analysis
    from isolarium.cli.terminal.screen import GameScreen

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
    wanted = _read_target(target)
    from isolarium.analysis.accuracy import Marker
    from isolarium.analysis.agent_analysis import analysed
    from isolarium.reporting.analysis_tables import analysis_json

    with interruptible() as pressed, display() as shown:

        def tell(label: str, limit: Limit, seconds: float) -> None:
            of = "" if limit.time_ms is None else f" of {limit.time_ms / 1000:g}"
            shown.tell(lambda: f"{label} · {seconds:.1f}{of} s · Ctrl-C stops it")

        with analysed(
            wanted,
            agent or ["alphabeta:improved"],
            seed,
            tell=tell,
            stop=lambda: bool(pressed),
            preparing=notice(COMPILING, after_s=1.0),
        ) as analysis:
            shown.clear()
            if isinstance(wanted, GameRecord) and not analysis.interrupted:
                with (  # Ctrl-C leaves the marks out
                    suppress(KeyboardInterrupt),
                    notice("solving the game's positions...", after_s=1.0),
                ):
                    analysis.truth = Marker().mark(wanted)
            if as_json:
                typer.echo(dumps(analysis_json(analysis)))
            else:
                _show(analysis)
    if analysis.interrupted:
        raise typer.Exit(INTERRUPTED)
    if analysis.failed:
        raise typer.Exit(FAILED)


def _show(analysis: "Analysis") -> None:
    """Show the board of a position above its analysis, and a game's end below."""
    from isolarium.cli.console import Screen
    from isolarium.cli.terminal.screen import GameScreen
    from isolarium.reporting.analysis_tables import analysis_blocks

    screen = GameScreen({player: str(player) for player in Player})
    if isinstance(analysis.target, GameRecord):
        Screen().show(analysis_blocks(analysis))
        screen.say()
        screen.show_record(analysis.target)
        return
    screen.show_turn(analysis.target)
    if _show_turn(analysis.target, screen):
        screen.say()
        Screen().show(analysis_blocks(analysis))


def _show_turn(position: Position, screen: "GameScreen") -> bool:
    """Show the player to move and how many moves it has; False if the game is over."""
    outcome = position.outcome()
    if outcome is not None:
        loser, winner = screen.name(outcome.loser), screen.name(outcome.winner)
        screen.say(loser, " is to move and cannot: ", winner, " has won.")
        return False
    moves = len(position.legal_moves())
    told = f" to move, {moves} to choose from" if moves > 1 else " has one move"
    screen.say(screen.name(position.to_move), told)
    return True


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
