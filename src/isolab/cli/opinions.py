"""Asks agents about a position, or about every move of a game, until a person has had enough."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from isolab.agents import AgentFailure, AgentSpec, make_agent, parse_spec
from isolab.cli.interruption import interruptible
from isolab.cli.notice import notice_if_slow
from isolab.cli.search_display import SearchDisplay
from isolab.errors import InputError
from isolab.game.board import Square
from isolab.game.position import Position
from isolab.game.record import GameRecord
from isolab.search.protocol import Choice

if TYPE_CHECKING:
    from isolab.agents.hosted import HostedAgent
    from isolab.agents.searching import SearchingAgent
    from isolab.analysis.accuracy import MarkedGame


@dataclass(frozen=True)
class Opinion:
    """What an agent made of a position: its choice, or how it failed; and what its heuristic says of the moves."""

    choice: Choice | None
    failure: str = ""
    values: Mapping[Square, float] = field(default_factory=dict)


@dataclass
class Analysis:
    """What came of it.

    Attributes:
        target: the position or the game.
        specs: who was asked.
        opinions: for each position, in order, every agent's; of fewer positions after an interrupt.
        interrupted: whether a person stopped it.
        truth: of a game, the marks that perfect play gives its moves.
    """

    target: Position | GameRecord
    specs: list[AgentSpec]
    opinions: list[list[Opinion]] = field(default_factory=list)
    interrupted: bool = False
    truth: "MarkedGame | None" = None

    @property
    def failed(self) -> bool:
        """Whether an agent failed."""
        return any(opinion.failure for row in self.opinions for opinion in row)

    @property
    def positions(self) -> list[Position]:
        """What the agents are asked about: where there is a move, and in a game one was made."""
        if isinstance(self.target, GameRecord):
            return list(self.target.positions()[: len(self.target.moves)])
        return [self.target] if self.target.outcome() is None else []


@contextmanager
def analysed(target: Position | GameRecord, specs: Sequence[str], seed: int) -> Iterator[Analysis]:
    """Ask the agents that the specs describe; they are let go of after the block, for that may take its time.

    Raises:
        InputError: a spec is wrong, or its agent cannot start.
    """
    analysis = Analysis(target, [parse_spec(text) for text in specs])
    with ExitStack() as stack:
        agents = [_Asked(spec, seed) for spec in analysis.specs]
        for agent in agents:
            stack.enter_context(closing(agent))
        _ask_all(agents, analysis)
        yield analysis


def _ask_all(agents: "Sequence[_Asked]", analysis: Analysis) -> None:
    positions = analysis.positions
    if not positions:
        return
    with notice_if_slow("compiling (first time only)...", after_s=1.0):
        for agent in agents:
            agent.make_ready(positions[0])
    with interruptible() as pressed:
        display = SearchDisplay(lambda: bool(pressed))
        for number, position in enumerate(positions, start=1):
            where = f"move {number} of {len(positions)} · " if len(positions) > 1 else ""
            analysis.opinions.append([agent.ask(position, display, where) for agent in agents])
            if pressed:
                break
        display.end()
        analysis.interrupted = bool(pressed)


class _Asked:
    """An agent that is asked for its opinion."""

    def __init__(self, spec: AgentSpec, seed: int) -> None:
        self._limit = spec.limit
        self._seed = seed
        self._agent: SearchingAgent | HostedAgent = make_agent(spec)

    def make_ready(self, position: Position) -> None:
        try:
            self._agent.new_game(self._seed)
            self._agent.prepare(position)
        except AgentFailure as failure:
            raise InputError(str(failure)) from None

    def ask(self, position: Position, display: SearchDisplay, where: str) -> Opinion:
        display.start(f"{where}{self._agent.name}", self._limit)
        try:
            choice = self._agent.choose(position, display.stop)
            return Opinion(choice, values={} if where else self._agent.values(position))
        except AgentFailure as failure:
            return Opinion(None, str(failure))

    def close(self) -> None:
        self._agent.close()
