"""Descriptions of heuristics: parameters, JSON, and the catalogue as Markdown."""

from dataclasses import asdict, dataclass
from typing import Any, Final

from isolarium.heuristics.bound_heuristic import bind, format_value
from isolarium.heuristics.catalogue import FAMILIES
from isolarium.heuristics.definition import Heuristic, Tabulated, Weights, heuristic_of
from isolarium.heuristics.lookup import catalogue

NOTATION: Final = {
    "H, W": "the rows and the columns of the board",
    "own, opp": "the squares of the evaluated player and of the opponent",
    "m, o": "the number of moves of each player; m', o' after a move; m'', o'' after a move and an answer",
    "k": "the number of safe moves: the player's moves that the opponent cannot make",
    "options(n)": "the number of squares own may stand on after n moves, the first safe, if opp passes",
    "R(x)": "x and every square a knight can reach from it through blanks",
    "d(x, s)": "the smallest number of moves from x to s through blanks",
    "dist(s)": "rows plus columns from s to the centre of the board",
    "filled, coverage": "the number of squares that are not blank, and their share of the W*H squares",
}
"""The terms used in formulas."""

INTRODUCTION: Final = """\
# The heuristics

A heuristic scores a position for one player, called "the player" below; the other is "the
opponent". Higher is better, and either player may be to move. Heuristics never see a finished game:
a win or a loss outranks every heuristic value, even +inf and -inf. Most entries come from five
student reports (000 to 004) on a course project about this game; `course` marks the heuristics
supplied with the project. Where a report is ambiguous, the entry states our reading.

Write a heuristic as its name, followed by any parameters that differ from their defaults:
`improved`, `balanced(weight=1)`, `distance(f=arctan, z=0, alpha=1)`,
`staged(first=improved, then=distance(f=arctan), at=0.4)`. Numbers can be swept without recompiling.
`isolarium heuristics NAME` prints one entry, and `isolarium heuristics --markdown` prints this
page."""


@dataclass(frozen=True)
class Parameter:
    """A parameter of a heuristic, described in text.

    Attributes:
        name: The name in a spec.
        default: The default value, as written in a spec.
        takes: A short description of the accepted values.
    """

    name: str
    default: str
    takes: str


def parameters_of(heuristic: Heuristic) -> list[Parameter]:
    """Describe a heuristic's parameters, in order."""
    return [
        Parameter(name, format_value(value), _takes(heuristic, name))
        for name, value in bind(heuristic).arguments.items()
    ]


def _takes(heuristic: Heuristic, name: str) -> str:
    default, names = heuristic.defaults[name], heuristic.names.get(name)
    if heuristic_of(default):
        return "a heuristic"
    if names is not None:
        return " or ".join(names.names if isinstance(names, Tabulated | Weights) else names)
    if isinstance(default, bool):
        return "true or false"
    kind = "a whole number" if isinstance(default, int) else "a number"
    if name not in heuristic.ranges:
        return kind
    low, high = heuristic.ranges[name]
    return f"{kind} from {low} to {high}"


def facts(heuristic: Heuristic) -> dict[str, Any]:
    """Return everything about a heuristic as JSON-compatible data."""
    return {
        "name": heuristic.name,
        "family": heuristic.family,
        "report": heuristic.report,
        "formula": heuristic.formula,
        "parameters": [asdict(parameter) for parameter in parameters_of(heuristic)],
        "about": heuristic.about,
    }


def origin(heuristic: Heuristic) -> str:
    """Return a heuristic's origin, or an empty string for a user's own heuristic."""
    if heuristic.report == "course":
        return "supplied with the course"
    if heuristic.report:
        return f"report {heuristic.report}"
    return "Isolarium's own" if heuristic.is_ours else ""


def families() -> dict[str, list[Heuristic]]:
    """Group the catalogue by family."""
    found: dict[str, list[Heuristic]] = {}
    for heuristic in catalogue().values():
        found.setdefault(heuristic.family, []).append(heuristic)
    return found


def page() -> str:
    """Return the whole catalogue as a page of Markdown."""
    notation = "\n".join(f"- `{term}`: {meaning}" for term, meaning in NOTATION.items())
    parts = [INTRODUCTION, f"In the formulas:\n\n{notation}"]
    for family, members in families().items():
        parts.append(f"## {family}\n\n{FAMILIES[family]}")
        parts += [_entry(heuristic) for heuristic in members]
    return "\n\n".join(parts) + "\n"


def _entry(heuristic: Heuristic) -> str:
    about = f"{origin(heuristic).capitalize()}. {heuristic.about}"
    parts = [f"### {heuristic.name}", f"    {heuristic.formula}", about]
    lines = [f"- `{p.name}={p.default}`: {p.takes}" for p in parameters_of(heuristic)]
    return "\n\n".join([*parts, "\n".join(lines)] if lines else parts)
