"""A heuristic as people type it: `distance(z=0, f=arctan)`.

    heuristic = name [ "(" [ argument { "," argument } ] ")" ]
    argument  = [ parameter "=" ] value      values without a parameter come first, in its order
    value     = a number, a name, or a heuristic, as the parameter takes it
    name      = one of the catalogue or of an installed package, or FILE.py:FUNCTION, where the
                file's path may hold anything but ( ) , =

Spaces around the parts are free. `str` of a bound heuristic is the text that reads back as it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final

from isolab.errors import InputError, quoted
from isolab.heuristics.binding import Bound, bind
from isolab.heuristics.definition import Heuristic, heuristic_of
from isolab.heuristics.loading import find

MOST_NESTED: Final = 50
_NUMBER: Final = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_WORD: Final = re.compile(r"[^(),=]*")


def parse_heuristic(text: str) -> Bound:
    """Read a heuristic with its parameters.

    Raises:
        InputError: the text is not of that form, or a name or a value in it is none of ours.
    """
    return _bound(_Reader(text).read())


# From text to words


@dataclass(frozen=True)
class _Call:
    """A word, and what stands in the parentheses after it: values with or without a parameter."""

    word: str
    arguments: tuple[tuple[str | None, "_Call"], ...] = ()

    def __str__(self) -> str:
        """Return it as text."""
        if not self.arguments:
            return self.word
        shown = (f"{name}={value}" if name else str(value) for name, value in self.arguments)
        return f"{self.word}({', '.join(shown)})"


class _Reader:
    """Reads one text from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        if text.count("(") > MOST_NESTED:
            raise InputError(f"heuristic {quoted(text)}: expected at most {MOST_NESTED} '('")

    def read(self) -> _Call:
        found = self._call("a name, such as improved,")
        if self.at < len(self.text):
            raise self._wrong("nothing more")
        return found

    def _call(self, expected: str) -> _Call:
        word = self._word()
        if not word:
            raise self._wrong(expected)
        if not self._skip("("):
            return _Call(word)
        if self._skip(")"):
            return _Call(word)
        arguments = [self._argument()]
        while self._skip(","):
            arguments.append(self._argument())
        if not self._skip(")"):
            raise self._wrong("',' or ')'")
        return _Call(word, tuple(arguments))

    def _argument(self) -> tuple[str | None, _Call]:
        before = self.at
        parameter = self._word()
        if parameter and self._skip("="):
            return parameter, self._call(f"a value for {parameter}")
        self.at = before
        return None, self._call("a value")

    def _word(self) -> str:
        found = _WORD.match(self.text, self.at)
        assert found is not None
        self.at = found.end()
        return found.group().strip()

    def _skip(self, mark: str) -> bool:
        """Go past `mark` and the spaces after it if it is what follows."""
        if not self.text.startswith(mark, self.at):
            return False
        self.at += 1
        while self.text[self.at : self.at + 1].isspace():
            self.at += 1
        return True

    def _wrong(self, expected: str) -> InputError:
        rest = self.text[self.at :]
        where = f"before {quoted(rest, 20)}" if rest else "at its end"
        return InputError(f"heuristic {quoted(self.text)}: expected {expected} {where}")


# From words to a heuristic


def _bound(call: _Call) -> Bound:
    heuristic = find(call.word)
    arguments: dict[str, Any] = {}
    for parameter, value in _with_parameters(heuristic, call):
        if parameter in arguments:
            raise InputError(f"{heuristic.name}: {parameter} is given twice; expected it once")
        arguments[parameter] = _value(heuristic.defaults.get(parameter), value)
    return bind(heuristic, arguments)


def _with_parameters(heuristic: Heuristic, call: _Call) -> Iterator[tuple[str, _Call]]:
    """The values, each with its parameter: those without one have it by their place."""
    known = list(heuristic.defaults)
    for place, (parameter, value) in enumerate(call.arguments):
        if parameter is None:
            where = f"{heuristic.name}: {quoted(str(value))}"
            if place and call.arguments[place - 1][0] is not None:
                raise InputError(f"{where}: expected PARAMETER=VALUE from the first such on")
            if place >= len(known):
                raise InputError(f"{where}: expected {_at_most(len(known))}")
            parameter = known[place]
        yield parameter, value


def _at_most(count: int) -> str:
    return f"at most {count} value{'s'[: count > 1]}" if count else "no value: it has no parameter"


def _value(default: Any, call: _Call) -> Any:
    """The value as the parameter takes it; where it is none, the text, for `bind` to refuse."""
    if isinstance(default, str):
        return str(call)
    if _NUMBER.fullmatch(str(call)) and isfinite(float(call.word)):
        return int(call.word) if call.word.lstrip("+-").isdecimal() else float(call.word)
    if isinstance(default, bool) and str(call) in ("false", "true"):
        return str(call) == "true"
    return _bound(call) if heuristic_of(default) else str(call)
