"""Plays batches of pairs in compiled code, if both agents can play without Python.

Otherwise `referee.py` plays them. Both play the same games and return the same kind of batch; of
compiled games, only the time that each agent took for all of its moves is known.
"""

from collections.abc import Callable
from contextlib import ExitStack
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple, Self

import numpy as np

from isolarium.agents import parse_spec
from isolarium.agents.compiled import compiled_search
from isolarium.arena.game_batch import GameBatch
from isolarium.arena.game_kernel import (
    CLOCK,
    CLOCK_WORDS,
    FIRST_PAIR,
    FIRST_STEP,
    GAME,
    GAMES,
    HEAD_WORDS,
    PLACE,
    PLY,
    SEAT_WORDS,
    SEATS,
    SEED,
    SIGNATURE,
    STEP,
    TABLE,
    TAKEN_NS,
    play_games,
)
from isolarium.arena.lines import Lines, Numbers
from isolarium.arena.live_game import published
from isolarium.errors import InputError
from isolarium.game.board import Board
from isolarium.game.notation import parse_board
from isolarium.game.symmetry import Symmetry
from isolarium.game.tables import table_address, words_for
from isolarium.heuristics.bound_heuristic import Bound
from isolarium.limits import Limit
from isolarium.native.clock import SECOND_NS, system_clock
from isolarium.native.entry_points import compile_entry
from isolarium.search.driver import CompiledSearch
from isolarium.search.kernel_state import Block
from isolarium.search.random import mixed_seed

if TYPE_CHECKING:
    from isolarium.arena.referee import Batch

MOST_SEARCHES: Final = 12
"""The number of searches that a worker keeps ready."""
SLICE_NS: Final = 20_000_000
"""The intended time between two returns to Python, which can then handle Ctrl-C."""


class _Player(NamedTuple):
    """A built-in agent that needs no Python: its search and its limit."""

    search: CompiledSearch
    limit: Limit


@lru_cache(MOST_SEARCHES)
def _player(text: str, seat: int) -> _Player | None:
    """Return an agent for one of two seats, which must not share a search; None if it needs Python."""
    try:
        spec = parse_spec(text)
        search = compiled_search(spec)
    except InputError:  # The referee reports it.
        return None
    if search is None or (isinstance(search.evaluator, Bound) and search.evaluator.is_third_party):
        return None
    return _Player(search, spec.limit)


def needs_python(spec: str) -> bool:
    """Return whether an agent cannot play in compiled code."""
    return _player(spec, 0) is None


def compile_games(spec: str, board: Board) -> bool:
    """Compile the games of an agent on a board; return False if the agent needs Python."""
    player = _player(spec, 0)
    if player is None:
        return False
    _kernel(board)
    player.search.seat(board, player.limit)
    return True


def _kernel(board: Board) -> Callable[..., int]:
    return compile_entry(play_games, SIGNATURE, {"WORDS": words_for(board)})


def play_compiled(batch: "Batch") -> GameBatch | None:
    """Play both games of every pair of a batch; return None if an agent needs Python."""
    first, second = (_player(spec, seat) for seat, spec in enumerate(batch.specs))
    if first is None or second is None:
        return None
    board = parse_board(batch.board)
    head, play = _head(batch, (first, second), board), _kernel(board)
    columns = _Columns(batch.openings, board.size)
    with _LiveGames(batch, board, head, columns.moves) as live:
        while not play(head.address, SLICE_NS, *columns.addresses):
            live.show()
    made = int(head.words[PLACE])
    taken_ns = head.words[SEATS:].reshape(2, SEAT_WORDS)[:, TAKEN_NS].tolist()
    return GameBatch.of_span(
        board,
        batch.encounter,
        batch.first_pair,
        batch.players,
        batch.openings,
        Lines.of_lengths(columns.moves[:made].astype(np.uint8), columns.lengths),
        columns.winners.astype(np.uint8),
        np.zeros(len(columns.winners), dtype=np.uint8),
        columns.scores[:made].copy(),
        columns.kinds[:made].astype(np.uint8),
        columns.depths[:made].copy(),
        columns.nodes[:made].copy(),
        (taken_ns[0] / SECOND_NS, taken_ns[1] / SECOND_NS),
    )


class _Columns:
    """The arrays of the kernel.

    Attributes:
        addresses: Their addresses, in the order of its arguments.
    """

    def __init__(self, openings: Lines, size: int) -> None:
        """Allocate arrays for the longest games; the system provides only the memory that is written."""
        games = 2 * len(openings)
        self.squares = openings.squares.astype(np.int64)
        self.starts = np.ascontiguousarray(openings.starts)
        self.moves, self.kinds, self.depths, self.nodes = np.empty((4, games * size), np.int64)
        self.scores = np.empty(games * size)
        self.lengths, self.winners = np.empty((2, games), np.int64)
        arrays = [self.squares, self.starts, self.moves, self.scores, self.kinds]
        arrays += [self.depths, self.nodes, self.lengths, self.winners]
        self.addresses: list[int] = [array.ctypes.data for array in arrays]


def _head(batch: "Batch", players: tuple[_Player, _Player], board: Board) -> Block:
    """Return the words that describe the games; see `game_kernel.py`."""
    head, clock = Block(HEAD_WORDS), system_clock()
    words = head.words
    words[GAMES], words[FIRST_PAIR] = 2 * len(batch.openings), batch.first_pair
    words[SEED] = mixed_seed(batch.seed, batch.encounter)
    words[TABLE] = table_address(board, Symmetry.IDENTITY)
    name = head.address + 8 * CLOCK_WORDS if clock.name is None else clock.name
    words[CLOCK:CLOCK_WORDS] = clock.address, name, clock.scale
    for place, player in enumerate(players):
        first = SEATS + SEAT_WORDS * place
        words[first : first + TAKEN_NS] = player.search.seat(board, player.limit)
        words[first + STEP] = FIRST_STEP
    return head


class _LiveGames:
    """Publishes the current game if it takes a long time."""

    def __init__(self, batch: "Batch", board: Board, head: Block, moves: Numbers) -> None:
        self._batch, self._board, self._head, self._moves = batch, board, head, moves
        self._stack = ExitStack()
        self._game = self._shown = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def show(self) -> None:
        """Publish the moves since the last call."""
        game, place, ply = self._head.words[[GAME, PLACE, PLY]].tolist()
        if ply == 0:
            return
        opening = self._batch.openings[game >> 1].tolist()
        squares = self._board.squares
        if game != self._game:
            self._stack.close()
            names = self._batch.specs if game & 1 == 0 else self._batch.specs[::-1]
            start = [squares[number] for number in opening]
            self._on_move = self._stack.enter_context(published(*names, start))
            self._game, self._shown = game, place - (ply - len(opening))
        for number in self._moves[self._shown : place].tolist():
            self._on_move(squares[number])
        self._shown = place
