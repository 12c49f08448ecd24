"""Compile a bound heuristic for a search, or run it in Python if Numba cannot.

A heuristic from the catalogue is compiled into the search directly. A third-party heuristic is first compiled on its
own. If Numba cannot compile it, the compiled search calls back into Python for every position. If Numba can compile it,
its symmetry must be checked, because a search runs on the board under a random symmetry. Heuristics that use `row` and
`col` for coordinates are unaffected, but heuristics that compute with square numbers would return wrong values. The
heuristic is therefore evaluated on random positions of the board: if a symmetry changes any value, or the trial fails,
the search uses the board without a symmetry.
"""

import builtins
import ctypes
import dis
import math
import random
import re
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Any, Final, Protocol
from weakref import WeakKeyDictionary

import numpy as np
from numba import types
from numpy.typing import NDArray

from isolarium.errors import InputError
from isolarium.game.board import Board
from isolarium.game.position import Player, Position
from isolarium.game.symmetry import Symmetry, symmetries
from isolarium.game.tables import (
    WORD_MASK,
    image_of,
    image_square,
    pack_words,
    permutation,
    table_address,
    true_square,
    words_for,
)
from isolarium.game.view import PlainView, View, evaluation
from isolarium.heuristics.bound_heuristic import GENERATED, Bound
from isolarium.heuristics.lookup import is_adapted
from isolarium.native.entry_points import compile_entry
from isolarium.native.jit import kernel
from isolarium.native.memory import call_address, load_constant, load_word
from isolarium.native.squareset import load_set, word_of
from isolarium.processes.code_description import file_name, lines_text, return_lines
from isolarium.text import did_you_mean

CALL: Final = ctypes.CFUNCTYPE(ctypes.c_double, *[ctypes.c_int64] * 7)
TRIALS: Final = 40

# Bound when compiled
WORDS: int = 0
evaluate: Any = None


class HeuristicWarning(UserWarning):
    """A warning about a third-party heuristic: it runs in Python, or it is never a number."""


def evaluator_of(bound: Bound) -> "ThirdParty | Callback":
    """Return a third-party heuristic in the form that searches accept; one of the catalogue is ready as it is.

    If Numba cannot compile it, or if it may return None, the heuristic runs in Python. A warning gives the reason and
    the cost.

    Raises:
        InputError: If the heuristic has a mistake, so that it cannot run at all.
    """
    check_mistakes(bound)
    reason = _missing_returns(bound)
    if not reason:
        try:
            compiled_value(bound, words=1)
            return ThirdParty(bound)
        except Exception as error:  # Numba's errors have no common base class.
            reason = _reason_in(bound, error)
    _warn(bound, f"Numba cannot compile it, so it runs in Python, hundreds of times slower: {reason}")
    return Callback(bound.plain)


_warned: Final = WeakKeyDictionary[Callable[..., Any], set[str]]()
"""The warnings shown for each function of the running program."""


def _warn(bound: Bound, problem: str) -> None:
    """Warn of a problem at the heuristic's definition, but once only for a function of the running program."""
    function = bound.heuristic.function
    shown = _warned.setdefault(function, set()) if bound.heuristic.is_own else set[str]()
    if problem not in shown:
        shown.add(problem)
        code = function.__code__
        warnings.warn_explicit(f"{bound}: {problem}", HeuristicWarning, code.co_filename, code.co_firstlineno)


# The value of one position, outside a search


class Compiled(Protocol):
    """The part of an evaluator that `value_of` uses."""

    @property
    def compiled(self) -> Any:
        """See `Bound`."""

    @property
    def parameters(self) -> Any:
        """See `Bound`."""


def value_of(heuristic: Compiled, position: Position, player: Player, symmetry: Symmetry = Symmetry.IDENTITY) -> float:
    """Return the heuristic's value of a position for either player.

    Compiled code works on the board under the given symmetry. The symmetry does not change the value if the heuristic
    uses `row` and `col` for coordinates.

    Raises:
        InputError: If a player is not yet placed.
    """
    own, opp = position.square_of(player), position.square_of(player.other)
    if own is None or opp is None:
        raise InputError("a heuristic needs both players placed")
    board = position.board
    words = words_for(board)
    function = compiled_value(heuristic, words)
    blank = np.array(pack_words(position.blank, words), dtype=np.uint64)
    value: float = function(
        table_address(board, symmetry),
        heuristic.parameters.ctypes.data,
        blank.ctypes.data,
        board.index(own),
        board.index(opp),
        position.to_move == player,
    )
    return value


