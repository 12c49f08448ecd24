"""The paths that sandboxed code may read: Python, packages, and files beside it.

Personal folders and their parents are never readable as a whole. In the home folder and the folder
for temporary files, only Python files and packages are readable, because `import` needs them. If
the code is directly in such a folder, the files beside the code are readable too.
"""

import os
import site
import sys
import sysconfig
import tempfile
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass
from importlib.machinery import EXTENSION_SUFFIXES
from itertools import islice
from pathlib import Path
from typing import Final

from isolarium.compat import pwd

DEVICES: Final = (Path("/dev/null"), Path("/dev/zero"))
_SYSTEM: Final = (
    *("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/share/zoneinfo"),
    *("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime"),
    *("/dev/urandom", "/dev/random", "/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat"),
    *("/proc/filesystems", "/proc/sys/vm/overcommit_memory", "/sys/devices/system/cpu"),
    *("/sys/devices/system/node", "/sys/kernel/mm/transparent_hugepage"),
)
"""Paths that the dynamic linker and the C and numerical libraries read."""
RUN_FILE, RUNS = "run.sqlite", "runs"
"""The file that identifies the folder of a run, and the usual name of a folder of runs."""
MOST_ENTRIES: Final = 5000
"""The maximum number of entries examined in a folder with third-party code.

Entries beyond it are not readable.
"""
_INFO: Final = ("METADATA", "PKG-INFO")
"""Files that identify a folder with the metadata of a package."""


def personal_folders() -> list[Path]:
    """Return the folders that hold the user's private files."""
    found = [Path("/tmp"), Path("/var/tmp"), Path(tempfile.gettempdir())]
    with suppress(RuntimeError, KeyError):
        found.append(Path.home())
    if pwd is not None:
        with suppress(KeyError):
            found.append(Path(pwd.getpwuid(os.getuid()).pw_dir))
    return list(dict.fromkeys(folder.resolve() for folder in found))


@dataclass(frozen=True)
class Readable:
    """The paths that may be read.

    Attributes:
        whole: Files, and folders with everything in them.
        listed: Folders that may only be listed.
    """

    whole: list[Path]
    listed: list[Path]

    def __add__(self, other: "Readable") -> "Readable":
        return Readable(self.whole + other.whole, self.listed + other.listed)


def python_paths(personal: Collection[Path]) -> Readable:
    """Return the paths that Python needs to run and to import all modules."""
    found = [Path(text) for text in _SYSTEM]
    found += _folders_of_libraries()
    found += map(Path, _prefixes())
    found = [path for path in found if not _holds_any(path, personal)]
    kinds = ("stdlib", "platstdlib", "purelib", "platlib")
    found += [Path(sysconfig.get_path(kind)) for kind in kinds]
    found.append(Path(__file__).parents[1])
    listed = list[Path]()
    for folder in map(Path, filter(os.path.isabs, sys.path)):
        if _is_installed(folder):
            found.append(folder)
        else:
            found += _importable(folder, personal)
            listed += [] if _holds_any(folder, personal) else [folder]
    found += [path for path in _editable_packages() if not _holds_any(path, personal)]
    return Readable(_resolved(found), _resolved(listed))


def readable_beside(folder: Path, personal: Collection[Path]) -> Readable:
    """Return the readable paths of a folder with third-party code.

    Links out of the folder are not followed.

    If the folder contains a dot-file or a folder of runs, the result lists all its other entries one by one; otherwise
    it is the whole folder. In a personal folder, only files and Python packages are readable.
    """
    if _holds_any(folder, personal):
        files = [Path(one.path) for one in _entries(folder) if _is_plain_file(one)]
        return Readable(files + _importable(folder, personal), [])
    return Readable(_clean_parts(folder, [MOST_ENTRIES]), [folder])


