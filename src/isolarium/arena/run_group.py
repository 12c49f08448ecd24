"""Folders whose parts are runs, as those of studies and of tuning: how they are found, signed and gone on with."""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from isolarium.arena import provenance
from isolarium.arena.provenance import files_named, is_signed, signature
from isolarium.arena.run_db import FILE_NAME, Record
from isolarium.arena.run_store import LAST, find_run, is_called, list_runs
from isolarium.safe_files import MOST_TEXT, read_text_file, write_whole

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


def put_texts(folder: Path, texts: Mapping[str, str]) -> None:
    """Put down in a folder what is to be played there, with our signature; the last text is there once all is."""
    write_whole(folder / SIGNATURE_NAME, signature(json.dumps(list(texts.values()))) + "\n")
    for name, text in texts.items():
        write_whole(folder / name, text)


def unsigned_files(folder: Path, names: Sequence[str], said: Callable[[], Any]) -> list[str]:
    """The files that going on with a folder would load, as far as its texts or a part's record were not made here.

    Args:
        folder: the folder.
        names: its signed texts.
        said: what these say, for who has to look for files in it.

    Raises:
        InputError: a text cannot be read, or makes no sense.
    """
    signed = folder / SIGNATURE_NAME
    by = read_text_file(signed, MOST_TEXT, "replace").strip() if signed.is_file() else ""
    texts = [read_text_file(folder / name, MOST_TEXT, "replace") for name in names]
    found = [] if is_signed(json.dumps(texts), by) else files_named(said())
    for path in sorted(folder.glob(f"*/{FILE_NAME}")):
        with closing(Record(path.parent)) as record:
            found += provenance.files_of_strangers(record)
    return list(dict.fromkeys(found))
