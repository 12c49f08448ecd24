"""The games that labelled positions are taken from: of many agents, from random openings, with random moves in between.

So good and bad positions occur, and those that follow from a mistake. A game depends on its number, the seed, the board
and the agents alone.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from isolarium.agents import Agent, make_agent, parse_spec, read_spec
from isolarium.errors import InputError, shown
from isolarium.game.board import Board, Square
from isolarium.game.outcome import Player
from isolarium.game.position import Position
from isolarium.search.random import mixed_seed

AGENTS: Final = (
    "random",
    "greedy:open",
    "greedy:stealer",
    "alphabeta:improved@nodes=500",
    "strong:stealer@nodes=500",
    "strong:stealer@nodes=2000",
)
"""Who plays unless others are named. Each player of a game is one of them, all as likely."""
STRONG: Final = ("strong", "oracle")
"""The searches whose moves count as strong play."""
OPENING_SHARE: Final = 1 / 8
"""Random moves at the beginning: from none to so much of the board's squares, all as likely."""
SLIPS: Final = (0, 32, 16, 8)
"""Later, one move in so many is random, 0 for none: a game has one of these, all as likely."""
SPLITS: Final = ("train", "validation", "test")
SHARES: Final = (80, 10, 10)
"""Of a hundred games, how many belong to each split."""


@dataclass(frozen=True, slots=True)
class DrawnGame:
    """A game with both players placed.

    Attributes:
        positions: those in which somebody moved.
        moves: what was played there.
        strong: of each move, whether strong play chose it.
        winner: who won.
    """

    positions: Sequence[Position]
    moves: Sequence[Square]
    strong: Sequence[bool]
    winner: Player


def read_players(texts: Sequence[str]) -> tuple[str, ...]:
    """The agents that texts name, in full.

    Raises:
        InputError: one is wrong, or would not play the same game on any machine and any day.
    """
    return tuple(map(_read_player, texts))


def _read_player(text: str) -> str:
    spec = parse_spec(text)
    if spec.is_foreign or spec.files:
        raise InputError(
            f"{shown(text)}: code that may change; expected an agent of Isolarium's own"
        )
    if spec.limit.time_ms is not None:
        raise InputError(f"{shown(text)}: the clock decides its moves; expected nodes= or depth=")
    if spec.options.get("threads", 1) > 1:
        raise InputError(f"{shown(text)}: its games are not the same twice; expected one thread")
    return str(read_spec(text))


def split_of(seed: int, game: int) -> int:
    """The split that a game belongs to, by its place in `SPLITS`: drawn from seed and number, whatever the board."""
    drawn = mixed_seed(mixed_seed(seed, 0x5B117), game) % sum(SHARES)
    return sum(drawn >= sum(SHARES[: place + 1]) for place in range(len(SHARES) - 1))


class Games:
    """Plays games on a board.

    Args:
        board: the board.
        players: agents in full, as `read_players` gives them.
        seed: the same seed, the same games.
    """

    def __init__(self, board: Board, players: Sequence[str], seed: int) -> None:
        self._board, self._seed = board, seed
        specs = [parse_spec(text) for text in players]
        self._strong = [spec.kind.name in STRONG for spec in specs]
        # An agent that plays itself is two.
        self._seats = [[make_agent(spec) for spec in specs] for _ in Player]

    def play(self, number: int) -> DrawnGame:
        """Play the game of that number."""
        board = self._board
        chance = random.Random(f"label {self._seed} {board} {number}")
        chosen = [chance.randrange(len(self._strong)) for _ in Player]
        players: list[Agent] = [self._seats[seat][place] for seat, place in enumerate(chosen)]
        for player in players:
            player.new_game(chance.getrandbits(32))
        opening = chance.randrange(int(OPENING_SHARE * board.size) + 1)
        slips = chance.choice(SLIPS)
        positions, moves, strong = list[Position](), list[Square](), list[bool]()
        position = Position.empty(board)
        while position.outcome() is None:
            by_chance = len(moves) < opening or (slips and chance.randrange(slips) == 0)
            mover = position.to_move
            if position.placing or by_chance:
                move = chance.choice(position.legal_moves())
            else:
                move = players[mover].choose(position).move
            if not position.placing:
                positions.append(position)
                moves.append(move)
                strong.append(not by_chance and self._strong[chosen[mover]])
            position = position.play(move)
        return DrawnGame(positions, moves, strong, position.to_move.other)
