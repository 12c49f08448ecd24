"""Tables of exact values: the choices of analysed agents, and the accuracy of agents in a run."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from math import isfinite
from typing import Any, Final

from isolarium.analysis.accuracy import GameAccuracy, Mark, MarkedMove
from isolarium.analysis.agent_analysis import Analysis, Opinion
from isolarium.analysis.run_accuracy import AgentAccuracy, RunAccuracy
from isolarium.arena.results import Results
from isolarium.game.board import Square
from isolarium.game.position import Player, Position
from isolarium.game.record import GameRecord, format_game_json
from isolarium.reporting.cells import Cell, Value, json_of
from isolarium.reporting.model import Block, Column, Fact, Facts, Listing, Row, Section, Table, rows_of
from isolarium.search.protocol import Report
from isolarium.stats import RateEstimate, rounded
from isolarium.text import counted


def analysis_blocks(analysis: Analysis) -> list[Block | Section]:
    """Return an analysis as blocks."""
    if isinstance(analysis.target, GameRecord):
        return [*_game_blocks(analysis, analysis.target)]
    return [*_position_blocks(analysis, analysis.target)]


# A position


def _position_blocks(analysis: Analysis, position: Position) -> Iterator[Block | Section]:
    (row,) = analysis.opinions
    for spec, opinion in zip(analysis.specs, row, strict=True):
        yield Section("", str(spec), [Facts(list(_opinion_facts(str(spec), opinion)))])
    if analysis.interrupted:
        yield Section("", "interrupted: best move so far", [])
    yield from _values_table(analysis, row, position)


def _opinion_facts(spec: str, opinion: Opinion) -> Iterator[Fact]:
    if opinion.choice is None:
        yield Fact("failed", (opinion.failure.removeprefix(f"{spec}: "),))
        return
    report = opinion.choice.report
    yield Fact("move", (str(opinion.choice.move),))
    yield Fact("score", (score_in_words(report),))
    yield Fact("search", (_effort(report),))
    yield Fact("line", (" ".join(map(str, report.pv)),))


def score_in_words(report: Report) -> str:
    """Return the score for the player to move as text."""
    if report.score is None:
        return "-"
    if not report.proven:
        return f"{report.score:+g}"
    plies = "" if report.plies is None else f" in {counted(report.plies, 'ply', 'plies')}"
    return f"proven {'win' if report.score > 0 else 'loss'}{plies}"


def _effort(report: Report) -> str:
    time = f"{report.time_ms:.2f} ms" if report.time_ms < 1000 else f"{report.time_ms / 1000:.2f} s"
    return f"depth {report.depth} · {report.nodes:,} nodes · {time}"


def _values_table(analysis: Analysis, row: Sequence[Opinion], position: Position) -> Iterator[Table]:
    """Yield the heuristics' values after each move, ordered by the first heuristic."""
    wins = [move for move in position.legal_moves() if position.play(move).outcome() is not None]
    values_by_name = {
        str(spec.heuristic): opinion.values
        for spec, opinion in zip(analysis.specs, row, strict=True)
        if spec.heuristic is not None and opinion.choice is not None and (opinion.values or wins)
    }
    if not values_by_name:
        return
    first = next(iter(values_by_name.values()))
    moves = wins + sorted(first, key=lambda move: first[move], reverse=True)
    columns = [Column("move", "move", "<", repeats=True)]
    columns += [Column(name, name, form="+.6g") for name in values_by_name]
    rows: list[Row] = [
        {"move": str(move), **{name: values.get(move, "wins") for name, values in values_by_name.items()}}
        for move in moves
    ]
    yield Table("values", "heuristic value after each move, without search", columns, rows)


# A game


def _game_blocks(analysis: Analysis, game: GameRecord) -> Iterator[Block]:
    """Yield the moves and the agents' choices, with agreement and accuracy."""
    labels = [str(spec) for spec in analysis.specs]
    if len(labels) > 1:
        yield Facts([Fact(f"agent {number}", (label,)) for number, label in enumerate(labels, start=1)])
        labels = [f"agent {number}" for number in range(1, len(labels) + 1)]
    yield _moves_table(analysis, game, labels)
    lines = [
        f"{label} {_agreement(game, [row[place] for row in analysis.opinions])}" for place, label in enumerate(labels)
    ]
    failures = [opinion.failure for row in analysis.opinions for opinion in row]
    lines += [failure for failure in dict.fromkeys(failures) if failure]
    if analysis.accuracy is not None:
        lines += game_lines(analysis.accuracy)
    if analysis.interrupted:
        lines.append("interrupted")
    yield Listing(lines)


