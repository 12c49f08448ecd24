"""Asks agents about a position or a game, until a person has had enough, and shows what they said."""

from collections.abc import Sequence
from json import dumps

import typer

from isolarium.analysis.agent_analysis import Analysis, analysed
from isolarium.cli.console import Screen
from isolarium.cli.exits import FAILED, INTERRUPTED, interruptible
from isolarium.cli.progress_display import COMPILING, display, notice
from isolarium.cli.terminal.screen import GameScreen
from isolarium.cli.work.truth import truth_of_game
from isolarium.game.outcome import Player
from isolarium.game.position import Position
from isolarium.game.record import GameRecord
from isolarium.limits import Limit
from isolarium.reporting.analysis_tables import analysis_blocks, analysis_json

NAMES = {player: str(player) for player in Player}


def analyze_and_show(
    target: Position | GameRecord, specs: Sequence[str], seed: int, as_json: bool
) -> None:
    """Ask, and print what came of it; Ctrl-C stops a search, and shows the best found so far."""
    with interruptible() as pressed, display() as shown:

        def tell(label: str, limit: Limit, seconds: float) -> None:
            of = "" if limit.time_ms is None else f" of {limit.time_ms / 1000:g}"
            shown.tell(lambda: f"{label} · {seconds:.1f}{of} s · Ctrl-C stops it")

        with analysed(
            target,
            specs,
            seed,
            tell=tell,
            stop=lambda: bool(pressed),
            preparing=notice(COMPILING, after_s=1.0),
        ) as analysis:
            shown.clear()
            if isinstance(target, GameRecord) and not analysis.interrupted:
                analysis.truth = truth_of_game(target)
            if as_json:
                typer.echo(dumps(analysis_json(analysis)))
            else:
                _show(analysis)
    if analysis.interrupted:
        raise typer.Exit(INTERRUPTED)
    if analysis.failed:
        raise typer.Exit(FAILED)


def _show(analysis: Analysis) -> None:
    """Show the board of a position above what was said, and a game's end below."""
    screen = GameScreen(NAMES)
    if isinstance(analysis.target, GameRecord):
        Screen().show(analysis_blocks(analysis))
        screen.say()
        screen.show_record(analysis.target)
        return
    screen.show_turn(analysis.target)
    if _show_turn(analysis.target, screen):
        screen.say()
        Screen().show(analysis_blocks(analysis))


def _show_turn(position: Position, screen: GameScreen) -> bool:
    """Say who is to move, with how many moves; False if the game is over."""
    outcome = position.outcome()
    if outcome is not None:
        loser, winner = screen.name(outcome.loser), screen.name(outcome.winner)
        screen.say(loser, " is to move and cannot: ", winner, " has won.")
        return False
    moves = len(position.legal_moves())
    told = f" to move, {moves} to choose from" if moves > 1 else " has one move"
    screen.say(screen.name(position.to_move), told)
    return True
