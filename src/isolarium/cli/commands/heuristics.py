"""`isolarium heuristics`: the catalogue, or one heuristic explained."""

import sys
import warnings
from json import dumps
from shutil import get_terminal_size
from textwrap import fill
from typing import Annotated, Any

import typer

from isolarium.cli import completion
from isolarium.errors import InputError

EXAMPLES = """\b
Examples:
  isolarium heuristics
  isolarium heuristics distance
"""


def heuristics(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]",
            help="The one to explain, or FILE.py:FUNCTION.",
            autocompletion=completion.heuristics,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    as_markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the whole catalogue as a page of Markdown.")
    ] = False,
) -> None:
    """List the heuristics by family, or explain one.

    The list has for each heuristic its name, the report that describes it and its value. What
    explains one says its idea and origin, how unclear words were read, and its parameters.
    """
    if as_markdown and (as_json or name is not None):
        raise InputError("--markdown: it prints the whole catalogue; expected it alone")
    from isolarium.heuristics.description import page

    if as_markdown:
        typer.echo(page(), nl=False)
    elif as_json:
        _print_json(name)
    elif name is None:
        _list_all()
    else:
        _explain(name)


def _print_json(name: str | None) -> None:
    """Print the facts of one heuristic, or of all of them."""
    from isolarium.heuristics.catalogue import catalogue
    from isolarium.heuristics.description import facts
    from isolarium.spec.resolve import heuristic_facts

    if name is None:
        typer.echo(dumps([*map(facts, catalogue().values()), *_installed()]))
    else:
        typer.echo(dumps(heuristic_facts(name)[0]))


def _installed() -> list[dict[str, Any]]:
    """The facts of the heuristics that packages have registered; warn of those that cannot be used."""
    from isolarium.heuristics.lookup import installed_names
    from isolarium.spec.resolve import heuristic_facts

    found = []
    for name in installed_names():
        try:
            found.append(heuristic_facts(name)[0])
        except InputError as error:
            warnings.warn(f"heuristic {name!r}: {error}", UserWarning, stacklevel=2)
    return found


def _list_all() -> None:
    """Print all of them by family."""
    from isolarium.heuristics.catalogue import FAMILIES
    from isolarium.heuristics.description import NOTATION, facts, families

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


def _explain(name: str) -> None:
    """Print what one is, where it comes from, and what it takes."""
    from isolarium.heuristics.catalogue import catalogue
    from isolarium.spec.resolve import heuristic_facts

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
