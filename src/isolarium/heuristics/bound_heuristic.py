"""A heuristic with its parameters chosen, as a search takes it: from a text, or from Python."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Real
from sys import float_info
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from isolarium.errors import InputError, quoted, shown
from isolarium.game.board import Board
from isolarium.game.view import PlainView, parameter
from isolarium.heuristics.definition import Heuristic, Tabulated, Weights, heuristic_of
from isolarium.heuristics.lookup import find
from isolarium.native.jit import TWIN, kernel
from isolarium.spec.parser import Argument, Call, parse_call, parse_number
from isolarium.text import did_you_mean

MOST_WHOLE: Final = 2**53
"""Whole numbers up to here are exact in a double, as which they reach compiled code."""


@dataclass(frozen=True)
class Bound:
    """A heuristic and a value for each of its parameters.

    Attributes:
        heuristic: the heuristic.
        arguments: a number, a name or a bound heuristic for every parameter, in the heuristic's order.
    """

    heuristic: Heuristic
    arguments: Mapping[str, Any]

    def __str__(self) -> str:
        """The text that reads back as this."""
        return str(self.call)

    @cached_property
    def call(self) -> Call:
        """How it is written: the name, and in parentheses the parameters that are not at their default."""
        chosen = (
            Argument(name, _written(value))
            for name, value in self.arguments.items()
            if _written(value) != _written(_default(self.heuristic.defaults[name]))
        )
        return Call(self.heuristic.name, tuple(chosen))

    @cached_property
    def parameters(self) -> NDArray[np.float64]:
        """The run-time numbers of the compiled code, inner heuristics and tables included; words as they are."""
        numbers = self._assembled.numbers
        memory = np.array(numbers, dtype=np.float64)
        for place, number in enumerate(numbers):
            if type(number) is int:
                memory.view(np.int64)[place] = number
        return memory

    @cached_property
    def plain(self) -> Callable[[PlainView, int, int], float]:
        """The value in plain Python, of a view for the player on one square against the player on another."""
        function, numbers = self._assembled.function, tuple(self._assembled.numbers)

        def value(view: PlainView, own: int, opp: int) -> float:
            try:
                return float(function(replace(view, parameters=numbers), own, opp))
            except TypeError as error:
                if _is_of_nothing(error):
                    raise TypeError("it returned nothing: is a return missing?") from None
                raise

        return value

    @cached_property
    def compiled(self) -> Callable[..., Any]:
        """The same for compiled code: `(view, own, opp)`, the numbers found through the view."""
        return self._assembled.compiled

    def is_symmetric(self, board: Board) -> bool:
        """Whether a mirror image of the board has the same value: ours ask for coordinates, and see no difference."""
        return True

    @property
    def is_foreign(self) -> bool:
        """Whether it, or a heuristic among its arguments, is not one of ours."""
        inner = (value for value in self.arguments.values() if isinstance(value, Bound))
        return not self.heuristic.is_ours or any(value.is_foreign for value in inner)

    def raise_failure(self) -> None:
        """Do nothing: compiled code does not fail."""

    @cached_property
    def _assembled(self) -> "_Assembly":
        return _assemble(self, offset=0)


def parse_heuristic(text: str) -> Bound:
    """Read a heuristic with its parameters: `distance(z=0, f=arctan)`, or one in a file, which is run.

    Raises:
        InputError: the text is not of that form, or a name or a value in it is none that there is.
    """
    return bind_call(parse_call(text))


def bind_call(call: Call) -> Bound:
    """Look up what a heuristic's text names; files are run.

    Raises:
        InputError: a name or a value in it is none that there is.
    """
    heuristic = find(call.word)
    arguments: dict[str, Any] = {}
    for name, value in _with_names(heuristic, call):
        if name in arguments:
            raise InputError(f"{heuristic.name}: {name} is given twice; expected it once")
        arguments[name] = _value(heuristic.defaults.get(name), value)
    return bind(heuristic, arguments)


def bind(heuristic: Heuristic, arguments: Mapping[str, Any] | None = None) -> Bound:
    """Choose a heuristic's parameters; those not given keep their default.

    Raises:
        InputError: no such parameter, or a value of the wrong kind.
    """
    chosen = {name: _default(value) for name, value in heuristic.defaults.items()}
    for name, value in (arguments or {}).items():
        if name not in chosen:
            known = f"it has {', '.join(chosen)}" if chosen else "it has none"
            raise InputError(
                f"{heuristic.name}: no parameter {quoted(name)} ({did_you_mean(name, chosen) or known})"
            )
        chosen[name] = _checked(heuristic, name, value)
    return Bound(heuristic, chosen)


def _with_names(heuristic: Heuristic, call: Call) -> Iterator[Argument]:
    """The arguments, each with its parameter: those without one have it by their place."""
    known = list(heuristic.defaults)
    for place, (name, value) in enumerate(call.arguments):
        if not name:
            where = f"{heuristic.name}: {quoted(str(value))}"
            if place and call.arguments[place - 1].name:
                raise InputError(f"{where}: expected PARAMETER=VALUE from the first such on")
            if place >= len(known):
                raise InputError(f"{where}: expected {_at_most(len(known))}")
        yield Argument(name or known[place], value)


def _at_most(count: int) -> str:
    return f"at most {count} value{'s'[: count > 1]}" if count else "no value: it has no parameter"


def _value(default: Any, call: Call) -> Any:
    """The value as the parameter takes it; where it is none, the text, for `bind` to refuse."""
    text = str(call)
    if isinstance(default, str):
        return text
    number = parse_number(text)
    if number is not None:
        return int(text) if text.lstrip("+-").isdecimal() else number
    if isinstance(default, bool) and text in ("false", "true"):
        return text == "true"
    return bind_call(call) if heuristic_of(default) else text


def _default(value: Any) -> Any:
    inner = heuristic_of(value)
    return bind(inner) if inner else value


def _checked(heuristic: Heuristic, name: str, value: Any) -> Any:
    """The value, if it is of the kind that the parameter takes."""
    default, where = (
        heuristic.defaults[name],
        f"{heuristic.name}: {name}={shown(format_value(value))}",
    )
    if heuristic_of(default):
        value = _default(value)
        if not isinstance(value, Bound):
            raise InputError(f"{where}: expected a heuristic, such as {name}=improved")
        return value
    if isinstance(default, str):
        names = heuristic.names[name]
        known = names.names if isinstance(names, Tabulated | Weights) else tuple(names)
        if value not in known:
            hint = did_you_mean(str(value), known)
            raise InputError(
                f"{where}: expected {' or '.join(known)}" + (f" ({hint})" if hint else "")
            )
        return value
    return _checked_number(heuristic, name, value, where)


def _checked_number(heuristic: Heuristic, name: str, value: Any, where: str) -> float:
    """The value, if it is a number of the default's kind, within its range, and exact in a double."""
    default = heuristic.defaults[name]
    if isinstance(default, bool):
        if value not in (False, True):
            raise InputError(f"{where}: expected true or false")
        return bool(value)
    whole = isinstance(default, int)
    most = MOST_WHOLE if whole else float_info.max
    low, high = heuristic.ranges.get(name, (-most, most))
    number = isinstance(value, Real)
    if not number or not low <= value <= high or (whole and value != int(value)):
        kind = "a whole number" if whole else "a number"
        bounds = (
            f" from {format_value(low)} to {format_value(high)}" if name in heuristic.ranges else ""
        )
        raise InputError(f"{where}: expected {kind}{bounds}")
    return int(value) if whole else float(value) + 0.0  # there is no -0


