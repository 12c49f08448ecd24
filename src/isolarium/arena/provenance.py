"""The files of a run's agents, and the signatures of runs created on this machine.

Resuming a run loads the files named by its agents, and a run from another machine may name any
file. Therefore each run is signed, together with the digests of its files, with a key that stays in
the user's data folder. A run without this signature is resumed only after the user has seen the
list of files that it loads. A run whose files have changed is not resumed.
"""

import hmac
import json
import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from platformdirs import user_data_path

from isolarium.agents import parse_spec
from isolarium.arena.plan import MOST_AGENT_FILE, Plan, digest_of
from isolarium.arena.run_db import Record
from isolarium.compat import is_closed_to_others, is_ours
from isolarium.errors import InputError
from isolarium.processes.code_loader import check_permitted
from isolarium.processes.own_code import Definition, known
from isolarium.safe_files import read_small
from isolarium.spec.parser import ENGINE, tree_of
from isolarium.spec.resolve import files_loaded_for
from isolarium.text import listed, printable

KEY_NAME: Final = "key"
KEY_BYTES: Final = 32
FACT: Final = "signature"
VERDICTS: Final = "trust"


def check_agent_files(record: Record) -> Mapping[str, bytes]:
    """Check that the files of a run's agents are unchanged; return their contents.

    When the run begins, store the files' digests and contents, and sign the run.

    Raises:
        InputError: If a file may not be loaded, is missing or has changed.
    """
    for name in record.plan.files():  # Otherwise the agent would lose all its games.
        check_permitted(Path(name))
    known = record.files() or {}
    begun = f"when the run began in {record.fact('directory')}"
    for name, digest in known.items():  # Check all files before loading any.
        now = digest_of(name)
        if now != digest:
            problem = "no such file" if now is None else "it has changed"
            raise InputError(f"{name}: {problem}; restore it as it was {begun}, or begin a new run")
    own = own_definitions(record.plan)
    if record.files() is not None:
        _check_unchanged(own, record.own_code())
    contents = _contents(record.plan)
    if record.files() is None:
        _store_own_code(record, own)
        _store(record, contents)
        return contents
    for name in contents.keys() - known:
        raise InputError(f"{name}: an agent loads this file; expected only those loaded {begun}")
    return contents


def own_definitions(plan: Plan) -> list[Definition]:
    """Return the definitions of the Python objects that a plan uses.

    Raises:
        InputError: If this process has not defined all of the objects.
    """
    names = dict.fromkeys(name for spec in plan.players for name in tree_of(spec).own)
    missing = [name for name in names if known(name) is None]
    if missing:
        raise InputError(
            f"the run needs {listed(missing)} of the Python program that began it; "
            f"resume it there: isolarium.read_run(FOLDER).resume({', '.join(missing)})"
        )
    return [found for name in names if (found := known(name)) is not None]


def _check_unchanged(own: Sequence[Definition], stored: Mapping[str, Mapping[str, str]]) -> None:
    for one in own:
        before = stored.get(one.name, {})
        if (before.get("kind"), before.get("digest")) != (one.kind, one.description.digest):
            raise InputError(f"{one.name}: it has changed since the run began; restore it, or begin a new run")


def _store_own_code(record: Record, own: Sequence[Definition]) -> None:
    """Store the identities and the source text of the user's Python objects."""
    found = {
        one.name: {
            "kind": str(one.kind),
            "digest": one.description.digest,
            "source": one.description.source,
            "values": json.dumps(one.description.values, ensure_ascii=False),
        }
        for one in own
    }
    if found:
        record.set_fact("own_code", json.dumps(found))


def _store(record: Record, contents: Mapping[str, bytes]) -> None:
    """Store the digests of all files, the contents of text files, and this user's signature."""
    digests = {name: sha256(data).hexdigest() for name, data in contents.items()}
    record.set_fact("files", json.dumps(digests))
    books = record.plan.books()
    sources = {
        name: data.decode(errors="surrogateescape")
        for name, data in contents.items()
        if name not in books and b"\0" not in data  # Books and engines may be binary.
    }
    record.set_fact("sources", json.dumps(sources))
    record.set_fact("directory", str(Path.cwd()))
    sign(record)


def _contents(plan: Plan) -> dict[str, bytes]:
    """Return the contents of the files named in specs, and of the files they load.

    Files named in specs are stored under the names in the specs.
    """
    named, here = {_resolved(name): name for name in plan.files()}, Path.cwd()
    foreign = [spec for spec in map(parse_spec, dict.fromkeys(plan.players)) if spec.is_third_party]
    loaded = files_loaded_for(foreign) if foreign else {}
    contents = {name: loaded.get(path) or read_small(path, MOST_AGENT_FILE) for path, name in named.items()}
    for path, data in loaded.items():
        if path not in named:
            contents[str(path.relative_to(here) if path.is_relative_to(here) else path)] = data
    return contents


