"""Thousands of games at once, in compiled code on NumPy arrays.

A step plays one ply of every game. A game that ends is replaced by a new one at once, so every game always expects an
action: the observation after an end is the start of the next game. A reward belongs to the player who just moved: 1 for
a win, -1 for an illegal action (which loses the game), and 0 otherwise.

A game's state is a row of 64-bit words, where `W` words hold a set of squares:

    0 .. W-1  the blank squares           W + 2  the player to move: 0 first, 1 second
    W         the mover's square          W + 3  the state of the generator of random plies
    W + 1     the opponent's square       W + 4  the state of the generator of `sample`
"""

from numbers import Integral
from typing import Any, Final, NamedTuple

import numpy as np
from numba import types
from numpy.typing import ArrayLike, NDArray

from isolarium.env.observation import BLANK, OTHER, OWN, PLANES, TURN, read_opening
from isolarium.errors import InputError, check_kind
from isolarium.game.board import Board
from isolarium.game.position import Player, Position
from isolarium.game.symmetry import Symmetry
from isolarium.game.tables import pack_squares, pack_words, table_address, words_for
from isolarium.game.view import targets
from isolarium.limits import mixed_seed, read_seed
from isolarium.native.arithmetic import GAMMA, below
from isolarium.native.entry_points import compile_entry
from isolarium.native.jit import kernel
from isolarium.native.memory import load_word, store_word
from isolarium.native.squareset import count, is_empty, load_set, lowest, single, store_set, without_lowest

WORDS: int = 0  # Bound when compiled: the words of a set
MOVER_AT, OTHER_AT, TO_MOVE, OPENINGS, SAMPLES = range(5)  # words of a row, after its set
EACH_ROW: Final = 5
MOST_GAMES: Final = 1 << 24
STRIDE: Final = 0xD1342543DE82EF95
"""The distance between two games' generators, which keeps their sequences apart."""


class Batch(NamedTuple):
    """The state of all games, one row each.

    The arrays are read-only, and the next step overwrites them, so copy what you want to keep.

    Attributes:
        observations: (games, 4, rows, columns): the planes of `isolarium.env.observation` for the player to move.
        action_masks: (games, squares): 1 for each legal move of the player to move, else 0.
        players: (games,): the player to move, 0 for the first and 1 for the second.
        rewards: (games,): the reward of the last action, for the player who took it.
        terminations: (games,): whether the last action ended the game, so that a new one has started.
    """

    observations: NDArray[np.int8]
    action_masks: NDArray[np.int8]
    players: NDArray[np.int8]
    rewards: NDArray[np.float32]
    terminations: NDArray[np.bool_]


