"""What the truth says of a run or a game: won positions kept, mistakes, and who should have won."""

from collections.abc import Iterator
from typing import Any, Final

from isolarium.analysis.accuracy import GameAccuracy, Mark, MarkedMove
from isolarium.analysis.run_accuracy import AgentAccuracy, RunAccuracy
from isolarium.arena.results import Results
from isolarium.game.outcome import Player
from isolarium.reporting.cells import Cell, json_of
from isolarium.reporting.model import Column, Fact, Row, Table
from isolarium.stats import RateEstimate, rounded
from isolarium.text import counted

ABOUT: Final = (
    "Kept is the share of won positions with a losing move among them in which the agent moved to one that it still "
    "won. Converted is the share of openings won for its side that it won. Against it is what a player without "
    "mistakes would score at least, if the agent erred in as many games against that one: it wins the openings that it "
    "has won, and of the others those in which the agent errs even once. Whoever provokes more mistakes than the "
    "agent's opponents here did scores more."
)


# A run


def accuracy_facts(found: RunAccuracy, results: Results) -> Iterator[Fact]:
    """How the two agents of a match did against the truth, where a won position could have been spoilt."""
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
            f"{_rate(one.accuracy)} vs {_rate(other.accuracy)} of won positions kept ({games})",
            f"first mistake at ply {_ply(one)} / {_ply(other)} (median)",
        )
    yield Fact("accuracy", parts, data)
    if one.conversion is not None or other.conversion is not None:
        upsets = found.upsets
        yield Fact(
            "theory",
            (
                f"won openings won {_rate(one.conversion)} vs {_rate(other.conversion)}",
                f"pairs as theory says {upsets[0]} · one upset {upsets[1]} · two {upsets[2]}",
            ),
        )
    if other.perfect_play_at_least is not None:
        least = other.perfect_play_at_least
        told = f"at least {least} for a player without mistakes against {results.labels[1]}"
        why = f"if it provokes no fewer mistakes than {results.labels[0]} did"
        yield Fact("perfect", (told, why))


def why_not_measured(results: Results) -> str:
    """Why no game was looked at."""
    if not results.tally.pairs:
        return "no pair is finished"
    return "openings on this board are past the solver's quick reach"


def accuracy_data(found: RunAccuracy) -> dict[str, Any]:
    """The same for programs."""
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
    """One row for each agent, in the order of the standings."""
    columns = (
        Column("agent", "agent", "<", repeats=True),
        Column("kept", "kept"),
        Column("won_positions"),
        Column("converted", "converted"),
        Column("won_openings"),
        Column("median_first_mistake", "first mistake"),
        Column("perfect_play_at_least", "against it,\nat least"),
    )
    rows: list[Row] = []
    for player in results.ranking:
        agent, first = accuracy.agents[player], accuracy.agents[player].first_mistake
        rows.append(
            {
                "agent": Cell(results.labels[player], results.names.short[player]),
                "kept": agent.accuracy,
                "won_positions": len(agent.positions),
                "converted": agent.conversion,
                "won_openings": len(agent.openings),
                "median_first_mistake": None if first is None else Cell(first, f"ply {first:g}"),
                "perfect_play_at_least": agent.perfect_play_at_least,
            }
        )
    title = "Won positions kept, and won openings won"
    return Table("accuracy", title, columns, rows, is_file=True)


def accuracy_in_words(accuracy: RunAccuracy) -> str:
    """How many games were solved, how many pairs went as theory says, and what the table's columns are."""
    upsets = accuracy.upsets
    games = (
        f"{counted(accuracy.solved, 'game')} of a sample of {accuracy.sampled:,} solved in full."
    )
    pairs = (
        f"Of {sum(upsets.values()):,} pairs, {upsets[0]:,} went as theory says, {upsets[1]:,} with one upset and "
        f"{upsets[2]:,} with two."
    )
    return f"{games} {pairs} {ABOUT}"


def _rate(rate: RateEstimate | None) -> str:
    return "-" if rate is None else str(rate)


def _ply(agent: AgentAccuracy) -> str:
    return "-" if agent.first_mistake is None else f"{agent.first_mistake:g}"


# A game


def mark_text(one: MarkedMove) -> str:
    """A mark as a table shows it: a mistake with the move that kept the win."""
    if one.mark is Mark.MISTAKE:
        return "mistake" if one.keeps is None else f"mistake: {one.keeps} wins"
    if one.mark is Mark.RIGHT and one.decides is False:
        return "right (as every move)"
    return str(one.mark)


def game_lines(marked: GameAccuracy) -> Iterator[str]:
    """Each player's accuracy, the first mistake, and how perfect play and the colour law called the game."""
    for player in Player:
        kept, chances = marked.kept(player)
        share = f" ({rounded(100 * kept / chances)}%)" if chances else ""
        first = marked.first_mistake(player)
        err = f"; first mistake at ply {first.ply}" if first else ""
        yield f"{player} kept {kept} of {chances} won positions with a losing move{share}{err}"
    outcome = marked.game.outcome()
    ended = "" if outcome is None else f"; {outcome.winner} won"
    if marked.favourite is not None:
        yield f"with perfect play from {_beginning(marked)} {marked.favourite} wins{ended}"
    if marked.called_by_law is not None:
        right = marked.called_by_law.other
        wrong = f", and is wrong about this start: {right} wins it" if marked.law_is_wrong else ""
        yield f"from where both were placed the colour law says {marked.called_by_law}{wrong}"
    unknown = sum(one.wins is None for one in marked.moves)
    if unknown:
        told = "position was" if unknown == 1 else "positions were"
        yield f"{unknown} {told} not solved within the limit"


def _beginning(marked: GameAccuracy) -> str:
    """The position before the first of the moves."""
    position = marked.game.positions()[marked.moves[0].ply - 1]
    if not position.placing:
        return "the start"
    return "the empty board" if position.other is None else "the first placement"


def game_json(marked: GameAccuracy) -> dict[str, Any]:
    """A game's accuracy for programs, with the mark of each move."""
    firsts = {player: marked.first_mistake(player) for player in Player}
    found: dict[str, Any] = json_of(
        {
            "accuracy": {
                str(player): dict(zip(("kept", "of"), marked.kept(player), strict=True))
                for player in Player
            },
            "first_mistake": {
                str(player): None if first is None else first.ply
                for player, first in firsts.items()
            },
            "perfect_play": None if marked.favourite is None else str(marked.favourite),
            "colour_law": None if marked.called_by_law is None else str(marked.called_by_law),
            "moves": [mark_json(one) for one in marked.moves],
        }
    )
    return found


def mark_json(one: MarkedMove) -> dict[str, Any]:
    """A move's mark for programs."""
    keeps = None if one.keeps is None else str(one.keeps)
    return {"mark": str(one.mark), "wins": one.wins, "decides": one.decides, "keeps": keeps}
