"""`isolarium analyze`: a position, or every move of a game, analysed by agents and the solver."""

import re
import sys
from contextlib import suppress
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final
from urllib.parse import urlencode

import typer

from isolarium.cli import completion
from isolarium.cli.app import FAILED, INTERRUPTED, interruptible
from isolarium.cli.options import JsonOption, SeedOption
from isolarium.cli.progress_display import COMPILING, display, notice
from isolarium.errors import InputError, quoted
from isolarium.game.notation import EXAMPLE
from isolarium.game.position import Player, Position
from isolarium.game.record import GameRecord, is_notation, read_position_or_game
from isolarium.limits import Limit
from isolarium.safe_files import TooLargeError, open_file
from isolarium.text import counted

if TYPE_CHECKING:
    from isolarium.analysis.agent_analysis import Analysis
    from isolarium.cli.screen import GameScreen

MOST_BYTES: Final = 1_000_000
_SQUARES: Final = re.compile(r"[a-z][1-9][0-9]?([\s,]+[a-z][1-9][0-9]?)*", re.IGNORECASE)
"""Moves without a board, which are played on 7x7."""


def analyze(
    target: Annotated[
        str,
        typer.Argument(
            metavar="POSITION|GAME|FILE",
            help="Position, ROWSxCOLS for an empty board, game, file with one of these, or - for stdin.",
        ),
    ],
    agent: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SPEC",
            help="Agent to analyse with.",
            show_default="alphabeta:improved",
            autocompletion=completion.agents,
        ),
    ] = None,
    seed: SeedOption = 0,
    link: Annotated[
        str | None,
        typer.Option(
            metavar="URL", help="Only print the target's address in the site at URL, which isolarium site writes."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Analyse a position, or every move of a game.

    For a position, print each agent's move with its score for the player to move, the depth, nodes,
    time and principal variation, and the heuristic's value of every move. For a game, print each
    agent's choice and score beside the move played, with a star where they differ, and, where the
    solver can finish, its verdict on the move: forced, right, a mistake, or lost anyway. Ctrl-C
    stops the search and shows the best move found so far.

    Exit status:
        1: An agent failed.
        130: Stopped by Ctrl-C; the results so far are printed.

    Examples:
        isolarium analyze '7/7/2A4/3x3/4B2/7/7 a' --agent strong:improved --agent mcts
        isolarium analyze '5x5: c3 c2 b1 e3 d2 c4' --agent alphabeta:reachable@depth=6
        isolarium analyze '7x7: d4 b3' --link https://isolarium.example/
    """
    found = _read_target(target)
    if link is not None:
        typer.echo(site_link(link, found))
        return
    from isolarium.analysis.accuracy import Marker
    from isolarium.analysis.agent_analysis import analysed
    from isolarium.reporting.analysis_tables import analysis_json

    with interruptible() as pressed, display() as shown:

        def tell(label: str, limit: Limit, seconds: float) -> None:
            total = "" if limit.time_ms is None else f" of {limit.time_ms / 1000:g}"
            shown.update(lambda: f"{label} · {seconds:.1f}{total} s · Ctrl-C stops it")

        with analysed(
            found,
            agent or ["alphabeta:improved"],
            seed,
            tell=tell,
            stop=lambda: bool(pressed),
            preparing=notice(COMPILING, after_s=1.0),
        ) as analysis:
            shown.clear()
            if isinstance(found, GameRecord) and not analysis.interrupted:
                with (  # Ctrl-C skips the verdicts.
                    suppress(KeyboardInterrupt),
                    notice("solving the game's positions...", after_s=1.0),
                ):
                    analysis.accuracy = Marker().mark(found)
            if as_json:
                typer.echo(dumps(analysis_json(analysis)))
            else:
                _show(analysis)
    if analysis.interrupted:
        raise typer.Exit(INTERRUPTED)
    if analysis.failed:
        raise typer.Exit(FAILED)


def _show(analysis: "Analysis") -> None:
    """Print the analysis, below the board of a position or above the result of a game."""
    from isolarium.cli.screen import GameScreen, Screen
    from isolarium.reporting.analysis_tables import analysis_blocks

    screen = GameScreen({player: f"the {player} player" for player in Player})
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
    """Draw a position and print its player to move; return whether the game continues."""
    outcome = position.outcome()
    if outcome is not None:
        loser, winner = screen.name(outcome.loser), screen.name(outcome.winner)
        screen.say(loser, " has no legal move: ", winner, " has won.")
        return False
    moves = len(position.legal_moves())
    screen.say(screen.name(position.to_move), f" is to move, with {counted(moves, 'legal move')}")
    return True


def _read_target(text: str) -> Position | GameRecord:
    """Return the position or game in the argument or in the file that it names.

    Raises:
        InputError: If the argument is not a position, a game, or a file with one.
    """
    text = text.strip()
    if text == "-":
        text = sys.stdin.read(MOST_BYTES + 1)
        if len(text) > MOST_BYTES:
            raise InputError(f"stdin: expected at most {MOST_BYTES:,} characters")
        return _parse(text)
    if is_notation(text):
        return _parse(text)
    if _SQUARES.fullmatch(text) and not Path(text).exists():
        return _parse(f"7x7: {text.replace(',', ' ').lower()}")
    return _parse(_read(text), f"{text}: ")


def _parse(text: str, where: str = "") -> Position | GameRecord:
    try:
        return read_position_or_game(text)
    except InputError as error:
        raise InputError(f"{where}{error}") from None


def _read(file: str) -> str:
    try:
        if not file:
            raise ValueError("nothing given")
        with open_file(Path(file).expanduser(), MOST_BYTES, follow_links=True, pipes=True) as source:
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


def site_link(site: str, found: Position | GameRecord) -> str:
    """Return the address of a game or a position in the Analyse page of a site.

    Raises:
        InputError: If `site` is not the address of a site.
    """
    if not re.match(r"https?://[^\s?#]+$", site):
        raise InputError(f"--link {site}: expected the address of a site, such as https://a.example/")
    game = str(found) if isinstance(found, GameRecord) else f"{found}:"
    query = urlencode({"game": game}, safe=":/@,=()")
    return f"{site.rstrip('/')}/analyse.html?{query}"