class BatchEnv:
    """Many games on one board, advanced by one ply per step.

    The module describes rewards and the ends of games.

    Game g depends only on the seed, on g and on its own actions, not on the number of games. Several instances can be
    stepped in parallel threads: compiled code releases Python's lock.

    Args:
        start: the start of every game: a board such as `7x7`, or a position.
        games: the number of games.
        random_plies: the number of random plies before the first action, different for each game, and fewer if another
            ply would end the game. With 2, the players start on random squares of an empty board.
        seed: the random seed of the random plies and of `sample`.

    Raises:
        InputError: If an argument is invalid.
    """

    def __init__(
        self, start: str | Board | Position = "7x7", games: int = 1024, *, random_plies: int = 0, seed: int = 1
    ) -> None:
        check_kind("games", games, (int, Integral), "a whole number")
        if not 0 < games <= MOST_GAMES:
            raise InputError(f"games {games}: expected 1 to {MOST_GAMES:,}")
        self.start = read_opening(start, random_plies)
        self.games = int(games)
        self._random_plies = min(int(random_plies), self.start.board.size)
        self._words = words_for(self.start.board)
        self._table = table_address(self.start.board, Symmetry.IDENTITY)
        self._state = np.zeros((games, self._words + EACH_ROW), dtype=np.uint64)
        self._first = _packed(self.start)
        self._allocate()
        self._compile()
        self.reset(seed)

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle the games; compiled code and addresses are created again."""
        rest = self.start, self.games, self._random_plies, self._state, self._arrays
        return _restored, rest

    def _allocate(self) -> None:
        board, games = self.start.board, self.games
        planes = np.zeros((games, PLANES, board.size), dtype=np.int8)
        planes[:, TURN] = 1  # As seen by the player to move
        masks = np.zeros((games, board.size), dtype=np.int8)
        players = np.zeros(games, dtype=np.int8)
        rewards = np.zeros(games, dtype=np.float32)
        terminations = np.zeros(games, dtype=np.bool_)
        self._arrays: tuple[NDArray[Any], ...] = planes, masks, players, rewards, terminations
        whole = planes.reshape(games, PLANES, board.rows, board.cols)
        self._seen = Batch(whole, masks.view(), players.view(), rewards.view(), terminations.view())
        for array in self._seen:
            array.setflags(write=False)

    def _compile(self) -> None:
        word, bindings = types.int64, {"WORDS": self._words}
        arrays = (
            types.Array(types.int8, 3, "C"),
            types.Array(types.int8, 2, "C"),
            types.Array(types.int8, 1, "C"),
            types.Array(types.float32, 1, "C"),
            types.Array(types.boolean, 1, "C"),
        )
        actions = types.Array(types.int64, 1, "C")
        shared = (word, word, word, word)
        self._begin_all = compile_entry(begin_all, types.void(*shared, *arrays[:3]), bindings)
        self._step_all = compile_entry(step_all, types.void(*shared, actions, *arrays), bindings)
        self._sample_all = compile_entry(sample_all, types.void(word, word, actions), bindings)
        self._addresses = (self._table, self._state.ctypes.data, self._first.ctypes.data, self._random_plies)

    def reset(self, seed: int | None = None) -> Batch:
        """Restart every game.

        With a seed, the random plies start again. Without a seed, games continue with the next random plies.
        """
        if seed is not None:
            places = np.arange(self.games, dtype=np.uint64)
            for stream, word in enumerate((OPENINGS, SAMPLES)):
                origin = np.uint64(mixed_seed(read_seed(seed), stream))
                self._state[:, self._words + word] = origin + places * np.uint64(STRIDE)
        self._arrays[3][:] = 0
        self._arrays[4][:] = False
        self._begin_all(*self._addresses, *self._arrays[:3])
        return self._seen

    def step(self, actions: ArrayLike) -> Batch:
        """Play one action, the number of a square, in each game.

        Raises:
            InputError: If the actions are not one whole number per game.
        """
        try:
            given = np.asarray(actions)
        except (TypeError, ValueError):  # Lists of different lengths
            raise InputError(f"actions: expected {self.games:,} whole numbers") from None
        if given.shape != (self.games,) or given.dtype.kind not in "iu":
            raise InputError(
                f"actions: {given.dtype} of shape {given.shape}; expected whole numbers of shape ({self.games},)"
            )
        numbers = np.require(given, np.int64, ["C", "W"])  # Compiled for arrays that can be written to
        self._step_all(*self._addresses, numbers, *self._arrays)
        return self._seen

    def sample(self) -> NDArray[np.int64]:
        """Return a random legal action for each game, with uniform probabilities."""
        actions = np.empty(self.games, dtype=np.int64)
        self._sample_all(self._table, self._state.ctypes.data, actions)
        return actions

    def position(self, game: int) -> Position:
        """Return the position of a game.

        Raises:
            InputError: If no game has this number.
        """
        check_kind("game", game, Integral, "a whole number")
        if not 0 <= game < self.games:
            raise InputError(f"game {game}: expected 0 to {self.games - 1}")
        board, words = self.start.board, self._words
        row = [int(word) for word in self._state[game]]
        blank = sum(word << 64 * place for place, word in enumerate(row[:words]))
        mover, other = (None if square == board.size else board.square(square) for square in row[words : words + 2])
        to_move = Player(row[words + TO_MOVE])
        first, second = (mover, other) if to_move is Player.FIRST else (other, mover)
        return Position(board, blank, first, second, to_move)


def _restored(start: Position, games: int, random_plies: int, state: Any, arrays: tuple[Any, ...]) -> BatchEnv:
    env = BatchEnv(start, games, random_plies=random_plies)
    env._state[:] = state
    for ours, theirs in zip(env._arrays, arrays, strict=True):
        ours[:] = theirs
    return env


def _packed(start: Position) -> NDArray[np.uint64]:
    """Return the words of a row, up to and including the player to move."""
    words = pack_words(start.blank, words_for(start.board))
    return np.array([*words, *pack_squares(start), start.to_move], dtype=np.uint64)


# In compiled code


def begin_all(table: int, state: int, first: int, random_plies: int, planes: Any, masks: Any, players: Any) -> None:
    """Start every game, and write its observation."""
    for game in range(len(players)):
        row = state + game * 8 * (WORDS + EACH_ROW)
        blank = begin(table, row, first, random_plies, load_set(first, 0, WORDS), WORDS)
        show(table, row, blank, WORDS, planes[game], masks[game])
        players[game] = load_word(row, WORDS + TO_MOVE)


def step_all(
    table: int,
    state: int,
    first: int,
    random_plies: int,
    actions: Any,
    planes: Any,
    masks: Any,
    players: Any,
    rewards: Any,
    terminations: Any,
) -> None:
    """Play an action in every game, and update its observation."""
    size = masks.shape[1]
    for game in range(len(actions)):
        row = state + game * 8 * (WORDS + EACH_ROW)
        target = actions[game]
        blank: Any = load_set(row, 0, WORDS)
        mover, other = load_word(row, WORDS + MOVER_AT), load_word(row, WORDS + OTHER_AT)
        moves = targets(table, blank, mover) & blank
        is_legal = 0 <= target < size and target in moves
        left = blank - single(blank, target) if is_legal else blank
        replies = targets(table, left, other) & left
        # 1. The game ends: start the next one.
        if not is_legal or is_empty(replies):
            rewards[game] = 1.0 if is_legal else -1.0
            terminations[game] = True
            blank = begin(table, row, first, random_plies, load_set(first, 0, WORDS), WORDS)
            show(table, row, blank, WORDS, planes[game], masks[game])
            players[game] = load_word(row, WORDS + TO_MOVE)
            continue
        # 2. The game continues.
        rewards[game] = 0.0
        terminations[game] = False
        to_move = 1 - load_word(row, WORDS + TO_MOVE)
        store_set(row, 0, left)
        store_word(row, WORDS + MOVER_AT, other)
        store_word(row, WORDS + OTHER_AT, target)
        store_word(row, WORDS + TO_MOVE, to_move)
        # 3. Update the few squares that look different to the other player.
        players[game] = to_move
        if mover < size:
            planes[game, OWN, mover] = 0
        if other < size:
            planes[game, OWN, other] = 1
            planes[game, OTHER, other] = 0
        planes[game, OTHER, target] = 1
        planes[game, BLANK, target] = 0
        while not is_empty(moves):
            masks[game, lowest(moves)] = 0
            moves = without_lowest(moves)
        while not is_empty(replies):
            masks[game, lowest(replies)] = 1
            replies = without_lowest(replies)


def sample_all(table: int, state: int, actions: Any) -> None:
    """Draw a random legal action for every game."""
    for game in range(len(actions)):
        row = state + game * 8 * (WORDS + EACH_ROW)
        blank: Any = load_set(row, 0, WORDS)
        random = load_word(row, WORDS + SAMPLES) + GAMMA
        store_word(row, WORDS + SAMPLES, random)
        actions[game] = drawn(targets(table, blank, load_word(row, WORDS + MOVER_AT)) & blank, random)


@kernel
def drawn(moves: Any, random: int) -> int:
    """Return one of the squares, chosen by a word of a SplitMix64 sequence."""
    for _ in range(below(random, count(moves))):
        moves = without_lowest(moves)
    return lowest(moves)


@kernel
def begin(table: int, row: int, first: int, random_plies: int, blank: Any, words: int) -> Any:
    """Write the start and random plies of a new game into a row.

    Return the blank squares.
    """
    mover, other = load_word(first, words + MOVER_AT), load_word(first, words + OTHER_AT)
    to_move = load_word(first, words + TO_MOVE)
    random = load_word(row, words + OPENINGS)
    for _ in range(random_plies):
        random += GAMMA
        square = drawn(targets(table, blank, mover) & blank, random)
        left = blank - single(blank, square)
        if is_empty(targets(table, left, other) & left):
            break
        blank = left
        mover, other, to_move = other, square, 1 - to_move
    store_set(row, 0, blank)
    store_word(row, words + MOVER_AT, mover)
    store_word(row, words + OTHER_AT, other)
    store_word(row, words + TO_MOVE, to_move)
    store_word(row, words + OPENINGS, random)
    return blank


@kernel
def show(table: int, row: int, blank: Any, words: int, planes: Any, mask: Any) -> None:
    """Write a game's action mask and all its planes except the plane of the turn."""
    mover, other = load_word(row, words + MOVER_AT), load_word(row, words + OTHER_AT)
    size = len(mask)
    moves = targets(table, blank, mover) & blank
    for square in range(size):
        planes[OWN, square] = square == mover
        planes[OTHER, square] = square == other
        planes[BLANK, square] = square in blank
        mask[square] = square in moves
