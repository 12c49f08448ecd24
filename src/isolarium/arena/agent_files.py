"""The files that a run's agents are made from: they stay what they were when it began."""

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from isolarium.agents import parse_spec
from isolarium.arena.plan import MOST_AGENT_FILE, Plan, digest_of
from isolarium.arena.provenance import sign
from isolarium.arena.run_db import Record
from isolarium.errors import InputError
from isolarium.processes.permissions import check_permitted
from isolarium.safe_files import read_small
from isolarium.spec.resolve import files_loaded_for


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