def compiled_value(heuristic: Compiled, words: int) -> Callable[..., float]:
    """Compile `evaluate_once` for the heuristic and for sets of `words` words.

    Raises:
        NumbaError: If the heuristic cannot be compiled.
    """
    return _compiled_value(heuristic.compiled, words)


@cache
def _compiled_value(compiled: Any, words: int) -> Callable[..., float]:
    return compile_entry(
        evaluate_once,
        types.float64(*[types.int64] * 5, types.boolean),
        {"WORDS": words, "evaluate": evaluation(compiled, words)},
    )


def evaluate_once(table: int, parameters: int, blank: int, own: int, opp: int, own_to_move: bool) -> float:
    """Return the value of the view that the arguments describe in true square numbers."""
    view = View(
        image_of(table, load_set(blank, 0, WORDS)),
        own_to_move,
        load_constant(table, 0),
        load_constant(table, 1),
        table,
        parameters,
    )
    value: float = evaluate(view, image_square(table, own), image_square(table, opp))
    return value


def seed_compiled(seed: int) -> None:
    """Seed the random generators that compiled heuristics use, which are not those of Python."""
    compile_entry(seed_generators, types.void(types.int64), {})(seed)


def seed_generators(seed: int) -> None:
    """Seed the generators of `random` and `numpy.random`; in compiled code, those of compiled code."""
    random.seed(seed)
    np.random.seed(seed)


# Compiled third-party heuristics


class ThirdParty:
    """A compiled third-party heuristic in the form that searches accept."""

    def __init__(self, bound: Bound) -> None:
        self._bound = bound
        self._symmetric: dict[Board, bool] = {}

    @property
    def compiled(self) -> Callable[..., Any]:
        """See `Bound`."""
        return self._bound.compiled

    @property
    def parameters(self) -> NDArray[np.float64]:
        """See `Bound`."""
        return self._bound.parameters

    def is_symmetric(self, board: Board) -> bool:
        """Return whether the board's symmetries left every value unchanged in the trials."""
        if board not in self._symmetric:
            values = set[bool]()
            self._symmetric[board] = _same_under_symmetries(self._bound, board, lambda one: values.add(math.isnan(one)))
            if values == {True}:
                _warn(self._bound, "it is NaN in every position tried, and NaN counts as -inf")
        return self._symmetric[board]

    def raise_failure(self) -> None:
        """Do nothing: compiled code raises its exceptions immediately."""


def _same_under_symmetries(bound: Bound, board: Board, on_value: Callable[[float], object]) -> bool:
    chance = random.Random(0)
    try:
        for trial in range(TRIALS):
            position = _random_position(board, 0.8 * trial / TRIALS, chance)
            for player in Player:
                first, *others = (value_of(bound, position, player, one) for one in symmetries(board))
                on_value(first)
                if not all(_same(first, other) for other in others):
                    return False
    except Exception:  # It may raise anything, for example on positions that never occur in games.
        return False
    return True


def _random_position(board: Board, blocked: float, chance: random.Random) -> Position:
    """Return an unfinished position with about the given share of squares blocked."""
    while True:
        first, second, *rest = chance.sample(board.squares, board.size)
        blank = sum(1 << board.index(square) for square in rest if chance.random() >= blocked)
        position = Position(board, blank, first, second, chance.choice(list(Player)))
        if position.outcome() is None:
            return position


def _same(one: float, other: float) -> bool:
    return one == other or math.isclose(one, other, rel_tol=1e-12) or (math.isnan(one) and math.isnan(other))


# Heuristics that run in Python