def _moves_table(analysis: Analysis, game: GameRecord, labels: Sequence[str]) -> Table:
    """Return a table with a row for each analysed move.

    After an interrupt, the remaining moves of the game have no row.
    """
    columns = [
        Column("ply", "ply", repeats=True),
        Column("player", "", "<", repeats=True),
        Column("played", "played", "<", repeats=True),
        *(Column(label, label, "<") for label in labels),
    ]
    rows: list[list[Value]] = []
    asked = zip(game.positions(), game.moves, analysis.opinions, strict=False)
    for ply, (position, move, row) in enumerate(asked, start=1):
        choices = [_cell(opinion, move) for opinion in row]
        rows.append([ply, position.to_move.badge, str(move), *choices])
    if analysis.accuracy is not None:
        columns.append(Column("truth", "exact value", "<"))
        for cells, marked in zip(rows, analysis.accuracy.moves, strict=True):
            cells.append(mark_text(marked))
    return Table("moves", "", columns, rows_of(columns, rows))


def _cell(opinion: Opinion, played: Square) -> str:
    """Return a choice such as `* e4 +2`; the star marks a difference from the game."""
    if opinion.choice is None:
        return "* failed"
    differs = "*" if opinion.choice.move != played else " "
    return f"{differs} {opinion.choice.move!s:<3} {score_in_words(opinion.choice.report)}"


def _agreement(game: GameRecord, opinions: Sequence[Opinion]) -> str:
    """Return how many moves of the game an agent agrees with.

    For example: `would have played 5 of 9 moves: (A) 3 of 5, [B] 2 of 4`.
    """
    played, agreed = dict.fromkeys(Player, 0), dict.fromkeys(Player, 0)
    for position, move, opinion in zip(game.positions(), game.moves, opinions, strict=False):
        played[position.to_move] += 1
        agreed[position.to_move] += opinion.choice is not None and opinion.choice.move == move
    parts = ", ".join(f"{player.badge} {agreed[player]} of {played[player]}" for player in Player)
    return f"would have played {sum(agreed.values())} of {sum(played.values())} moves: {parts}"


# JSON


def analysis_json(analysis: Analysis) -> dict[str, Any]:
    """Return an analysis as JSON, with infinite scores and NaN as strings."""
    about: dict[str, Any] = {"agents": [str(spec) for spec in analysis.specs], "interrupted": analysis.interrupted}
    if isinstance(analysis.target, GameRecord):
        truth = None if analysis.accuracy is None else game_json(analysis.accuracy)
        return {**_game_json(analysis.target, analysis.opinions), "truth": truth, **about}
    return {**_position_json(analysis.target, analysis.opinions), **about}


def _position_json(position: Position, rows: list[list[Opinion]]) -> dict[str, Any]:
    outcome = position.outcome()
    over = None if outcome is None else {"winner": str(outcome.winner), "reason": str(outcome.reason)}
    return {
        "position": str(position),
        "outcome": over,
        "opinions": [{**_opinion_json(opinion), "values": _values_json(opinion)} for row in rows for opinion in row],
    }


def _game_json(game: GameRecord, rows: list[list[Opinion]]) -> dict[str, Any]:
    asked = zip(game.positions(), game.moves, rows, strict=False)
    plies = [
        {
            "ply": ply,
            "player": str(position.to_move),
            "position": str(position),
            "played": str(move),
            "opinions": [_opinion_json(opinion) for opinion in row],
        }
        for ply, (position, move, row) in enumerate(asked, start=1)
    ]
    return {"game": json.loads(format_game_json(game)), "plies": plies}


def _opinion_json(opinion: Opinion) -> dict[str, Any]:
    if opinion.choice is None:
        return {"move": None, "failure": opinion.failure}
    report = asdict(opinion.choice.report)
    report["pv"] = [str(square) for square in opinion.choice.report.pv]
    report["score"] = _number(report["score"])
    return {"move": str(opinion.choice.move), **report}


def _values_json(opinion: Opinion) -> dict[str, Any]:
    return {str(move): _number(value) for move, value in opinion.values.items()}


def _number(value: float | None) -> float | str | None:
    return value if value is None or isfinite(value) else str(value)


# Accuracy of runs


