"""One agent, and one game, in this process: nothing is kept, and agents may be objects of one's own."""

import warnings
from collections.abc import Callable
from contextlib import ExitStack, closing
from typing import cast

from isolarium.agents import Agent, SpecAgent, parse_agent
from isolarium.api.arguments import AgentLike, number, read_agent
from isolarium.arena.referee import play_game
from isolarium.errors import InputError, quoted
from isolarium.game.board import Board, Square
from isolarium.game.notation import read_start
from isolarium.game.outcome import Player
from isolarium.game.position import Position
from isolarium.game.record import GameRecord
from isolarium.limits import check_move_ms, read_seed


def agent(spec: AgentLike) -> SpecAgent:
    """Make an agent, to be asked for moves.

    Args:
        spec: its spec, such as `alphabeta:improved@nodes=8000`, or a heuristic, which then plays alpha-beta.

    Raises:
        InputError: the spec is wrong; the message says where.

    Example:
        >>> thinker = isolarium.agent("alphabeta:improved@nodes=500")
        >>> thinker.new_game(seed=1)
        >>> choice = thinker.choose(isolarium.parse_position("5/1A3/5/3B1/5 a"))
        >>> str(choice.move), choice.report.proven
        ('d1', False)
        >>> thinker.close()
    """
    return parse_agent(read_agent("agent", spec))


def play(
    first: AgentLike | Agent,
    second: AgentLike | Agent,
    *,
    start: str | Board | Position = "7x7",
    seed: int = 1,
    move_ms: float | None = None,
    on_move: Callable[[Square], None] | None = None,
) -> GameRecord:
    """Play one game to its end.

    Whoever fails, by an illegal move, an error or on time, has lost, and a warning says what it did.

    Args:
        first: an agent's spec, a heuristic, which then plays alpha-beta, or an `Agent` of one's own.
        second: the agent it meets.
        start: ROWSxCOLS for an empty board, or any position; agents place themselves.
        seed: the same seed, the same game.
        move_ms: who takes longer for a move loses.
        on_move: told of every move as it is made.

    Raises:
        InputError: something is not as it should be; the message says what.

    Example:
        >>> game = isolarium.play("greedy:open", "random", start="5x5", seed=3)
        >>> str(game.outcome())
        'second wins (no moves)'
        >>> isolarium.play("greedy:open", "random", start="5x5", seed=3) == game
        True
    """
    position, number_of_game = read_start("start", start), read_seed(seed)
    if move_ms is not None:
        check_move_ms(number("move_ms", move_ms))
    if on_move is not None and not callable(on_move):
        raise InputError(f"on_move {quoted(on_move)}: expected a function of a square")
    with ExitStack() as held:
        seats = {
            Player.FIRST: _seated("first", first, position, held),
            Player.SECOND: _seated("second", second, position, held),
        }
        played = play_game(
            seats,
            position,
            (),
            {player: 2 * number_of_game + player for player in Player},  # as `isolarium play` does
            None if move_ms is None else number("move_ms", move_ms),
            on_move=on_move,
        )
    if played.note:
        warnings.warn(played.note, RuntimeWarning, stacklevel=2)
    return played.record(position.board, position)


def _seated(what: str, given: AgentLike | Agent, position: Position, held: ExitStack) -> Agent:
    """The agent that was given, or one made for this game."""
    if hasattr(given, "choose") and hasattr(given, "new_game"):
        return cast("Agent", given)
    made = held.enter_context(closing(parse_agent(read_agent(what, given))))
    made.prepare(position)
    return made
