"""`isolarium cache`: where compiled code is kept, how much there is, and how to be rid of it."""

from collections import Counter
from json import dumps
from typing import Annotated

import typer

from isolarium.cli.options import JsonOption
from isolarium.native import cache as kept

EXAMPLES = """\b
Examples:
  isolarium cache
  isolarium cache --json
"""


def cache(
    clear: Annotated[bool, typer.Option("--clear", help="Remove all of it.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show where compiled code is kept, or remove it.

    What a search and a heuristic are compiled to is kept for the next time. Nothing else is lost by
    removing it: it is compiled again when it is needed. ISOLARIUM_CACHE names another folder.
    """
    freed = kept.clear() if clear else 0
    folder, files = kept.cache_folder(), kept.cached_files()
    size = sum(size for _, size in files)
    entries = Counter(path.stem.rpartition("_")[0] for path, _ in files if path.suffix == ".done")
    if as_json:
        figures = {"bytes": size, "most_bytes": kept.MOST_BYTES, "freed_bytes": freed}
        typer.echo(dumps({"folder": str(folder), **figures, "entries": dict(entries)}))
        return
    typer.echo(f"folder     {folder}")
    if clear:
        typer.echo(f"freed      {_megabytes(freed)}")
        return
    typer.echo(f"size       {_megabytes(size)} of at most {_megabytes(kept.MOST_BYTES)}")
    typer.echo(f"compiled   {entries.total():,}")
    for name, count in entries.most_common():
        typer.echo(f"  {name:<28} {count:>6,}")


def _megabytes(size: int) -> str:
    return f"{size / 2**20:,.1f} MiB"