ABOUT: Final = (
    "Accuracy is critical-move accuracy: of the won positions in which some move loses, the share in which the agent "
    "kept the win. Converted is the share of theoretically won openings that the agent won. Perfect play is the least "
    "that a player without mistakes would score against the agent, if the agent made mistakes in as many games as it "
    "did here: that player wins every opening that is won for its side, and each other game in which the agent makes "
    "a mistake."
)

LEAST_FOR_PERCENT: Final = 5
"""The minimum number of critical positions to show accuracy as a percentage.

With fewer, the report shows the counts.
"""


# A run


def accuracy_facts(found: RunAccuracy, results: Results) -> Iterator[Fact]:
    """Yield facts that compare the two agents of a match with perfect play."""
    data = {"accuracy": accuracy_data(found)}
    if found.sampled == 0:
        yield Fact("accuracy", (f"not measured: {why_not_measured(results)}",), data)
        return
    one, other = found.agents
    parts: tuple[str, ...] = ()
    if one.accuracy is not None or other.accuracy is not None:
        games = f"{counted(found.solved, 'game')} solved"
        if found.solved < found.sampled:
            games = f"{found.solved} of {found.sampled} games solved in full"
        parts = (
            f"{accuracy_of_agent(one)} vs {accuracy_of_agent(other)}",
            games,
            f"median first mistake at ply {_ply(one)} vs {_ply(other)}",
        )
    yield Fact("accuracy", parts, data)
    if one.conversion is not None or other.conversion is not None:
        upsets = found.upsets
        yield Fact(
            "theory",
            (
                f"won openings converted: {_rate(one.conversion)} vs {_rate(other.conversion)}",
                f"theoretical winner won both games of {counted(upsets[0], 'pair')}, one of {upsets[1]}, "
                f"neither of {upsets[2]}",
            ),
        )
    if other.perfect_play_at_least is not None:
        least = other.perfect_play_at_least
        scores = f"scores at least {least} against {results.labels[1]}"
        provided = f"if it provokes at least as many mistakes as {results.labels[0]}"
        yield Fact("perfect play", (scores, provided))


def why_not_measured(results: Results) -> str:
    """Return the reason why no game was solved."""
    if not results.tally.pairs:
        return "no pair is finished"
    return "openings on this board take too long to solve"


def accuracy_data(found: RunAccuracy) -> dict[str, Any]:
    """Return a run's accuracy as JSON."""
    return {
        "games_sampled": found.sampled,
        "games_solved": found.solved,
        "pairs_as_theory_says": found.upsets[0],
        "pairs_with_one_upset": found.upsets[1],
        "pairs_with_two_upsets": found.upsets[2],
        "per_agent": [
            {
                "accuracy": agent.accuracy,
                "won_positions": len(agent.positions),
                "conversion": agent.conversion,
                "won_openings": len(agent.openings),
                "perfect_play_at_least": agent.perfect_play_at_least,
                "first_mistake": agent.first_mistake,
                "mistakes_by_ply": {ply: n for ply, n in sorted(agent.mistakes.items()) if n},
            }
            for agent in found.agents
        ],
    }


def accuracy_table(results: Results, accuracy: RunAccuracy) -> Table:
    """Return a table with one row for each agent, in the order of the standings."""
    columns = (
        Column("agent", "agent", "<", repeats=True),
        Column("kept", "accuracy"),
        Column("won_positions"),
        Column("converted", "converted"),
        Column("won_openings"),
        Column("median_first_mistake", "median first\nmistake"),
        Column("perfect_play_at_least", "perfect play\nat least"),
    )
    rows: list[Row] = []
    for player in results.ranking:
        agent, first = accuracy.agents[player], accuracy.agents[player].first_mistake
        rows.append(
            {
                "agent": Cell(results.labels[player], results.names.short[player]),
                "kept": _kept_cell(agent),
                "won_positions": len(agent.positions),
                "converted": agent.conversion,
                "won_openings": len(agent.openings),
                "median_first_mistake": None if first is None else Cell(first, f"ply {first:g}"),
                "perfect_play_at_least": agent.perfect_play_at_least,
            }
        )
    title = "Accuracy against perfect play"
    return Table("accuracy", title, columns, rows, is_file=True)


def accuracy_in_words(accuracy: RunAccuracy) -> str:
    """Describe the sample, and explain the columns of the table."""
    upsets = accuracy.upsets
    games = f"Of {counted(accuracy.sampled, 'sampled game')}, {accuracy.solved:,} were solved in full."
    pairs = (
        f"Of {counted(sum(upsets.values()), 'pair')}, the theoretical winner won both games of {upsets[0]:,}, "
        f"one game of {upsets[1]:,} and neither of {upsets[2]:,}."
    )
    return f"{games} {pairs} {ABOUT}"