class Callback:
    """A heuristic in plain Python in the form that searches accept.

    The heuristic sees the true board under every symmetry, so it plays like the compiled heuristic. An exception is
    stored until `raise_failure` is called; until then every further value is NaN.
    """

    def __init__(self, plain: Callable[[PlainView, int, int], float]) -> None:
        self._plain = plain
        self._failure: BaseException | None = None
        self._call = CALL(self._value)  # Kept alive because compiled code holds its address
        address = ctypes.cast(self._call, ctypes.c_void_p).value
        self.parameters: NDArray[np.float64] = np.array([address], dtype=np.int64).view(np.float64)

    @property
    def compiled(self) -> Callable[..., Any]:
        """The compiled function that calls back into Python, by an address in the view."""
        return call_back

    def is_symmetric(self, board: Board) -> bool:
        """Return True: the heuristic sees the true squares."""
        return True

    def raise_failure(self) -> None:
        """Raise the heuristic's exception, if any."""
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure

    def _value(self, low: int, middle: int, high: int, size_and_turn: int, table: int, own: int, opp: int) -> float:
        if self._failure is not None:
            return float("nan")
        try:
            mask = low & WORD_MASK | (middle & WORD_MASK) << 64 | (high & WORD_MASK) << 128
            size, own_to_move = divmod(size_and_turn, 2)
            board, true = _board(size), _true_numbers(size, table)
            blank = frozenset(number for i, number in enumerate(true) if mask >> i & 1)
            return self._plain(PlainView(board, blank, bool(own_to_move)), own, opp)
        except BaseException as error:  # Kept for `raise_failure`: it must not cross compiled code.
            self._failure = error
            return float("nan")


@cache
def _board(size: int) -> Board:
    """Return the board whose size is encoded as 256 * rows + columns."""
    return Board(*divmod(size, 256))


@cache
def _true_numbers(size: int, table: int) -> tuple[int, ...]:
    """Return the true number of each square under the symmetry of a table."""
    board = _board(size)
    (symmetry,) = (one for one in symmetries(board) if table_address(board, one) == table)
    images = permutation(board, symmetry)
    return tuple(sorted(range(board.size), key=lambda square: images[square]))


@kernel
def call_back(view: View, own: int, opp: int) -> float:
    """Call Python with the blanks, the size, the turn, the table, and the true squares."""
    value: float = call_address(
        load_word(view.parameters, 0),
        word_of(view.blank, 0),
        word_of(view.blank, 1),
        word_of(view.blank, 2),
        2 * (view.rows * 256 + view.cols) + (1 if view.own_to_move else 0),
        view.geometry,
        true_square(view.geometry, own),
        true_square(view.geometry, opp),
    )
    return value


# Reasons why a heuristic cannot be compiled


def _reason_in(bound: Bound, error: Exception) -> str:
    """Return why a heuristic, or one among its parameters, cannot be compiled.

    Raises:
        InputError: If it never returns a number, so that it cannot run at all.
    """
    for one in _inner(bound):
        try:
            compiled_value(one, words=1)
        except Exception as inner:  # Numba's errors have no common base class.
            return _reason_in(one, inner)
    function = bound.heuristic.function
    if is_adapted(function):
        return "Numba compiles functions only"
    returned = re.search(rf">>> pos\((.*)\)\n(?:(?!During:).*\n)*During: .* at {GENERATED} ", str(error))
    if returned:
        _, values = return_lines(function.__code__)
        problem = f"{lines_text(values)}: it returns {_kind_of(returned[1])}; expected a number"
        raise InputError(f"{bound}: it cannot run: {file_name(function.__code__.co_filename)}, {problem}")
    return reason_of(error, function.__code__.co_filename)


def _missing_returns(bound: Bound) -> str:
    """Return the line on which a heuristic, or one among its parameters, may return None; empty if there is none."""
    for one in (bound, *_inner(bound)):
        nothing, values = return_lines(one.heuristic.function.__code__)
        if nothing and values and not one.heuristic.is_ours:
            return f"{lines_text(nothing)}: it may return None here; is a return missing?"
    return ""


def _inner(bound: Bound) -> list[Bound]:
    """Return the third-party heuristics among a heuristic's parameters."""
    return [one for one in bound.arguments.values() if isinstance(one, Bound) and one.is_third_party]


KINDS: Final = {
    r"Literal\[str\]|unicode_type": "a string",
    r"(reflected )?list|ListType": "a list",
    r"Tuple|UniTuple": "a tuple",
    r"SquareSet": "a set of squares",
    r"array": "an array",
    r"none": "nothing",
    r"DictType": "a dictionary",
    r"bool|Literal\[bool\]": "True or False",
    r"(u?int|float)\d|Literal\[int\]": "a number",
}
"""What users call the values of Numba's types, by the beginnings of the types' names."""


def _kind_of(numba_type: str) -> str:
    """Return what users call the values of one of Numba's types."""
    return next((kind for start, kind in KINDS.items() if re.match(start, numba_type)), f"a value of type {numba_type}")


