"""A course agent's file, run as the course would run it: beside its neighbours, on the modules that it is written for.

Only ever in a process that is shut in. Each run forgets the one before: the file, its neighbours and the module set are
loaded anew.
"""

import ast
import os
import sys
from collections.abc import Callable, Collection, Sequence
from functools import cache
from importlib import import_module
from importlib.machinery import (
    BYTECODE_SUFFIXES,
    EXTENSION_SUFFIXES,
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    ModuleSpec,
    SourceFileLoader,
    SourcelessFileLoader,
)
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, Final

from isolarium.course.module_set import ModuleSet
from isolarium.errors import InputError, quoted, told
from isolarium.processes.permissions import check_may_load
from isolarium.safe_files import MOST_SOURCE, read_small
from isolarium.spec.parser import parse_number
from isolarium.text import did_you_mean

OLDEST: Final = "__board_state__"
USUAL: Final = ("AlphaBetaPlayer", "CustomPlayer", "MinimaxPlayer")
"""Which class is meant where none is named and there are several."""


class AgentFile:
    """A file with somebody's agent.

    Args:
        path: the file.

    Attributes:
        modules: the module set that it is written for.
        module: the file as it was run last.
        isolation: the module of that name that it was given.
        players: the course's sample players that it was given.

    Raises:
        InputError: it is no such file, or may not be loaded.
    """

    def __init__(self, path: Path) -> None:
        check_may_load(path)
        self._path = path
        self.modules = _module_set(self._text())
        self.module: ModuleType
        self.isolation: Any = None
        self.players: Any = None
        self._folders = [str(self.modules.folder), str(path.parent)]
        sys.path[:0] = self._folders
        sys.path_hooks.insert(0, self._finder)

    def run(self) -> None:
        """Run it.

        Raises:
            InputError: whatever it raised.
        """
        self._forget()
        name = self._path.stem
        spec = spec_from_file_location(name, self._path, loader=_Loader(name, str(self._path)))
        if spec is None or spec.loader is None:
            raise InputError(f"{quoted(self._path.name)}: expected a Python file")
        self.isolation, self.players = map(import_module, ("isolation", "sample_players"))
        self.module = sys.modules[name] = module_from_spec(spec)
        try:
            spec.loader.exec_module(self.module)
        except (Exception, SystemExit) as error:  # whatever a file may raise when it is loaded
            raise InputError(f"{self._path.name}: {told(error)}") from None

    def own_files(self) -> list[str]:
        """Those of its folder that are loaded."""
        files = _loaded_from([str(self._path.parent)]).values()
        return sorted({str(Path(file)) for file in files if file.endswith(".py")})

    def player_class(self, name: str) -> Any:
        """The agent's class, the one that is meant most probably where no name is given.

        Raises:
            InputError: there is none of that name, or it is not clear which is meant.
        """
        return self._classes()[self.class_name(name)]

    def class_name(self, name: str) -> str:
        """Return the name in the file of the class that is meant.

        Raises:
            InputError: If there is none of that name, or it is not clear which is meant.
        """
        method, own = self._asked_by, self.own_classes()
        if name:
            if name in self._classes():
                return name
            raise InputError(f"no class {quoted(name)} with {method} ({_there_is(name, own)})")
        meant: list[str] = [key for key in USUAL if key in own] or sorted(own)
        if len(meant) == 1 or (meant and meant[0] in USUAL):
            return meant[0]
        hint = f"it has {', '.join(meant)}: FILE.py:CLASS says which" if meant else "it has none"
        raise InputError(f"expected one class with {method} ({hint})")

    def own_classes(self) -> dict[str, type]:
        """The classes that can choose, as far as they are written in this file, by name."""
        name = self.module.__name__
        return {key: kind for key, kind in self._classes().items() if kind.__module__ == name}

    def own_functions(self) -> set[str]:
        """The names of what can be called and is no class."""
        return {
            key
            for key, thing in self._named().items()
            if callable(thing) and not isinstance(thing, type) and not key.startswith("_")
        }

    @property
    def _asked_by(self) -> str:
        return "get_action" if self.modules is ModuleSet.LATER else "get_move"

    def _classes(self) -> dict[str, type]:
        return {
            key: thing
            for key, thing in self._named().items()
            if isinstance(thing, type) and callable(getattr(thing, self._asked_by, None))
        }

    def _named(self) -> dict[str, Any]:
        """Return what the file has by names that can be typed; code can give it others."""
        return {
            key: thing
            for key, thing in vars(self.module).items()
            if key.isidentifier() and key.isprintable()
        }

    def function(self, name: str) -> Callable[..., Any]:
        """A function of that name.

        Raises:
            InputError: there is none.
        """
        found: Any = getattr(self.module, name, None)
        if callable(found):
            return found  # type: ignore[no-any-return]
        hint = _there_is(name, self.own_functions())
        raise InputError(f"no function {quoted(name)} ({hint})")

    def value(self, text: str) -> Any:
        """What an argument stands for: a number, true or false, something of the file or of the samples, or a word."""
        number = parse_number(text)
        if number is not None:
            return int(text) if text.lstrip("+-").isdecimal() else number
        if text in ("true", "false"):
            return text == "true"
        for place in (self.module, self.players):
            if hasattr(place, text):
                return getattr(place, text)
        return text

    def _text(self) -> str:
        try:
            return read_small(self._path, MOST_SOURCE).decode(errors="replace")
        except OSError as error:
            told = f"{error.strerror}; expected a Python file"
            raise InputError(f"{quoted(self._path.name)}: {told}") from None

    def _forget(self) -> None:
        for name in _loaded_from(self._folders):
            del sys.modules[name]

    def _finder(self, folder: str) -> "_Finder":
        """Return the finder of modules in the file's folder, a module set's folder, or one below them.

        Raises:
            ImportError: If the path is elsewhere, or is not a folder: zip archives have a finder of their own.
        """
        if not (_is_within(folder, self._folders) and Path(folder).is_dir()):
            raise ImportError
        return _Finder(folder)


