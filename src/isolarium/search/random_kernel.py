"""The random player in compiled code, which plays like `random.Random`."""

from typing import Any

from isolarium.game.view import targets
from isolarium.native.memory import load_word, store_word
from isolarium.native.squareset import count, load_set, lowest, without_lowest
from isolarium.search.driver import CompiledSearch
from isolarium.search.kernel_state import (
    BLANK,
    FINISHED,
    MOVER,
    PV,
    PV_LENGTH,
    SEED,
    STARTED,
    STATE,
    TABLES,
    begin_choice,
    stream_seed,
)

WORDS: int = 0  # bound when compiled


class CompiledRandom(CompiledSearch):
    """A search that plays a random legal move, or the first one without a seed."""

    def __init__(self) -> None:
        super().__init__(random_move)


def random_move(inputs: int, quota: int) -> int:
    """Choose a move; the quota has no effect."""
    state = load_word(inputs, STATE)
    begin_choice(inputs, state, WORDS)
    blank: Any = load_set(state, BLANK, WORDS)
    moves = targets(load_word(load_word(inputs, TABLES), 0), blank, load_word(state, MOVER)) & blank
    seed = load_word(state, SEED)
    if seed >= 0:
        for _ in range(stream_seed(seed, 0) % count(moves)):
            moves = without_lowest(moves)
    store_word(state, PV, lowest(moves))
    store_word(state, PV_LENGTH, 1)
    store_word(state, STARTED, 1)
    return FINISHED
