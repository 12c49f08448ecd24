"""`isolarium heuristics`: the catalogue of heuristics."""

import sys
import warnings
from json import dumps
from shutil import get_terminal_size
from textwrap import fill
from typing import Annotated, Any

import typer

from isolarium.cli import completion
from isolarium.errors import InputError


def heuristics(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="Heuristic to describe: its name, or FILE.py:FUNCTION.",
            autocompletion=completion.heuristics,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON: an object, or an array without NAME.")] = False,
    as_markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the whole catalogue as a Markdown page.")
    ] = False,
) -> None:
    """List the heuristics, or describe one.

    The list gives each heuristic's name, its source report and its formula,
    by family. The description of a heuristic gives its idea, origin,
    interpretation and parameters.

    Examples:
        isolarium heuristics
        isolarium heuristics distance
    """
    if as_markdown and (as_json or name is not None):
        raise InputError("--markdown: prints the whole catalogue; leave out NAME and --json")
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
    """Print one heuristic, or all of them, as JSON."""
    from isolarium.heuristics.description import facts
    from isolarium.heuristics.lookup import catalogue
    from isolarium.spec.resolve import heuristic_facts

    if name is None:
        typer.echo(dumps([*map(facts, catalogue().values()), *_installed()]))
    else:
        typer.echo(dumps(heuristic_facts(name)[0]))


def _installed() -> list[dict[str, Any]]:
    """Return installed packages' heuristics; warn about those that fail to load."""
    from isolarium.processes.code_loader import HEURISTICS, installed_names
    from isolarium.spec.resolve import heuristic_facts

    found = []
    for name in installed_names(HEURISTICS):
        try:
            found.append(heuristic_facts(name)[0])
        except InputError as error:
            warnings.warn(f"heuristic {name!r}: {error}", UserWarning, stacklevel=2)
    return found


def _list_all() -> None:
    """Print all heuristics by family."""
    from isolarium.heuristics.catalogue import FAMILIES
    from isolarium.heuristics.description import NOTATION, facts, families

    for family, members in families().items():
        _list_some(f"{family}: {FAMILIES[family]}", [facts(one) for one in members])
    installed = _installed()
    if installed:
        _list_some("installed: Heuristics registered by other packages.", installed)
    for term, meaning in NOTATION.items():
        _echo_aligned(f"  {term:<20} ", meaning)
    typer.echo("\nRun isolarium heuristics NAME for a description.")


def _list_some(title: str, members: list[dict[str, Any]]) -> None:
    typer.echo(title)
    for heuristic in members:
        summary = heuristic["formula"] or heuristic["about"].partition("\n")[0]
        _echo_aligned(f"  {heuristic['name']:<20} {heuristic['report']:<8} ", summary)
    typer.echo()


def _explain(name: str) -> None:
    """Print a heuristic's family, origin, formula, description and parameters."""
    from isolarium.heuristics.lookup import catalogue
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
    """Print `text` after `start`; on a terminal, wrap it with a hanging indent."""
    indent = " " * len(start.lstrip("\n"))
    if sys.stdout.isatty() and get_terminal_size().columns > 2 * len(indent):
        text = fill(text, get_terminal_size().columns, initial_indent=indent, subsequent_indent=indent)
    typer.echo(start + text.lstrip())
