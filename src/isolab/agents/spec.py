"""Agent specs: `search(options):heuristic(parameters)@limit,...`, such as `alphabeta:improved@nodes=8000`."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from isolab.agents.searches import DEFAULT_NODES as DEFAULT_NODES
from isolab.agents.searches import SEARCHES, Option, SearchKind
from isolab.errors import InputError, quoted
from isolab.limits import Limit
from isolab.text import did_you_mean

if TYPE_CHECKING:
    from isolab.heuristics.binding import Bound
    from isolab.search.protocol import Evaluator

LIMITS: Final = {"depth": "depth", "nodes": "nodes", "ms": "time_ms"}
BOOK: Final = "book"
SHORTHAND: Final = {"": 1, "k": 1_000, "m": 1_000_000}
_NUMBER: Final = re.compile(r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)([kKmM]?)")


@dataclass(frozen=True)
class AgentSpec:
    """What an agent is made of.

    Attributes:
        kind: the search.
        options: the search's own parameters, all of them.
        heuristic: the heuristic, where the search takes one.
        limit: when it stops.
        book: whether it looks into the opening book before it searches.
    """

    kind: SearchKind
    options: Mapping[str, bool | float]
    heuristic: "Bound | None"
    limit: Limit
    book: bool = False

    def __str__(self) -> str:
        """The spec that parses to this, with defaults left out; the limit is always said."""
        chosen = ", ".join(
            f"{name}={format_option(value)}"
            for name, value in self.options.items()
            if value != self.kind.options[name].default
        )
        text = self.kind.name + (f"({chosen})" if chosen else "")
        if self.heuristic is not None:
            text += f":{self.heuristic}"
        book = f",{BOOK}" if self.book else ""
        return f"{text}@{self.limit}{book}" if self.kind.takes_limit else text

    @property
    def is_foreign(self) -> bool:
        """Whether it runs code that is not ours."""
        return self.heuristic is not None and self.heuristic.is_foreign

    def evaluator(self) -> "Evaluator | None":
        """The heuristic as the search takes it."""
        if self.heuristic is None:
            return None
        from isolab.heuristics.evaluator import evaluator_of

        return evaluator_of(self.heuristic)


def format_option(value: bool | float) -> str:
    """An option's value as in a spec, so that it reads back as the same."""
    return str(value).lower().removesuffix(".0")


def parse_spec(text: str) -> AgentSpec:
    """Read a spec.

    Raises:
        InputError: names the spec, the part that is wrong, and what was probably meant.
    """
    shown = text if text.isprintable() and len(text) <= 200 else quoted(text, 200)
    if not text.strip():
        raise InputError(f"agent {quoted(text)}: expected a spec, such as {_EXAMPLE}")
    try:
        head, limit_text = _split_limit(text)
        search_text, heuristic_text = _split_heuristic(head)
        kind, options = _parse_search(search_text)
        heuristic = _parse_heuristic(kind, heuristic_text)
        return AgentSpec(kind, options, heuristic, *_parse_limit(kind, limit_text))
    except InputError as error:
        raise InputError(f"{shown}: {error}") from None


_EXAMPLE: Final = f"alphabeta:improved@nodes={DEFAULT_NODES}"


# The parts


def _split_limit(text: str) -> tuple[str, str | None]:
    """What stands before and after the `@`; one in the path of a heuristic's file is none."""
    for place in _outside_parentheses(text, "@"):
        if ".py:" not in text[place:]:
            return text[:place], text[place + 1 :]
    return text, None


def _split_heuristic(text: str) -> tuple[str, str | None]:
    """What stands before and after the first colon."""
    for place in _outside_parentheses(text, ":"):
        return text[:place], text[place + 1 :]
    return text, None


def _outside_parentheses(text: str, mark: str) -> Iterator[int]:
    """The places of a mark that no parentheses are around."""
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if letter == mark and depth == 0:
            yield place


# The search


def _parse_search(text: str) -> tuple[SearchKind, dict[str, bool | float]]:
    found = re.fullmatch(r"\s*([^()]*?)\s*(?:\(([^()]*)\)\s*)?", text)
    if found is None:
        raise InputError(f"search {quoted(text)}: expected NAME or NAME(OPTION=VALUE, ...)")
    kind = _kind_named(found[1])
    options = {name: option.default for name, option in kind.options.items()}
    given = set[str]()
    for name, value in _assignments(found[2] or ""):
        if name not in kind.options:
            has = f"it has {', '.join(kind.options)}" if kind.options else "it has none"
            hint = did_you_mean(name, kind.options) or has
            raise InputError(f"{kind.name} has no option {quoted(name)} ({hint})")
        _check_once(name, given)
        options[name] = _parse_option(kind.options[name], name, value)
    return kind, options


