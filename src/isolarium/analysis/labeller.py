"""Label a game's positions: which moves win, and how soon they end the game.

A game is labelled from its end backwards. The solver keeps its tables from one position to the
next, so each position costs little more than its new subtrees, and the value of the next position
in the game is already known.

The mixture of agents that play the games produces good and bad positions, and positions after
mistakes. A game depends only on its number, the seed, the board and the agents.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import takewhile
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from isolarium.agents import Agent, make_agent, parse_spec, read_spec
from isolarium.errors import InputError, shown
from isolarium.game.board import KNIGHT_STEPS, Board, Square
from isolarium.game.position import Player, Position
from isolarium.game.symmetry import Symmetry, canonical
from isolarium.game.tables import pack_words
from isolarium.limits import Allowance, Limit, mixed_seed
from isolarium.solver.depth_to_win import DistanceSearch
from isolarium.solver.proof_tree import likely_nodes
from isolarium.solver.solver import HOW_SOON_BLANKS
from isolarium.solver.winloss import KeptTable, WinLossSearch
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


MOST_NODES: Final = 50_000
"""The default of `Reach.most_nodes`."""
PATIENCE: Final = 40
"""The multiple of `most_nodes` after which a position and earlier ones are skipped."""
TABLE_BITS: Final = 18
WORDS: Final = 3
"""The number of 64-bit words in a set of squares, the same for every board."""

ROW: Final = np.dtype(
    [
        ("blank", "<u8", (WORDS,)),
        ("mover", "u1"),
        ("other", "u1"),
        ("legal", "u1"),
        ("wins", "u1"),
        ("plies", "u1", (len(KNIGHT_STEPS),)),
        ("game", "<u4"),
        ("ply", "u1"),
        ("split", "u1"),
        ("exact", "?"),
        ("outcome", "i1"),
    ]
)
"""A labelled position; docs/how-to/train.md describes each field."""


@dataclass(frozen=True, slots=True)
class Reach:
    """Which positions to label.

    Attributes:
        most_nodes: Label positions for which the solver is expected to need at most this many
            nodes.
        most_blanks: If given, label positions with at most this many blank squares instead.
        decisive_only: Whether to keep only positions that have both winning and losing moves.
        outcomes: Whether to keep earlier positions too, with their outcome under strong play.
    """

    most_nodes: int = MOST_NODES
    most_blanks: int | None = None
    decisive_only: bool = False
    outcomes: bool = False

    def __contains__(self, position: Position) -> bool:
        if self.most_blanks is not None:
            return position.blank_count <= self.most_blanks
        return likely_nodes(position) <= self.most_nodes


class MoveValue(NamedTuple):
    """The exact value of a move for the player who makes it.

    Attributes:
        wins: Whether it wins.
        plies: Plies to the end, including this one, if the winner hurries and the loser delays; 0
            if unknown.
    """

    wins: bool
    plies: int


class LabelledGame(NamedTuple):
    """A game's labels.

    Attributes:
        rows: The labelled positions in order of play, as `ROW`.
        given_up: The number of positions within reach that were skipped: a position that took too
            long, and the positions before it.
    """

    rows: NDArray[np.void]
    given_up: int


class Labeller:
    """Labels the games of one board, independently of each other.

    Args:
        reach: Which positions to label.
        seed: The seed of the games.
    """

    def __init__(self, reach: Reach, seed: int) -> None:
        self._reach, self._seed = reach, seed
        self._tables = KeptTable(TABLE_BITS), KeptTable(TABLE_BITS)
        self._winloss = WinLossSearch(self._tables[0])
        self._distance = DistanceSearch(self._tables[1])

    def label(self, game: SourceGame, number: int) -> LabelledGame:
        """Label every position of a game that is within reach."""
        for table in self._tables:
            table.forget()
        reached = next((place for place, one in enumerate(game.positions) if one in self._reach), len(game.positions))
        rows = list[tuple[object, ...]]()
        first, value = len(game.positions), None
        while first > reached:
            position = game.positions[first - 1]
            values = self._solve(position, game.moves[first - 1], value)
            if values is None:
                break  # Earlier positions would take even longer.
            first, value = first - 1, _best(values)
            if not self._reach.decisive_only or len({one.wins for one in values.values()}) == 2:
                rows.append(self._row(position, number, values))
        if self._reach.outcomes:
            winner = _winner(game, first, value)
            for position in _strongly_played(game, first):
                outcome = 1 if position.to_move == winner else -1
                rows.append(self._row(position, number, outcome=outcome))
        return LabelledGame(np.array(rows[::-1], dtype=ROW), first - reached)

    def _solve(self, position: Position, played: Square, value: MoveValue | None) -> dict[Square, MoveValue] | None:
        """Return the value of every legal move, or None if solving takes too long.

        Args:
            position: The position.
            played: The move played in the game.
            value: The value of the next position for the player to move there, if known.
        """
        limit = Limit(nodes=PATIENCE * self._reach.most_nodes)
        allowance, allowance_for_plies = Allowance(limit), Allowance(limit)
        soon = position.blank_count <= HOW_SOON_BLANKS
        found = dict[Square, MoveValue]()
        for move in position.legal_moves():
            if move == played and value is not None:
                plies = value.plies + 1 if soon and value.plies else 0
                found[move] = MoveValue(not value.wins, plies)
                continue
            then = position.play(move)
            wins = self._winloss.run(then, allowance).wins
            if wins is None:
                return None
            left = self._distance.run(then, wins, allowance_for_plies)[0] if soon else None
            found[move] = MoveValue(not wins, 0 if left is None else left + 1)
        return found

    def _row(
        self, position: Position, number: int, values: Mapping[Square, MoveValue] | None = None, outcome: int = 0
    ) -> tuple[object, ...]:
        """Return a position as a `ROW`.

        The row holds the canonical position under symmetry, with the player to move as the first
        player.
        """
        board = position.board
        mover_first = Position.unchecked(board, position.blank, position.mover, position.other, Player.FIRST)
        image, symmetry = canonical(mover_first)
        assert image.first is not None
        assert image.second is not None
        assert position.mover is not None
        directions = _directions(symmetry)
        legal = wins = 0
        plies = [0] * len(KNIGHT_STEPS)
        for move in position.legal_moves():
            step = move.row - position.mover.row, move.col - position.mover.col
            direction = directions[step]
            legal |= 1 << direction
            if values is not None:
                wins |= values[move].wins << direction
                plies[direction] = values[move].plies
        return (
            pack_words(image.blank, WORDS),
            board.index(image.first),
            board.index(image.second),
            legal,
            wins,
            plies,
            number,
            board.size - position.blank_count,
            split_of(self._seed, number),
            values is not None,
            outcome,
        )


def _best(values: Mapping[Square, MoveValue]) -> MoveValue:
    """Return a position's value for the player to move, from its moves' values."""
    wins = any(one.wins for one in values.values())
    plies = [one.plies for one in values.values() if one.wins == wins]
    if not all(plies):
        return MoveValue(wins, 0)
    return MoveValue(wins, min(plies) if wins else max(plies))


def _winner(game: SourceGame, first: int, value: MoveValue | None) -> Player:
    """Return the theoretical winner from the first solved position.

    If no position is solved, return the winner of the game.
    """
    if value is None:
        return game.winner
    to_move = game.positions[first].to_move
    return to_move if value.wins else to_move.other


def _strongly_played(game: SourceGame, first: int) -> list[Position]:
    """Return the positions from which only strong play led to `first`.

    The latest position comes first.
    """
    strong = takewhile(lambda place: game.strong[place], range(first - 1, -1, -1))
    return [game.positions[place] for place in strong]


@cache
def _directions(symmetry: Symmetry) -> dict[tuple[int, int], int]:
    """Map each knight step to its direction index after a symmetry."""
    swap, flip_rows, flip_cols = symmetry.value
    found = dict[tuple[int, int], int]()
    for step in KNIGHT_STEPS:
        down, right = reversed(step) if swap else step
        image = (-down if flip_rows else down, -right if flip_cols else right)
        found[step] = KNIGHT_STEPS.index(image)
    return found
