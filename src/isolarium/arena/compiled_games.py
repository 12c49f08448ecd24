"""Whole games in compiled code, between two built-in agents whose moves need no Python.

`referee.py` plays all other games, and is the reference: both play the same games and return the same kind of batch. Of
compiled games, only the time that each agent took for all of its moves is known.

The kernel plays both games of a span of pairs, from the opening to the end. It calls the compiled searches of both
agents (`search/driver.py`) by address, so it is compiled once for each number of words in a set of squares. A call
ends after about `slice_ns` nanoseconds, also within a move, and the next call continues there. HEAD is the address of
an array of words:

    GAME, GAMES          the current game, and the number of games: two for each pair
    PLACE                the number of moves that agents have made in all games
    PLY                  the number of moves in the current game; 0 before its opening
    MOVER, OTHER, BLANK..   its position, by square number
    ASKED                the nodes that the current search may enter so far; 0 before its first call
    IS_PAUSED            whether the search continues with the same number of nodes
    SEEDS, +1            the seeds of the first and the second player in the current game
    SEED, FIRST_PAIR     the encounter's seed, and the number of the first pair
    TABLE                the address of the board's table (`game/tables.py`)
    CLOCK..              the clock's address, first argument, scale, and two words that it writes
    SEATS..              for each of the encounter's two agents, SEAT_WORDS words: a `Seat`, the
                         nanoseconds that the agent has taken, and the nodes by which its search
                         continues in about STEP_NS
"""

import ctypes
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import cache, lru_cache
from math import inf
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

import numpy as np
from numba import types

from isolarium.agents import parse_spec
from isolarium.agents.search_agent import compiled_search
from isolarium.arena.game_batch import LOSS, NO_PLIES, NUMBER, UNKNOWN, GameBatch
from isolarium.arena.game_batch import WIN as WON
from isolarium.arena.lines import Lines, Numbers
from isolarium.arena.live_game import published
from isolarium.compat import IS_WINDOWS
from isolarium.errors import InputError
from isolarium.game.board import Board, parse_board
from isolarium.game.symmetry import Symmetry
from isolarium.game.tables import SETS, table_address, words_for
from isolarium.game.view import targets
from isolarium.heuristics.bound_heuristic import Bound
from isolarium.limits import Limit, mixed_seed
from isolarium.native.entry_points import compile_entry
from isolarium.native.jit import kernel
from isolarium.native.memory import (
    call_compiled,
    load_constant,
    load_float,
    load_word,
    read_clock,
    store_float,
    store_word,
)
from isolarium.native.squareset import count, is_empty, load_set, load_table_set, single, store_set
from isolarium.search import kernel_state as search
from isolarium.search.driver import CompiledSearch
from isolarium.search.kernel_state import FINISHED, FINITE, PAUSED, PROVEN, WIN, Block, stream_seed

if TYPE_CHECKING:
    from isolarium.arena.referee import Batch

SECOND_NS: Final = 1_000_000_000


# The system's clock for compiled code, which cannot call Python's. Reading it takes about 20 nanoseconds. It is written
# into two words, as seconds and nanoseconds; on Windows, into the first word, in ticks.


class Clock(NamedTuple):
    """The system's clock.

    Attributes:
        address: The address of a C function that writes the time.
        name: Its first argument; None if that is the address of the words to write.
        scale: The nanoseconds in a unit of the first word.
    """

    address: int
    name: int | None
    scale: int


