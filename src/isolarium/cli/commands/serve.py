"""`isolarium serve` and `isolarium site`: the web pages, from a server or as plain files."""

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
from isolarium.web import Settings, is_loopback


def serve(
    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS", help="Address to listen on; 0.0.0.0 makes the server reachable from other machines."
        ),
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(metavar="N", min=0, max=65535, help="Port; 0 picks a free one.")] = 8000,
    runs: RunsOption = DEFAULT_RUNS,
    allow: Annotated[
        list[Path] | None, typer.Option(metavar="FOLDER", help="Folder of agent files that users of the pages may run.")
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Additional host name to accept, such as lab.example or localhost:9000."),
    ] = None,
    proxy: Annotated[
        list[str] | None,
        typer.Option(metavar="ADDRESS", help="Proxy whose X-Forwarded-For header is trusted, such as 127.0.0.1."),
    ] = None,
    embed: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SITE", help="Site that may embed boards, such as https://blog.example; * allows every site."
        ),
    ] = None,
    token: Annotated[
        str | None,
        typer.Option(
            metavar="TOKEN",
            help="Token required to start and stop runs and to write heuristics.",
            show_default="random if other machines can reach the server, else none",
        ),
    ] = None,
    allow_write: Annotated[
        bool,
        typer.Option(
            "--allow-write",
            help="Let holders of the token write heuristics even if other machines can reach the server.",
        ),
    ] = False,
    browse: Annotated[bool, typer.Option("--open/--no-open", help="Open a browser if there is a display.")] = True,
) -> None:
    """Serve the web pages: play, analyse, watch runs, learn.

    By default only this machine can reach the server; --host changes that.
    Ctrl-C stops the server. Its runs are saved, and isolarium resume
    continues them.

    Examples:
        isolarium serve
        isolarium serve --port 8001 --no-open
    """
    for folder in allow or ():
        if not folder.is_dir():
            raise InputError(f"--allow {folder}: no such folder; expected a folder of agent files")
    for address in proxy or ():
        _check_address(address)
    for site in embed or ():
        _check_site(site)
    from isolarium.web.server import bind
    from isolarium.web.server import serve as serve_requests

    listening = bind(host, port)
    # Requests for another host name, or through a proxy, may come from anywhere.
    is_public = not is_loopback(host) or bool(allow_host or proxy)
    settings = Settings(
        runs=runs.absolute(),
        host=host,
        port=listening.getsockname()[1],
        hosts=tuple(allow_host or ()),
        allow=tuple(allow or ()),
        proxies=tuple(proxy or ()),
        embed=tuple(embed or ()),
        may_write=allow_write or not is_public,
        token=token or (token_urlsafe(16) if is_public else ""),
    )
    address = settings.address + (f"/#token={settings.token}" if settings.token else "")
    typer.echo(f"Serving Isolarium at {address} (Ctrl-C stops it)")
    if browse:
        _browse(address)
    serve_requests(settings, listening)


def _check_address(text: str) -> None:
    try:
        ip_address(text)
    except ValueError:
        raise InputError(f"--proxy {text}: expected an IP address, such as 127.0.0.1") from None


def _check_site(text: str) -> None:
    """Check that text is an origin and nothing more, because it goes into a header."""
    if text != "*" and not re.fullmatch(r"https?://[a-z0-9.-]+(:[0-9]{1,5})?", text):
        raise InputError(f"--embed {text}: expected a site, such as https://blog.example, or *")


def _browse(address: str) -> None:
    """Open a browser if there is a display."""
    if sys.stdout.isatty() and has_screen():
        webbrowser.open(address)


def site(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="New folder, or one with an earlier site.")],
) -> None:
    """Write Play, Analyse and Learn as a site of plain files.

    The agents and the solver run in the visitor's browser, so the site needs no server of ours: any
    host of files will do, in any folder. It can be installed, and works offline after the first
    visit. Runs, agents in files and games with friends need isolarium serve.

    Examples:
        isolarium site public
        isolarium site ~/public_html/isolation
    """
    from isolarium.web.site import write_site

    written = write_site(folder)
    typer.echo(f"{written.folder}: version {written.version}, {written.files} files, {written.size / 1e6:.1f} MB")
    typer.echo(f"To try it, run: python -m http.server --directory {written.folder}")
