"""`isolarium help`: pages on what several commands have in common."""

from textwrap import fill, indent
from typing import Annotated, Final

import typer

from isolarium.cli.app import COMMANDS, app
from isolarium.cli.completion import beginning
from isolarium.errors import InputError, quoted
from isolarium.safe_files import own_text
from isolarium.text import did_you_mean

EXAMPLES = """\b
Examples:
  isolarium help
  isolarium help notation
"""

TOPICS: Final = ("notation", "specs", "limits", "environment")
"""In the order of the list; each is a page of Markdown in `isolarium/cli/topics`."""
CODE: Final = "    "


def help(
    topic: Annotated[
        str | None,
        typer.Argument(
            metavar="[TOPIC]",
            help="Such as notation, or a command.",
            autocompletion=lambda incomplete: beginning(known(), incomplete),
        ),
    ] = None,
) -> None:
    """Explain notation, specs, limits and the environment.

    Without a topic it lists them. The name of a command shows the help of that command.
    """
    if topic is None:
        _list_topics()
    elif topic in TOPICS:
        typer.echo(shown(page(topic)), nl=False)
    elif topic in COMMANDS:
        app([topic, "--help"], prog_name="isolarium", standalone_mode=False)
    else:
        near = did_you_mean(topic, known()) or f"expected one of {', '.join(TOPICS)}, or a command"
        raise InputError(f"no topic {quoted(topic)}; {near}")


def known() -> list[str]:
    """The topics and the commands."""
    return [*TOPICS, *COMMANDS]


def page(topic: str) -> str:
    """A topic's page, in Markdown."""
    return own_text(f"cli/topics/{topic}.md")


def shown(text: str, width: int = 80) -> str:
    """A page for a terminal: heads in capitals, everything else below them."""
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
    typer.echo(
        "\nisolarium help TOPIC explains one; isolarium help COMMAND, or isolarium COMMAND --help, a command."
    )
