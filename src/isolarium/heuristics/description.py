"""What there is to say about a heuristic, for people and for programs."""

from dataclasses import asdict, dataclass
from typing import Any, Final

from isolarium.heuristics.bound_heuristic import bind, format_value
from isolarium.heuristics.catalogue import FAMILIES, catalogue
from isolarium.heuristics.definition import Heuristic, Tabulated, Weights, heuristic_of

NOTATION: Final = {
    "H, W": "the rows and the columns of the board",
    "own, opp": "the square of the player who is evaluated, and of the other",
    "m, o": "how many moves each of them has; m', o' after a move, m'', o'' after an answer too",
    "k": "own's safe moves: those that the opponent has not",
    "options(n)": "squares where own may be after n moves, the first safe, if the opponent waits",
    "R(x)": "x and every square that can be reached from it through blanks",
    "d(x, s)": "the fewest moves from x to s through blanks",
    "dist(s)": "rows plus columns from s to the centre of the board",
    "filled, coverage": "how many squares are not blank, and that share of the W*H squares",
}
"""The words that formulas are written in."""

INTRODUCTION: Final = """\
# The heuristics

A heuristic scores a position for one player, higher is better, whoever is to move. It is never
asked about a finished game: a win or a loss counts for more than any of its values, +inf and -inf
included. Most of these come from five reports by students of a course that had this game as its
project, the reports 000 to 004; `course` marks what was supplied with the project. Where a report
left something open, the entry gives our reading.

Write one as its name, with parameters where the defaults will not do: `improved`,
`balanced(weight=1)`, `distance(f=arctan, z=0, alpha=1)`,
`staged(first=improved, then=distance(f=arctan), at=0.4)`. Numbers can be swept without compiling
anew. `isolarium heuristics NAME` shows an entry of this page, which is printed by
`isolarium heuristics --markdown`."""


@dataclass(frozen=True)
class Parameter:
    """What there is to say about a parameter.

    Attributes:
        name: what people type.
        default: its value unless another is given, as in a spec.
        takes: what other values it may have, in a few words.
    """

    name: str
    default: str
    takes: str


def parameters_of(heuristic: Heuristic) -> list[Parameter]:
    """The parameters in their order."""
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
    """Everything about a heuristic, as JSON can hold it."""
    return {
        "name": heuristic.name,
        "family": heuristic.family,
        "report": heuristic.report,
        "formula": heuristic.formula,
        "parameters": [asdict(parameter) for parameter in parameters_of(heuristic)],
        "about": heuristic.about,
    }


def origin(heuristic: Heuristic) -> str:
    """Where it comes from, or nothing."""
    if heuristic.report == "course":
        return "supplied with the course"
    if heuristic.report:
        return f"report {heuristic.report}"
    return "Isolarium's own" if heuristic.is_ours else ""


def families() -> dict[str, list[Heuristic]]:
    """The catalogue by family."""
    found: dict[str, list[Heuristic]] = {}
    for heuristic in catalogue().values():
        found.setdefault(heuristic.family, []).append(heuristic)
    return found


def page() -> str:
    """The whole catalogue as one page of Markdown."""
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