def _clean_parts(folder: Path, budget: list[int]) -> list[Path]:
    """Return the folder, or its readable parts if some contents are excluded."""
    entries = _entries(folder)
    if any(entry.name == RUN_FILE for entry in entries):
        return []
    parts, is_clean = list[Path](), True
    for entry in sorted(entries, key=lambda entry: entry.is_dir(follow_symlinks=False)):
        budget[0] -= 1
        if budget[0] < 0:
            return parts
        path = Path(entry.path)
        if entry.name.startswith(".") or entry.name == RUNS:
            is_clean = False
        elif entry.is_symlink():
            parts += _within(path, folder)
        elif entry.is_dir():
            below = _clean_parts(path, budget)
            is_clean &= below == [path]
            parts += below
        else:
            parts.append(path)
    return [folder] if is_clean else parts


def _within(link: Path, folder: Path) -> list[Path]:
    """Return the target of a link, if it is a file in the same folder that is not excluded."""
    with suppress(OSError, RuntimeError):
        target = link.resolve()
        if target.parent == folder.resolve() and target.is_file() and target.name[0] != ".":
            return [target]
    return []


def _importable(folder: Path, personal: Collection[Path]) -> list[Path]:
    """Return the modules and packages in a folder, or the archive in place of a folder.

    Personal folders, dot-files and runs are left out.
    """
    if folder.is_file():
        return [folder]
    found, budget = list[Path](), [MOST_ENTRIES]
    for entry in filter(_is_importable, _entries(folder)):
        path = Path(entry.path)
        if not entry.is_dir():
            found.append(path)
        elif not _holds_any(path, personal):
            found += _clean_parts(path, budget)
    return found


def _is_plain_file(entry: os.DirEntry[str]) -> bool:
    return entry.name[0] != "." and entry.is_file(follow_symlinks=False)


def _is_importable(entry: os.DirEntry[str]) -> bool:
    if entry.name.startswith(".") or entry.is_symlink():
        return False
    if entry.is_dir():
        return any(below.name.endswith((".py", *_INFO)) for below in _entries(Path(entry.path)))
    return entry.name.endswith((".py", *EXTENSION_SUFFIXES))


def _entries(folder: Path) -> list["os.DirEntry[str]"]:
    """Return the entries of a folder, or an empty list if it cannot be read."""
    with suppress(OSError), os.scandir(folder) as found:
        return list(islice(found, MOST_ENTRIES))
    return []


def _holds_any(folder: Path, personal: Collection[Path]) -> bool:
    """Return whether a path is a personal folder, or contains one."""
    real = folder.resolve()
    return any(one.is_relative_to(real) for one in personal)


def _prefixes() -> set[str]:
    return {sys.prefix, sys.base_prefix, sys.exec_prefix}


def _is_installed(folder: Path) -> bool:
    """Return whether a `sys.path` folder has installed packages and nothing personal."""
    installed = [*_prefixes(), site.getusersitepackages()]
    return "site-packages" in folder.parts or any(map(folder.is_relative_to, installed))


def _folders_of_libraries() -> list[Path]:
    """Return the folders of the loaded shared libraries, and those in `LD_LIBRARY_PATH`."""
    found = [Path(text) for text in os.environ.get("LD_LIBRARY_PATH", "").split(":") if text]
    with suppress(OSError):
        for line in Path("/proc/self/maps").read_text(encoding="utf-8").splitlines():
            path = line.partition("/")[2]
            if ".so" in path and not path.endswith("(deleted)"):
                found.append(Path("/", path).parent)
    return [folder for folder in found if folder.is_absolute()]


def _editable_packages() -> list[Path]:
    """Return the source folders of packages in editable installs.

    Such packages are installed as symbolic links or through a setuptools finder.
    """
    found = list[Path]()
    for folder in map(Path, sys.path):
        for entry in _entries(folder) if "site-packages" in folder.parts else ():
            if entry.is_symlink():
                found.append(Path(entry.path).resolve())
    for finder in sys.meta_path:
        kind = finder if isinstance(finder, type) else type(finder)
        mapping = getattr(sys.modules.get(kind.__module__), "MAPPING", None)  # Set by setuptools
        if isinstance(mapping, dict):
            found += [Path(str(place)) for place in mapping.values()]
    return found


def _resolved(paths: Iterable[Path]) -> list[Path]:
    """Return the distinct existing paths, with links resolved."""
    found = dict.fromkeys(path.resolve() for path in paths)
    return [path for path in found if path.exists()]
