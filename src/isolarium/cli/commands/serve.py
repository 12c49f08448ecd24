"""`isolarium serve`: the laboratory in a browser."""

import re
import sys
import webbrowser
from ipaddress import ip_address
from pathlib import Path
from secrets import token_urlsafe
from typing import Annotated

import typer

from isolarium.cli.options import DEFAULT_RUNS, RunsOption
from isolarium.compat import has_screen
from isolarium.errors import InputError
from isolarium.web.settings import Settings, is_loopback

EXAMPLES = """\b
Examples:
  isolarium serve
  isolarium serve --port 8001 --no-open
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
    proxy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ADDRESS", help="Believe the X-Forwarded-For of this proxy, such as 127.0.0.1."
        ),
    ] = None,
    embed: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SITE",
            help="Let pages of this site show boards, such as https://blog.example; * is every site.",
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
    order and can be resumed.
    """
    for folder in allow or ():
        if not folder.is_dir():
            raise InputError(f"--allow {folder}: no such folder; expected one with agents in it")
    for address in proxy or ():
        _check_address(address)
    for site in embed or ():
        _check_site(site)
    from isolarium.web.server import bind
    from isolarium.web.server import serve as answer

    taken = bind(host, port)
    # Who comes by another name, or through a proxy, may be anybody.
    is_public = not is_loopback(host) or bool(allow_host or proxy)
    settings = Settings(
        runs=runs.absolute(),
        host=host,
        port=taken.getsockname()[1],
        hosts=tuple(allow_host or ()),
        allow=tuple(allow or ()),
        proxies=tuple(proxy or ()),
        embed=tuple(embed or ()),
        token=token or (token_urlsafe(16) if is_public else ""),
    )
    address = settings.address + (f"/#token={settings.token}" if settings.token else "")
    typer.echo(f"Isolarium is at {address}   Ctrl-C ends it")
    if browse:
        _browse(address)
    answer(settings, taken)


def _check_address(text: str) -> None:
    try:
        ip_address(text)
    except ValueError:
        raise InputError(f"--proxy {text}: no address; expected one such as 127.0.0.1") from None


def _check_site(text: str) -> None:
    """See that a text is a site and nothing more: it goes into a header."""
    if text != "*" and not re.fullmatch(r"https?://[a-z0-9.-]+(:[0-9]{1,5})?", text):
        raise InputError(
            f"--embed {text}: no site; expected one such as https://blog.example, or *"
        )


def _browse(address: str) -> None:
    """Open a browser, where there is one that can be seen."""
    if sys.stdout.isatty() and has_screen():
        webbrowser.open(address)
