"""The command line: how commands are found, their help, and the ways in which they end.

A command's module is imported only when the command is called or its help is requested:
`isolarium --help` reads the table of `cli/commands/__init__.py`. The help of a command is generated from its function's
docstring and parameters: summaries are imperative; arguments and options that take a value are
described by a noun phrase, flags by an imperative; units, defaults and ranges are always stated.
`docs/reference/commands.md` is generated from the same definitions.
"""

import os
import re
import signal
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from enum import Enum
from errno import ENAMETOOLONG, EROFS
from importlib import import_module
from inspect import cleandoc
from io import TextIOWrapper
from pathlib import Path
from types import FrameType
from typing import IO, Annotated, Any, Final, TextIO

import typer
from typer.core import TyperCommand, TyperGroup

from isolarium import __version__
from isolarium.cli.commands import COMMANDS, SHARED_MODULES
from isolarium.compat import INTERRUPTS
from isolarium.errors import InputError, is_full, quoted
from isolarium.processes.code_loader import loading_elsewhere
from isolarium.safe_files import check_ordinary
from isolarium.text import printable

FAILED: Final = 1
BAD_INPUT: Final = 2
INTERRUPTED: Final = 130  # 128 + SIGINT, as shells count it
TERMINATED: Final = 143  # 128 + SIGTERM

STATUSES: Final = {
    0: "Success.",
    FAILED: "The command could not finish, for example because the disk is full.",
    BAD_INPUT: "Invalid input. One line on stderr explains the problem and what to do; nothing was written.",
    INTERRUPTED: "Stopped by Ctrl-C.",
    TERMINATED: "Stopped by SIGTERM.",
}
"""The meaning of the exit statuses that all commands share."""

STOPPED: Final = "stopped by Ctrl-C"
PLAIN: Final[dict[str, Any]] = {"rich_markup_mode": None, "pretty_exceptions_enable": False}


class DeferredCommand(TyperCommand):
    """A command with only a name and a line of help until it is called."""

    def make_context(self, *arguments: Any, **named: Any) -> Any:
        """Import the command and let it parse its arguments."""
        return load_command(str(self.name)).make_context(*arguments, **named)


class Commands(TyperGroup):
    """The group of all commands.

    It prints a message if Ctrl-C stops a command that has not printed anything.
    """

    def make_context(self, *arguments: Any, **named: Any) -> Any:
        """Parse the arguments before the command."""
        with _interrupts_named():
            return super().make_context(*arguments, **named)

    def invoke(self, *arguments: Any, **named: Any) -> Any:
        """Run a command."""
        with _interrupts_named():
            return super().invoke(*arguments, **named)


@contextmanager
def _interrupts_named() -> Iterator[None]:
    """Print a message after Ctrl-C in the block; Typer would exit without one."""
    try:
        yield
    except KeyboardInterrupt:
        raise typer.Exit(_complain(STOPPED, INTERRUPTED)) from None


def load_command(name: str) -> TyperCommand:
    """Import a command and return it."""
    module = import_module(f"isolarium.cli.commands.{SHARED_MODULES.get(name, name)}")
    alone = typer.Typer(add_completion=False, **PLAIN)
    alone.command(name, cls=Command)(getattr(module, name))
    command = typer.main.get_command(alone)
    assert isinstance(command, TyperCommand)  # Several functions would make a group.
    return command


app = typer.Typer(name="isolarium", cls=Commands, context_settings={"help_option_names": ["-h", "--help"]}, **PLAIN)
for _name, _help in COMMANDS.items():
    app.command(_name, cls=DeferredCommand, help=_help)(lambda: None)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"isolarium {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _isolarium(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """A laboratory for knight Isolation.

    Two players stand on a board and move like chess knights. Every visited
    square stays blocked. A player with no legal move loses.
    """
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status.

    Invalid input prints one line on stderr and returns 2. So does Ctrl-C, unless the command
    handles it. A closed pipe on stdout ends the command quietly. Any other exception is a bug and
    keeps its traceback.
    """
    if os.environ.get("_ISOLARIUM_COMPLETE") == "complete_bash":
        # Imported here: no command needs it, and importing it takes some milliseconds.
        from isolarium.cli.completion import answer_bash

        answer_bash(lambda: app(args=[], prog_name="isolarium"))
        return 0
    _reopen_closed_streams()
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # Names may not fit its encoding.
    with warnings.catch_warnings(), loading_elsewhere(), terminable(), interrupts_remembered():
        warnings.showwarning = _show_warning
        return _run(arguments)


