"""`isolarium help`: the topics that several commands share."""

from textwrap import fill, indent
from typing import Annotated, Final

import typer

from isolarium.cli.app import app
from isolarium.cli.commands import COMMANDS
from isolarium.cli.completion import matching
from isolarium.errors import InputError, quoted
from isolarium.safe_files import own_text
from isolarium.text import did_you_mean

TOPICS: Final = ("notation", "specs", "limits", "environment")
"""The topics in the order of the list; each is a Markdown page in `isolarium/cli/topics`."""
CODE: Final = "    "


def help(
    topic: Annotated[
        str | None,
        typer.Argument(
            metavar="TOPIC",
            help="Topic or command to explain.",
            autocompletion=lambda incomplete: matching(known(), incomplete),
        ),
    ] = None,
) -> None:
    """Explain notation, specs, limits and the environment.

    Without a topic, list the topics. With the name of a command, print the
    help of that command.

    Examples:
        isolarium help
        isolarium help notation
    """
    if topic is None:
        _list_topics()
    elif topic in TOPICS:
        typer.echo(shown(page(topic)), nl=False)
    elif topic in COMMANDS:
        app([topic, "--help"], prog_name="isolarium", standalone_mode=False)
    else:
        near = did_you_mean(topic, known()) or f"expected one of {', '.join(TOPICS)}, or a command"
        raise InputError(f"no topic named {quoted(topic)}; {near}")


def known() -> list[str]:
    """Return the names of the topics and the commands."""
    return [*TOPICS, *COMMANDS]


def page(topic: str) -> str:
    """Return the Markdown page of a topic."""
    return own_text(f"cli/topics/{topic}.md")


def shown(text: str, width: int = 80) -> str:
    """Format a Markdown page for a terminal: headings in capitals, indented text below them."""
    parts = []
    for part in text.strip().split("\n\n"):
        if part.startswith("#"):
            parts.append(part.lstrip("# ").upper())
        elif part.startswith(CODE):
            parts.append(indent(part.replace("`", ""), CODE))
        else:
            words = part.replace("`", "")
            parts.append(fill(words, width, initial_indent=CODE, subsequent_indent=CODE))
    return "\n\n".join(parts) + "\n"


def _list_topics() -> None:
    typer.echo("topics")
    for topic in TOPICS:
        about = page(topic).partition("\n")[0].removeprefix("# ")
        typer.echo(f"  {topic:<14} {about}")
    typer.echo("\nRun isolarium help TOPIC for a topic, isolarium help COMMAND for a command.")