def _kind_named(name: str) -> SearchKind:
    if name in SEARCHES:
        return SEARCHES[name]
    if name.endswith(".py"):
        raise InputError(f"no search before it; did you mean 'alphabeta:{name}:...'?")
    from isolab.heuristics.catalogue import catalogue

    if name in catalogue():
        raise InputError(f"{name} is a heuristic; did you mean 'alphabeta:{name}'?")
    hint = did_you_mean(name, SEARCHES) or f"there are {', '.join(SEARCHES)}"
    raise InputError(f"no search {quoted(name)} ({hint})")


def _parse_option(option: Option, name: str, text: str | None) -> bool | float:
    if isinstance(option.default, bool):
        if text not in ("true", "false"):
            raise InputError(f"{_assigned(name, text)}: expected true or false")
        return text == "true"
    value = _parse_number(name, text)
    if not option.least <= value <= option.most:
        raise InputError(
            f"{_assigned(name, text)}: expected a number from {option.least:g} to {option.most:g}"
        )
    return value


# The heuristic


def _parse_heuristic(kind: SearchKind, text: str | None) -> "Bound | None":
    if not kind.takes_heuristic:
        if text is not None:
            raise InputError(f"{kind.name} takes no heuristic; expected nothing from the ':' on")
        return None
    if text is None or not text.strip():
        raise InputError(f"{kind.name} needs a heuristic, such as {kind.name}:improved")
    from isolab.heuristics.parsing import parse_heuristic

    return parse_heuristic(text)


# The limit


def _parse_limit(kind: SearchKind, text: str | None) -> tuple[Limit, bool]:
    """The limit, and whether `book` stands beside it."""
    if not kind.takes_limit:
        if text is not None:
            raise InputError(f"{kind.name} takes no limit; expected nothing from the '@' on")
        return Limit(depth=1), False
    if text is None:
        return Limit(nodes=kind.default_nodes), False
    given = set[str]()
    values: dict[str, Any] = {}
    for name, value in _assignments(text) or [("", None)]:
        if name not in LIMITS and (name, value) != (BOOK, None):
            named = did_you_mean(name, [*LIMITS, BOOK]) if name != BOOK else "expected no value"
            hint = named or "expected depth=, nodes= or ms="
            raise InputError(f"no limit {quoted(name)} ({hint})")
        _check_once(name, given)
        if name == BOOK:
            continue
        number = _parse_number(name, value)
        whole = name != "ms"
        if whole and not number.is_integer():
            raise InputError(f"{_assigned(name, value)}: expected a whole number")
        values[LIMITS[name]] = int(number) if whole else number
    book = BOOK in given and not kind.has_book
    if not values:
        return Limit(nodes=kind.default_nodes), book
    if values.keys() == {"depth"} and not kind.ends_at_depth:
        raise InputError(
            f"a depth alone never ends {kind.name}; expected nodes= or ms= beside it, "
            f"such as @{text.strip()},nodes={kind.default_nodes}"
        )
    return Limit(**values), book


# What options and limits are made of


def _assignments(text: str) -> list[tuple[str, str | None]]:
    """`a=1, b` as names with their values, None where there is none."""
    if not text.strip():
        return []
    pieces = (part.partition("=") for part in text.split(","))
    return [(name.strip(), value.strip() if equals else None) for name, equals, value in pieces]


def _check_once(name: str, given: set[str]) -> None:
    if name in given:
        raise InputError(f"{name} is given twice; expected it once")
    given.add(name)


def _parse_number(name: str, text: str | None) -> float:
    """A finite number, also as `20k` or `1.5m`."""
    found = _NUMBER.fullmatch(text or "")
    value = float(found[1]) * SHORTHAND[found[2].lower()] if found else float("inf")
    if abs(value) == float("inf"):
        raise InputError(f"{_assigned(name, text)}: expected a number, such as {name}=100")
    return value


def _assigned(name: str, text: str | None) -> str:
    """`name=text` in a message."""
    if text is None:
        return name
    return f"{name}={text if len(text) <= 40 and text.isprintable() else quoted(text, 40)}"
