"""The help of every command, generated from its function's docstring and parameters.

Conventions: summaries are imperative; arguments and options that take a value are described by a
noun phrase, flags by an imperative. Units, defaults and ranges are always stated.
`docs/reference/commands.md` is generated from the same definitions.
"""

import re
from enum import Enum
from inspect import cleandoc
from typing import Any, Final

from typer.core import TyperCommand

_SECTION: Final = re.compile(r"^(Exit status|Examples):\n((?:    .*(?:\n|$)|\n)+)", re.MULTILINE)
_STATUS: Final = re.compile(r"^(\d+): (.*(?:\n +.*)*)", re.MULTILINE)


class Command(TyperCommand):
    """A command whose docstring may end with the sections `Exit status:` and `Examples:`.

    Attributes:
        about: the docstring without these sections.
        statuses: exit statuses that are specific to this command.
        examples: command lines that work when pasted into a shell.
    """

    def __init__(self, *arguments: Any, help: str | None = None, **settings: Any) -> None:
        doc = cleandoc(help or "")
        sections = {name: cleandoc(f"\n{body}") for name, body in _SECTION.findall(doc)}
        self.about = _SECTION.sub("", doc).strip()
        self.examples = tuple(sections.get("Examples", "").splitlines())
        self.statuses = {
            int(status): " ".join(text.split()) for status, text in _STATUS.findall(sections.get("Exit status", ""))
        }
        super().__init__(*arguments, help=self.about, **settings)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the usage line after the command's name, such as `[OPTIONS] RUN`."""
        return ["[OPTIONS]", *(usage(one) for one in self.params if is_argument(one))]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments and options, each with its default and range."""
        parameters = self.get_params(ctx)
        for title, are_arguments in (("Arguments", True), ("Options", False)):
            rows = [(term(one), description(one)) for one in parameters if is_argument(one) is are_arguments]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the exit statuses and the examples; examples are never wrapped."""
        if self.statuses:
            with formatter.section("Exit status"):
                formatter.write_dl([(str(status), text) for status, text in self.statuses.items()])
        if self.examples:
            with formatter.section("Examples"):
                for example in self.examples:
                    formatter.write(f"{'':{formatter.current_indent}}{example}\n")


def is_argument(parameter: Any) -> bool:
    """Return whether a parameter is a positional argument."""
    return bool(parameter.param_type_name == "argument")


def usage(argument: Any) -> str:
    """Return an argument as the usage line shows it: `RUN`, `[POSITION]` or `AGENT...`."""
    name = f"{argument.metavar}{'...' * (argument.nargs != 1)}"
    return name if argument.required else f"[{name}]"


def term(parameter: Any) -> str:
    """Return how users type a parameter, such as `RUN` or `--pairs N`."""
    if is_argument(parameter):
        return usage(parameter).strip("[]")
    value = "" if parameter.is_flag else f" {parameter.metavar}"
    names = " / ".join(
        ", ".join(sorted(names, key=len)) for names in (parameter.opts, parameter.secondary_opts) if names
    )
    return f"{names}{value}"


def description(parameter: Any) -> str:
    """Return a parameter's help, followed by its notes in brackets."""
    found = notes(parameter)
    return f"{parameter.help}  [{'; '.join(found)}]" if found else str(parameter.help)


def notes(parameter: Any) -> list[str]:
    """Return a parameter's default and range, and whether it is required or may be repeated."""
    default = default_of(parameter)
    found = [f"default: {default}"] if default else []
    least, most = getattr(parameter, "min", None), getattr(parameter, "max", None)
    if least is not None and most is not None:
        found.append(f"{least:,} to {most:,}")
    elif least is not None:
        found.append(f"{least:,} or more")
    if parameter.required and not is_argument(parameter):
        found.append("required")
    if getattr(parameter, "multiple", False):
        found.append("may be repeated")
    return found


def default_of(parameter: Any) -> str:
    """Return a parameter's default as users would type it; empty without a default."""
    if isinstance(parameter.show_default, str):
        return parameter.show_default
    value = parameter.default
    if getattr(parameter, "is_flag", False):
        return str((parameter.opts if value else parameter.secondary_opts or [""])[0])
    if isinstance(value, Enum):
        return str(value.value)
    return f"{value:g}" if isinstance(value, float) else "" if value is None else str(value)
