"""The files that agents are made from, on their way to another machine and as they are named there.

There they lie in a folder that is called by their digest, each where its path says from that folder on, so that files
which import their neighbours find them, and all workers of a machine find the same: what is compiled from them is
compiled once. Specs are written with the paths there; what comes back is written with those here.
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

from isolarium.arena.game import Game
from isolarium.errors import InputError
from isolarium.removal import remove_tree
from isolarium.safe_files import file_holds
from isolarium.spec.parser import tree_of

PRIVATE: Final = 0o700
READABLE: Final = 0o600
ATTEMPTS: Final = 3
"""How often files are laid down that somebody changes or removes."""
KEPT_S: Final = 90 * 86400.0
"""How long files stay on a machine after they were asked for last."""


@dataclass(frozen=True, slots=True)
class Packed:
    """A file.

    Attributes:
        path: where it is here, resolved.
        text: what is in it.
        mode: who may do what with it: an engine has to be started.
        digest: of the text.
    """

    path: str
    text: bytes
    mode: int
    digest: str


@dataclass(frozen=True, slots=True)
class Cargo:
    """Everything that a run's agents need beside Isolarium.

    Attributes:
        files: each file.
        names: what specs call those that they name, with their paths here.
    """

    files: tuple[Packed, ...]
    names: Mapping[str, str]

    @property
    def digest(self) -> str:
        """Of all files, their places and who may do what with them."""
        told = sorted((file.path, file.digest, file.mode) for file in self.files)
        return sha256(repr(told).encode()).hexdigest()


def pack(texts: Mapping[str, bytes], named: set[str]) -> Cargo:
    """Make ready to travel what agents are made from.

    Args:
        texts: the files by name, those that specs name and those that these load.
        named: those that specs name.

    Raises:
        InputError: a file is loaded from elsewhere than the folder of one that a spec names: it would not be found.
    """
    paths = {name: Path(name).expanduser().resolve() for name in texts}
    folders = {paths[name].parent for name in named}
    for name, path in paths.items():
        if not any(path.is_relative_to(folder) for folder in folders):
            told = "loaded for an agent from outside its folder, and so not found on other machines"
            raise InputError(f"{name}: {told}; expected it beside the file that loads it")
    files = tuple(
        Packed(
            str(path), texts[name], path.stat().st_mode & PRIVATE, sha256(texts[name]).hexdigest()
        )
        for name, path in paths.items()
    )
    return Cargo(files, {name: str(paths[name]) for name in sorted(named)})


class Unpacked:
    """A cargo in its folder on a worker's machine.

    Args:
        cargo: what has arrived.
        folder: where the cargoes of this machine lie, whole or not at all; it is made, for nobody else to read.

    Raises:
        OSError: it cannot be written there, or was not what was sent.
    """

    def __init__(self, cargo: Cargo, folder: Path) -> None:
        here = _lay_down(cargo, folder.resolve()) if cargo.files else folder
        self._places = {name: f"{here}{path}" for name, path in cargo.names.items()}
        self._names = {place: name for name, place in self._places.items()}

    def spec_here(self, spec: str) -> str:
        """A spec with the paths of this machine."""
        return _replaced(spec, {name: self._places[name] for name in tree_of(spec).files})

    def named_back(self, game: Game) -> Game:
        """A game with the names of the machine that asked for it."""
        return replace(game, note=_replaced(game.note, self._names)) if game.note else game


def _lay_down(cargo: Cargo, folder: Path) -> Path:
    """Have a cargo lie in a folder of its own, as it was sent, whoever else is doing the same; which folder that is.

    Raises:
        OSError: it cannot.
    """
    folder.mkdir(PRIVATE, parents=True, exist_ok=True)
    folder.chmod(PRIVATE)
    _remove_old(folder)
    place = folder / cargo.digest
    for _ in range(ATTEMPTS):
        if not place.is_dir():
            own = Path(tempfile.mkdtemp(dir=folder))
            _write(cargo, own)
            try:
                own.rename(place)
            except OSError:  # another was quicker
                remove_tree(own)
        if _is_whole(cargo, place):
            os.utime(place)
            return place
        remove_tree(place)
    raise OSError("what agents are made from did not arrive as it was sent")


def _write(cargo: Cargo, own: Path) -> None:
    for file in cargo.files:
        place = Path(f"{own}{file.path}")
        place.parent.mkdir(PRIVATE, parents=True, exist_ok=True)
        place.write_bytes(file.text)
        place.chmod(file.mode | READABLE)


def _is_whole(cargo: Cargo, folder: Path) -> bool:
    return all(file_holds(Path(f"{folder}{file.path}"), file.text) for file in cargo.files)


def _remove_old(folder: Path) -> None:
    for place in folder.iterdir():
        with suppress(OSError):
            if time.time() - place.stat().st_mtime > KEPT_S:
                remove_tree(place)


def _replaced(text: str, others: Mapping[str, str]) -> str:
    """A text with other words in place of some, the longest first where one is part of another."""
    if not others:
        return text
    words = "|".join(map(re.escape, sorted(others, key=len, reverse=True)))
    return re.sub(words, lambda found: others[found[0]], text)
