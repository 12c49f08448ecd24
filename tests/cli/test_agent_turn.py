"""An agent that fails in its turn loses the game, and the record has the reason."""

from isolarium.agents import AgentFailure
from isolarium.cli.terminal_game import take_agent_turn
from isolarium.game.board import Board, Square
from isolarium.game.position import Outcome, Player, Position, Reason
from isolarium.game.record import GameRecord
from isolarium.search.protocol import Choice, Report

GAME = GameRecord(Position.empty(Board(5, 5)), (Square(0, 0),))


class Scripted:
    """An agent that does what it was made to do."""

    name = "scripted"

    def __init__(self, deed: Square | AgentFailure) -> None:
        self._deed = deed

    def new_game(self, seed: int) -> None: ...

    def choose(self, position: Position, stop: object = None) -> Choice:
        if isinstance(self._deed, AgentFailure):
            raise self._deed
        return Choice(self._deed, Report(None, 0, 1, 0.0, (self._deed,)))

    def close(self) -> None: ...


def test_a_move_goes_into_the_record() -> None:
    turn = take_agent_turn(Scripted(Square(2, 2)), GAME)
    assert turn.player is Player.SECOND
    assert turn.record.moves == (Square(0, 0), Square(2, 2))
    assert turn.choice is not None


def test_an_illegal_move_loses() -> None:
    turn = take_agent_turn(Scripted(Square(0, 0)), GAME)
    assert turn.choice is None
    assert turn.record.moves == GAME.moves
    assert turn.record.outcome() == Outcome(Player.FIRST, Reason.ILLEGAL_MOVE)
    assert "scripted: a1: blocked" in turn.failure


def test_a_failure_loses() -> None:
    turn = take_agent_turn(Scripted(AgentFailure(Reason.CRASH, "scripted: oops")), GAME)
    assert turn.record.outcome() == Outcome(Player.FIRST, Reason.CRASH)
    assert turn.failure == "scripted: oops"
