"""The games from which labelled positions are taken.

The mixture of agents produces good and bad positions, and positions after mistakes. A game depends
only on its number, the seed, the board and the agents.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from isolarium.agents import Agent, make_agent, parse_spec, read_spec
from isolarium.errors import InputError, shown
from isolarium.game.board import Board, Square
from isolarium.game.position import Player, Position
from isolarium.search.random import mixed_seed
from isolarium.spec.parser import tree_of

AGENTS: Final = (
    "random",
    "greedy:open",
    "greedy:stealer",
    "alphabeta:improved@nodes=500",
    "strong:stealer@nodes=500",
    "strong:stealer@nodes=2000",
)
"""The default agents. Each player of a game is drawn from them uniformly."""
STRONG: Final = ("strong", "oracle")
"""The searches whose moves count as strong play."""
OPENING_SHARE: Final = 1 / 8
"""The maximum number of random moves in an opening, as a share of the board's squares.

The number of moves is drawn uniformly, from 0 up to this maximum.
"""
BLUNDER_ODDS: Final = (0, 32, 16, 8)
"""After the opening, one move in this many is random (with 0, no moves are).

Each game draws one of these numbers uniformly.
"""
SPLITS: Final = ("train", "validation", "test")
SHARES: Final = (80, 10, 10)
"""The percentage of games in each split."""


@dataclass(frozen=True, slots=True)
class SourceGame:
    """A game, from the first move after the placements.

    Attributes:
        positions: The positions in which a player moved.
        moves: The move played in each of them.
        strong: Whether a strong search chose each move.
        winner: The winner.
    """

    positions: Sequence[Position]
    moves: Sequence[Square]
    strong: Sequence[bool]
    winner: Player


def read_players(texts: Sequence[str]) -> tuple[str, ...]:
    """Return agents in their full form.

    Raises:
        InputError: If a spec is invalid, or its games would differ between machines.
    """
    return tuple(map(_read_player, texts))


def _read_player(text: str) -> str:
    spec = parse_spec(text)
    if spec.is_third_party or spec.files or tree_of(text).own:
        raise InputError(f"{shown(text)}: loads code that may change; expected one of Isolarium's own agents")
    if spec.limit.time_ms is not None:
        raise InputError(f"{shown(text)}: timed games are not reproducible; use nodes= or depth=")
    if spec.options.get("threads", 1) > 1:
        raise InputError(f"{shown(text)}: games with several threads are not reproducible; use one")
    return str(read_spec(text))


def split_of(seed: int, game: int) -> int:
    """Return the index in `SPLITS` of a game's split."""
    drawn = mixed_seed(mixed_seed(seed, 0x5B117), game) % sum(SHARES)
    return sum(drawn >= sum(SHARES[: place + 1]) for place in range(len(SHARES) - 1))


class GameSource:
    """Plays games on a board.

    Args:
        board: The board.
        players: Agents in full form, as `read_players` returns them.
        seed: Random seed; the same seed reproduces the same games.
    """

    def __init__(self, board: Board, players: Sequence[str], seed: int) -> None:
        self._board, self._seed = board, seed
        specs = [parse_spec(text) for text in players]
        self._strong = [spec.kind.name in STRONG for spec in specs]
        # Each seat has its own agents, so that an agent can play against itself.
        self._seats = [[make_agent(spec) for spec in specs] for _ in Player]

    def play(self, number: int) -> SourceGame:
        """Play the game with this number."""
        board = self._board
        chance = random.Random(f"label {self._seed} {board} {number}")
        chosen = [chance.randrange(len(self._strong)) for _ in Player]
        players: list[Agent] = [self._seats[seat][place] for seat, place in enumerate(chosen)]
        for player in players:
            player.new_game(chance.getrandbits(32))
        opening = chance.randrange(int(OPENING_SHARE * board.size) + 1)
        blunder_odds = chance.choice(BLUNDER_ODDS)
        positions, moves, strong = list[Position](), list[Square](), list[bool]()
        position = Position.empty(board)
        while position.outcome() is None:
            is_random = len(moves) < opening or (blunder_odds and chance.randrange(blunder_odds) == 0)
            mover = position.to_move
            if position.placing or is_random:
                move = chance.choice(position.legal_moves())
            else:
                move = players[mover].choose(position).move
            if not position.placing:
                positions.append(position)
                moves.append(move)
                strong.append(not is_random and self._strong[chosen[mover]])
            position = position.play(move)
        return SourceGame(positions, moves, strong, position.to_move.other)
