"""A study: an experiment written down whole, in parts that are runs of their own, with the figures it is compared to.

`study_file` reads one from TOML.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from isolarium.agents import parse_spec
from isolarium.arena.plan import Format, Plan
from isolarium.spec.parser import parse_limit
from isolarium.spec.template import Sweep
from isolarium.stats import SprtPlan

DEFAULT_LIMIT: Final = "nodes=8000"


@dataclass(frozen=True, slots=True)
class Claim:
    """A figure that somebody published: games won of games played.

    Attributes:
        source: where it stands.
        agent: whose games.
        against: the opponents they were played against; one of them, or all whose games are added up.
        wins: games won.
        games: games played.
        printed: the rate as printed, in percent, where the source gives one.
        is_cell: whether it is one of a list, a figure for each opponent.
    """

    source: str
    agent: str
    against: tuple[str, ...]
    wins: int
    games: int
    printed: float | None = None
    is_cell: bool = False

    @property
    def is_misprint(self) -> bool:
        """Whether the printed rate is not what these wins give, rounded as it is."""
        if self.printed is None:
            return False
        slack = 0.51 if self.printed.is_integer() else 0.051
        return abs(self.printed - 100 * self.wins / self.games) > slack


@dataclass(frozen=True, slots=True)
class Sessions:
    """A published count of sessions in which one agent did better than another.

    Attributes:
        source: where it stands.
        agent: the agent the count is about.
        than: the agent it is compared with; both play all opponents of the part.
        games: games against each opponent in a session.
        better: sessions in which it won more games, as published.
        of: sessions in all.
        rates: the printed results of sessions in percent, the agent's and the other's.
    """

    source: str
    agent: str
    than: str
    games: int
    better: int
    of: int
    rates: tuple[tuple[float, float], ...] = ()

    @property
    def counted(self) -> tuple[int, int, int]:
        """Sessions better, tied and worse, by the printed results."""
        better = sum(one > other for one, other in self.rates)
        tied = sum(one == other for one, other in self.rates)
        return better, tied, len(self.rates) - better - tied


@dataclass(frozen=True, slots=True)
class Part:
    """One run of a study.

    Attributes:
        name: a word that is also the name of its folder.
        title: what it is about, in a line.
        about: the same in a few sentences.
        format: who meets whom.
        agents: the agents under test, by the study's names or by spec; in a sweep by spec.
        opponents: whom they meet, in a gauntlet.
        board: ROWSxCOLS.
        pairs: pairs of every encounter.
        seed: the run's.
        openings: `random`, `all` or `file`.
        lines: the openings of a file.
        plies: random moves after the placements.
        limit: for agents that name none; nothing: the study's.
        move_ms: what a move may take.
        test: bounds of a sequential test.
        self_play: in a round robin, whether agents also meet themselves.
        sweep: where the agents are one spec with different values, which.
        counts_columns: whether an agent's average counts its games as opponent too.
        heat_map: whether the squares visited are of interest.
        baseline: the agent that the others are put beside; nothing: none of them.
        columns: further columns of its table, each with a text for every agent.
        claims: what was published.
        sessions: what was published by sessions.
    """

    name: str
    title: str
    about: str
    format: Format
    agents: tuple[str, ...]
    opponents: tuple[str, ...]
    board: str
    pairs: int
    seed: int
    openings: str
    lines: tuple[tuple[str, ...], ...]
    plies: int
    limit: str
    move_ms: float | None
    test: SprtPlan | None
    self_play: bool
    sweep: Sweep | None
    counts_columns: bool
    heat_map: bool
    baseline: str
    columns: Mapping[str, Mapping[str, str]]
    claims: tuple[Claim, ...] = ()
    sessions: tuple[Sessions, ...] = ()

    def with_figures(self, claims: tuple[Claim, ...], sessions: tuple[Sessions, ...]) -> "Part":
        """The same with what was published."""
        return replace(self, claims=claims, sessions=sessions)

    @property
    def players(self) -> tuple[str, ...]:
        """Everybody's name, in the order of the plan's players."""
        return self.agents + self.opponents

    def opponents_of(self, agent: str) -> tuple[str, ...]:
        """Whom an agent meets."""
        if self.format is Format.GAUNTLET:
            return self.opponents
        return tuple(name for name in self.agents if name != agent)


@dataclass(frozen=True, slots=True)
class Study:
    """An experiment.

    Attributes:
        name: what people type.
        title: one line.
        about: a few sentences.
        limit: for every agent that names none.
        agents: the study's names for agents, with their specs.
        parts: its runs, in order.
        text: the file as it was read.
        lessons: whether to say what a teacher would of the course's agents in it.
    """

    name: str
    title: str
    about: str
    limit: str
    agents: Mapping[str, str]
    parts: tuple[Part, ...]
    text: str
    lessons: bool = False

    def plan(self, part: Part, limit: str | None = None, scale: float = 1.0) -> Plan:
        """The plan of one part.

        Args:
            part: one of the study's.
            limit: in place of the study's and the part's; agents that name their own keep it.
            scale: pairs for each that the part asks for; there is always at least one.
        """
        bound = limit or part.limit or self.limit
        return Plan(
            format=part.format,
            agents=tuple(self.spec(name, bound) for name in part.agents),
            opponents=tuple(self.spec(name, bound) for name in part.opponents),
            board=part.board,
            pairs=max(min(1, part.pairs), round(part.pairs * scale)),
            seed=part.seed,
            openings=part.openings,
            plies=part.plies,
            lines=part.lines,
            test=part.test,
            self_play=part.self_play,
            sweep=part.sweep,
            move_ms=part.move_ms,
            title=f"{self.name} {part.name}",
            study={"name": self.name, "part": part.name, "limit": bound, "text": self.text},
        )

    def spec(self, name: str, limit: str) -> str:
        """The full spec of an agent: `limit` is added where it takes one and names none."""
        spec = parse_spec(self.agents.get(name, name))
        return str(spec if spec.names_limit else spec.with_limit(*parse_limit(limit)))