def _reopen_closed_streams() -> None:
    """Connect each closed standard stream to the null device.

    Python sets a stream to None if it was closed before the process started.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115 # stays open


def forked_main(_: Sequence[int]) -> int:
    """Run the command line in a process forked for it."""
    return main()


def _run(arguments: Sequence[str] | None) -> int:
    try:
        status = app(args=arguments, prog_name="isolarium", standalone_mode=False)
        sys.stdout.flush()
    except InputError as error:
        return _complain(str(error))
    except typer.TyperException as error:
        return _complain(_message(error))
    except KeyboardInterrupt:
        return _complain(STOPPED, INTERRUPTED)
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


def _message(error: typer.TyperException) -> str:
    """Describe the error in the command line.

    Typer's message omits the value that failed validation.
    """
    cause = error.__cause__
    if type(error).__name__ == "MissingParameter" and isinstance(error, typer.BadParameter) and error.ctx is not None:
        return f"{error.format_message().rstrip('.')}. {error.ctx.get_usage()}"
    if not isinstance(error, typer.BadParameter) or error.param is None or cause is None:
        return error.format_message()
    # Imported here: no command needs it, and importing it takes some milliseconds.
    from pydantic import ValidationError

    from isolarium.errors import fault_in_words

    if not isinstance(cause, ValidationError):
        return error.format_message()
    option = next((name for name in error.param.opts if name.startswith("--")), None)
    name = option or error.param.get_error_hint().strip("'")
    return f"{name} {fault_in_words(cause.errors())}"


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
    """Show warnings for users in one line, and others with their source location."""
    if issubclass(category, UserWarning):
        _complain(str(message))
    else:
        print(warnings.formatwarning(message, category, filename, lineno, line), file=sys.stderr)


def _discard_stdout() -> None:
    """Discard the output that the interpreter would flush to stdout at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


# The help of a command


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


# How commands end


@contextmanager
def terminable() -> Iterator[None]:
    """Turn SIGTERM into an exception within the block, so that the command cleans up."""

    def end(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # Ignore further signals.
        raise SystemExit(TERMINATED)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


_received: list[int] = []
"""Every Ctrl-C received so far.

Python drops exceptions raised in finalisers, as may happen during imports."""


@contextmanager
def interrupts_remembered() -> Iterator[None]:
    """Record each Ctrl-C in the block, which raises KeyboardInterrupt as usual.

    If Python drops the exception, `interruptible` can raise it again.
    """

    def interrupt(number: int, frame: FrameType | None) -> None:
        _received.append(number)
        raise KeyboardInterrupt

    before = signal.getsignal(signal.SIGINT)
    # Any other handler is kept: a shell's background jobs, for example, ignore Ctrl-C.
    is_default = before is signal.default_int_handler
    with _handled_by(interrupt if is_default else before):
        try:
            yield
        finally:
            _received.clear()


@contextmanager
def interruptible() -> Iterator[list[int]]:
    """Record the first Ctrl-C in the block; the second raises KeyboardInterrupt.

    The first Ctrl-C only adds an entry to the yielded list.
    """
    pressed: list[int] = []
    if _received:
        raise KeyboardInterrupt

    def note(number: int, frame: FrameType | None) -> None:
        if pressed:
            raise KeyboardInterrupt
        pressed.append(number)

    with _handled_by(note):
        yield pressed


@contextmanager
def _handled_by(handler: Any) -> Iterator[None]:
    """Handle Ctrl-C within the block, whatever signals the system sends for it."""
    before = [(number, signal.signal(number, handler)) for number in INTERRUPTS]
    try:
        yield
    finally:
        for number, earlier in before:
            signal.signal(number, earlier)


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """Write a file that replaces `path` only if the block succeeds.

    A temporary file beside `path` is renamed when the block ends without an error.

    Raises:
        InputError: If the file cannot be written; usually raised before the block begins.
    """
    check_ordinary(path, "a file to write to")
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with part.open("xb") as file:
            yield file
        part.replace(path)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; expected a file to write to") from None
    finally:
        with suppress(OSError):  # A read-only file system also refuses the removal.
            part.unlink(missing_ok=True)
