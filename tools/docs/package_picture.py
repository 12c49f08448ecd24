"""The picture of the packages in `docs/explanation/architecture.md`, drawn from the import contract."""

import tomllib
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Final

from isolarium.game.svg import colour

CAPTIONS: Final = {
    "cli": "commands",
    "web": "server, HTTP API, browser pages",
    "api": "Isolarium in Python",
    "reporting": "report model, renderers, charts",
    "course": "agents of a course, and their checks",
    "studies": "experiments in TOML files, tuning",
    "analysis": "accuracy, calibration, solved positions",
    "arena": "runs, workers, databases",
    "bench": "speed",
    "env": "reinforcement learning",
    "agents": "players",
    "spec": "agent specs",
    "heuristics": "evaluation of positions",
    "search": "searches",
    "solver": "exact values",
    "stats": "statistics",
    "game": "rules and notation",
    "native": "Numba, sets of squares",
    "processes": "fork server, workers, sandbox",
}
"""What each package contains."""

MODULES: Final = "limits, errors, files, text, compat"
"""The top-level modules below all packages."""

WIDTH: Final = 960
MARGIN: Final = 14
HEIGHT: Final = 52
GAP: Final = 10
FONT: Final = "system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif"


def drawing() -> str:
    """Return the packages as SVG, with a row for each layer.

    Each package imports only from the rows below it.
    """
    rows = list(_rows())
    height = 2 * MARGIN + len(rows) * (HEIGHT + GAP) - GAP
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        f'height="{height}" role="img">',
        "<title>The packages of Isolarium: each imports only from the rows below it</title>",
        f'<rect width="{WIDTH}" height="{height}" rx="12" fill="{colour("sunk")}"/>',
        f'<g font-family="{FONT}" font-size="15" fill="{colour("ink")}" text-anchor="middle">',
    ]
    for number, row in enumerate(rows):
        lines += _boxes(row, MARGIN + number * (HEIGHT + GAP))
    return "\n".join([*lines, "</g>", "</svg>"])


def _rows() -> Iterator[list[tuple[str, str]]]:
    """Yield the packages of each layer with captions, each at its first appearance."""
    settings = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    seen = set[str]()
    for layer in layers:
        parts = [part.strip(" ()") for part in layer.replace("|", ":").split(":")]
        names = [part.partition(".")[0] for part in parts if part != "spec.template"]
        packages = [name for name in dict.fromkeys(names) if name in CAPTIONS and name not in seen]
        seen.update(packages)
        if packages:
            yield [(name, CAPTIONS[name]) for name in packages]
    yield [("top-level modules", MODULES)]


def _boxes(row: list[tuple[str, str]], y: float) -> Iterator[str]:
    width = (WIDTH - 2 * MARGIN - GAP * (len(row) - 1)) / len(row)
    for number, (name, caption) in enumerate(row):
        x = MARGIN + number * (width + GAP)
        middle = x + width / 2
        yield (
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{HEIGHT}" rx="7" fill="{colour("surface")}" '
            f'stroke="{colour("strong-line")}"/>'
        )
        yield f'<text x="{middle:g}" y="{y + 22:g}" font-weight="bold">{escape(name)}</text>'
        yield (
            f'<text x="{middle:g}" y="{y + 41:g}" font-size="12.5" fill="{colour("muted")}">{escape(caption)}</text>'
        )
