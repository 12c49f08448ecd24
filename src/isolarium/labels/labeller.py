"""The labels of a game's positions: which moves keep the win, exactly, and how soon the game then ends.

A game is gone through from its end, and what the solver remembers stays from one position to the next, so that each
costs little more than what is new in it. The value of the position that was played into is known already.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import takewhile
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from isolarium.game.board import KNIGHT_STEPS, Square
from isolarium.game.outcome import Player
from isolarium.game.position import Position
from isolarium.game.symmetry import Symmetry, canonical
from isolarium.game.tables import pack_words
from isolarium.labels.source_games import DrawnGame, split_of
from isolarium.limits import Allowance, Limit
from isolarium.solver.cost_model import likely_nodes
from isolarium.solver.depth_to_win import DistanceSearch
from isolarium.solver.exact_value import HOW_SOON_BLANKS
from isolarium.solver.winloss import KeptTable, WinLossSearch

MOST_NODES: Final = 50_000
"""Positions are labelled from where the solver is likely to need no more nodes than this for each."""
PATIENCE: Final = 40
"""How many times as many it may take before it is given up, with all positions before it."""
TABLE_BITS: Final = 18
WORDS: Final = 3
"""Words of a set of squares, whatever the board."""

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
"""A labelled position, as docs/how-to/train.md describes it."""


@dataclass(frozen=True, slots=True)
class Reach:
    """Which positions are solved.

    Attributes:
        most_nodes: those that the solver is likely to need no more nodes for;
        most_blanks: or, if this is given, those with no more blanks.
        decisive_only: whether only positions with winning and losing moves are kept.
        outcomes: whether positions before them are kept with what came of them under strong play.
    """

    most_nodes: int = MOST_NODES
    most_blanks: int | None = None
    decisive_only: bool = False
    outcomes: bool = False

    def __contains__(self, position: Position) -> bool:
        if self.most_blanks is not None:
            return position.blank_count <= self.most_blanks
        return likely_nodes(position) <= self.most_nodes


class Worth(NamedTuple):
    """What a move is worth to who makes it.

    Attributes:
        wins: whether it wins.
        plies: moves to the end, this one included, when the winner hurries and the loser delays; 0 if not known.
    """

    wins: bool
    plies: int


class LabelledGame(NamedTuple):
    """What came of a game.

    Attributes:
        rows: its labelled positions in the order of play, as `ROW`.
        given_up: positions within reach that are not among them: one that took too long, and those before it.
    """

    rows: NDArray[np.void]
    given_up: int


class Labeller:
    """Labels games of one board; the same game gets the same labels whatever was labelled before it.

    Args:
        reach: which positions.
        seed: that of the games.
    """

    def __init__(self, reach: Reach, seed: int) -> None:
        self._reach, self._seed = reach, seed
        self._tables = KeptTable(TABLE_BITS), KeptTable(TABLE_BITS)
        self._winloss = WinLossSearch(self._tables[0])
        self._distance = DistanceSearch(self._tables[1])

    def label(self, game: DrawnGame, number: int) -> LabelledGame:
        """Label every position of a game that is within reach."""
        for table in self._tables:
            table.forget()
        reached = next(
            (place for place, one in enumerate(game.positions) if one in self._reach),
            len(game.positions),
        )
        rows = list[tuple[object, ...]]()
        first, value = len(game.positions), None
        while first > reached:
            position = game.positions[first - 1]
            worth = self._solve(position, game.moves[first - 1], value)
            if worth is None:
                break  # those before it would take longer still
            first, value = first - 1, _value(worth)
            if not self._reach.decisive_only or len({one.wins for one in worth.values()}) == 2:
                rows.append(self._row(position, number, worth))
        if self._reach.outcomes:
            winner = _winner(game, first, value)
            for position in _strongly_played(game, first):
                outcome = 1 if position.to_move == winner else -1
                rows.append(self._row(position, number, outcome=outcome))
        return LabelledGame(np.array(rows[::-1], dtype=ROW), first - reached)

    def _solve(
        self, position: Position, played: Square, value: Worth | None
    ) -> dict[Square, Worth] | None:
        """What every move is worth; None if that takes too long.

        Args:
            position: whose moves.
            played: one of them;
            value: what the position that it led to is worth to who moves there, if that is known.
        """
        limit = Limit(nodes=PATIENCE * self._reach.most_nodes)
        allowance, allowance_for_plies = Allowance(limit), Allowance(limit)
        soon = position.blank_count <= HOW_SOON_BLANKS
        found = dict[Square, Worth]()
        for move in position.legal_moves():
            if move == played and value is not None:
                plies = value.plies + 1 if soon and value.plies else 0
                found[move] = Worth(not value.wins, plies)
                continue
            then = position.play(move)
            wins = self._winloss.run(then, allowance).wins
            if wins is None:
                return None
            left = self._distance.run(then, wins, allowance_for_plies)[0] if soon else None
            found[move] = Worth(not wins, 0 if left is None else left + 1)
        return found

    def _row(
        self,
        position: Position,
        number: int,
        worth: Mapping[Square, Worth] | None = None,
        outcome: int = 0,
    ) -> tuple[object, ...]:
        """A position as `ROW` has it: the canonical one of all that are alike, whoever of the players is to move."""
        board = position.board
        alike = Position.unchecked(
            board, position.blank, position.mover, position.other, Player.FIRST
        )
        image, symmetry = canonical(alike)
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
            if worth is not None:
                wins |= worth[move].wins << direction
                plies[direction] = worth[move].plies
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
            worth is not None,
            outcome,
        )


def _value(worth: Mapping[Square, Worth]) -> Worth:
    """What a position is worth to who is to move, from what the moves are."""
    wins = any(one.wins for one in worth.values())
    plies = [one.plies for one in worth.values() if one.wins == wins]
    if not all(plies):
        return Worth(wins, 0)
    return Worth(wins, min(plies) if wins else max(plies))


def _winner(game: DrawnGame, first: int, value: Worth | None) -> Player:
    """Who wins from the first position that is solved, or won where none is."""
    if value is None:
        return game.winner
    to_move = game.positions[first].to_move
    return to_move if value.wins else to_move.other


def _strongly_played(game: DrawnGame, first: int) -> list[Position]:
    """The positions before `first` from which strong play alone led there, the last of them first."""
    strong = takewhile(lambda place: game.strong[place], range(first - 1, -1, -1))
    return [game.positions[place] for place in strong]


@cache
def _directions(symmetry: Symmetry) -> dict[tuple[int, int], int]:
    """For each step of a knight the number that it has in the image."""
    swap, flip_rows, flip_cols = symmetry.value
    found = dict[tuple[int, int], int]()
    for step in KNIGHT_STEPS:
        down, right = reversed(step) if swap else step
        image = (-down if flip_rows else down, -right if flip_cols else right)
        found[step] = KNIGHT_STEPS.index(image)
    return found
