"""Figures as rows for programs, which libraries of data frames take as they are."""

from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, SupportsIndex, TypeVar, overload

from isolarium.api.display import Shown
from isolarium.errors import InputError, check_kind, quoted
from isolarium.reporting.model import Block, Column, Table
from isolarium.text import counted

if TYPE_CHECKING:
    import pandas
    import polars

MOST_SHOWN: Final = 20

Key = TypeVar("Key", bound=str)


class Records(Shown, list[dict[str, Any]]):
    """A list of rows: plain dicts of plain values, all with the same keys. It and its slices show themselves as tables.

    An estimate takes three keys: `score`, `score_low` and `score_high`. What is not known is None. Neither pandas nor
    polars is needed for anything else here; `pandas.DataFrame(records)` works as well as `records.to_pandas()`.

    Example:
        >>> rows = isolarium.Records([{"agent": "random", "won": 3}, {"agent": "greedy:open", "won": 9}])
        >>> [row["agent"] for row in rows if row["won"] > 5]
        ['greedy:open']
        >>> rows
        agent        won
        ────────────────
        random         3
        greedy:open    9
        >>> rows.to_pandas().won.sum() == rows.to_polars()["won"].sum() == 12
        True
    """

    def __init__(self, rows: Iterable[dict[str, Any]] = ()) -> None:
        """Take rows.

        Raises:
            InputError: one is no dict, or has not the keys of the first.
        """
        check_kind("rows", rows, Iterable, "dicts that all have the same keys")
        super().__init__(rows)
        for number, row in enumerate(self):
            check_kind(f"row {number}", row, dict, "a dict")
            if row.keys() != self[0].keys():
                told = f"expected the keys of the first: {', '.join(map(str, self[0]))}"
                raise InputError(f"row {number} {quoted(list(row))}: {told}")

    @overload
    def __getitem__(self, at: SupportsIndex) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, at: slice) -> "Records": ...
    def __getitem__(self, at: SupportsIndex | slice) -> "dict[str, Any] | Records":
        if isinstance(at, slice):
            return Records(super().__getitem__(at))
        return super().__getitem__(at)

    @property
    def columns(self) -> list[str]:
        """The keys that every row has."""
        return list(self[0]) if self else []

    def to_pandas(self) -> "pandas.DataFrame":
        """The rows as a data frame of pandas.

        Raises:
            InputError: pandas is not installed.
        """
        frame: pandas.DataFrame = _library("pandas").DataFrame(list(self))
        return frame

    def to_polars(self) -> "polars.DataFrame":
        """The rows as a data frame of polars.

        Raises:
            InputError: polars is not installed.
        """
        # A column's kind is told by all of its values: the first hundred may all be unknown.
        frame: polars.DataFrame = _library("polars").DataFrame(list(self), infer_schema_length=None)
        return frame

    def _title(self) -> str:
        return ""

    def _blocks(self) -> Iterable[Block]:
        rows = [{name: _shown(value) for name, value in row.items()} for row in self[:MOST_SHOWN]]
        left = len(self) - len(rows)
        notes = [f"and {counted(left, 'row')} more"] if left else []
        columns = [Column(name, name, self._align(name)) for name in self.columns]
        return [Table("records", "", columns, rows, notes=notes)]

    def _align(self, name: str) -> str:
        return "<" if any(isinstance(row[name], str) for row in self) else ">"


def _shown(value: Any) -> Any:
    return ("no", "yes")[value] if isinstance(value, bool) else value


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise InputError(f"{name}: not installed; expected it, by pip install {name}") from None


def one_of(what: str, given: Key, known: Iterable[Key]) -> Key:
    """What was given, if it is one of those that are known.

    Raises:
        InputError: it is not.
    """
    names = list(known)
    if given not in names:
        raise InputError(f"{what} {quoted(given)}: expected {', '.join(names[:-1])} or {names[-1]}")
    return given
