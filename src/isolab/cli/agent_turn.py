"""One turn of an agent, whatever it does with it."""

from dataclasses import dataclass

from isolab.agents import Agent, AgentFailure
from isolab.game.outcome import Outcome, Player, Reason
from isolab.game.record import GameRecord
from isolab.search.protocol import Choice


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
