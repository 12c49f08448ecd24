"""`isolab serve`: the laboratory in a browser."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isolab.cli.running import DEFAULT_RUNS, RunsOption

if TYPE_CHECKING:
    from isolab.web.settings import StudyWish

EXAMPLES = """\b
Examples:
  isolab serve
  isolab serve --port 8001 --no-open
"""


def serve(
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Where to listen; others reach 0.0.0.0 too.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(metavar="N", min=0, max=65535, help="0 is any that is free.")
    ] = 8000,
    runs: RunsOption = DEFAULT_RUNS,
    allow: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FOLDER",
            help="Let pages name agents from files in there; may be given more than once.",
        ),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Answer to this name too, such as lab.example or localhost:9000."
        ),
    ] = None,
    token: Annotated[
        str | None,
        typer.Option(
            metavar="TOKEN",
            help="What starting and stopping runs takes. [default: drawn where others reach us]",
        ),
    ] = None,
    browse: Annotated[
        bool, typer.Option("--open/--no-open", help="Open a browser, where there is a screen.")
    ] = True,
) -> None:
    """Play, analyse, watch runs and learn, in a browser.

    Only this machine can reach it unless --host says otherwise. Ctrl-C ends it; runs that it plays then end in good
    order and can be gone on with.
    """
    from isolab.web.server import bind
    from isolab.web.server import serve as answer
    from isolab.web.settings import Settings

    folders = [_folder(one) for one in allow or ()]
    taken = bind(host, port)
    settings = Settings(
        runs=runs.absolute(),
        begin_study=_begin_study,
        host=host,
        port=taken.getsockname()[1],
        hosts=tuple(allow_host or ()),
        allow=tuple(folders),
        token=_token(token, host),
    )
    address = settings.address + (f"/#token={settings.token}" if settings.token else "")
    typer.echo(f"Isolab is at {address}   Ctrl-C ends it")
    if browse:
        _browse(address)
    answer(settings, taken)


def _folder(path: Path) -> Path:
    from isolab.errors import InputError

    if not path.is_dir():
        raise InputError(f"--allow {path}: no such folder; expected one with agents in it")
    return path


def _token(given: str | None, host: str) -> str:
    """What is needed to play runs: what was given, or something drawn where others reach us."""
    from secrets import token_urlsafe

    from isolab.web.settings import is_loopback

    return given or ("" if is_loopback(host) else token_urlsafe(16))


def _browse(address: str) -> None:
    """Open a browser, where there is one that can be seen."""
    import os
    import sys
    import webbrowser

    if sys.stdout.isatty() and (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        webbrowser.open(address)


def _begin_study(wish: "StudyWish", runs: Path) -> tuple[Path, Sequence[str]]:
    """Put a study down as `isolab study` does, for `isolab resume` to play."""
    from isolab.arena.runs import new_folder
    from isolab.arena.study_file import find_study
    from isolab.cli.study_running import Settings, begin_study, chosen_parts
    from isolab.grammar import parse_limit

    if wish.limit:
        parse_limit(wish.limit)
    study = find_study(wish.name)
    parts = chosen_parts(study, wish.parts)
    folder = new_folder(runs, study.name)
    begin_study(study, Settings(study.name, wish.limit, wish.scale, wish.parts), folder)
    return folder, [part.name for part in parts]
