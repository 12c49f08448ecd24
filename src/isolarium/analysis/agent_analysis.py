"""Agents' choices in a position, or in every position of a game."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from time import monotonic

from isolarium.agents import AgentFailure, AgentSpec, make_agent, read_spec
from isolarium.analysis.accuracy import GameAccuracy
from isolarium.errors import InputError
from isolarium.game.board import Square
from isolarium.game.position import Position
from isolarium.game.record import GameRecord
from isolarium.limits import Limit, Stop, read_seed
from isolarium.search.protocol import Choice

Tell = Callable[[str, Limit, float], None]
"""A progress callback: receives the current search, its limit and the seconds elapsed."""


@dataclass(frozen=True)
class Opinion:
    """An agent's choice in a position.

    Attributes:
        choice: The choice; None if the agent failed.
        failure: The description of the failure, if the agent failed.
        values: The heuristic's value after each move.
    """

    choice: Choice | None
    failure: str = ""
    values: Mapping[Square, float] = field(default_factory=dict)


@dataclass
class Analysis:
    """An analysis of a position or a game by agents.

    Attributes:
        target: The position or the game.
        specs: The agents.
        opinions: Every agent's choice in each position, in order; incomplete after an interrupt.
        interrupted: Whether the user stopped the analysis.
        accuracy: The comparison of a game with perfect play.
    """

    target: Position | GameRecord
    specs: list[AgentSpec]
    opinions: list[list[Opinion]] = field(default_factory=list)
    interrupted: bool = False
    accuracy: GameAccuracy | None = None

    @property
    def failed(self) -> bool:
        """Whether an agent failed."""
        return any(opinion.failure for row in self.opinions for opinion in row)

    @property
    def positions(self) -> list[Position]:
        """The positions to analyse.

        For a game, these are the positions in which a move was made. A single position is analysed
        unless its game is over.
        """
        if isinstance(self.target, GameRecord):
            return list(self.target.positions()[: len(self.target.moves)])
        return [self.target] if self.target.outcome() is None else []


@contextmanager
def analysed(
    target: Position | GameRecord,
    specs: Sequence[str],
    seed: int,
    *,
    tell: Tell,
    stop: Stop,
    preparing: AbstractContextManager[None],
) -> Iterator[Analysis]:
    """Analyse a position or game with agents, which are closed when the block ends.

    Args:
        target: The position or the game.
        specs: The agents.
        seed: The random seed of the agents.
        tell: Receives progress.
        stop: Returns whether to stop; the current search then returns its best move so far.
        preparing: A context manager that is active while the agents start and compile.

    Raises:
        InputError: If a spec is invalid or an agent cannot start.
    """
    analysis = Analysis(target, [read_spec(text) for text in specs])
    read_seed(seed)
    with ExitStack() as stack:
        agents = [_Analyst(spec, seed, tell, stop) for spec in analysis.specs]
        for agent in agents:
            stack.enter_context(closing(agent))
        positions = analysis.positions
        if positions:
            with preparing:
                for agent in agents:
                    agent.make_ready(positions[0])
        for number, position in enumerate(positions, start=1):
            where = f"move {number} of {len(positions)} · " if len(positions) > 1 else ""
            analysis.opinions.append([agent.ask(position, where) for agent in agents])
            if stop():
                analysis.interrupted = True
                break
        yield analysis


class _Analyst:
    """An agent in an analysis."""

    def __init__(self, spec: AgentSpec, seed: int, tell: Tell, stop: Stop) -> None:
        self._limit = spec.limit
        self._seed = seed
        self._tell, self._stop = tell, stop
        self._agent = make_agent(spec)

    def make_ready(self, position: Position) -> None:
        try:
            self._agent.new_game(self._seed)
            self._agent.prepare(position)
        except AgentFailure as failure:
            raise InputError(str(failure)) from None

    def ask(self, position: Position, where: str) -> Opinion:
        label, began = f"{where}{self._agent.name}", monotonic()

        def stop() -> bool:
            self._tell(label, self._limit, monotonic() - began)
            return self._stop()

        try:
            choice = self._agent.choose(position, stop)
            return Opinion(choice, values={} if where else self._agent.values(position))
        except AgentFailure as failure:
            return Opinion(None, str(failure))

    def close(self) -> None:
        self._agent.close()
