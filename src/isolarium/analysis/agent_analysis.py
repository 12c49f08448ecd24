"""What agents make of a position, or of every move of a game."""

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
"""Told again and again what is being searched, under which limit, and for how many seconds so far."""


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
    truth: GameAccuracy | None = None

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
def analysed(
    target: Position | GameRecord,
    specs: Sequence[str],
    seed: int,
    *,
    tell: Tell,
    stop: Stop,
    preparing: AbstractContextManager[None],
) -> Iterator[Analysis]:
    """Ask agents until all are asked or `stop` says so; they are closed after the block, for that may take its time.

    Args:
        target: what they are asked about.
        specs: the agents.
        seed: what they draw from.
        tell: told how far it is.
        stop: ends a search with the best so far, and everything after it.
        preparing: entered while they start and compile.

    Raises:
        InputError: a spec is wrong, or its agent cannot start.
    """
    analysis = Analysis(target, [read_spec(text) for text in specs])
    read_seed(seed)
    with ExitStack() as stack:
        agents = [_Asked(spec, seed, tell, stop) for spec in analysis.specs]
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


class _Asked:
    """An agent that is asked for its opinion."""

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
