"""The command line as a whole: which commands there are, and how each of them may end.

Modules of this room import nothing heavy at their top: `isolab --help` loads all of them.
"""

import os
import sys
import warnings
from collections.abc import Sequence
from errno import ENOSPC
from io import TextIOWrapper
from typing import Annotated, TextIO

import typer

from isolab import __version__
from isolab.cli import (
    agents,
    analyze,
    bench,
    book,
    cache,
    calibrate,
    export,
    heuristics,
    match,
    perft,
    play,
    report,
    resume,
    runs,
    serve,
    solve,
    study,
    sweep,
    tournament,
    verify,
)
from isolab.errors import InputError

CANNOT_WRITE = 1
BAD_INPUT = 2
INTERRUPTED = 130  # 128 + SIGINT, as shells count it

app = typer.Typer(
    name="isolab",
    rich_markup_mode=None,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command(name="play", epilog=play.EXAMPLES)(play.play)
app.command(name="serve", epilog=serve.EXAMPLES)(serve.serve)
app.command(name="match", epilog=match.EXAMPLES)(match.match)
app.command(name="tournament", epilog=tournament.EXAMPLES)(tournament.tournament)
app.command(name="sweep", epilog=sweep.EXAMPLES)(sweep.sweep)
app.command(name="runs", epilog=runs.EXAMPLES)(runs.runs)
app.command(name="resume", epilog=resume.EXAMPLES)(resume.resume)
app.command(name="export", epilog=export.EXAMPLES)(export.export)
app.command(name="report", epilog=report.EXAMPLES)(report.report)
app.command(name="study", epilog=study.EXAMPLES)(study.study)
app.command(name="analyze", epilog=analyze.EXAMPLES)(analyze.analyze)
app.command(name="calibrate", epilog=calibrate.EXAMPLES)(calibrate.calibrate)
app.command(name="solve", epilog=solve.EXAMPLES)(solve.solve)
app.command(name="verify", epilog=verify.EXAMPLES)(verify.verify)
app.command(name="book", epilog=book.EXAMPLES)(book.book)
app.command(name="perft", epilog=perft.EXAMPLES)(perft.perft)
app.command(name="bench", epilog=bench.EXAMPLES)(bench.bench)
app.command(name="agents", epilog=agents.EXAMPLES)(agents.agents)
app.command(name="heuristics", epilog=heuristics.EXAMPLES)(heuristics.heuristics)
app.command(name="cache", epilog=cache.EXAMPLES)(cache.cache)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"isolab {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _isolab(
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
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # names may be beyond its encoding
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        return _run(arguments)


def _run(arguments: Sequence[str] | None) -> int:
    try:
        status = app(args=arguments, prog_name="isolab", standalone_mode=False)
        sys.stdout.flush()
    except InputError as error:
        return _complain(str(error))
    except typer.TyperException as error:
        return _complain(error.format_message())
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _give_up_stdout()
        return CANNOT_WRITE
    except OSError as error:
        if error.errno != ENOSPC:
            raise
        _give_up_stdout()
        return _complain(os.strerror(ENOSPC), CANNOT_WRITE)
    return status if isinstance(status, int) else 0


def _complain(message: str, status: int = BAD_INPUT) -> int:
    print(f"isolab: {' '.join(message.split())}", file=sys.stderr)
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


def _give_up_stdout() -> None:
    """Let go nowhere what the interpreter would flush to stdout on its way out."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
