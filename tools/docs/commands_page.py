"""`docs/reference/commands.md`: the reference of the commands, from their definitions in Typer."""

import re
from collections.abc import Iterator
from typing import Any, Final

from isolarium.cli.app import BAD_INPUT, STATUSES, Command, is_argument, load_command, notes, term
from isolarium.cli.commands import COMMANDS

CODE: Final = re.compile(rf"(isolarium (?:{'|'.join(COMMANDS)})\b(?: --[a-z-]+)*|--[a-z][a-z-]*)")
MARKUP: Final = re.compile(r"[\\*_{}\[\]<>|]")
SHORT: Final = 88
"""Examples up to this length are preferred: the page shows them without scrolling."""

INTRODUCTION: Final = """# Command reference

Every command of `isolarium`, with its arguments, options, defaults and exit statuses. `isolarium COMMAND --help` prints
the same in a terminal, and `isolarium help` explains notation, specs, limits and the environment.

This page is generated from the commands by `python -m tools.fill_docs`.
"""


def filled(_: str) -> str:
    """Return the page."""
    return "\n".join(_lines()).rstrip() + "\n"


def _lines() -> Iterator[str]:
    yield INTRODUCTION
    yield from _table(
        ("command", "purpose"), [(f"[`{name}`](#isolarium-{name})", about) for name, about in COMMANDS.items()]
    )
    yield "## Exit statuses of every command\n"
    yield from _statuses(STATUSES)
    for name in COMMANDS:
        yield from _chapter(name)


def _chapter(name: str) -> Iterator[str]:
    """Yield the lines about a command: purpose, usage, arguments, options, example and exit statuses."""
    command = load_command(name)
    assert isinstance(command, Command)
    context = command.make_context(name, [], resilient_parsing=True)
    yield f"## `isolarium {name}`\n"
    yield "\n\n".join(_text(part) for part in command.about.split("\n\n")) + "\n"
    yield f"```text\nisolarium {name} {' '.join(command.collect_usage_pieces(context))}\n```\n"
    arguments: list[Any] = [one for one in command.params if is_argument(one)]
    options: list[Any] = [one for one in command.params if not is_argument(one)]
    for title, parameters in (("argument", arguments), ("option", options)):
        if parameters:
            yield from _table(
                (title, "meaning", "default and range"),
                [(f"`{_escaped(term(one))}`", _text(one.help), _notes(one)) for one in parameters],
            )
    example = next((one for one in command.examples if len(one) <= SHORT), command.examples[0])
    yield f"Example:\n\n```\n{example}\n```\n"
    common = {status: STATUSES[status] for status in (0, BAD_INPUT)}
    yield "Exit status:\n"
    yield from _statuses(dict(sorted({**common, **command.statuses}.items())))


def _statuses(statuses: dict[int, str]) -> Iterator[str]:
    yield from (f"- `{status}`: {_text(text)}" for status, text in statuses.items())
    yield ""


def _notes(parameter: Any) -> str:
    return "; ".join(_text(note) for note in notes(parameter))


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> Iterator[str]:
    for row in (head, tuple("---" for _ in head), *rows):
        yield f"| {' | '.join(row)} |"
    yield ""


def _text(text: str) -> str:
    """Return a text as Markdown, with commands and options as code."""
    pieces = CODE.split(" ".join(text.split()))
    plain = (MARKUP.sub(r"\\\g<0>", piece) for piece in pieces[::2])
    code = [f"`{piece}`" for piece in pieces[1::2]]
    return "".join(one for pair in zip(plain, [*code, ""], strict=True) for one in pair)


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")
