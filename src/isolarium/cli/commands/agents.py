"""`isolarium agents`: what an agent's spec is made of."""

from dataclasses import asdict
from json import dumps
from typing import Any

import typer

from isolarium.agents.levels import LEVELS
from isolarium.cli.options import JsonOption
from isolarium.spec.parser import FORM
from isolarium.spec.registry import DEFAULT_NODES, PROGRAMS, SEARCHES, Option, SearchKind
from isolarium.spec.spec import format_option

EXAMPLES = """\b
Examples:
  isolarium agents
  isolarium agents --json
"""

LIMITS = {
    "depth": "plies to look ahead",
    "nodes": "positions entered, leaves and rollouts included; also as 20k or 1.5m",
    "ms": "milliseconds on the clock",
    "calls": "positions that an agent of the course asks for, in place of its clock",
}
SPECS = (
    "random",
    "greedy:open",
    "minimax:open@depth=3",
    "alphabeta:improved@nodes=8000",
    "alphabeta:distance(z=0, f=arctan)@ms=150",
    "strong:staged(first=improved, then=cut_off_reachable, at=0.4)@nodes=20k",
    "mcts(c=1)@nodes=20000",
    "alphabeta:my_file.py:my_heuristic@nodes=8000",
)


def agents(as_json: JsonOption = False) -> None:
    """Say what agents there are and how they are written.

    An agent is a text, its spec, such as alphabeta:improved@nodes=8000. Every command that takes an
    agent takes any of them.
    """
    if as_json:
        _print_json()
        return
    typer.echo(f"An agent is written {FORM}\nwith the parts that it takes.\n\nsearches")
    for kind in SEARCHES.values():
        _show_search(kind)
    typer.echo("\nprograms of others")
    for program in PROGRAMS.values():
        limits = f"{', '.join(program.bounds)}; without any, {program.default_limit}"
        typer.echo(f"  {program.name + ':...@LIMIT':<38} {program.about}; limits {limits}")
    _show_limits()
    typer.echo(
        "\nheuristics\n  isolarium heuristics lists them; FILE.py:FUNCTION is one of your own"
    )
    _show_levels()
    typer.echo("\nexamples, to be quoted in a shell where there are parentheses")
    for spec in SPECS:
        typer.echo(f"  {spec}")


def _show_search(kind: SearchKind) -> None:
    takes = ":HEURISTIC" * kind.takes_heuristic + "@LIMIT" * kind.takes_limit
    typer.echo(f"  {kind.name + takes:<38} {kind.about}")
    for name, option in kind.options.items():
        typer.echo(f"      {_setting(name, option):<34} {option.about}; {_takes(option)}")


def _setting(name: str, option: Option) -> str:
    return f"{name}={format_option(option.default)}"


def _takes(option: Option) -> str:
    if isinstance(option.default, bool):
        return "true or false"
    return f"{'a whole number ' * option.whole}from {option.least:g} to {option.most:g}"


def _show_limits() -> None:
    others = "".join(
        f", {kind.name} nodes={kind.default_nodes}"
        for kind in SEARCHES.values()
        if kind.takes_limit and kind.default_nodes != DEFAULT_NODES
    )
    typer.echo(
        f"\nlimits; the first that is reached counts; without any, nodes={DEFAULT_NODES}{others}"
    )
    for name, about in LIMITS.items():
        typer.echo(f"  {name + '=N':<38} {about}")
    typer.echo(
        f"  {'book, book=FILE':<38} moves of an opening book first: Isolarium's own, or a file's"
    )


def _show_levels() -> None:
    boards = ", ".join(LEVELS[-1].elo)
    typer.echo(
        f"\nlevels of isolarium play --level N and of the pages; Elo above the first on {boards}"
    )
    for level in LEVELS:
        elo = "".join(f"{elo:>6}" for elo in level.elo.values())
        typer.echo(f"  {level.level:>2}  {level.name:<13} {level.agent:<30}{elo}  {level.about}")


def _print_json() -> None:
    told = {
        "form": FORM,
        "searches": [_facts(kind) for kind in SEARCHES.values()],
        "programs": [
            {
                "name": program.name,
                "about": program.about,
                "limits": list(program.bounds),
                "default_limit": str(program.default_limit),
                "example": program.example,
            }
            for program in PROGRAMS.values()
        ],
        "limits": [{"name": name, "about": about} for name, about in LIMITS.items()],
        "levels": [asdict(level) for level in LEVELS],
        "examples": list(SPECS),
    }
    typer.echo(dumps(told))


def _facts(kind: SearchKind) -> dict[str, Any]:
    return {
        "name": kind.name,
        "about": kind.about,
        "takes_heuristic": kind.takes_heuristic,
        "takes_limit": kind.takes_limit,
        "ends_at_depth": kind.ends_at_depth,
        "default_limit": f"nodes={kind.default_nodes}" if kind.takes_limit else None,
        "options": [
            {
                "name": name,
                "default": option.default,
                "about": option.about,
                "takes": _takes(option),
            }
            for name, option in kind.options.items()
        ],
        "example": kind.example,
    }
