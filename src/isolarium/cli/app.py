"""The command line as a whole: which commands there are, and how each of them may end.

A command's module is imported when the command is called, or asked for its help: `isolarium --help` reads the table
below.
"""

import os
import sys
import warnings
from collections.abc import Sequence
from errno import ENAMETOOLONG, EROFS
from importlib import import_module
from io import TextIOWrapper
from typing import Annotated, Any, Final, TextIO

import typer
from typer.core import TyperCommand

from isolarium import __version__
from isolarium.cli.exits import (
    BAD_INPUT,
    FAILED,
    INTERRUPTED,
    interrupts_remembered,
    terminable,
)
from isolarium.errors import InputError, is_full, quoted
from isolarium.processes.permissions import loading_elsewhere
from isolarium.text import printable

COMMANDS: Final = {
    "play": "Play a game in the terminal.",
    "serve": "Play, analyse, watch runs and learn, in a browser.",
    "match": "Let two agents play pairs of games, and say who is better.",
    "tournament": "Let every agent meet every other, or a field of opponents.",
    "sweep": "Try many values of a parameter.",
    "tune": "Find the best values of an agent's parameters, and test them.",
    "runs": "List the runs: what was played, and how far it came.",
    "resume": "Play what is missing of a run, a study or a tuning.",
    "export": "Write the games of a run as data.",
    "report": "Write the report of a run: a page with its charts and tables.",
    "study": "Run a study, or list those there are.",
    "course": "Play a game_agent.py in its course's tournament, and judge it.",
    "analyze": "Ask agents about a position, or about every move of a game.",
    "calibrate": "Hold heuristics against solved positions.",
    "label": "Solve every move of many positions, for learners.",
    "solve": "Find out who wins with perfect play, and with which move.",
    "verify": "Check a certificate by the rules alone.",
    "book": "Build an opening book, or say what one knows.",
    "perft": "Count the move sequences of a position.",
    "engine": "Let other programs play with an agent, in UGI.",
    "bench": "Measure searches and heuristics on this machine.",
    "agents": "Say what agents there are and how they are written.",
    "heuristics": "List the heuristics by family, or explain one.",
    "cache": "Show where compiled code is kept, or remove it.",
    "help": "Explain notation, specs, limits and the environment.",
}
"""The commands in the order of the help, each with the first line of its docstring; one is a function in the module of
its name in `commands`, with its EXAMPLES beside it."""

PLAIN: Final[dict[str, Any]] = {
    "rich_markup_mode": None,
    "pretty_exceptions_enable": False,
}


class NamedCommand(TyperCommand):
    """A command that is known by its name and a line of help until it is called."""

    def make_context(self, *arguments: Any, **named: Any) -> Any:
        """Import the command, and let it read its arguments."""
        return load_command(str(self.name)).make_context(*arguments, **named)


def load_command(name: str) -> TyperCommand:
    """The command itself."""
    module = import_module(f"isolarium.cli.commands.{name}")
    alone = typer.Typer(add_completion=False, **PLAIN)
    alone.command(name, epilog=module.EXAMPLES)(getattr(module, name))
    command = typer.main.get_command(alone)
    assert isinstance(command, TyperCommand)  # several functions would make a group
    return command


app = typer.Typer(
    name="isolarium", context_settings={"help_option_names": ["-h", "--help"]}, **PLAIN
)
for _name, _help in COMMANDS.items():
    app.command(_name, cls=NamedCommand, help=_help)(lambda: None)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"isolarium {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _isolarium(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """A laboratory for knight Isolation.

    Two players stand on a board and move like chess knights; every square ever stood on stays
    blocked; whoever is to move and cannot has lost.
    """
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status.

    A person's mistake becomes one line on stderr and status 2; an interrupt, or a reader that went
    away, ends quietly. Anything else is a bug and keeps its traceback.
    """
    if os.environ.get("_ISOLARIUM_COMPLETE") == "complete_bash":
        # Inside: no command needs it, and this costs some milliseconds.
        from isolarium.cli.completion import answer_bash

        answer_bash(lambda: app(args=[], prog_name="isolarium"))
        return 0
    _open_closed_streams()
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # names may be beyond its encoding
    with warnings.catch_warnings(), loading_elsewhere(), terminable(), interrupts_remembered():
        warnings.showwarning = _show_warning
        return _run(arguments)


def _open_closed_streams() -> None:
    """Have what is written to a stream go nowhere that was closed before we began: Python has none in its place."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115 # until the end


def born(_: Sequence[int]) -> int:
    """Be the command, in a process that was forked for it."""
    return main()


def _run(arguments: Sequence[str] | None) -> int:
    try:
        status = app(args=arguments, prog_name="isolarium", standalone_mode=False)
        sys.stdout.flush()
    except InputError as error:
        return _complain(str(error))
    except typer.TyperException as error:
        return _complain(_in_our_words(error))
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _discard_stdout()
        return FAILED
    except OSError as error:
        if error.errno == ENAMETOOLONG:
            return _complain(f"{quoted(error.filename)}: {error.strerror}; expected a shorter name")
        if not is_full(error) and error.errno != EROFS:
            raise
        if error.filename is None:
            _discard_stdout()
        where = "" if error.filename is None else f"{error.filename}: "
        return _complain(f"{where}{error.strerror}", FAILED)
    return status if isinstance(status, int) else 0


def _in_our_words(error: typer.TyperException) -> str:
    """What is wrong with the command line. What Typer finds by Pydantic does not say what was given."""
    found = error.__cause__
    if not isinstance(error, typer.BadParameter) or error.param is None or found is None:
        return error.format_message()
    # Inside: no command needs it, and this costs some milliseconds.
    from pydantic import ValidationError

    from isolarium.validation_messages import fault_in_words

    if not isinstance(found, ValidationError):
        return error.format_message()
    option = next((name for name in error.param.opts if name.startswith("--")), None)
    name = option or error.param.get_error_hint().strip("'")
    return f"{name} {fault_in_words(found.errors())}"


def _complain(message: str, status: int = BAD_INPUT) -> int:
    print(f"isolarium: {printable(' '.join(message.split()))}", file=sys.stderr)
    return status


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Show a warning that is meant for people as one line; others say where they come from."""
    if issubclass(category, UserWarning):
        _complain(str(message))
    else:
        print(warnings.formatwarning(message, category, filename, lineno, line), file=sys.stderr)


def _discard_stdout() -> None:
    """Discard what the interpreter would still flush to stdout on its way out."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
