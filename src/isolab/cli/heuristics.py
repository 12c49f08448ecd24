"""`isolab heuristics`: the catalogue, or one heuristic explained."""

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from isolab.heuristics.definition import Heuristic

EXAMPLES = """\b
Examples:
  isolab heuristics
  isolab heuristics distance
"""


def heuristics(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help="The one to explain, or FILE.py:FUNCTION."),
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
    _check_one_form(name, as_json, as_markdown)
    from isolab.heuristics import describing
    from isolab.heuristics.catalogue import catalogue
    from isolab.heuristics.loading import find, load_all_installed

    if as_markdown:
        typer.echo(describing.page(), nl=False)
    elif as_json:
        from json import dumps

        if name is None:
            known = [*catalogue().values(), *load_all_installed()]
            typer.echo(dumps([describing.facts(heuristic) for heuristic in known]))
        else:
            typer.echo(dumps(describing.facts(find(name))))
    elif name is None:
        _list_all()
    else:
        _explain(find(name))


def _check_one_form(name: str | None, as_json: bool, as_markdown: bool) -> None:
    from isolab.errors import InputError

    if as_markdown and (as_json or name is not None):
        raise InputError("--markdown: it prints the whole catalogue; expected it alone")


def _list_all() -> None:
    from isolab.heuristics.catalogue import FAMILIES
    from isolab.heuristics.describing import NOTATION, families
    from isolab.heuristics.loading import load_all_installed

    for family, members in families().items():
        _list_some(f"{family}: {FAMILIES[family]}", members)
    installed = load_all_installed()
    if installed:
        _list_some("installed: What other packages have registered.", installed)
    for term, meaning in NOTATION.items():
        _echo_aligned(f"  {term:<20} ", meaning)
    typer.echo("\nisolab heuristics NAME explains one.")


def _list_some(title: str, members: "list[Heuristic]") -> None:
    typer.echo(title)
    for heuristic in members:
        summary = heuristic.formula or heuristic.about.partition("\n")[0]
        _echo_aligned(f"  {heuristic.name:<20} {heuristic.report:<8} ", summary)
    typer.echo()


def _explain(heuristic: "Heuristic") -> None:
    from isolab.heuristics.describing import origin, parameters_of

    title = (heuristic.name, heuristic.family if heuristic.is_ours else "", origin(heuristic))
    typer.echo(" · ".join(part for part in title if part))
    if heuristic.formula:
        _echo_aligned("\n  ", heuristic.formula)
    if heuristic.about:
        typer.echo(f"\n{heuristic.about}")
    parameters = parameters_of(heuristic)
    if parameters:
        typer.echo("\nparameters")
    settings = [f"{parameter.name}={parameter.default}" for parameter in parameters]
    for setting, parameter in zip(settings, parameters, strict=True):
        typer.echo(f"  {setting:<{max(map(len, settings))}}   {parameter.takes}")


def _echo_aligned(start: str, text: str) -> None:
    """Print `text` after `start`, on a terminal broken so that it stays to the right of it."""
    import sys
    from shutil import get_terminal_size
    from textwrap import fill

    indent = " " * len(start.lstrip("\n"))
    if sys.stdout.isatty() and get_terminal_size().columns > 2 * len(indent):
        text = fill(
            text, get_terminal_size().columns, initial_indent=indent, subsequent_indent=indent
        )
    typer.echo(start + text.lstrip())
