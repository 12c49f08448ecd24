"""The modules that a course's agents import: where they are, and how to have them in a folder of one's own."""

from enum import StrEnum
from pathlib import Path
from typing import Final

from isolarium.errors import InputError
from isolarium.safe_files import MOST_OWN, file_holds, read_small

_SETS: Final = Path(__file__).parent / "modules"


class ModuleSet(StrEnum):
    """Which of the course's interfaces: both have modules `isolation` and `sample_players`, so one folder holds one.

    FIRST is for agents with `get_move`, with the legal moves among its arguments or without; LATER for those with
    `get_action` on 9x11.
    """

    FIRST = "first"
    LATER = "later"

    @property
    def folder(self) -> Path:
        """What has to be on an agent's `sys.path`."""
        return _SETS / self

    def files(self) -> dict[Path, bytes]:
        """The modules, each by its path within the folder."""
        paths = sorted(self.folder.rglob("*.py"))
        return {
            path.relative_to(self.folder): read_small(path, MOST_OWN, follow_links=True)
            for path in paths
        }


def write_modules(which: ModuleSet, folder: Path, *, force: bool = False) -> list[Path]:
    """Write a module set into a folder, which is made if need be; what else is there stays.

    Files of the same names are overwritten if they are ours, of either set, or if `force` says so. One of another
    version of Isolarium is as foreign as any. If one may not be overwritten, nothing is written.

    Returns:
        The files.

    Raises:
        InputError: a file there is not ours, or the folder cannot be written to.
    """
    files = which.files()
    try:
        if not force:
            _refuse_foreign(folder, files)
        for path, content in files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
    except OSError as error:
        where = error.filename or folder
        raise InputError(f"{where}: {error.strerror}; expected a folder to write to") from None
    return [folder / path for path in files]


def _refuse_foreign(folder: Path, files: dict[Path, bytes]) -> None:
    ours = [modules.files() for modules in ModuleSet]
    for path in files:
        target = folder / path
        texts = [known[path] for known in ours if path in known]
        if target.exists() and not any(file_holds(target, text) for text in texts):
            raise InputError(
                f"{target}: a file that is not Isolarium's; expected --force to overwrite it"
            )
