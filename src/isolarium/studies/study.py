"""A study: an experiment in parts, each of which is a separate run.

`study_file` reads and writes studies as TOML.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from isolarium.agents import parse_spec
from isolarium.arena.plan import Format, Plan
from isolarium.errors import InputError, located
from isolarium.spec.parser import parse_limit
from isolarium.spec.template import Sweep
from isolarium.stats import SprtPlan

DEFAULT_LIMIT: Final = "nodes=8000"


@dataclass(frozen=True, slots=True)
class Claim:
    """A published figure: games won of games played.

    Attributes:
        source: Where it was published.
        agent: The agent whose games are counted.
        against: The opponent, or several opponents whose games are added up.
        wins: Games won.
        games: Games played.
        printed: The rate as printed, in percent, if the source gives one.
        is_cell: Whether the figure belongs to a list with one figure per opponent.
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
        """Whether the printed rate differs from the rounded rate of the wins."""
        if self.printed is None:
            return False
        slack = 0.51 if self.printed.is_integer() else 0.051
        return abs(self.printed - 100 * self.wins / self.games) > slack


@dataclass(frozen=True, slots=True)
class SessionCount:
    """A published count of the sessions in which one agent did better than another.

    Attributes:
        source: Where it was published.
        agent: The agent reported as better.
        than: The agent it is compared with; both play all opponents of the part.
        games: Games against each opponent in a session.
        better: The published number of sessions in which the agent won more games.
        of: The total number of sessions.
        rates: The printed results of the sessions in percent: the agent's and the other agent's.
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
        """The numbers of better, tied and worse sessions by the printed results."""
        better = sum(one > other for one, other in self.rates)
        tied = sum(one == other for one, other in self.rates)
        return better, tied, len(self.rates) - better - tied


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyPart:
    """One run of a study.

    Attributes:
        name: The name of the part and of its folder.
        title: Its title, one line.
        about: A description of a few sentences.
        format: Which agents meet.
        agents: The agents under test, by the study's names or by spec; in a sweep by spec.
        opponents: Their opponents, in a gauntlet.
        board: ROWSxCOLS.
        pairs: Pairs of games per encounter.
        seed: The run's seed.
        openings: `random`, `all` or `file`.
        lines: The openings of a file.
        plies: Random moves after the placements.
        limit: The limit of agents whose specs have none; empty for the study's limit.
        move_ms: The time limit of a move.
        test: The bounds of a sequential test.
        self_play: Whether agents of a round robin also meet themselves.
        sweep: The sweep, if the agents are one spec with different values.
        counts_columns: Whether an agent's average also counts its games as an opponent.
        heat_map: Whether to show tables of the squares visited.
        baseline: The agent that the others are compared with; empty for none.
        budget: The number of games of all rounds; 0 for a single round. Further rounds continue the
            comparisons with the baseline that are open: see `isolarium.studies.rounds`.
        columns: Further columns of the table, each with a text for every agent.
        claims: The published figures.
        sessions: The published counts of sessions.
    """

    name: str
    title: str
    about: str = ""
    format: Format
    agents: tuple[str, ...]
    opponents: tuple[str, ...] = ()
    board: str = "7x7"
    pairs: int
    seed: int = 1
    openings: str = "random"
    lines: tuple[tuple[str, ...], ...] = ()
    plies: int = 0
    limit: str = ""
    move_ms: float | None = None
    test: SprtPlan | None = None
    self_play: bool = False
    sweep: Sweep | None = None
    counts_columns: bool = False
    heat_map: bool = False
    baseline: str = ""
    budget: int = 0
    columns: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    claims: tuple[Claim, ...] = ()
    sessions: tuple[SessionCount, ...] = ()

    @property
    def players(self) -> tuple[str, ...]:
        """The names of all players, in the order of the plan."""
        return self.agents + self.opponents

    def check_budget(self) -> None:
        """Check that a part with a budget can be played in rounds.

        Raises:
            InputError: If it cannot.
        """
        is_gauntlet = self.format is Format.GAUNTLET and self.openings == "random"
        if self.budget and not (is_gauntlet and self.baseline):
            needs = "a gauntlet with a baseline and random openings"
            raise InputError(f"budget={self.budget}: expected {needs}")

    def opponents_of(self, agent: str) -> tuple[str, ...]:
        """Return the players that an agent meets."""
        if self.format is Format.GAUNTLET:
            return self.opponents
        return tuple(name for name in self.agents if name != agent)


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """An experiment.

    Attributes:
        name: The name used on the command line.
        title: Its title, one line.
        about: A description of a few sentences.
        limit: The limit of agents whose specs have none.
        agents: The specs of agents by their names in the study.
        parts: Its runs, in order.
        text: The study as TOML.
        is_graded: Whether to check the course agents that play in it, as `isolarium course` does.
    """

    name: str
    title: str
    about: str
    limit: str = DEFAULT_LIMIT
    agents: Mapping[str, str]
    parts: tuple[StudyPart, ...]
    text: str = ""
    is_graded: bool = False

    def check(self) -> None:
        """Check that the study has parts with different names and valid plans.

        Raises:
            InputError: If the study does not meet these conditions.
        """
        if not self.parts:
            raise InputError("no parts; expected at least one [[part]]")
        seen = set[str]()
        for part in self.parts:
            with located(f"part {part.name}"):
                if part.name in seen:
                    raise InputError("name: given twice; choose another")
                part.check_budget()
                self.plan(part)
            seen.add(part.name)

    def plan(self, part: StudyPart, limit: str | None = None, scale: float = 1.0) -> Plan:
        """Return the plan of a part.

        Args:
            part: One of the study's parts.
            limit: Overrides the study's and the part's limit; agents whose specs have a limit keep it.
            scale: Multiplies the pairs of the part; at least one remains.
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

    def games(self, part: StudyPart) -> int:
        """Return the maximum number of games of a part at full size."""
        return max(self.plan(part).games, part.budget)

    def spec(self, name: str, limit: str) -> str:
        """Return an agent's full spec, with `limit` if it lacks a limit and accepts one."""
        spec = parse_spec(self.agents.get(name, name))
        return str(spec if spec.names_limit else spec.with_limit(*parse_limit(limit)))
