"""`isolarium site`: the pages as plain files, for any host."""

from pathlib import Path
from typing import Annotated

import typer


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
