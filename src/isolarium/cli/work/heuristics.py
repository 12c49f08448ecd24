"""Lists the heuristics, or explains one."""

import sys
import warnings
from json import dumps
from shutil import get_terminal_size
from textwrap import fill
from typing import Any

import typer

from isolarium.errors import InputError
from isolarium.heuristics.catalogue import FAMILIES, catalogue
from isolarium.heuristics.description import NOTATION, facts, families, page
from isolarium.heuristics.lookup import installed_names
from isolarium.spec.resolve import heuristic_facts


def print_page() -> None:
    """Print the whole catalogue as Markdown."""
    typer.echo(page(), nl=False)


def print_json(name: str | None) -> None:
    """Print what is known of one heuristic, or of all of them."""
    if name is None:
        typer.echo(dumps([*map(facts, catalogue().values()), *_installed()]))
    else:
        typer.echo(dumps(heuristic_facts(name)[0]))


def _installed() -> list[dict[str, Any]]:
    """What is known of those that packages have registered; after a warning, without those that cannot be used."""
    found = []
    for name in installed_names():
        try:
            found.append(heuristic_facts(name)[0])
        except InputError as error:
            warnings.warn(f"heuristic {name!r}: {error}", UserWarning, stacklevel=2)
    return found


def list_all() -> None:
    """Print all of them by family."""
    for family, members in families().items():
        _list_some(f"{family}: {FAMILIES[family]}", [facts(one) for one in members])
    installed = _installed()
    if installed:
        _list_some("installed: What other packages have registered.", installed)
    for term, meaning in NOTATION.items():
        _echo_aligned(f"  {term:<20} ", meaning)
    typer.echo("\nisolarium heuristics NAME explains one.")


def _list_some(title: str, members: list[dict[str, Any]]) -> None:
    typer.echo(title)
    for heuristic in members:
        summary = heuristic["formula"] or heuristic["about"].partition("\n")[0]
        _echo_aligned(f"  {heuristic['name']:<20} {heuristic['report']:<8} ", summary)
    typer.echo()


def explain(name: str) -> None:
    """Print what one is, where it comes from, and what it takes."""
    heuristic, origin = heuristic_facts(name)
    family = heuristic["family"] if name in catalogue() else ""
    title = (heuristic["name"], family, origin)
    typer.echo(" · ".join(part for part in title if part))
    if heuristic["formula"]:
        _echo_aligned("\n  ", heuristic["formula"])
    if heuristic["about"]:
        typer.echo(f"\n{heuristic['about']}")
    parameters = heuristic["parameters"]
    if parameters:
        typer.echo("\nparameters")
    settings = [f"{parameter['name']}={parameter['default']}" for parameter in parameters]
    for setting, parameter in zip(settings, parameters, strict=True):
        typer.echo(f"  {setting:<{max(map(len, settings))}}   {parameter['takes']}")


def _echo_aligned(start: str, text: str) -> None:
    """Print `text` after `start`, on a terminal broken so that it stays to the right of it."""
    indent = " " * len(start.lstrip("\n"))
    if sys.stdout.isatty() and get_terminal_size().columns > 2 * len(indent):
        text = fill(
            text, get_terminal_size().columns, initial_indent=indent, subsequent_indent=indent
        )
    typer.echo(start + text.lstrip())
