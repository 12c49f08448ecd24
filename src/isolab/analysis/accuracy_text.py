"""What the truth says of a game or a run, in words and as plain values."""

from collections.abc import Iterator
from typing import Any

from isolab.analysis.accuracy import Mark, MarkedGame, MarkedMove
from isolab.analysis.run_accuracy import AgentAccuracy, RunAccuracy
from isolab.game.outcome import Player
from isolab.stats import RateEstimate
from isolab.text import counted


def mark_text(one: MarkedMove) -> str:
    """A mark as a table shows it: a mistake with the move that kept the win."""
    if one.mark is Mark.MISTAKE:
        return "mistake" if one.keeps is None else f"mistake: {one.keeps} wins"
    if one.mark is Mark.RIGHT and one.decides is False:
        return "right (as every move)"
    return str(one.mark)


def game_lines(marked: MarkedGame) -> Iterator[str]:
    """Each player's accuracy, the first mistake, and how perfect play and the colour law called the game."""
    for player in Player:
        kept, chances = marked.kept(player)
        share = f" ({100 * kept / chances:.0f}%)" if chances else ""
        first = marked.first_mistake(player)
        err = f"; first mistake at ply {first.ply}" if first else ""
        yield f"{player} kept {kept} of {chances} won positions with a losing move{share}{err}"
    outcome = marked.game.outcome()
    ended = "" if outcome is None else f"; {outcome.winner} won"
    if marked.favourite is not None:
        yield f"with perfect play {marked.favourite} wins{ended}"
    if marked.called_by_law is not None:
        right = marked.called_by_law.other
        wrong = f", and is wrong about this start: {right} wins it" if marked.law_is_wrong else ""
        yield f"the colour law says {marked.called_by_law}{wrong}"
    unknown = sum(one.wins is None for one in marked.moves)
    if unknown:
        told = "position was" if unknown == 1 else "positions were"
        yield f"{unknown} {told} not solved within the limit"


def match_line(found: RunAccuracy) -> str | None:
    """A match's accuracy in a line, where a won position could have been spoilt."""
    if found.sampled == 0:
        return "not measured: openings on this board are past the solver's quick reach"
    one, other = found.agents
    if one.accuracy is None and other.accuracy is None:
        return None
    games = f"{counted(found.solved, 'game')} solved"
    if found.solved < found.sampled:
        games = f"{found.solved} of {found.sampled} games solved in full"
    kept = f"{_rate(one.accuracy)} vs {_rate(other.accuracy)} of won positions kept ({games})"
    first = f"first mistake at ply {_ply(one)} / {_ply(other)} (median)"
    return f"{kept}     {first}"


def theory_line(found: RunAccuracy) -> str | None:
    """How the pairs and the won openings of a match went by theory."""
    if found.sampled == 0:
        return None
    upsets, (one, other) = found.upsets, found.agents
    if one.conversion is None and other.conversion is None:
        return None
    pairs = f"pairs as theory says {upsets[0]} · one upset {upsets[1]} · two {upsets[2]}"
    return f"won openings won {_rate(one.conversion)} vs {_rate(other.conversion)}     {pairs}"


def ceiling_line(found: RunAccuracy, name: str) -> str | None:
    """What the first agent of a match could have scored at most, against the one of that name."""
    ceiling = found.agents[1].ceiling
    if ceiling is None:
        return None
    return f"{ceiling} for a player without mistakes, given those of {name}"


def accuracy_json(found: RunAccuracy) -> dict[str, Any]:
    """The same for programs."""
    return {
        "games_sampled": found.sampled,
        "games_solved": found.solved,
        "pairs_as_theory_says": found.upsets[0],
        "pairs_with_one_upset": found.upsets[1],
        "pairs_with_two_upsets": found.upsets[2],
        "per_agent": [
            {
                "accuracy": _rate_json(agent.accuracy),
                "won_positions": len(agent.positions),
                "conversion": _rate_json(agent.conversion),
                "won_openings": len(agent.openings),
                "ceiling_against": _rate_json(agent.ceiling),
                "first_mistake": agent.first_mistake,
                "mistakes_by_ply": {ply: n for ply, n in sorted(agent.mistakes.items()) if n},
            }
            for agent in found.agents
        ],
    }


def game_json(marked: MarkedGame) -> dict[str, Any]:
    """A game's accuracy for programs; the marks stand with the moves."""
    return {
        "accuracy": {
            str(player): dict(zip(("kept", "of"), marked.kept(player), strict=True))
            for player in Player
        },
        "first_mistake": {
            str(player): None if first is None else first.ply
            for player in Player
            for first in [marked.first_mistake(player)]
        },
        "perfect_play": None if marked.favourite is None else str(marked.favourite),
        "colour_law": None if marked.called_by_law is None else str(marked.called_by_law),
    }


def mark_json(one: MarkedMove) -> dict[str, Any]:
    """A move's mark for programs."""
    keeps = None if one.keeps is None else str(one.keeps)
    return {"mark": str(one.mark), "wins": one.wins, "decides": one.decides, "keeps": keeps}


def _rate(rate: RateEstimate | None) -> str:
    return "-" if rate is None else str(rate)


def _rate_json(rate: RateEstimate | None) -> dict[str, float] | None:
    return None if rate is None else {"rate": rate.rate, "low": rate.low, "high": rate.high}


def _ply(agent: AgentAccuracy) -> str:
    return "-" if agent.first_mistake is None else f"{agent.first_mistake:g}"