class _Finder(FileFinder):
    """Finds modules by their names: a sandbox may let us read what is in a folder, and not list it."""

    def __init__(self, folder: str) -> None:
        super().__init__(folder)
        self._folder = Path(folder)

    def find_spec(self, name: str, target: Any = None) -> ModuleSpec | None:
        """Return what to load for a module; see `importlib.abc.PathEntryFinder`."""
        path = self._folder / name.rpartition(".")[2]
        package = self._found(name, path / "__init__", [str(path)])
        if package is not None:
            return package
        module = self._found(name, path, None)
        if module is None and path.is_dir():  # a package without a file
            module = ModuleSpec(name, None, is_package=True)
            module.submodule_search_locations = [str(path)]
        return module

    @staticmethod
    def _found(name: str, stem: Path, places: list[str] | None) -> ModuleSpec | None:
        for loader, suffixes in LOADERS:
            for suffix in suffixes:
                path = stem.with_name(stem.name + suffix)
                if path.is_file():
                    return spec_from_file_location(
                        name,
                        path,
                        loader=loader(name, str(path)),
                        submodule_search_locations=places,
                    )
        return None


class _Loader(SourceFileLoader):
    """Loads a file as Python does, but for compiling the same text only once: it is loaded for each game."""

    @staticmethod
    def source_to_code(data: Any, path: Any = "<string>", *_: Any, **__: Any) -> CodeType:
        """The compiled text."""
        return _compiled(bytes(data), os.fspath(path))


LOADERS: Final[Sequence[tuple[Callable[[str, str], Any], Sequence[str]]]] = (
    (ExtensionFileLoader, EXTENSION_SUFFIXES),
    (_Loader, SOURCE_SUFFIXES),
    (SourcelessFileLoader, BYTECODE_SUFFIXES),
)


@cache
def _compiled(text: bytes, path: str) -> CodeType:
    code: CodeType = compile(text, path, "exec", dont_inherit=True)
    return code


def _loaded_from(folders: Collection[str]) -> dict[str, str]:
    """The modules that were loaded from these folders or below them, by name, and the file of each."""
    files = {name: getattr(one, "__file__", None) for name, one in [*sys.modules.items()]}
    return {
        name: file
        for name, file in files.items()
        if isinstance(file, str) and _is_within(file, folders)
    }


def _is_within(path: str, folders: Collection[str]) -> bool:
    return any(path == folder or path.startswith(f"{folder}{os.sep}") for folder in folders)


def _module_set(text: str) -> ModuleSet:
    """Which interface a file is written for.

    Raises:
        InputError: it does not parse, or is of the oldest one.
    """
    if OLDEST in text:
        raise InputError(
            f"it uses {OLDEST}[row][col], of the course's oldest version (generation 0), which is not played; "
            "expected an agent for a Board with _board_state, a flat list"
        )
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise InputError(f"{told(error)}; expected a Python file") from None
    names = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names |= {alias.name for alias in node.names}
    later = {"get_action", "DataPlayer", "BasePlayer", "Isolation"}
    return ModuleSet.FIRST if names.isdisjoint(later) else ModuleSet.LATER


def _there_is(name: str, known: Collection[str]) -> str:
    has = f"it has {', '.join(sorted(known))}" if known else "it has none"
    return did_you_mean(name, known) or has
