"""The files that a step made, changed or removed, in readable and comparable form."""

import json
import shutil
import sqlite3
import struct
from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tools.recording.normaliser import Normaliser

UNTOLD: Final = ("-wal", "-shm", ".pyc", ".lock")
"""Files recorded by name only: internal files of SQLite and Python, and locks."""
SILENT: Final = ("-wal", "-shm", ".pyc")
PNG_HEAD: Final = b"\x89PNG\r\n\x1a\n"

State = dict[Path, tuple[int, int, int]]
"""The files of a folder, with file attributes that change when a file is written."""


def state_of(folder: Path) -> State:
    """Return the current files."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.name.endswith(SILENT):
            status = path.stat()
            found[path] = status.st_mtime_ns, status.st_size, status.st_ino
    return found


def differences(before: State, after: State) -> Iterator[tuple[str, Path]]:
    """Return the change of each file between two states: `made`, `changed` or `removed`."""
    for path in sorted(before.keys() | after.keys()):
        if path not in before:
            yield "made", path
        elif path not in after:
            yield "removed", path
        elif before[path] != after[path]:
            yield "changed", path


def content(path: Path, normaliser: Normaliser) -> str:
    """Return the content of a file as text."""
    data = path.read_bytes()
    if path.name.endswith(UNTOLD):
        return ""
    if data.startswith(b"SQLite format 3"):
        return normaliser.text(_database(path, normaliser))
    if data.startswith(PNG_HEAD):
        width, height = struct.unpack(">II", data[16:24])
        return f"a picture of {width} x {height}, {digest(data)}\n"
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return _bytes(data)
    return text_of(text, path.suffix.lower(), normaliser)


def text_of(text: str, ending: str, normaliser: Normaliser) -> str:
    """Return a text, formatted by its file's extension."""
    if ending == ".html":
        return normaliser.page(text, digest)
    if ending == ".svg":
        return normaliser.drawing(text)
    if ending == ".jsonl":  # positions solved at the same time are written in any order
        text = "".join(sorted(text.splitlines(keepends=True)))
    if ending in (".json", ".jsonl", ".csv", ".md"):
        return normaliser.output(text)
    return normaliser.text(text)


def digest(data: bytes | str) -> str:
    """Return a short digest of a content."""
    data = data.encode() if isinstance(data, str) else data
    return f"sha256 {sha256(data).hexdigest()[:16]}"


def _bytes(data: bytes) -> str:
    """Return a binary file as its first lines, if it has any, and a digest."""
    head = []
    for line in data.split(b"\n", 8)[:-1]:
        if not (line.isascii() and line.decode("ascii").isprintable()):
            break
        head.append(line.decode("ascii"))
    return "\n".join([*head, f"{len(data):,} bytes, {digest(data)}"]) + "\n"


def _database(path: Path, normaliser: Normaliser) -> str:
    """Return every table with every row, read from a copy so that nothing changes."""
    with TemporaryDirectory() as folder:
        for file in path.parent.glob(f"{path.name}*"):
            shutil.copy(file, folder)
        with closing(sqlite3.connect(Path(folder) / path.name)) as base:
            version = base.execute("PRAGMA user_version").fetchone()[0]
            lines = [f"version {version}"]
            tables = base.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall()
            for name, schema in tables:
                rows = base.execute(f'SELECT * FROM "{name}"')
                heads = [column[0] for column in rows.description]
                lines += ["", schema, *(_row(heads, row, normaliser) for row in sorted(rows))]
    return "\n".join(lines) + "\n"


def _row(heads: list[str], row: tuple[object, ...], normaliser: Normaliser) -> str:
    if heads == ["name", "value"]:
        return f"{row[0]}: {normaliser.output(str(row[1]))}".rstrip("\n")
    facts = normaliser.facts({name: _unpacked(value) for name, value in zip(heads, row, strict=True)})
    return json.dumps(list(facts.values()), ensure_ascii=False)


def _unpacked(value: object) -> object:
    """Return a value, with a JSON list parsed; the bytes of a batch contain times."""
    if isinstance(value, bytes):
        return "bytes"
    if isinstance(value, str) and value.startswith("["):
        return json.loads(value)
    return value
