"""`isolarium cache`: the folder of compiled code."""

from collections import Counter
from json import dumps
from typing import Annotated

import typer

from isolarium.cli.options import JsonOption
from isolarium.native import cache as compiled


def cache(
    clear: Annotated[bool, typer.Option("--clear", help="Remove all compiled code.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show or clear the cache of compiled code.

    The cache keeps compiled searches and heuristics for the next time. Clearing it is safe: code is
    compiled again when needed. Set ISOLARIUM_CACHE to use another folder.

    Examples:
        isolarium cache
        isolarium cache --json
    """
    freed = compiled.clear() if clear else 0
    folder, files = compiled.cache_folder(), compiled.cached_files()
    size = sum(size for _, size in files)
    entries = Counter(path.stem.rpartition("_")[0] for path, _ in files if path.suffix == ".done")
    if as_json:
        figures = {"bytes": size, "most_bytes": compiled.MOST_BYTES, "freed_bytes": freed}
        typer.echo(dumps({"folder": str(folder), **figures, "entries": dict(entries)}))
        return
    typer.echo(f"folder     {folder}")
    if clear:
        typer.echo(f"freed      {_mebibytes(freed)}")
        return
    typer.echo(f"size       {_mebibytes(size)} of at most {_mebibytes(compiled.MOST_BYTES)}")
    typer.echo(f"compiled   {entries.total():,}")
    for name, count in entries.most_common():
        typer.echo(f"  {name:<28} {count:>6,}")


def _mebibytes(size: int) -> str:
    return f"{size / 2**20:,.1f} MiB"
