"""No module reads files without a limit, or removes folders by recursion, but for a few that say why they may."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

import isolarium
from tests.read_finder import unbounded_reads

SOURCE = Path(isolarium.__file__).parent
INSTEAD: Final = (
    "use read_small, read_text_file, read_json_file, open_file, file_holds or digest_file of "
    "isolarium.safe_files with a limit, own_text for the package's own texts, remove_tree of "
    "isolarium.removal for folders; or add the module to ALLOWED with a reason"
)
OF_THE_SYSTEM: Final = "a file of /proc, which the kernel writes"
DESCRIPTOR: Final = "a descriptor that our own process made: a pipe, or a file without a name"
OWN_SOURCE: Final = "the source of the user's running program"
IN_MEMORY: Final = "bytes that were read with a limit"
ONE_OF_OURS: Final = "a method of another class"
TABLES: Final = "SQLite reads page by page, with limits on values, time and schema; a lock is an empty file"

ALLOWED: Final = {
    ("processes/code_description.py", "linecache.getline"): OWN_SOURCE,
    ("processes/code_description.py", "linecache.getlines"): OWN_SOURCE,
    ("processes/sandboxed_process.py", "open"): "a file of prints in our own folder, read in pieces",
    ("arena/checksummed_db.py", "sqlite3.connect"): TABLES,
    ("arena/live_game.py", "os.open"): "a new file, into which a process writes its agent",
    ("arena/sqlite_file.py", "sqlite3.connect"): TABLES,
    ("cli/commands/serve.py", "open"): "an address in a browser",
    ("course/modules/later/sample_players.py", "read_bytes"): "a file of the student's own",
    ("safe_files.py", "hashlib.file_digest"): "a file of open_file",
    ("safe_files.py", "io.FileIO"): "the functions with limits are made of it",
    ("safe_files.py", "os.fdopen"): "the functions with limits are made of it",
    ("safe_files.py", "os.open"): "the functions with limits are made of it",
    ("heuristics/catalogue/learned.py", "numpy.load"): IN_MEMORY,
    ("analysis/label_store.py", "open"): "an array written into an archive in memory",
    ("analysis/label_store.py", "zipfile.ZipFile"): IN_MEMORY,
    ("processes/forkserver_main.py", "json.load"): DESCRIPTOR,
    ("processes/forkserver_main.py", "os.fdopen"): DESCRIPTOR,
    ("removal.py", "os.open"): "folders, whose entries alone are looked at",
    ("removal.py", "shutil.rmtree"): "where the system cannot name files by descriptors",
    ("processes/readable_paths.py", "read_text"): OF_THE_SYSTEM,
    ("processes/supervisor.py", "read_text"): OF_THE_SYSTEM,
    ("compat.py", "os.open"): "a folder, to have it on the disk",
    ("compat.py", "read_text"): OF_THE_SYSTEM,
    ("web/friend_match.py", "os.open"): "written to; read_small reads it",
    ("web/lobby.py", "os.open"): "a lock, from which nothing is read",
    ("web/jobs/commands.py", "os.fdopen"): DESCRIPTOR,
    ("web/routes/friends.py", "open"): ONE_OF_OURS,
}
"""Which module may use what, and why."""

FOUND: Final = {
    "a method": ("def f(p): return p.read_text()", "read_text"),
    "its name alone": ("def f(p): return map(type(p).read_bytes, [p])", "read_bytes"),
    "a class's method": ("from pathlib import Path\nPath.open(p)", "open"),
    "a method by another name": ("read = path.open\nread()", "open"),
    "a method looked up": ("getattr(path, 'read_bytes')()", "read_bytes"),
    "a method called by name": ("from operator import methodcaller\nmethodcaller('read_text')(p)", "read_text"),
    "the function": ("open('x')", "builtins.open"),
    "it by another name": ("f = open\ndef g(x): return f(x)", "builtins.open"),
    "it from its module": ("import builtins as b\nb.open('x')", "builtins.open"),
    "a function of a module": ("import json\njson.load(file)", "json.load"),
    "of a renamed module": ("import numpy as np\nnp.load('x')", "numpy.load"),
    "a renamed function": ("from tomllib import load as parse\nparse(file)", "tomllib.load"),
    "a module by another name": ("import json\nj = json\nk = j\nk.load(file)", "json.load"),
    "a module imported by name": ("import_module('json').load(file)", "json.load"),
    "inside a function": ("def f():\n    import mmap\n    mmap.mmap(1, 0)", "mmap.mmap"),
    "everything of a module": ("from pickle import *\nload(file)", "pickle.*"),
    "a descriptor": ("import os\nos.open('x', os.O_RDONLY)", "os.open"),
    "flags that are not written out": ("import os\nos.open('x', FLAGS)", "os.open"),
    "to read and write": ("path.open('r+b')", "open"),
    "a mode that is not written out": ("open(path, mode)", "builtins.open"),
    "to append and read": ("open(path, mode='a+')", "builtins.open"),
    "an array": ("import numpy\nnumpy.fromfile(path)", "fromfile"),
    "a removed folder": ("from shutil import rmtree\nrmtree(x)", "shutil.rmtree"),
}
NOT_FOUND: Final = {
    "to write": "open(path, 'w', encoding='utf-8')",
    "a method to write": "path.open('xb')",
    "to write one way or another": "path.open('w' if again else 'x')",
    "a descriptor to write": "import os\nos.open(path, os.O_WRONLY | os.O_CREAT, 0o600)",
    "the null device": "import os\nopen(os.devnull)\nPath(os.devnull).open()",
    "a load of something else": "builder.load(pointer)\njson.loads(text)",
    "one's own": "self.open(path)",
    "a name": "def open_file(open_tasks): return open_tasks",
}


def _uses() -> Iterator[tuple[str, str, int]]:
    for path in sorted(SOURCE.rglob("*.py")):
        for line, name in unbounded_reads(path.read_text(encoding="utf-8")):
            yield path.relative_to(SOURCE).as_posix(), name, line


@pytest.mark.slow
def test_files_from_outside_are_read_with_a_limit() -> None:
    found = [
        f"src/isolarium/{module}:{line}: {name}" for module, name, line in _uses() if (module, name) not in ALLOWED
    ]
    assert found == [], INSTEAD


def test_nothing_is_allowed_that_is_not_needed() -> None:
    assert ALLOWED.keys() - {(module, name) for module, name, _ in _uses()} == set()


@pytest.mark.parametrize(("text", "name"), FOUND.values(), ids=FOUND)
def test_a_read_is_found_however_it_is_written(text: str, name: str) -> None:
    assert name in [found for _, found in unbounded_reads(text)]


@pytest.mark.parametrize("text", NOT_FOUND.values(), ids=NOT_FOUND)
def test_what_reads_nothing_is_not_found(text: str) -> None:
    assert list(unbounded_reads(text)) == []
