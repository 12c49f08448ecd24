"""Records as commands open them: with a line about what cannot be known of one."""

from pathlib import Path

import typer

from isolarium.arena.run_db import Record


def opened(folder: Path) -> Record:
    """The record of a run, to be read; one without checksums is said to be so.

    Raises:
        InputError: there is none, or it is damaged.
    """
    record = Record(folder)
    if not record.has_checksums:
        told = "a record without checksums: damage to it would not be noticed; isolarium resume adds them"
        typer.echo(f"isolarium: {folder}: {told}", err=True)
    return record
