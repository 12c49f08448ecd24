"""Heuristics bound to their parameters, from a spec or from Python."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from numbers import Real
from sys import float_info
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from isolarium.errors import InputError, quoted, shown
from isolarium.game.board import Board
from isolarium.game.view import PlainView, parameter
from isolarium.heuristics.definition import Heuristic, Tabulated, Weights, heuristic_of
from isolarium.heuristics.lookup import find, is_adapted
from isolarium.native.jit import TWIN, kernel
from isolarium.processes.code_description import file_name, lines_text, return_lines
from isolarium.spec.parser import Argument, Call, parse_call, parse_number
from isolarium.text import did_you_mean

MOST_WHOLE: Final = 2**53
"""The largest whole number of a parameter; larger ones are inexact as doubles."""
GENERATED: Final = "<isolarium heuristic>"
"""The file name, in tracebacks and in Numba's reports, of the functions that call heuristics."""


@dataclass(frozen=True)
class Bound:
    """A heuristic with a value for each of its parameters.

    Attributes:
        heuristic: The heuristic.
        arguments: A number, a name or a bound heuristic for each parameter, in the order of the parameters.
    """

    heuristic: Heuristic
    arguments: Mapping[str, Any]

    def __str__(self) -> str:
        """Return the spec of this heuristic."""
        return str(self.call)

    @cached_property
    def call(self) -> Call:
        """The parsed spec: the name and the parameters that differ from their defaults."""
        chosen = (
            Argument(name, _written(value))
            for name, value in self.arguments.items()
            if _written(value) != _written(_default(self.heuristic.defaults[name]))
        )
        return Call(self.heuristic.name, tuple(chosen))

    @cached_property
    def parameters(self) -> NDArray[np.float64]:
        """The run-time numbers, including those of inner heuristics and tables.

        The words of a table are stored as integers, everything else as doubles.
        """
        numbers = self._assembled.numbers
        memory = np.array(numbers, dtype=np.float64)
        for place, number in enumerate(numbers):
            if type(number) is int:
                memory.view(np.int64)[place] = number
        return memory

    @cached_property
    def plain(self) -> Callable[[PlainView, int, int], float]:
        """The heuristic in plain Python, as a function `(view, own, opp) -> float`."""
        function, numbers = self._assembled.function, tuple(self._assembled.numbers)

        def value(view: PlainView, own: int, opp: int) -> float:
            found: float = function(replace(view, parameters=numbers), own, opp)
            return found

        return value

    @cached_property
    def compiled(self) -> Callable[..., Any]:
        """The function for compiled code, which reads the numbers through the view."""
        return self._assembled.compiled

    def is_symmetric(self, board: Board) -> bool:
        """Return True: the catalogue uses coordinates, which symmetries preserve."""
        return True

    @property
    def is_third_party(self) -> bool:
        """Whether this heuristic or one of its arguments is from outside the catalogue."""
        inner = (value for value in self.arguments.values() if isinstance(value, Bound))
        return not self.heuristic.is_ours or any(value.is_third_party for value in inner)

    def raise_failure(self) -> None:
        """Do nothing: compiled code does not raise."""

    @cached_property
    def _assembled(self) -> "_Assembly":
        return _assemble(self, offset=0)


def parse_heuristic(text: str) -> Bound:
    """Parse a heuristic with its parameters, such as `distance(z=0, f=arctan)`.

    If the spec names a file, the file is run.

    Raises:
        InputError: If the text is malformed or contains an unknown name or an invalid value.
    """
    return bind_call(parse_call(text))


def bind_call(call: Call) -> Bound:
    """Look up the heuristic of a parsed spec.

    If the spec names a file, the file is run.

    Raises:
        InputError: If the spec contains an unknown name or an invalid value.
    """
    heuristic = find(call.word)
    arguments: dict[str, Any] = {}
    for name, value in _with_names(heuristic, call):
        if name in arguments:
            raise InputError(f"{heuristic.name}: {name} is given twice; give it once")
        arguments[name] = _value(heuristic.defaults.get(name), value)
    return bind(heuristic, arguments)


def bind(heuristic: Heuristic, arguments: Mapping[str, Any] | None = None) -> Bound:
    """Bind a heuristic to arguments; other parameters keep their defaults.

    Raises:
        InputError: If the function is not a heuristic, a parameter does not exist, or a value is invalid.
    """
    if heuristic.fault:
        raise InputError(f"{heuristic.name}: {heuristic.fault}")
    chosen = {name: _default(value) for name, value in heuristic.defaults.items()}
    for name, value in (arguments or {}).items():
        if name not in chosen:
            known = f"it has {', '.join(chosen)}" if chosen else "it has none"
            raise InputError(
                f"{heuristic.name}: no parameter named {quoted(name)} ({did_you_mean(name, chosen) or known})"
            )
        chosen[name] = _checked(heuristic, name, value)
    return Bound(heuristic, chosen)


