"""Folders whose parts are runs, as those of studies and of tuning: how they are found, signed and gone on with."""

import json
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from isolab.arena import signing
from isolab.arena.plan import Plan
from isolab.arena.record import FILE_NAME, Record
from isolab.arena.runs import LAST, find_run, is_called, list_runs
from isolab.arena.signing import files_named, is_signed, signature

SIGNATURE_NAME: Final = "signature"


def find_whole(name: str, runs: Path, is_whole: Callable[[Path], bool]) -> Path | None:
    """The folder of a name or a path that has such parts; of several of one name, the last; None if there is none.

    `last` is the one of which a part is the run begun last.
    """
    if name == LAST and list_runs(runs):
        whole = find_run(LAST, runs).parent
        return whole if is_whole(whole) else None
    for folder in (runs / name, Path(name)):
        if is_whole(folder):
            return folder
    begun = [folder for folder in runs.glob("*") if is_called(folder.name, name)]
    return max(filter(is_whole, begun), key=lambda folder: folder.stat().st_ctime, default=None)


def sign_texts(folder: Path, names: Sequence[str]) -> None:
    """Put down in a folder that these texts in it were written here."""
    (folder / SIGNATURE_NAME).write_text(signature(_said(folder, names)) + "\n", encoding="utf-8")


def _said(folder: Path, names: Sequence[str]) -> str:
    return json.dumps([(folder / name).read_text("utf-8", "replace") for name in names])


def unsigned_files(folder: Path, names: Sequence[str], said: Callable[[], Any]) -> list[str]:
    """The files that going on with a folder would load, as far as its texts or a part's record were not made here.

    Args:
        folder: the folder.
        names: its signed texts.
        said: what these say, for who has to look for files in it.
    """
    signed = folder / SIGNATURE_NAME
    by = signed.read_text("utf-8", "replace").strip() if signed.is_file() else ""
    found = [] if is_signed(_said(folder, names), by) else files_named(said())
    for path in sorted(folder.glob(f"*/{FILE_NAME}")):
        with closing(Record(path.parent)) as record:
            found += signing.files_of_strangers(record)
    return list(dict.fromkeys(found))


def open_part(folder: Path, plan: Plan) -> Record:
    """The record of a part, begun if it was not; open to write as long as it is not finished."""
    if not (folder / FILE_NAME).is_file():
        return Record.create(folder, plan, plan.openings_in_order())
    record = Record(folder)
    if record.is_finished:
        return record
    record.close()
    return Record(folder, writes=True)
