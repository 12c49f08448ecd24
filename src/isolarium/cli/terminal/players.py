"""Who sits where, for each player a person, or an agent with its seed; and what an agent does with its turn."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from random import SystemRandom

from isolarium.agents import Agent, AgentFailure, parse_agent
from isolarium.cli.progress_display import COMPILING, notice
from isolarium.errors import InputError
from isolarium.game.notation import format_board
from isolarium.game.outcome import Outcome, Player, Reason
from isolarium.game.position import Position
from isolarium.game.record import GameRecord
from isolarium.limits import read_seed
from isolarium.search.protocol import Choice

PERSON = "human"


@dataclass(frozen=True)
class Seats:
    """The two players of a game.

    Attributes:
        agents: The agent of each player; None for a person.
        names: What to call each player.
        seed: What the agents' choices are drawn from.
    """

    agents: Mapping[Player, Agent | None]
    names: Mapping[Player, str]
    seed: int

    @property
    def people(self) -> int:
        """The number of persons."""
        return list(self.agents.values()).count(None)

    def details(self, start: Position) -> list[str]:
        """Return what, besides the players, is needed to have the same game again."""
        board = format_board(start.board)
        return [board] if self.people == len(self.agents) else [board, f"seed {self.seed}"]

    def close(self) -> None:
        """Let go of the agents."""
        for agent in self.agents.values():
            if agent is not None:
                agent.close()


def take_seats(first: str, second: str, seed: int | None, start: Position) -> Seats:
    """Seat two players and make the agents ready for a game; without a seed one is drawn.

    Raises:
        InputError: A player is neither `human` nor an agent that can start.
    """
    specs = {Player.FIRST: first, Player.SECOND: second}
    agents = {player: _agent(spec) for player, spec in specs.items()}
    alone = list(agents.values()).count(None) == 1
    names = {
        player: agent.name if agent is not None else "you" if alone else str(player)
        for player, agent in agents.items()
    }
    if seed is None:
        seed = SystemRandom().randrange(1_000_000)
    read_seed(seed)
    for player, agent in agents.items():
        if agent is not None:
            _make_ready(agent, 2 * seed + player, start)  # equal agents, but not equal choices
    return Seats(agents, names, seed)


def _agent(spec: str) -> Agent | None:
    return None if spec == PERSON else parse_agent(spec)


def _make_ready(agent: Agent, seed: int, start: Position) -> None:
    """Start an agent's game after one choice for nothing, which compiles what it needs."""
    try:
        with notice(COMPILING):
            agent.new_game(seed)
            if start.outcome() is None:
                with suppress(AgentFailure):  # it will fail again where it counts
                    agent.choose(start, stop=lambda: True)
        agent.new_game(seed)
    except AgentFailure as failure:
        raise InputError(str(failure)) from None


@dataclass(frozen=True)
class AgentTurn:
    """What came of an agent's turn.

    Attributes:
        player: Whose turn it was.
        record: The game after it.
        choice: The move with its report; None if the agent failed and has lost.
        failure: How it failed.
    """

    player: Player
    record: GameRecord
    choice: Choice | None
    failure: str = ""


def take_agent_turn(agent: Agent, record: GameRecord) -> AgentTurn:
    """Have an agent play in a game that goes on."""
    position = record.position
    try:
        choice = agent.choose(position)
        why_illegal = position.why_illegal(choice.move)
        if why_illegal is not None:
            raise AgentFailure(Reason.ILLEGAL_MOVE, f"{agent.name}: {choice.move}: {why_illegal}")
    except AgentFailure as failure:
        ending = Outcome(position.to_move.other, failure.reason)
        lost = GameRecord(record.start, record.moves, ending)
        return AgentTurn(position.to_move, lost, None, str(failure))
    after = GameRecord(record.start, (*record.moves, choice.move))
    return AgentTurn(position.to_move, after, choice)
