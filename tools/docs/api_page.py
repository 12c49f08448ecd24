"""`docs/reference/python-api.md`: the Python interface, from its docstrings."""

import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

import isolarium
import isolarium.heuristics

WIDTH: Final = 92
PARTS: Final = re.compile(r"^(Args|Attributes|Returns|Yields|Raises|Example):\n((?:    .*\n|\n)+)", re.MULTILINE)
MODULES: Final = re.compile(r"\b(?:[a-z_]\w*\.)+(?=[A-Z])")
QUOTED: Final = re.compile(r"'((?:\w+\.)*[A-Z]\w*)'")
"""A type in quotes."""
AGENTS: Final = "str | Heuristic | ChosenHeuristic | Chooser | Callable[..., Any]"

INTRODUCTION: Final = """# Python API

Scripts and notebooks can do everything that the commands do:

```pycon
>>> import isolarium
>>> played = isolarium.match("greedy:open", "random", pairs=20, board="5x5")
>>> print(played.rate, played.verdict)
80% (62 to 91) better (LOS > 99.9%)
>>> played.records("games").to_pandas().shape
(40, 12)
```

- Results display themselves: as text in a terminal, as tables in a notebook; positions, games and pictures as
  drawings. `records()` returns the figures as rows, plain dicts; its `to_pandas()` or `to_polars()` makes a data
  frame if the library is installed. `to_json()` returns the command's `--json` output.
- Long operations show a progress bar in a terminal and in a notebook, and nothing elsewhere; `progress=True` and
  `progress=False` override this.
- Invalid input raises an `InputError` with a one-line message: the problem, its place and the remedy. It is
  a `ValueError`; the classes of the statistics raise a plain `ValueError`.
- Your own functions and classes play wherever you define them: in a script, which needs no
  `if __name__ == "__main__":`, in a notebook's cell, or in a shell.
  [Write an agent](../how-to/write-an-agent.md) explains it.
- Everything is typed, so `mypy --strict` can check your program.

Notebooks to start with: [a first match](../tutorials/notebooks/first_match.md),
[a heuristic of your own](../tutorials/notebooks/own_heuristic.md),
[an agent of your own](../tutorials/notebooks/own_agent.md),
[the colour law](../tutorials/notebooks/colour_law.md).
This page is generated from the docstrings by `python -m tools.fill_docs`.
"""


@dataclass(frozen=True)
class Chapter:
    """A chapter of the page.

    Attributes:
        title: its heading.
        words: the text before the names.
        names: the names of `isolarium`.
    """

    title: str
    words: str
    names: tuple[str, ...]


CHAPTERS: Final = (
    Chapter(
        "Positions and games",
        "The rules in plain Python. [Notation](notation.md) describes how squares, boards, positions and games "
        "are written.",
        (
            *("parse_position", "parse_start", "format_position", "Position", "Board", "Square"),
            *("read_game", "format_game", "GameRecord", "Player", "Outcome", "Reason"),
            *("draw", "Picture"),
        ),
    ),
    Chapter(
        "Agents and single games",
        "An agent is written as a [spec](specs.md): a search, its heuristic and its limit. `isolarium agents` "
        "lists them.",
        (
            *("agent", "heuristic", "policy", "Agent", "SpecAgent", "AgentFailure"),
            *("Choice", "Report", "play", "catalogue"),
        ),
    ),
    Chapter(
        "Matches, tournaments, tuning",
        "An `AgentLike` is an agent's spec, or your own code: a heuristic `f(view, own, opp)`, which then plays "
        "alpha-beta; a function `f(position)`; an object or a class with `choose(position, limit)`; or what "
        "`heuristic`, `agent` and `policy` return.",
        ("match", "tournament", "sweep", "tune", "read_run"),
    ),
    Chapter("Results of runs", "", ("Run", "Match", "Tournament", "Tuned", "Game", "Records")),
    Chapter(
        "Exact values",
        "Exact results of the solver.",
        (
            *("solve", "Solved", "survey", "Survey", "calibrate", "Calibration"),
            *("analyze", "Analysed"),
            *("label", "read_labels", "Labels"),
        ),
    ),
    Chapter(
        "Statistics",
        "[Matches and their statistics](../explanation/statistics.md) explains how they are computed.",
        ("RateEstimate", "EloEstimate", "PairSummary", "Ratings", "Rating", "SprtPlan"),
    ),
    Chapter("Errors", "", ("InputError", "RunAborted")),
)

HEURISTICS: Final = """## Heuristics: `isolarium.heuristics`

The decorator and helper functions for heuristics, `from isolarium.heuristics import heuristic, mobility`;
[write a heuristic](../how-to/write-a-heuristic.md) explains them.

"""

OTHERS: Final = {
    "UNREACHABLE": "The distance of an unreachable square: larger than any path.",
    "Squares": "A set of squares, as numbers.",
}
"""Descriptions of names without a docstring."""


def filled(_: str) -> str:
    """Return the page."""
    return re.sub(r"\n{3,}", "\n\n", "\n".join(_lines())).rstrip() + "\n"


def _lines() -> Iterator[str]:
    yield INTRODUCTION
    for chapter in CHAPTERS:
        yield f"## {chapter.title}\n"
        if chapter.words:
            yield f"{chapter.words}\n"
        for name in chapter.names:
            yield from _entry(f"isolarium.{name}", getattr(isolarium, name))
    yield HEURISTICS
    for name in isolarium.heuristics.__all__:
        yield from _word(name, getattr(isolarium.heuristics, name))


