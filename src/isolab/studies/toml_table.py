"""A table of a TOML file, read key by key, so that every mistake in it can be named with its place."""

from collections.abc import Mapping
from typing import Any, Final, TypeVar

from isolab.errors import InputError, quoted
from isolab.text import did_you_mean

KINDS: Final = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}
REQUIRED: Final = object()

Wanted = TypeVar("Wanted", str, int, float, bool)
Default = TypeVar("Default")


class TomlTable:
    """Keys are taken one by one; `end` complains of what nobody asked for.

    Every method raises an `InputError` that begins with `where`.
    """

    def __init__(self, where: str, found: Mapping[str, Any]) -> None:
        self.where = where
        self._found = dict(found)
        self._asked: list[str] = []

    def __contains__(self, key: str) -> bool:
        return key in self._found

    def take(self, key: str, kind: type[Wanted]) -> Wanted:
        """The value of a key that must be there, of that kind."""
        return self.of_kind(key, self.value(key, REQUIRED), kind)

    def get(self, key: str, kind: type[Wanted], default: Default) -> Wanted | Default:
        """The value of a key that may be left out."""
        value = self.value(key, default)
        return default if value is default else self.of_kind(key, value, kind)

    def texts(self, key: str, default: Any = REQUIRED) -> tuple[str, ...]:
        """A list of texts."""
        value = self.value(key, default)
        if not isinstance(value, list | tuple):
            raise self.error(key, f"{quoted(value)}: expected a list of texts")
        return tuple(self.of_kind(key, item, str) for item in value)

    def table(self, key: str) -> "TomlTable":
        """A table within; empty where it is left out."""
        value = self.value(key, {})
        if not isinstance(value, dict):
            raise self.error(key, f"{quoted(value)}: expected a table")
        return TomlTable(f"{self.where}: {key}", value)

    def tables(self, key: str) -> "list[TomlTable]":
        """A list of tables; empty where it is left out."""
        value = self.value(key, [])
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise self.error(key, f"{quoted(value)}: expected tables, each headed [[{key}]]")
        return [
            TomlTable(f"{self.where}: {key} {number}", item)
            for number, item in enumerate(value, start=1)
        ]

    def rest(self) -> dict[str, Any]:
        """Everything that was not asked for yet."""
        found, self._found = self._found, {}
        return found

    def value(self, key: str, default: Any) -> Any:
        """The value of a key, whatever it is."""
        self._asked.append(key)
        value = self._found.pop(key, default)
        if value is REQUIRED:
            told = f"missing; {near}" if (near := did_you_mean(key, self._found)) else "missing"
            raise self.error(key, f"{told}; expected {key} = ...")
        return value

    def of_kind(self, key: str, value: Any, kind: type[Wanted]) -> Wanted:
        """A value, once it is seen to be of a kind; whole numbers are numbers too."""
        if kind is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if not isinstance(value, kind) or (kind is not bool and isinstance(value, bool)):
            raise self.error(key, f"{quoted(value)}: expected {KINDS[kind]}")
        return value

    def error(self, key: str, told: str) -> InputError:
        """What to raise about a key."""
        return InputError(f"{self.where}: {key}: {told}")

    def end(self) -> None:
        """See that every key was asked for."""
        for key in self._found:
            hint = did_you_mean(key, self._asked) or f"there are {', '.join(self._asked)}"
            raise InputError(f"{self.where}: no key {quoted(key)} ({hint})")
