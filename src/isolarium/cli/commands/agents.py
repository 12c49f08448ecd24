"""`isolarium agents`: the parts of an agent's spec."""

from dataclasses import asdict
from json import dumps
from typing import Any

import typer

from isolarium.agents.levels import LEVELS
from isolarium.cli.options import JsonOption
from isolarium.spec.parser import AGENT, FORM
from isolarium.spec.registry import DEFAULT_NODES, PROGRAMS, SEARCHES, Option, SearchKind
from isolarium.spec.spec import format_option

LIMITS = {
    "depth": "search depth in plies",
    "nodes": "positions entered, including leaves and rollouts; also 20k or 1.5m",
    "ms": "milliseconds per move",
    "calls": "positions that a course agent generates, instead of a time limit",
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
    "agent:my_agent.py:Patient@ms=100",
)


def agents(as_json: JsonOption = False) -> None:
    """List the agents, limits and levels, and how to write them.

    An agent is written as a spec, such as alphabeta:improved@nodes=8000. Every
    command that takes an agent accepts any spec.

    Examples:
        isolarium agents
        isolarium agents --json
    """
    if as_json:
        _print_json()
        return
    typer.echo(f"An agent is written as {FORM}\nEach agent takes some of these parts.\n\nsearches")
    for kind in SEARCHES.values():
        _show_search(kind)
    typer.echo("\nprograms and agents in Python")
    for program in PROGRAMS.values():
        limits = f"{', '.join(program.bounds)}; by default {program.default_limit}"
        typer.echo(f"  {program.name + ':...@LIMIT':<38} {program.about}; limits {limits}")
    installed = _installed()
    if installed:
        typer.echo(f"  registered by installed packages: {', '.join(installed)}")
    _show_limits()
    typer.echo("\nheuristics\n  listed by isolarium heuristics; write your own as FILE.py:FUNCTION")
    _show_levels()
    typer.echo("\nexamples; in a shell, quote those with parentheses")
    for spec in SPECS:
        typer.echo(f"  {spec}")


def _installed() -> list[str]:
    """Return the specs of the agents that installed packages have registered."""
    from isolarium.processes.code_loader import AGENTS, installed_names

    return [f"{AGENT}:{name}" for name in installed_names(AGENTS)]


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
    typer.echo(f"\nlimits; the first one reached ends the search; by default nodes={DEFAULT_NODES}{others}")
    for name, about in LIMITS.items():
        typer.echo(f"  {name + '=N':<38} {about}")
    typer.echo(f"  {'book, book=FILE':<38} play from an opening book first: Isolarium's own, or a file")


def _show_levels() -> None:
    boards = ", ".join(LEVELS[-1].elo)
    typer.echo(f"\nlevels, for isolarium play --level N and the web pages; Elo above level 1 on {boards}")
    for level in LEVELS:
        elo = "".join(f"{elo:>6}" for elo in level.elo.values())
        typer.echo(f"  {level.level:>2}  {level.name:<13} {level.agent:<30}{elo}  {level.about}")


def _print_json() -> None:
    facts = {
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
        "installed": _installed(),
        "limits": [{"name": name, "about": about} for name, about in LIMITS.items()],
        "levels": [asdict(level) for level in LEVELS],
        "examples": list(SPECS),
    }
    typer.echo(dumps(facts))


def _facts(kind: SearchKind) -> dict[str, Any]:
    return {
        "name": kind.name,
        "about": kind.about,
        "takes_heuristic": kind.takes_heuristic,
        "takes_limit": kind.takes_limit,
        "ends_at_depth": kind.ends_at_depth,
        "default_limit": f"nodes={kind.default_nodes}" if kind.takes_limit else None,
        "options": [
            {"name": name, "default": option.default, "about": option.about, "takes": _takes(option)}
            for name, option in kind.options.items()
        ],
        "example": kind.example,
    }