def format_value(value: Any) -> str:
    """A number, a name or a heuristic as in a spec, so that it reads back as the same."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer() and abs(value) < MOST_WHOLE:
        return f"{value:.0f}"
    return f"{value}"


def _written(value: Any) -> Call:
    return value.call if isinstance(value, Bound) else Call(format_value(value))


# From the arguments to one function of (view, own, opp)


@dataclass(frozen=True)
class _Assembly:
    """A function of `(view, own, opp)` in plain and compiled form, and what it finds through the view.

    Of the numbers, the whole ones in Python's sense are words of a table; all others are doubles in compiled code.
    """

    function: Callable[..., Any]
    compiled: Callable[..., Any]
    numbers: list[float]


def _assemble(bound: Bound, offset: int) -> _Assembly:
    """Write the function that fetches the heuristic's arguments, numbers from `offset` on, and calls it."""
    numbers: list[float] = []
    plain: dict[str, Any] = {"heuristic": bound.heuristic.function, "parameter": parameter}
    compiled = dict(plain)
    fetched = []
    for place, (name, value) in enumerate(bound.arguments.items()):
        slot = f"argument_{place}"
        here = offset + len(numbers)
        number = _number_of(bound, name)
        names = bound.heuristic.names.get(name)
        if isinstance(names, Weights):
            fetched.append(f"{here}")
            numbers += map(int, names.words(value))
            continue
        if number is not None:
            fetched.append(_fetch(bound.heuristic.defaults[name], here))
            numbers.append(number)
            continue
        nested = isinstance(value, Bound)
        inner = _assemble(value, here) if nested else _named(bound, name, here)
        plain[slot], compiled[slot] = inner.function, inner.compiled
        numbers += inner.numbers
        fetched.append(slot)
    call = f"heuristic({', '.join(['view', 'own', 'opp', *fetched])})"
    source = f"def evaluate(view, own, opp):\n    return float({call})\n"
    return _Assembly(_define(source, plain), kernel(_define(source, compiled)), numbers)


