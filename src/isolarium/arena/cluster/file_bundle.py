"""The agents' files, as sent to a worker's machine, and the agents' specs there.

A bundle is unpacked into a folder named after its digest, and each file keeps its path from the coordinator's machine,
so files can import their neighbours. All workers on a machine share the folder, so the files are compiled only once.
Specs are rewritten to use the worker's paths, and notes in returned games are rewritten to use the coordinator's names.
"""

import os
import re
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Final

from isolarium.errors import InputError
from isolarium.processes.own_code import Packed
from isolarium.removal import remove_tree
from isolarium.safe_files import file_holds
from isolarium.spec.parser import OWN, tree_of

PRIVATE: Final = 0o700
READABLE: Final = 0o600
ATTEMPTS: Final = 3
"""How often to retry unpacking if another process changes or removes the files."""
KEPT_S: Final = 90 * 86400.0
"""How long files are kept on a machine after their last use."""


@dataclass(frozen=True, slots=True)
class BundledFile:
    """A file of a bundle.

    Attributes:
        path: The file's resolved path on the coordinator's machine.
        content: The file's content.
        mode: The file's permissions; an engine must be executable.
        digest: A digest of the content.
    """

    path: str
    content: bytes
    mode: int
    digest: str


@dataclass(frozen=True, slots=True)
class FileBundle:
    """The files that a run's agents need in addition to Isolarium.

    Attributes:
        files: The files.
        names: The file names in specs, with each file's path on the coordinator's machine.
        own: The objects of the user's program named in specs.
    """

    files: tuple[BundledFile, ...]
    names: Mapping[str, str]
    own: tuple[Packed, ...] = ()

    @property
    def digest(self) -> str:
        """A digest of all files, their paths and permissions."""
        parts = sorted((file.path, file.digest, file.mode) for file in self.files)
        return sha256(repr(parts).encode()).hexdigest()


def bundle_files(contents: Mapping[str, bytes], named: set[str], own: tuple[Packed, ...] = ()) -> FileBundle:
    """Bundle the files that agents need.

    Args:
        contents: The contents, by name, of the files named in specs and of the files that those load.
        named: The file names in specs.
        own: The objects of the user's program named in specs.

    Raises:
        InputError: If a file is outside the folders of the files named in specs, where workers would not find it.
    """
    paths = {name: Path(name).expanduser().resolve() for name in contents}
    folders = {paths[name].parent for name in named}
    for name, path in paths.items():
        if not any(path.is_relative_to(folder) for folder in folders):
            problem = "an agent loads it from outside its folder, so other machines cannot find it"
            raise InputError(f"{name}: {problem}; move it beside the file that loads it")
    files = tuple(
        BundledFile(str(path), contents[name], path.stat().st_mode & PRIVATE, sha256(contents[name]).hexdigest())
        for name, path in paths.items()
    )
    return FileBundle(files, {name: str(paths[name]) for name in sorted(named)}, own)


class UnpackedBundle:
    """A bundle in its folder on a worker's machine.

    Args:
        bundle: The bundle.
        folder: The folder of this machine's bundles, which is created with access for its owner only.

    Raises:
        OSError: If the files cannot be written, or if they change afterwards.
    """

    def __init__(self, bundle: FileBundle, folder: Path) -> None:
        here = _unpack(bundle, folder.resolve()) if bundle.files else folder
        self._places = {name: f"{here}{path}" for name, path in bundle.names.items()}
        # A worker plays many runs, and two runs may use the same name for different objects.
        self.own = tuple(replace(one, name=f"{one.name}_{one.digest[:16]}") for one in bundle.own)
        for before, here_named in zip(bundle.own, self.own, strict=True):
            self._places[f"{OWN}:{before.name}"] = f"{OWN}:{here_named.name}"
        self._names = {place: name for name, place in self._places.items()}

    def spec_here(self, spec: str) -> str:
        """Return a spec with the paths on this machine."""
        tree = tree_of(spec)
        named = (*tree.files, *(f"{OWN}:{name}" for name in tree.own))
        return _replaced(spec, {name: self._places[name] for name in named})

    def named_back(self, note: str) -> str:
        """Return a game's note with the names used on the coordinator's machine."""
        return _replaced(note, self._names)


def _unpack(bundle: FileBundle, folder: Path) -> Path:
    """Unpack a bundle into its own folder, and return the folder.

    Other workers may unpack the same bundle at the same time.

    Raises:
        OSError: If the bundle cannot be unpacked.
    """
    folder.mkdir(PRIVATE, parents=True, exist_ok=True)
    folder.chmod(PRIVATE)
    _remove_old(folder)
    place = folder / bundle.digest
    for _ in range(ATTEMPTS):
        if not place.is_dir():
            own = Path(tempfile.mkdtemp(dir=folder))
            _write(bundle, own)
            try:
                own.rename(place)
            except OSError:  # Another process created it first.
                remove_tree(own)
        if _is_intact(bundle, place):
            os.utime(place)
            return place
        remove_tree(place)
    raise OSError("the files of agents do not stay as they were sent")


def _write(bundle: FileBundle, own: Path) -> None:
    for file in bundle.files:
        place = Path(f"{own}{file.path}")
        place.parent.mkdir(PRIVATE, parents=True, exist_ok=True)
        place.write_bytes(file.content)
        place.chmod(file.mode | READABLE)


def _is_intact(bundle: FileBundle, folder: Path) -> bool:
    return all(file_holds(Path(f"{folder}{file.path}"), file.content) for file in bundle.files)


def _remove_old(folder: Path) -> None:
    for place in folder.iterdir():
        with suppress(OSError):
            if time.time() - place.stat().st_mtime > KEPT_S:
                remove_tree(place)


def _replaced(text: str, others: Mapping[str, str]) -> str:
    """Return text with some words replaced, starting with the longest."""
    if not others:
        return text
    words = "|".join(map(re.escape, sorted(others, key=len, reverse=True)))
    return re.sub(words, lambda found: others[found[0]], text)