def _resolved(file: str) -> Path:
    return Path(file).expanduser().resolve()


# Signatures


def sign(record: Record) -> None:
    """Sign a run's plan and the digests of its files."""
    record.set_fact(FACT, signature(_signed_text(record)))


def signature(text: str) -> str:
    """Return this user's signature of a text; empty if no key can be stored."""
    key = _key()
    return hmac.new(key, text.encode(), "sha256").hexdigest() if key else ""


def is_signed(text: str, by: str) -> bool:
    """Return whether `by` is this user's signature of a text."""
    return bool(by) and hmac.compare_digest(signature(text).encode(), by.encode())


def untrusted_files(record: Record) -> list[str]:
    """Return the untrusted files that resuming a run would load.

    There are none if the run is finished or was created on this machine.
    """
    if record.is_finished or is_signed(_signed_text(record), record.fact(FACT) or ""):
        return []
    return list(dict.fromkeys([*files_named(list(record.plan.players)), *(record.files() or {})]))


def files_named(value: Any) -> list[str]:
    """Return the existing files that the specs in a value name.

    The value may contain lists and dicts; every text in it is read as a spec. An engine is included
    even if its file does not exist, because the engine may be found on PATH.
    """
    trees = [tree_of(text) for text in _texts(value)]
    named = dict.fromkeys(file for tree in trees for file in tree.files if _exists(file) or tree.search.word == ENGINE)
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
    with suppress(OSError, RuntimeError, ValueError):  # Such as an unknown user in ~USER, or a null byte
        return Path(file).expanduser().is_file()
    return False


def _signed_text(record: Record) -> str:
    return json.dumps([record.plan.to_json(), record.files()])


def _key() -> bytes:
    """Return the signing key, creating it if it does not exist.

    The key is empty if it cannot be stored or other users could have read it.
    """
    path = user_data_path("isolarium", appauthor=False) / KEY_NAME
    with suppress(OSError, InputError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with suppress(FileExistsError):
            former = _read_key(user_data_path("isolab", appauthor=False) / KEY_NAME)
            _write_once(path, former or secrets.token_bytes(KEY_BYTES))
    return _read_key(path)


def _read_key(path: Path) -> bytes:
    """Read a key; return empty bytes if it is missing or readable by other users."""
    with suppress(OSError, InputError):
        status = path.stat()
        if is_ours(status) and is_closed_to_others(status):
            found = read_small(path, KEY_BYTES, follow_links=True)
            return found if len(found) == KEY_BYTES else b""
    return b""


def _write_once(path: Path, key: bytes) -> None:
    """Write the key atomically, unless it exists.

    Raises:
        FileExistsError: If a key exists.
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


# What the database stores about a cluster's workers


@dataclass(frozen=True)
class Verdicts:
    """The results of a run's checks, as its database stores them.

    Attributes:
        checked: The number of batches for which two workers returned the same games.
        differed: Workers whose games were replayed, with the number of these games.
        refused: The reasons for refusing workers.
    """

    checked: int = 0
    differed: dict[str, int] = field(default_factory=dict)
    refused: tuple[str, ...] = ()


NO_VERDICTS: Final = Verdicts()


def read_verdicts(record: Record) -> Verdicts:
    """Read the results of a run's checks.

    Raises:
        InputError: If the database is damaged.
    """
    found = record.json_fact(VERDICTS, {})
    with record.checked():
        if type(found) is not dict or not found.keys() <= {"checked", "differed", "refused"}:
            raise ValueError("its facts about workers are invalid")
        checked, differed = found.get("checked", 0), found.get("differed", {})
        refused = found.get("refused", [])
        types = [(checked, int), (differed, dict), (refused, list)]
        counts = differed.values() if type(differed) is dict else ()
        if (
            any(type(value) is not expected for value, expected in types)
            or any(type(count) is not int or count < 0 for count in (checked, *counts))
            or any(type(reason) is not str for reason in refused)
        ):
            raise ValueError("its facts about workers are invalid")
    named = {printable(worker): count for worker, count in differed.items()}
    return Verdicts(checked, named, tuple(map(printable, refused)))


def write_verdicts(record: Record, verdicts: Verdicts) -> None:
    """Store the results of a run's checks."""
    record.set_fact(VERDICTS, json.dumps(asdict(verdicts)))
