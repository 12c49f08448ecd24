"""`isolab analyze`: what agents think of a position, or of every move of a game."""

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Callable

    from isolab.cli.opinions import Analysis

EXAMPLES = """\b
Examples:
  isolab analyze '7/7/2A4/3x3/4B2/7/7 a' --agent strong:improved --agent mcts
  isolab analyze '5x5: c3 c2 b1 e3 d2 c4' --agent alphabeta:reachable@depth=6
"""

FAILED = 1
INTERRUPTED = 130


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
        ),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="What agents draw from.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Ask agents about a position, or about every move of a game.

    Of a position it prints each agent's move with its score for the player to move, the depth,
    nodes, time and line that led there, and what the heuristic alone says of every move. Of a game
    it prints each agent's choice and score beside the move played, a star where they differ, and
    what the solver says of the move where it finishes: forced, right, a mistake, or lost anyway.
    Ctrl-C stops a search, shows the best found so far and leaves with status 130.
    """
    from isolab.cli.analysis_target import read_target
    from isolab.cli.opinions import analysed
    from isolab.cli.truth import truth_of_game
    from isolab.game.record import GameRecord

    show = _printer(as_json)  # loaded before the search, so that its end is shown at once
    with analysed(read_target(target), agent or ["alphabeta:improved"], seed) as analysis:
        if isinstance(analysis.target, GameRecord) and not analysis.interrupted:
            analysis.truth = truth_of_game(analysis.target)
        show(analysis)
    if analysis.interrupted:
        raise typer.Exit(INTERRUPTED)
    if analysis.failed:
        raise typer.Exit(FAILED)


def _printer(as_json: bool) -> "Callable[[Analysis], None]":
    if as_json:
        from isolab.cli.analysis_json import print_analysis_json

        return print_analysis_json
    from isolab.cli.analysis_text import show_analysis

    return show_analysis