def accuracy_of_agent(agent: AgentAccuracy) -> str:
    """Return an agent's accuracy as text.

    For example: `1 mistake in 1 critical position`.
    """
    chances, mistakes = agent.chances.total(), agent.mistakes.total()
    if chances < LEAST_FOR_PERCENT:
        return mistakes_in_words(mistakes, chances)
    return f"{agent.accuracy} of {chances:,} critical positions"


def mistakes_in_words(mistakes: int, chances: int) -> str:
    """Return the counts as text.

    For example: `1 mistake in 3 critical positions`.
    """
    if not chances:
        return "no critical position"
    return f"{counted(mistakes, 'mistake')} in {counted(chances, 'critical position')}"


def _kept_cell(agent: AgentAccuracy) -> Cell | None:
    if agent.accuracy is None:
        return None
    chances = agent.chances.total()
    few = f"{agent.mistakes.total()} wrong of {chances}"
    return Cell(agent.accuracy, few if chances < LEAST_FOR_PERCENT else None)


def _rate(rate: RateEstimate | None) -> str:
    return "–" if rate is None else str(rate)  # noqa: RUF001


def _ply(agent: AgentAccuracy) -> str:
    return "–" if agent.first_mistake is None else f"{agent.first_mistake:g}"  # noqa: RUF001


# A game


def mark_text(one: MarkedMove) -> str:
    """Return a mark as text; for a mistake, include a move that keeps the win."""
    if one.mark is Mark.MISTAKE:
        return "mistake" if one.keeps is None else f"mistake: {one.keeps} wins"
    if one.mark is Mark.RIGHT and one.decides is False:
        return "right (every move wins)"
    return str(one.mark)


def game_lines(marked: GameAccuracy) -> Iterator[str]:
    """Yield each player's accuracy and mistakes, and the theoretical winner."""
    for player in Player:
        kept, chances = marked.kept(player)
        enough = chances >= LEAST_FOR_PERCENT
        share = f" (accuracy {rounded(100 * kept / chances)}%)" if enough else ""
        first = marked.first_mistake(player)
        err = f"; first mistake at ply {first.ply}" if first else ""
        yield f"{player}: {mistakes_in_words(chances - kept, chances)}{share}{err}"
    outcome = marked.game.outcome()
    ended = "" if outcome is None else f"; {outcome.winner} won the game"
    if marked.theoretical_winner is not None:
        yield f"perfect play from {_beginning(marked)}: {marked.theoretical_winner} wins{ended}"
    if marked.winner_by_law is not None:
        right = marked.winner_by_law.other
        wrong = f", but {right} wins from this start" if marked.law_is_wrong else ""
        yield f"colour law after the placements: {marked.winner_by_law} wins{wrong}"
    unknown = sum(one.wins is None for one in marked.moves)
    if unknown:
        were = "position was" if unknown == 1 else "positions were"
        yield f"{unknown} {were} not solved within the limit"


def _beginning(marked: GameAccuracy) -> str:
    """Name the position before the first marked move."""
    position = marked.game.positions()[marked.moves[0].ply - 1]
    if not position.placing:
        return "the start"
    return "the empty board" if position.other is None else "the first placement"


def game_json(marked: GameAccuracy) -> dict[str, Any]:
    """Return a game's accuracy and the mark of each move as JSON."""
    firsts = {player: marked.first_mistake(player) for player in Player}
    found: dict[str, Any] = json_of(
        {
            "accuracy": {str(player): dict(zip(("kept", "of"), marked.kept(player), strict=True)) for player in Player},
            "first_mistake": {str(player): None if first is None else first.ply for player, first in firsts.items()},
            "perfect_play": None if marked.theoretical_winner is None else str(marked.theoretical_winner),
            "colour_law": None if marked.winner_by_law is None else str(marked.winner_by_law),
            "moves": [mark_json(one) for one in marked.moves],
        }
    )
    return found


def mark_json(one: MarkedMove) -> dict[str, Any]:
    """Return a move's mark as JSON."""
    keeps = None if one.keeps is None else str(one.keeps)
    return {"mark": str(one.mark), "wins": one.wins, "decides": one.decides, "keeps": keeps}
