"""`isolarium heuristics`: the catalogue, or one heuristic explained."""

from typing import Annotated

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
    from isolarium.cli.work.heuristics import explain, list_all, print_json, print_page

    if as_markdown:
        print_page()
    elif as_json:
        print_json(name)
    elif name is None:
        list_all()
    else:
        explain(name)