def _with_names(heuristic: Heuristic, call: Call) -> Iterator[Argument]:
    """Yield the arguments; positional ones receive the names of their parameters."""
    known = list(heuristic.defaults)
    for place, (name, value) in enumerate(call.arguments):
        if not name:
            where = f"{heuristic.name}: {quoted(str(value))}"
            if place and call.arguments[place - 1].name:
                raise InputError(f"{where}: expected PARAMETER=VALUE after another PARAMETER=VALUE")
            if place >= len(known):
                raise InputError(f"{where}: expected {_at_most(len(known))}")
        yield Argument(name or known[place], value)


def _at_most(count: int) -> str:
    return f"at most {count} value{'s'[: count > 1]}" if count else "no value; it has no parameters"


def _value(default: Any, call: Call) -> Any:
    """Convert a value to the kind of its parameter.

    Text that cannot be converted is returned unchanged, and `bind` rejects it.
    """
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
    """Return the value if the parameter accepts it.

    Raises:
        InputError: If the parameter does not accept the value.
    """
    default = heuristic.defaults[name]
    where = f"{heuristic.name}: {name}={shown(format_value(value))}"
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
            raise InputError(f"{where}: expected {' or '.join(known)}" + (f" ({hint})" if hint else ""))
        return value
    return _checked_number(heuristic, name, value, where)


def _checked_number(heuristic: Heuristic, name: str, value: Any, where: str) -> float:
    """Return the value if it is a valid number for the parameter.

    The number must have the same kind as the default, be in range, and be exact as a double.

    Raises:
        InputError: If the number is invalid.
    """
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
        bounds = f" from {format_value(low)} to {format_value(high)}" if name in heuristic.ranges else ""
        raise InputError(f"{where}: expected {kind}{bounds}")
    return int(value) if whole else float(value) + 0.0  # -0.0 becomes 0.0


def format_value(value: Any) -> str:
    """Format a number, a name or a heuristic as it is written in a spec."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer() and abs(value) < MOST_WHOLE:
        return f"{value:.0f}"
    return f"{value}"


def _written(value: Any) -> Call:
    return value.call if isinstance(value, Bound) else Call(format_value(value))


# Building one function of (view, own, opp)


@dataclass(frozen=True)
class _Assembly:
    """A function of `(view, own, opp)`, plain and compiled, with its run-time numbers.

    Numbers of type int are words of a table; all others are doubles in compiled code.
    """

    function: Callable[..., Any]
    compiled: Callable[..., Any]
    numbers: list[float]


def _assemble(bound: Bound, offset: int) -> _Assembly:
    """Define the function that calls the heuristic with its arguments.

    The heuristic's run-time numbers start at index `offset`.
    """
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
    plain["as_number"] = partial(_as_number, bound.heuristic.function)
    # Numba's float() does not accept truth values, but a plus sign makes them whole numbers.
    result = f"float({call})" if bound.heuristic.is_ours else f"float(+{call})"
    head = "def evaluate(view, own, opp):\n    return "
    return _Assembly(
        _define(f"{head}as_number({call})\n", plain), kernel(_define(f"{head}{result}\n", compiled)), numbers
    )


def _number_of(bound: Bound, name: str) -> float | None:
    """Return an argument as a run-time number, or None if it is not a number."""
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
    """Return the function for a name.

    The function is compiled in, or looks up tabulated values.
    """
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


def _as_number(function: Callable[..., Any], value: Any) -> float:
    """Return the result of a heuristic in plain Python as a number.

    Raises:
        TypeError: If it is not a number; the message names the line that returned it.
    """
    if not isinstance(value, str | bytes):
        with suppress(TypeError):
            return float(value)
    hint = "is a return missing?" if value is None else "expected a number"
    code = function.__code__
    nothing, values = ([], []) if is_adapted(function) else return_lines(code)
    lines = lines_text((nothing or values) if value is None else values)
    place = f" ({file_name(code.co_filename)}, {lines})" if lines else ""
    raise TypeError(f"it returned {shown(repr(value))}; {hint}{place}")


def _define(source: str, scope: dict[str, Any]) -> Callable[..., Any]:
    """Execute `source` in `scope` and return the only function it defines."""
    before = set(scope) | {"__builtins__"}
    scope["__name__"] = __name__
    exec(compile(source, GENERATED, "exec"), scope)
    (name,) = set(scope) - before - {"__name__"}
    function: Callable[..., Any] = scope[name]
    return function