@cache
def system_clock() -> Clock:
    """Return the clock that never goes back."""
    if IS_WINDOWS:
        functions: Any = ctypes.WinDLL("kernel32")  # type: ignore[attr-defined, unused-ignore]
        ticks = ctypes.c_int64()
        functions.QueryPerformanceFrequency(ctypes.byref(ticks))
        scale = max(1, SECOND_NS // ticks.value)
        return Clock(_address(functions.QueryPerformanceCounter), None, scale)
    return Clock(_address(ctypes.CDLL(None).clock_gettime), time.CLOCK_MONOTONIC, SECOND_NS)


def _address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


@kernel
def now_ns(address: int, name: int, words: int, scale: int) -> int:
    """Return the time in nanoseconds, from any start.

    Args:
        address: The address of the clock's function.
        name: The first argument of that function.
        words: The address of the two words that it writes.
        scale: The nanoseconds in a unit of the first word.
    """
    read_clock(address, name, words)
    now: int = load_word(words, 0) * scale + load_word(words, 1)
    return now


# The games


WORDS: int = 0  # bound when compiled

GAME: Final = 0
GAMES: Final = 1
PLACE: Final = 2
PLY: Final = 3
MOVER: Final = 4
OTHER: Final = 5
BLANK: Final = 6
ASKED: Final = 9
IS_PAUSED: Final = 10
SEEDS: Final = 11
SEED: Final = 13
FIRST_PAIR: Final = 14
TABLE: Final = 15
CLOCK: Final = 16
CLOCK_WORDS: Final = CLOCK + 3
SEATS: Final = 21
SEAT_WORDS: Final = 7
HEAD_WORDS: Final = SEATS + 2 * SEAT_WORDS

# A seat
ADDRESS, INPUTS, STATE, QUOTA, HIDES_PLIES, TAKEN_NS, STEP = range(SEAT_WORDS)

STEP_NS: Final = 5_000_000
FIRST_STEP: Final = 64
"""Few, because a node may take long."""
LEAST_STEP: Final = 16
MOST_GROWTH: Final = 4

SIGNATURE: Final = types.int64(*[types.int64] * 11)


def play_games(
    head: int,
    slice_ns: int,
    openings: int,
    starts: int,
    moves: int,
    scores: int,
    kinds: int,
    depths: int,
    nodes: int,
    lengths: int,
    winners: int,
) -> int:
    """Continue the games of a span; return 1 if all of them are over, else 0.

    All arguments except `slice_ns` are addresses, and all arrays consist of words.

    Args:
        head: See above.
        slice_ns: The time after which to return.
        openings: The squares of the pairs' openings.
        starts: The place in `openings` where each pair's opening begins, and the end.
        moves: Receives the agents' moves.
        scores: Receives the score of each move, as a `GameBatch` holds it.
        kinds: Receives the kind of each score.
        depths: Receives the depth of each move's search.
        nodes: Receives its number of nodes.
        lengths: Receives the number of the agents' moves in each game.
        winners: Receives the winner of each game.
    """
    game, games = load_word(head, GAME), load_word(head, GAMES)
    table, place = load_word(head, TABLE), load_word(head, PLACE)
    clock, unit = load_word(head, CLOCK), load_word(head, CLOCK + 2)
    clock_name, clock_words = load_word(head, CLOCK + 1), head + 8 * CLOCK_WORDS
    began_ns = now_ns(clock, clock_name, clock_words, unit)
    time_ns = began_ns
    while game < games:
        leg = game & 1
        if load_word(head, PLY) == 0:
            begin_game(head, table, openings, starts, game, WORDS)
            store_word(lengths, game, 0)
        blank: Any = load_set(head, BLANK, WORDS)
        mover, ply = load_word(head, MOVER), load_word(head, PLY)
        player = ply & 1
        if is_empty(targets(table, blank, mover) & blank):
            store_word(winners, game, 1 - player)
            store_word(head, PLY, 0)
            game += 1
            store_word(head, GAME, game)
            continue
        seat = head + 8 * (SEATS + SEAT_WORDS * (player ^ leg))
        state = load_word(seat, STATE)
        asked, before = load_word(head, ASKED), 0
        if asked == 0:
            store_word(state, search.SEED, stream_seed(load_word(head, SEEDS + player), count(blank)))
            store_word(state, search.MOVER, mover)
            store_word(state, search.OTHER, load_word(head, OTHER))
            store_set(state, search.BLANK, blank)
            store_word(state, search.STARTED, 0)
        else:
            before = load_word(state, search.NODES)
        if load_word(head, IS_PAUSED) == 0:
            asked = min(load_word(seat, QUOTA), asked + load_word(seat, STEP))
        status: int = call_compiled(load_word(seat, ADDRESS), load_word(seat, INPUTS), asked)
        then_ns = now_ns(clock, clock_name, clock_words, unit)
        spent_ns, time_ns = then_ns - time_ns, then_ns
        store_word(seat, TAKEN_NS, load_word(seat, TAKEN_NS) + spent_ns)
        entered = load_word(state, search.NODES)
        if status == PAUSED or (status != FINISHED and asked < load_word(seat, QUOTA)):
            store_word(head, ASKED, asked)
            store_word(head, IS_PAUSED, status == PAUSED)
            fitting = (entered - before) * STEP_NS // max(spent_ns, 1)
            most = min(fitting, MOST_GROWTH * load_word(seat, STEP))
            store_word(seat, STEP, max(LEAST_STEP, most))
        else:
            move = load_word(state, search.PV)
            hides_plies = load_word(seat, HIDES_PLIES) != 0
            score, kind = recorded(load_float(state, search.SCORE), hides_plies)
            store_word(moves, place, move)
            store_word(depths, place, load_word(state, search.DEPTH))
            store_word(nodes, place, entered)
            store_float(scores, place, score)
            store_word(kinds, place, kind)
            place += 1
            store_word(lengths, game, load_word(lengths, game) + 1)
            store_word(head, PLACE, place)
            store_word(head, ASKED, 0)
            store_word(head, IS_PAUSED, 0)
            store_set(head, BLANK, blank - single(blank, move))
            store_word(head, MOVER, load_word(head, OTHER))
            store_word(head, OTHER, move)
            store_word(head, PLY, ply + 1)
        if time_ns - began_ns >= slice_ns:
            return 0
    return 1


@kernel
def begin_game(head: int, table: int, openings: int, starts: int, game: int, words: int) -> None:
    """Write the position after a game's opening, and the players' seeds."""
    pair, leg = game >> 1, game & 1
    first, end = load_word(starts, pair), load_word(starts, pair + 1)
    size = load_constant(table, 2)
    blank: Any = load_table_set(table, SETS, 4 + size, load_set(head, BLANK, words))
    for place in range(first, end):
        blank = blank - single(blank, load_word(openings, place))
    store_set(head, BLANK, blank)
    store_word(head, MOVER, load_word(openings, end - 2))
    store_word(head, OTHER, load_word(openings, end - 1))
    store_word(head, PLY, end - first)
    seed = stream_seed(load_word(head, SEED), load_word(head, FIRST_PAIR) + pair)
    for player in range(2):
        store_word(head, SEEDS + player, stream_seed(seed, 2 * leg + player))


@kernel
def recorded(score: float, hides_plies: bool) -> tuple[float, int]:
    """Return a search's score and its kind, in the form that a batch of games stores."""
    if score != score:
        return 0.0, UNKNOWN
    if abs(score) > PROVEN:
        return NO_PLIES if hides_plies else WIN - abs(score), WON if score > 0 else LOSS
    if abs(score) > FINITE:
        return inf if score > 0 else -inf, NUMBER
    return score, NUMBER


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
    """Return the words that describe the games; see above."""
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
