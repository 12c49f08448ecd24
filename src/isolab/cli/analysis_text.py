"""An analysis for people: a board and two small tables, or a game move by move."""

from collections.abc import Iterator, Mapping, Sequence

from isolab.analysis.accuracy_text import game_lines, mark_text
from isolab.cli.opinions import Analysis, Opinion
from isolab.cli.screen import Screen
from isolab.cli.terminal_board import BADGES
from isolab.game.board import Square
from isolab.game.outcome import Player
from isolab.game.position import Position
from isolab.game.record import GameRecord
from isolab.search.protocol import Report

NAMES = {player: str(player) for player in Player}


def show_analysis(analysis: Analysis) -> None:
    """Show what came of it."""
    screen = Screen(NAMES)
    if isinstance(analysis.target, GameRecord):
        _show_game(analysis, analysis.target, screen)
    else:
        _show_position(analysis, analysis.target, screen)


def _show_position(analysis: Analysis, position: Position, screen: Screen) -> None:
    """Show the board, what each agent would play and why, and what the heuristics say of every move."""
    screen.show_turn(position)
    outcome = position.outcome()
    if outcome is not None:
        screen.say(
            screen.name(outcome.loser),
            " is to move and cannot: ",
            screen.name(outcome.winner),
            " has won.",
        )
        return
    moves = len(position.legal_moves())
    screen.say(
        screen.name(position.to_move),
        f" to move, {moves} to choose from" if moves > 1 else " has one move",
    )
    (row,) = analysis.opinions
    for line in _opinion_lines(analysis, row):
        screen.say(line)
    for line in _value_lines(analysis, row, position):
        screen.say(line)


def _opinion_lines(analysis: Analysis, row: Sequence[Opinion]) -> list[str]:
    lines = []
    for spec, opinion in zip(analysis.specs, row, strict=True):
        lines += ["", str(spec)]
        if opinion.choice is None:
            lines.append(f"  failed  {opinion.failure.removeprefix(f'{spec}: ')}")
            continue
        report = opinion.choice.report
        lines.append(f"  move    {opinion.choice.move}")
        lines.append(f"  score   {score_text(report)}")
        lines.append(f"  search  {_effort(report)}")
        lines.append(f"  line    {' '.join(map(str, report.pv))}")
    if analysis.interrupted:
        lines += ["", "interrupted: the best so far"]
    return lines


def score_text(report: Report) -> str:
    """The score for the player to move."""
    if report.score is None:
        return "-"
    if not report.proven:
        return f"{report.score:+g}"
    plies = (
        ""
        if report.plies is None
        else f" in {report.plies} {'ply' if report.plies == 1 else 'plies'}"
    )
    return f"proven {'win' if report.score > 0 else 'loss'}{plies}"


def _effort(report: Report) -> str:
    time = f"{report.time_ms:.2f} ms" if report.time_ms < 1000 else f"{report.time_ms / 1000:.2f} s"
    return f"depth {report.depth} · {report.nodes:,} nodes · {time}"


def _value_lines(analysis: Analysis, row: Sequence[Opinion], position: Position) -> list[str]:
    """A table of the moves, the best by the first heuristic at its top."""
    wins = [move for move in position.legal_moves() if position.play(move).outcome() is not None]
    columns = {
        str(spec.heuristic): opinion.values
        for spec, opinion in zip(analysis.specs, row, strict=True)
        if spec.heuristic is not None and opinion.choice is not None and (opinion.values or wins)
    }
    if not columns:
        return []
    first = next(iter(columns.values()))
    moves = wins + sorted(first, key=lambda move: first[move], reverse=True)
    widths = [max(len(name), 8) for name in columns]
    heads = "  ".join(f"{name:>{width}}" for name, width in zip(columns, widths, strict=True))
    lines = ["", "what the heuristic alone says after each move", f"  move  {heads}"]
    for move in moves:
        cells = (
            f"{_value(values, move):>{width}}"
            for values, width in zip(columns.values(), widths, strict=True)
        )
        lines.append(f"  {move!s:<4}  {'  '.join(cells)}")
    return lines


def _value(values: Mapping[Square, float], move: Square) -> str:
    return f"{values[move]:+.6g}" if move in values else "wins"


def _show_game(analysis: Analysis, game: GameRecord, screen: Screen) -> None:
    """Show each move with the agents' choices beside it, how often they agree, and the end of the game."""
    labels = [str(spec) for spec in analysis.specs]
    if len(labels) > 1:
        for number, spec in enumerate(analysis.specs, start=1):
            screen.say(f"agent {number}   {spec}")
        screen.say()
        labels = [f"agent {number}" for number in range(1, len(labels) + 1)]
    for line in _move_lines(game, labels, analysis):
        screen.say(line)
    screen.say()
    for place, label in enumerate(labels):
        screen.say(f"{label} {_agreement(game, [row[place] for row in analysis.opinions])}")
    for failure in dict.fromkeys(opinion.failure for row in analysis.opinions for opinion in row):
        if failure:
            screen.say(failure)
    for line in () if analysis.truth is None else game_lines(analysis.truth):
        screen.say(line)
    if analysis.interrupted:
        screen.say("interrupted")
    screen.say()
    screen.show_record(game)


def _move_lines(game: GameRecord, labels: Sequence[str], analysis: Analysis) -> Iterator[str]:
    """A line for each move that the agents were asked about, after a heading."""
    asked = list(zip(game.positions(), game.moves, analysis.opinions, strict=False))
    table = [[_cell(opinion, move) for opinion in row] for _, move, row in asked]
    if analysis.truth is not None:
        labels = [*labels, "truth"]
        for cells, marked in zip(table, analysis.truth.moves, strict=True):
            cells.append(mark_text(marked))
    widths = [max(map(len, column)) for column in zip(labels, *table, strict=True)]

    def aligned(cells: Sequence[str]) -> str:
        return "   ".join(f"{cell:<{width}}" for cell, width in zip(cells, widths, strict=True))

    yield f"ply       played  {aligned(labels)}".rstrip()
    for ply, ((position, move, _), cells) in enumerate(zip(asked, table, strict=True), start=1):
        yield f"{ply:>3}  {BADGES[position.to_move]}  {move!s:<6}  {aligned(cells)}".rstrip()


def _cell(opinion: Opinion, played: Square) -> str:
    """`* e4 +2`, the star where another move was played."""
    if opinion.choice is None:
        return "* failed"
    differs = "*" if opinion.choice.move != played else " "
    return f"{differs} {opinion.choice.move!s:<3} {score_text(opinion.choice.report)}"


def _agreement(game: GameRecord, opinions: Sequence[Opinion]) -> str:
    """`would have played 5 of 9 moves: (A) 3 of 5, [B] 2 of 4`."""
    played, agreed = dict.fromkeys(Player, 0), dict.fromkeys(Player, 0)
    for position, move, opinion in zip(game.positions(), game.moves, opinions, strict=False):
        played[position.to_move] += 1
        agreed[position.to_move] += opinion.choice is not None and opinion.choice.move == move
    parts = ", ".join(f"{BADGES[player]} {agreed[player]} of {played[player]}" for player in Player)
    return f"would have played {sum(agreed.values())} of {sum(played.values())} moves: {parts}"