def reason_of(error: Exception, file: str) -> str:
    """Extract the reason and the line from Numba's long error report."""
    lines = [line.strip() for line in str(error).splitlines()]
    specific = [i for i, line in enumerate(lines) if line.endswith("raised a specific error:")]
    lines = lines[specific[-1] + 1 :] if specific else lines
    reason = next((line for line in lines if line and "nopython mode pipeline" not in line), "")
    if "float() " in reason and f" {GENERATED} " in str(error):  # Numba failed to convert the result
        reason = "it does not return a single real number"
    reason = _in_plain_words(reason)
    name = re.escape(Path(file).name)  # Numba formats the rest of the path in several ways
    places = [int(line) for line in re.findall(rf'{name}(?:", line | \()([0-9]+)', str(error))]
    are_all = reason.startswith("it returns ")  # Numba lists the returns in no certain order
    where = f"{lines_text(places if are_all else places[:1])}: " if places else ""
    return where + (reason.partition(" Raised from ")[0].rstrip(". ") or type(error).__name__)[:200]


def _in_plain_words(reason: str) -> str:
    """Explain how to fix a common mistake; return any other reason unchanged."""
    if reason.startswith("Invalid use of getiter") and "SquareSet" in reason:
        return "a set of squares cannot be iterated; use squares(...) of it"
    if found := re.match(r"Unknown attribute '(\w+)' of type View\(", reason):
        hint = did_you_mean(found[1], View._fields)
        return f"view has no attribute {found[1]!r}" + (f" ({hint})" if hint else "")
    if found := re.search(r"Cannot bind '.*' to signature '(.*)' due to \"TypeError: (.*)\"", reason):
        return f"a helper function is called with the wrong arguments: {found[2]}"
    if found := re.match(r"Can't unify return type from the following types: (.*)", reason):
        kinds = {_kind_of(one) for one in re.split(r", (?![^(]*\))", found[1])}
        return f"it returns {' or '.join(sorted(kinds))}; expected a number"
    if found := re.match(r"Cannot unify (.*) and (.*) for '", reason):
        kinds = {_kind_of(found[1]), _kind_of(found[2])}
        return f"a value may be {' or '.join(sorted(kinds))}; expected one kind"
    if found := re.match(r"No implementation of function Function\(<class '(\w+)'>\)", reason):
        return f"{found[1]}() cannot be compiled for such arguments"
    return reason.rstrip(": ")


def check_mistakes(bound: Bound) -> None:
    """Check a third-party heuristic, and the heuristics among its parameters, for mistakes.

    Raises:
        InputError: If one of them cannot run at all.
    """
    for one in (bound, *bound.arguments.values()):
        if not isinstance(one, Bound) or not one.is_third_party:
            continue
        if one is not bound:
            check_mistakes(one)
        function = one.heuristic.function
        mistake = None if one.heuristic.is_ours else mistake_in(function)
        if mistake is not None:
            name = file_name(function.__code__.co_filename)
            raise InputError(f"{bound}: it cannot run: {name}, {mistake}")


def mistake_in(function: Callable[..., Any]) -> str | None:
    """Describe an undefined name, or a function that never returns a number; return None if there is neither."""
    code, known = function.__code__, {**vars(builtins), **function.__globals__}
    first = f"line {code.co_firstlineno}: "
    for step in _steps(code):
        if step.opname == "LOAD_GLOBAL" and step.argval not in known:
            hint = did_you_mean(step.argval, function.__globals__)
            mistake = f"name {step.argval!r} is not defined" + (f" ({hint})" if hint else "")
            line = step.positions.lineno if step.positions else None
            return f"{first if line is None else f'line {line}: '}{mistake}"
    nothing, values = return_lines(code)
    if values:
        return None
    if nothing:
        return f"{lines_text(nothing)}: it returns None; is a return missing?"
    raises = (step.positions for step in dis.get_instructions(code) if step.opname == "RAISE_VARARGS")
    lines = lines_text([at.lineno for at in raises if at and at.lineno])
    return f"{lines}: it raises an exception in every case" if lines else f"{first}it never returns"


def _steps(code: CodeType) -> Iterator[dis.Instruction]:
    """Yield the instructions of a function and of the functions defined in it."""
    yield from dis.get_instructions(code)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _steps(constant)