def _number_of(bound: Bound, name: str) -> float | None:
    """The run-time number that an argument is or stands for, or None."""
    value = bound.arguments[name]
    if isinstance(value, str):
        names = bound.heuristic.names[name]
        value = None if isinstance(names, Tabulated | Weights) else names[value]
    return float(value) if isinstance(value, (bool, int, float)) else None


def _fetch(default: Any, place: int) -> str:
    if isinstance(default, bool):
        return f"parameter(view, {place}) != 0.0"
    if isinstance(default, int):
        return f"int(parameter(view, {place}))"
    return f"parameter(view, {place})"


def _named(bound: Bound, name: str, offset: int) -> _Assembly:
    """The function that a name stands for: one that is compiled in, or one that looks its value up."""
    names = bound.heuristic.names[name]
    assert not isinstance(names, Weights)
    if not isinstance(names, Tabulated):
        function = names[bound.arguments[name]]
        twin: Any = getattr(function, TWIN, function)
        return _Assembly(function, kernel(twin), [])
    numbers = {n: v for n, v in bound.arguments.items() if isinstance(v, (int, float))}
    values = list(names.values(bound.arguments[name], numbers))
    source = f"def look_up(view, x):\n    return parameter(view, {offset + names.reach} + x)\n"
    function = _define(source, {"parameter": parameter})
    return _Assembly(function, kernel(function), values)


def _is_of_nothing(error: TypeError) -> bool:
    """Whether it came up where a heuristic's answer, and nothing inside the heuristic, was made a number."""
    place = error.__traceback__
    deep = place is not None and place.tb_next is not None and place.tb_next.tb_next is not None
    return not deep and "'NoneType'" in str(error)


def _define(source: str, scope: dict[str, Any]) -> Callable[..., Any]:
    """The one function that `source` defines, with `scope` as its globals."""
    before = set(scope) | {"__builtins__"}
    scope["__name__"] = __name__
    exec(source, scope)
    (name,) = set(scope) - before - {"__name__"}
    function: Callable[..., Any] = scope[name]
    return function
