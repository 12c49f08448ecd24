"""Progress lines of a run."""

from collections.abc import Iterator, Sequence

from isolarium.agents import move_limit_s
from isolarium.arena.display_names import LONGEST, names_of
from isolarium.arena.live_game import SlowMove
from isolarium.arena.plan import Plan
from isolarium.arena.results import encounter_result, player_rate
from isolarium.arena.runner import Progress
from isolarium.arena.tally import Tally
from isolarium.text import duration, printable, shortened


def progress_line(progress: Progress) -> str:
    """Return the progress of a run as one line.

    For example: `1,240 of 2,000 games · 310 a second · 2 s left · 54.3% ± 1.9 · LLR 1.20 ...`.
    """
    tally = progress.tally
    if progress.stage == "compiling":
        return "loading (new agents are compiled first)"
    if progress.stage == "waiting":
        return "waiting for workers (each machine compiles new agents first)"
    if progress.stage == "locked":
        return "waiting: another process holds a lock on the results database (run.sqlite)"
    parts = [f"{tally.games:,} of {progress.games:,} games"]
    if progress.played:
        parts.append(_rate(progress.rate))
    if progress.seconds_left is not None:
        parts.append(f"{duration(progress.seconds_left)} left")
    if len(tally.plan.encounters) == 1 and tally.pairs:
        parts.append(str(encounter_result(tally, 0, tally.is_complete).rate))
    if tally.test is not None:
        plan = tally.test.plan
        parts.append(f"LLR {tally.test.llr:.2f} of {plan.lower:.2f} to {plan.upper:.2f}")
    if progress.slow is not None:
        parts.append(_slow(tally.plan, progress.slow))
    return " · ".join(parts)


def _slow(plan: Plan, move: SlowMove) -> str:
    """Describe a slow move, and when its agent is terminated."""
    text = f"{shortened(printable(move.spec), LONGEST)} has thought for {move.seconds:.0f} s"
    limit_s = move_limit_s(move.spec, plan.move_ms)
    return text if limit_s is None else f"{text} (limit {limit_s:,.0f} s)"


def _rate(rate: float) -> str:
    return f"{rate:,.0f} a second" if rate >= 1 else f"{60 * rate:,.0f} a minute"


def standings_lines(tally: Tally, most: int, names: Sequence[str] = ()) -> Iterator[str]:
    """Yield the leading agents under test, one per line.

    For a match, whose score `progress_line` shows, nothing is yielded.

    Args:
        tally: The games so far.
        most: The maximum number of lines.
        names: The players' display names; derived from the plan if empty.
    """
    if len(tally.plan.encounters) < 2:
        return
    names = (names or names_of(tally.plan).short)[: len(tally.plan.agents)]
    games = {player: tally.games_against_others(player) for player in range(len(names))}
    rates = {player: player_rate(tally, player, tally.is_complete) for player in games if games[player]}
    best = sorted(rates, key=lambda player: -rates[player].rate)[: max(0, most)]
    width = max((len(names[player]) for player in best), default=0)
    for rank, player in enumerate(best, start=1):
        yield f"  {rank:>2}  {names[player]:<{width}}  {rates[player]!s:<20} {games[player]:>7,} games"
    if len(names) > len(best) > 1:
        yield f"      and {len(names) - len(best)} more"
