"""Play the rounds of a part with a budget; each step of a round is a run of its own."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from zlib import crc32

from isolarium.arena.openings import random_openings
from isolarium.arena.plan import Format, Plan
from isolarium.arena.session import Session
from isolarium.game.notation import parse_board
from isolarium.stats import rate_difference
from isolarium.studies.rounds import Judged, Kind, Schedule, Step
from isolarium.studies.study_results import PartResult, Rounds, Scores, pair_scores

PlayRun = Callable[[Session, str, Sequence[str]], None]
"""Plays a run, given its label and the names of its players."""


def schedule_of(result: PartResult, scale: float) -> Schedule | None:
    """Return the schedule of a part's rounds; None if it has only one round.

    A part whose agents have time limits has only one round, because its games depend on the machine.
    """
    part, plan = result.part, result.plan
    others = tuple(agent for agent in part.agents if agent != part.baseline)
    if not part.budget or plan.is_timed or not others:
        return None
    budget = round(part.budget * scale)
    schedule = Schedule(others, len(part.opponents), plan.pairs, budget)
    return schedule if budget > schedule.first_round else None


def play_rounds(result: PartResult, schedule: Schedule, folder: Path, play: PlayRun) -> PartResult:
    """Play the rounds after the first, and return the part's result with all of them.

    The steps of a round depend only on completed rounds, so an interrupted study plays the same
    games when it is resumed.

    Args:
        result: The result of the first round, which is complete.
        schedule: The schedule of the rounds.
        folder: The study's folder.
        play: Plays a run, unless it is to stop.
    """
    rounds = _Rounds(result, schedule)
    number = 1
    while steps := schedule.next_round(rounds.judged, rounds.games, rounds.baseline_look):
        number += 1
        for step in steps:
            plan = rounds.plan(step, number)
            name = f"{result.part.name}-round-{number}-{step.kind}-{step.look + 1}"
            with Session.begin_or_resume(plan, folder / name) as session:
                play(session, f"round {number}, {step.kind}", rounds.names(step))
                if not session.is_finished:
                    return rounds.result(is_finished=False)
                rounds.add(step, pair_scores(session.record))
        rounds.judge(steps)
    return rounds.result(is_finished=True)


@dataclass(frozen=True, slots=True)
class _Opening:
    moves: tuple[str, ...]
    cluster: str


class _Rounds:
    """The scores and judgements of the rounds so far."""

    def __init__(self, result: PartResult, schedule: Schedule) -> None:
        self.first, self.schedule, self.part = result, schedule, result.part
        self.games = schedule.first_round
        self.baseline_look = 0
        self._openings = list(self._draw_openings())
        self._field: dict[tuple[str, str], Scores] = {}
        self._duels: dict[str, Scores] = {agent: {} for agent in schedule.agents}
        names = self.part.players
        for met, scores in zip(result.plan.encounters, result.scores, strict=True):
            self._field[names[met.first], names[met.second]] = dict(scores)
        self.judged: dict[tuple[str, Kind], Judged] = {}
        self._judge(Kind.FIELD, 0, schedule.agents)

    def _draw_openings(self) -> Iterator[_Opening]:
        """Yield the openings of all rounds, starting with those of the first."""
        plan, most = self.first.plan, max(size[-1] for size in self.schedule.sizes.values())
        for one in islice(random_openings(parse_board(plan.board), plan.seed, plan.plies), most):
            yield _Opening(tuple(map(str, one.moves)), one.cluster)

    def _sides(self, step: Step) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the agents and the opponents of a step."""
        if step.kind is Kind.DUEL:
            return step.agents, (self.part.baseline,)
        needs_baseline = step.look > self.baseline_look
        extra = (self.part.baseline,) if needs_baseline else ()
        return (*step.agents, *extra), self.part.opponents

    def names(self, step: Step) -> tuple[str, ...]:
        """Return the names of a step's players."""
        agents, opponents = self._sides(step)
        return (*agents, *opponents)

    def plan(self, step: Step, number: int) -> Plan:
        """Return the plan of a step of a round."""
        first, end = self.schedule.span(step.kind, step.look)
        of_first = self.first.plan
        specs = dict(zip(self.part.players, of_first.players, strict=True))
        agents, opponents = self._sides(step)
        title = f"{of_first.title} round {number}"
        return Plan(
            format=Format.GAUNTLET,
            agents=tuple(specs[name] for name in agents),
            opponents=tuple(specs[name] for name in opponents),
            board=of_first.board,
            pairs=end - first,
            seed=crc32(f"{of_first.seed} {number} {step.kind} {step.look}".encode()),
            openings="file",
            lines=tuple(opening.moves for opening in self._openings[first:end]),
            move_ms=of_first.move_ms,
            title=title,
            study=of_first.study,
        )

    def add(self, step: Step, scores: Sequence[Scores]) -> None:
        """Add the scores of a step's run, one for each encounter in the plan's order."""
        first, _ = self.schedule.span(step.kind, step.look)
        agents, opponents = self._sides(step)
        meetings = [(agent, opponent) for agent in agents for opponent in opponents]
        for (agent, opponent), found in zip(meetings, scores, strict=True):
            kept = self._duels[agent] if step.kind is Kind.DUEL else self._field[agent, opponent]
            kept.update((first + pair, score) for pair, score in found.items())
            self.games += 2 * len(found)
        if step.kind is Kind.FIELD:
            self.baseline_look = max(self.baseline_look, step.look)

    def judge(self, steps: Sequence[Step]) -> None:
        """Judge the comparisons that the steps of a round have continued."""
        for step in steps:
            self._judge(step.kind, step.look, step.agents)

    def _judge(self, kind: Kind, look: int, agents: Sequence[str]) -> None:
        size = self.schedule.sizes[kind][look]
        comparisons = self.schedule.comparisons(kind, look)
        gains = self._field_gains if kind is Kind.FIELD else self._duel_gains
        for agent in agents:
            found = ((gain, self._openings[opening].cluster) for opening, gain in gains(agent) if opening < size)
            self.judged[agent, kind] = Judged(look, rate_difference(found, comparisons=comparisons))

    def _field_gains(self, agent: str) -> Iterator[tuple[int, float]]:
        """Yield how much better the agent scored than the baseline, by opening and opponent."""
        for opponent in self.part.opponents:
            base = self._field[self.part.baseline, opponent]
            for opening, score in self._field[agent, opponent].items():
                yield opening, score - base[opening]

    def _duel_gains(self, agent: str) -> Iterator[tuple[int, float]]:
        """Yield the agent's score against the baseline above one half, by opening."""
        for opening, score in self._duels[agent].items():
            yield opening, score - 0.5

    def result(self, *, is_finished: bool) -> PartResult:
        """Return the part's result with the rounds so far."""
        rounds = Rounds(self.schedule, self.judged, self.games, is_finished)
        return replace(self.first, rounds=rounds)
