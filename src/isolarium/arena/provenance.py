"""Which runs were made here: their plans and files are signed with a key that stays in the user's data folder.

To go on with a run loads the files that its agents name. A run that somebody else has made may name any: so one
without our signature is gone on with only after a person has seen which.
"""

import hmac
import json
import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from platformdirs import user_data_path

from isolarium.agents import parse_spec
from isolarium.arena.plan import MOST_AGENT_FILE, Plan, digest_of
from isolarium.arena.run_db import Record
from isolarium.compat import is_closed_to_others, is_ours
from isolarium.errors import InputError
from isolarium.processes.permissions import check_permitted
from isolarium.safe_files import read_small
from isolarium.spec.parser import ENGINE, tree_of
from isolarium.spec.resolve import files_loaded_for

KEY_NAME: Final = "key"
KEY_BYTES: Final = 32
FACT: Final = "signature"


def sign(record: Record) -> None:
    """Put down in a record that it was made here, with the plan and the digests of files that it has now."""
    record.set_fact(FACT, signature(_said(record)))


def signature(text: str) -> str:
    """Our signature under a text; nothing where there can be no key."""
    key = _key()
    return hmac.new(key, text.encode(), "sha256").hexdigest() if key else ""


def is_signed(text: str, by: str) -> bool:
    """Whether it is our signature that stands under a text."""
    return bool(by) and hmac.compare_digest(signature(text).encode(), by.encode())


def files_of_strangers(record: Record) -> list[str]:
    """The files that going on with a run would load; none where it is finished, or was made here."""
    if record.is_finished or is_signed(_said(record), record.fact(FACT) or ""):
        return []
    return list(dict.fromkeys([*files_named(list(record.plan.players)), *(record.files() or {})]))


def files_named(value: Any) -> list[str]:
    """The files that are there and that any text within lists and tables, read as an agent, would name.

    An engine is named whatever is there: it may be found on PATH.
    """
    trees = [tree_of(text) for text in _texts(value)]
    named = dict.fromkeys(
        file for tree in trees for file in tree.files if _exists(file) or tree.search.word == ENGINE
    )
    return list(named)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


def _exists(file: str) -> bool:
    with suppress(OSError, RuntimeError, ValueError):  # such as ~nobody, or a null byte
        return Path(file).expanduser().is_file()
    return False


def _said(record: Record) -> str:
    return json.dumps([record.plan.to_json(), record.files()])


def _key() -> bytes:
    """The key, made if there is none; nothing where that cannot be, or somebody else could have read it."""
    path = user_data_path("isolarium", appauthor=False) / KEY_NAME
    with suppress(OSError, InputError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with suppress(FileExistsError):
            former = _read_key(user_data_path("isolab", appauthor=False) / KEY_NAME)
            _write_once(path, former or secrets.token_bytes(KEY_BYTES))
    return _read_key(path)


def _read_key(path: Path) -> bytes:
    """Read a key; empty if there is none, or if other users may have read it."""
    with suppress(OSError, InputError):
        status = path.stat()
        if is_ours(status) and is_closed_to_others(status):
            found = read_small(path, KEY_BYTES, follow_links=True)
            return found if len(found) == KEY_BYTES else b""
    return b""


def _write_once(path: Path, key: bytes) -> None:
    """Put a key in place whole, unless there is one.

    Raises:
        FileExistsError: there is.
    """
    if path.exists():
        raise FileExistsError
    own = path.with_name(f"{KEY_NAME}.{os.getpid()}")
    try:
        handle = os.open(own, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(key)
        path.hardlink_to(own)
    finally:
        own.unlink(missing_ok=True)


def check_files(record: Record) -> Mapping[str, bytes]:
    """See that the files that agents are made from are what they were when the run began; what they are.

    Raises:
        InputError: names the one that is not.
    """
    for (
        name
    ) in record.plan.files():  # a run that would lose its games for want of leave is not begun
        check_permitted(Path(name))
    begun = f"when the run was begun in {record.fact('directory')}"
    known = record.files() or {}
    for name, digest in known.items():  # before any is loaded
        now = digest_of(name)
        if now != digest:
            told = "no such file" if now is None else "it has changed"
            raise InputError(f"{name}: {told}; expected it as it was {begun}")
    texts = _texts_of_files(record.plan)
    if record.files() is None:
        digests = {name: sha256(text).hexdigest() for name, text in texts.items()}
        record.set_fact("files", json.dumps(digests))
        books = record.plan.books()  # of which a digest is enough: they are no text
        sources = {
            name: text.decode(errors="surrogateescape")
            for name, text in texts.items()
            if name not in books and b"\0" not in text  # an engine may be anything
        }
        record.set_fact("sources", json.dumps(sources))
        record.set_fact("directory", str(Path.cwd()))
        sign(record)
        return texts
    for name in texts.keys() - known:
        raise InputError(f"{name}: loaded for an agent; expected only what was loaded {begun}")
    return texts


def _texts_of_files(plan: Plan) -> dict[str, bytes]:
    """What agents are made from: the files that their specs name, as they write them, and those that these load."""
    named, here = {_resolved(name): name for name in plan.files()}, Path.cwd()
    foreign = [spec for spec in map(parse_spec, dict.fromkeys(plan.players)) if spec.is_foreign]
    loaded = files_loaded_for(foreign) if foreign else {}
    texts = {
        name: loaded.get(path) or read_small(path, MOST_AGENT_FILE) for path, name in named.items()
    }
    for path, text in loaded.items():
        if path not in named:
            texts[str(path.relative_to(here) if path.is_relative_to(here) else path)] = text
    return texts


def _resolved(file: str) -> Path:
    return Path(file).expanduser().resolve()