def _entry(name: str, thing: Any) -> Iterator[str]:
    """Yield the section of a public name: its signature, its docstring and its members."""
    yield f"### `{name}`\n"
    if not inspect.isclass(thing):
        yield from _documented(f"{name}{_signature(thing)}", thing)
        return
    yield from _documented(_call(name, thing), thing)
    members = dict(_members(thing))
    plain = {key: member for key, member in members.items() if not callable(member)}
    for key, member in plain.items():
        yield f"- `{key}`: {_text(member)}"
    if plain:
        yield ""
    for key, member in members.items():
        if callable(member):
            yield f"#### `{name.removeprefix('isolarium.')}.{key}`\n"
            yield from _documented(f"{key}{_signature(member)}", member)


def _call(name: str, kind: type) -> str:
    """Return the declaration of a class, and its signature if users create instances."""
    base = next((b.__name__ for b in kind.__mro__[1:] if b.__name__ in isolarium.__all__), "")
    told = f"class {name}" + (f"({base})" if base else "")
    if not hasattr(kind, "__dataclass_fields__") and not issubclass(kind, tuple):
        return told
    return f"{told}\n{name}{_signature(kind)}"


def _members(kind: type) -> Iterator[tuple[str, Any]]:
    """Yield the public members that a class defines: enumeration members, properties, then methods."""
    if issubclass(kind, Enum):
        yield from ((member.name, f"`{member.value!r}`") for member in kind)
    own = {key: value for key, value in vars(kind).items() if not key.startswith("_")}
    yield from ((key, value) for key, value in own.items() if isinstance(value, property))
    for key, value in own.items():
        if isinstance(value, classmethod):
            yield key, getattr(kind, key)
        elif inspect.isfunction(value):
            yield key, value


def _text(member: Any) -> str:
    return member if isinstance(member, str) else _prose(inspect.getdoc(member) or "")


def _signature(thing: Callable[..., Any]) -> str:
    """Return a signature, with one parameter per line if it is long."""
    found = inspect.signature(thing)
    taken = [one for name, one in found.parameters.items() if name != "self"]
    found = found.replace(parameters=[one for one in taken if not one.name.startswith("_")])
    text = MODULES.sub("", QUOTED.sub(r"\1", str(found))).replace(AGENTS, "AgentLike")
    text = re.sub(r"mappingproxy\(\{\}\)|<factory>", "{}", text)
    if inspect.isclass(thing):
        text = text.partition(" -> ")[0]
    if len(text) <= WIDTH:
        return text
    inside, _, result = text[1:].rpartition(")")
    return "\n".join(["(", *(f"    {one}," for one in _split(inside)), f"){result}"])


def _split(inside: str) -> Iterator[str]:
    """Yield the parameters of a signature; commas within brackets do not separate them."""
    depth, begun = 0, 0
    for place, letter in enumerate(inside):
        depth += (letter in "[(") - (letter in "])")
        if letter == "," and depth == 0:
            yield inside[begun:place].strip()
            begun = place + 1
    yield inside[begun:].strip()


def _documented(call: str, thing: Any) -> Iterator[str]:
    """Yield a signature, then the parts of the docstring."""
    yield f"```python\n{call}\n```\n"
    said, parts = _parts(inspect.getdoc(thing) or "")
    yield f"{said}\n"
    inner = parts.pop("Args", "") if not inspect.isclass(thing) else ""
    yield from _items(inner)
    yield from _items(parts.get("Attributes", ""))
    for part in ("Returns", "Yields"):
        if part in parts:
            yield f"{part}: {_prose(parts[part])}\n"
    for kind, words in _pairs(parts.get("Raises", "")):
        yield f"Raises `{kind}`: {words}\n"
    if "Example" in parts:
        yield f"```pycon\n{parts['Example'].strip()}\n```\n"


def _parts(doc: str) -> tuple[str, dict[str, str]]:
    """Return the description of a docstring, and its sections by name without indentation."""
    doc += "\n"
    parts = {name: inspect.cleandoc(f"\n{body}") for name, body in PARTS.findall(doc)}
    return _paragraphs(PARTS.sub("", doc)), parts


def _paragraphs(text: str) -> str:
    return "\n\n".join(_prose(part) for part in re.split(r"\n\s*\n", text.strip()))


def _prose(text: str) -> str:
    return " ".join(text.split()).replace("``", "`")


def _items(part: str) -> Iterator[str]:
    for name, words in _pairs(part):
        yield f"- `{name}`: {words}"
    if part:
        yield ""


def _pairs(part: str) -> Iterator[tuple[str, str]]:
    """Yield each `name: description`; indented lines continue a description."""
    for name, words in re.findall(r"^(\w+): (.*(?:\n +.*)*)", part, re.MULTILINE):
        yield name, _prose(words)


def _word(name: str, thing: Any) -> Iterator[str]:
    """Yield the line of a helper function."""
    said = _parts(inspect.getdoc(thing) or "")[0].partition("\n")[0]
    if inspect.isfunction(thing):
        yield f"- `{name}({', '.join(inspect.signature(thing).parameters)})`: {said}"
    else:
        yield f"- `{name}`: {OTHERS.get(name, said)}"
