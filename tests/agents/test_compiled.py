"""The compiled functions of built-in agents choose what their searches choose."""

import ctypes
import random

import pytest

from isolarium.agents.search_agent import choose_entries, compiled_search
from isolarium.game.board import Board
from isolarium.game.position import Position
from isolarium.game.tables import words_for
from isolarium.limits import Limit, mixed_seed
from isolarium.native.entry_points import compile_entry
from isolarium.search.driver import CompiledSearch, Seat
from isolarium.search.kernel_state import CHOOSE_SIGNATURE, PAUSED, stream_seed
from isolarium.search.protocol import Choice
from isolarium.spec.registry import SEARCHES, SearchKind
from isolarium.spec.spec import parse_spec
from tests.search.awkward import played_position, timeless

SPECS = [
    "random",
    "greedy:improved",
    "minimax:improved@depth=3",
    "alphabeta:improved@nodes=1000",
    "alphabeta:improved@depth=4,nodes=2000",
    "strong:improved@nodes=2000",
    "champion:improved@nodes=3000",
    "champion:improved@depth=3",
    "mcts@nodes=1000",
    "minmax_approximation:improved@nodes=1000",
]
LONG_TO_COMPILE = ("strong", "champion", "minmax_approximation", "mcts")
WORD, POINTER = ctypes.c_int64, ctypes.c_void_p
CHOOSE = ctypes.CFUNCTYPE(ctypes.c_int32, POINTER, POINTER, WORD, WORD)


def marks_of(text: str) -> list[pytest.MarkDecorator]:
    return [pytest.mark.slow] if text.startswith(LONG_TO_COMPILE) else []


def chosen(search: CompiledSearch, seat: Seat, position: Position, seed: int | None) -> Choice:
    """Let the compiled function choose, as other compiled code calls it."""
    search.work.reset(position, seed)
    status, failure = WORD(PAUSED), POINTER(0)
    while status.value == PAUSED:
        addresses = ctypes.byref(status), ctypes.byref(failure)
        assert CHOOSE(seat.address)(*addresses, seat.inputs, seat.quota) == 0
    return search.work.choice(position, 0, hides_plies=seat.hides_plies)


@pytest.mark.parametrize("text", [pytest.param(text, marks=marks_of(text)) for text in SPECS])
def test_a_seat_chooses_what_the_search_chooses(text: str) -> None:
    spec, chance = parse_spec(text), random.Random(text)
    search = compiled_search(spec)
    assert search is not None
    assert isinstance(spec.kind, SearchKind)
    reference = spec.kind.make(spec.evaluator(), spec.options)
    for board in (Board(7, 7), Board(5, 6), Board(9, 8)):
        seat = search.seat(board, spec.limit)
        for plies in (0, 1, 4, 9, 16):
            position = played_position(board, plies, chance)
            for seed in (None, chance.randrange(2**62)):
                expected = reference.choose(position, spec.limit, seed)
                assert timeless(chosen(search, seat, position, seed)) == timeless(expected)


def test_every_search_but_the_oracle_is_compiled() -> None:
    assert {parse_spec(text).kind.name for text in SPECS} == set(SEARCHES) - {"oracle"}
    for text in SPECS:
        assert "choose" in choose_entries(text, words_for(Board(7, 7)))


@pytest.mark.parametrize(
    "text",
    [
        "alphabeta:improved@ms=10",
        "alphabeta:improved@nodes=1000,ms=10",
        "alphabeta:improved@nodes=1000,book",
        "champion(threads=2)@nodes=1000",
        "minmax_approximation:improved@depth=2",
        "minmax_approximation:improved@nodes=1000000",
        "oracle@nodes=1000",
        "course:agent.py@calls=10",
        "alphabeta:missing.py:one@nodes=10",
    ],
)
def test_agents_that_need_python_have_no_compiled_search(text: str) -> None:
    assert compiled_search(parse_spec(text)) is None
    with pytest.raises(KeyError):
        choose_entries(text, 1)


def test_a_seat_is_valid_again_after_other_searches() -> None:
    spec, board = parse_spec("champion:improved@nodes=2000"), Board(7, 7)
    search = compiled_search(spec)
    assert search is not None
    position = played_position(board, 8, random.Random(1))
    expected = chosen(search, search.seat(board, spec.limit), position, 7)
    search.choose(position, Limit(nodes=50_000), 1)
    search.choose(Position.empty(Board(9, 9)), Limit(depth=1), 1)
    assert chosen(search, search.seat(board, spec.limit), position, 7) == expected


def derived_seed(seed: int, stream: int) -> int:
    return stream_seed(seed, stream)


def test_seeds_are_derived_as_in_python() -> None:
    derived = compile_entry(derived_seed, CHOOSE_SIGNATURE, {})
    chance = random.Random(2)
    for _ in range(200):
        seed, stream = chance.randrange(2**62), chance.randrange(2**40)
        assert derived(seed, stream) == mixed_seed(seed, stream)
