"""A course agent's file, and the course's modules that it imports.

The file runs only in a sandboxed process. As in the course, its import path contains the files
beside it and the module set that it was written for. Each run reloads all of them.
"""

import ast
import inspect
import os
import re
import sys
from collections.abc import Callable, Collection, Sequence
from enum import StrEnum
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

from isolarium.course.modules.first.isolation.isolation import OLDEST_NAMES
from isolarium.errors import InputError, error_line, quoted
from isolarium.processes.code_loader import check_may_load
from isolarium.safe_files import MOST_OWN, MOST_SOURCE, file_holds, read_small
from isolarium.spec.parser import parse_number
from isolarium.text import did_you_mean

# Module sets


_SETS: Final = Path(__file__).parent / "modules"


class ModuleSet(StrEnum):
    """The modules of one of the course's two interfaces.

    FIRST is for agents with `get_move`, whether or not it takes the legal moves as an argument; LATER is for agents
    with `get_action`, on 9x11. The modules of both sets have the same names, so a folder can hold only one set.
    """

    FIRST = "first"
    LATER = "later"

    @property
    def folder(self) -> Path:
        """The folder to put on an agent's `sys.path`."""
        return _SETS / self

    def files(self) -> dict[Path, bytes]:
        """Return the modules' contents by path within the folder."""
        paths = sorted(self.folder.rglob("*.py"))
        return {path.relative_to(self.folder): read_small(path, MOST_OWN, follow_links=True) for path in paths}


def write_modules(which: ModuleSet, folder: Path, *, force: bool = False) -> list[Path]:
    """Write a module set into a folder, created if needed; return the files' paths.

    Existing files with the same names are overwritten if they come from either set of this version of Isolarium, or if
    `force` is set. If any file may not be overwritten, nothing is written.

    Raises:
        InputError: If a file of the same name is not from a module set, or the folder cannot be written to.
    """
    files = which.files()
    try:
        if not force:
            _check_ours(folder, files)
        for path, content in files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
    except OSError as error:
        where = error.filename or folder
        raise InputError(f"{where}: {error.strerror}; expected a folder to write to") from None
    return [folder / path for path in files]


def _check_ours(folder: Path, files: dict[Path, bytes]) -> None:
    ours = [modules.files() for modules in ModuleSet]
    for path in files:
        target = folder / path
        texts = [known[path] for known in ours if path in known]
        if target.exists() and not any(file_holds(target, text) for text in texts):
            raise InputError(f"{target}: this file is not Isolarium's; use --force to overwrite it")


# Agent files


USUAL: Final = ("AlphaBetaPlayer", "CustomPlayer", "MinimaxPlayer")
"""The classes to prefer, in order, if a file has several and none is named."""
SAMPLE_PLAYERS: Final = "sample_players"
COURSE_SCORES: Final = ("null_score", "open_move_score", "center_score", "improved_score")
"""The score functions of the course's sample players, for every file."""


class AgentFile:
    """A file that defines a course agent.

    Args:
        path: The file.

    Attributes:
        modules: The module set that the file was written for.
        module: The file's module, from its last run.
        isolation: The module `isolation` from that run.
        players: The module `sample_players` from that run.

    Raises:
        InputError: If the file does not define a course agent, or may not be loaded.
    """

    def __init__(self, path: Path) -> None:
        check_may_load(path)
        self._path = path
        tree = _parse(_text(path))
        _check_version(tree)
        _check_not_heuristic(tree, path.name)
        self.modules = _module_set(tree)
        self.module: ModuleType
        self.isolation: Any = None
        self.players: Any = None
        self._folders = [str(self.modules.folder), str(path.parent)]
        sys.path[:0] = self._folders
        sys.path_hooks.insert(0, self._finder)

    def load(self) -> None:
        """Run the file, and check the files that it imports from its folder.

        Raises:
            InputError: If the file raises an exception, or if any of the files uses the course's oldest `Board`.
        """
        self.run()
        for file in map(Path, self.own_files()):
            if file != self._path and file.is_file():  # Modules may lie in a zip archive.
                _check_version(_parse(_text(file)), f"{file.name}: ")

    def run(self) -> None:
        """Run the file, reloading the modules of an earlier run.

        Raises:
            InputError: If the file raises an exception.
        """
        self._forget()
        name = self._path.stem
        spec = spec_from_file_location(name, self._path, loader=_Loader(name, str(self._path)))
        if spec is None or spec.loader is None:
            raise InputError(f"{quoted(self._path.name)}: expected a Python file")
        self.isolation, self.players = map(import_module, ("isolation", SAMPLE_PLAYERS))
        self.module = sys.modules[name] = module_from_spec(spec)
        try:
            spec.loader.exec_module(self.module)
        except (Exception, SystemExit) as error:  # A file may raise anything.
            raise InputError(error_line(error)) from None

    def own_files(self) -> list[str]:
        """Return the loaded Python files of the file's folder."""
        files = _loaded_from([str(self._path.parent)]).values()
        return sorted({str(Path(file)) for file in files if file.endswith(".py")})

    def player_class(self, name: str) -> Any:
        """Return the agent's class by name; an empty name selects the default.

        Raises:
            InputError: If there is no such class, or more than one candidate.
        """
        return self._classes()[self.class_name(name)]

    def class_name(self, name: str) -> str:
        """Return the name of the agent's class; an empty name selects the default.

        Raises:
            InputError: If there is no such class, or more than one candidate.
        """
        method, own = self._asked_by, self.own_classes()
        if name:
            if name in self._classes():
                return name
            raise InputError(f"no class named {quoted(name)} with {method} ({_hint(name, own)})")
        found: list[str] = [key for key in USUAL if key in own] or sorted(own)
        if len(found) == 1 or (found and found[0] in USUAL):
            return found[0]
        hint = f"it has {', '.join(found)}: choose one with FILE.py:CLASS" if found else "it has none"
        raise InputError(f"expected one class with {method} ({hint})")

    def own_classes(self) -> dict[str, type]:
        """Return the playable classes that the file defines, by name."""
        name = self.module.__name__
        return {key: kind for key, kind in self._classes().items() if kind.__module__ == name}

    def own_functions(self) -> set[str]:
        """Return the names of public callables that are not classes."""
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
        """Return the module's attributes whose names are valid identifiers."""
        return {key: thing for key, thing in vars(self.module).items() if key.isidentifier() and key.isprintable()}

    def function(self, name: str) -> Callable[..., Any]:
        """Return a function of the file, or one of the course's scores, by name.

        Raises:
            InputError: If there is no such function.
        """
        found: Any = getattr(self.module, name, None)
        if found is None and name in COURSE_SCORES:
            found = getattr(self.players, name, None)
        if callable(found):
            return found  # type: ignore[no-any-return]
        hint = _hint(name, self.own_functions())
        raise InputError(f"no function named {quoted(name)} ({hint})")

    def value(self, text: str, parameter: inspect.Parameter | None = None) -> Any:
        """Return an argument's value.

        The text is read as a number, a bool, a name in the file or a name in `sample_players`. After the prefix
        `sample_players.`, only that module is searched. Any other text is the value itself if the parameter takes text:
        if its default is text, or its annotation mentions `str`. Without a default or annotation, the parameter may
        take anything, so only a misspelt name is refused.

        Args:
            text: The text.
            parameter: The parameter of the class; None if its name is not known.

        Raises:
            InputError: If the text is not a name, and the parameter does not take text.
        """
        number = parse_number(text)
        if number is not None:
            return int(text) if text.lstrip("+-").isdecimal() else number
        if text in ("true", "false"):
            return text == "true"
        name = text.removeprefix(f"{SAMPLE_PLAYERS}.")
        for place in (self.module, self.players) if name == text else (self.players,):
            if hasattr(place, name):
                return getattr(place, name)
        if name == text and _takes_text(parameter):
            return text
        known = {*COURSE_SCORES, *(self.own_functions() if name == text else ())}
        if did_you_mean(name, known) or name != text or not _takes_anything(parameter):
            place_named = "" if name == text else f" in {SAMPLE_PLAYERS}"
            raise InputError(f"no function or value named {quoted(name)}{place_named} ({_hint(name, known)})")
        return text

    def _forget(self) -> None:
        for name in _loaded_from(self._folders):
            del sys.modules[name]

    def _finder(self, folder: str) -> "_Finder":
        """Return the finder for modules in the file's or the module set's folders.

        Raises:
            ImportError: If the path is elsewhere, or not a folder. Zip archives have their own finder.
        """
        if not (_is_within(folder, self._folders) and Path(folder).is_dir()):
            raise ImportError
        return _Finder(folder)


class _Finder(FileFinder):
    """A finder of modules that does not list folders, which the sandbox may refuse."""

    def __init__(self, folder: str) -> None:
        super().__init__(folder)
        self._folder = Path(folder)

    def find_spec(self, name: str, target: Any = None) -> ModuleSpec | None:
        """Return the spec of a module; see `importlib.abc.PathEntryFinder`."""
        path = self._folder / name.rpartition(".")[2]
        package = self._found(name, path / "__init__", [str(path)])
        if package is not None:
            return package
        module = self._found(name, path, None)
        if module is None and path.is_dir():  # A namespace package
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
                        name, path, loader=loader(name, str(path)), submodule_search_locations=places
                    )
        return None


class _Loader(SourceFileLoader):
    """A loader of source files that compiles the same source only once."""

    @staticmethod
    def source_to_code(data: Any, path: Any = "<string>", *_: Any, **__: Any) -> CodeType:
        """Return the compiled source."""
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
    """Return the files of modules loaded from these folders, by module name."""
    files = {name: getattr(one, "__file__", None) for name, one in [*sys.modules.items()]}
    return {name: file for name, file in files.items() if isinstance(file, str) and _is_within(file, folders)}


def _is_within(path: str, folders: Collection[str]) -> bool:
    return any(path == folder or path.startswith(f"{folder}{os.sep}") for folder in folders)


def _text(path: Path) -> str:
    try:
        return read_small(path, MOST_SOURCE).decode(errors="replace")
    except OSError as error:
        problem = f"{error.strerror}; expected a Python file"
        raise InputError(f"{quoted(path.name)}: {problem}") from None


def _parse(text: str) -> ast.Module:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise InputError(error_line(error)) from None


def _check_version(tree: ast.Module, where: str = "") -> None:
    """Check that a file does not use the attributes of the course's oldest `Board`.

    Attributes that the file itself assigns are not counted.

    Raises:
        InputError: If the file uses such attributes.
    """
    attributes = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    own = {node.attr for node in attributes if isinstance(node.ctx, ast.Store)}
    used = {node.attr for node in attributes} & OLDEST_NAMES - own
    if used:
        raise InputError(
            f"{where}it uses {', '.join(sorted(used))} of the course's oldest version (generation 0), which is not "
            "supported; expected an agent for a Board with _board_state, a flat list"
        )


def _check_not_heuristic(tree: ast.Module, name: str) -> None:
    """Check that a file is not one of Isolarium's heuristics: decorated functions, and no class.

    Raises:
        InputError: If it is.
    """
    if any(isinstance(node, ast.ClassDef) for node in ast.walk(tree)):
        return
    for node in tree.body:
        decorators = node.decorator_list if isinstance(node, ast.FunctionDef) else ()
        if isinstance(node, ast.FunctionDef) and any(map(_is_heuristic, decorators)):
            raise InputError(
                f"no class with get_move or get_action; {node.name} looks like a heuristic, which needs a search: "
                f"isolarium match alphabeta:{name}:{node.name} alphabeta:improved"
            )


def _is_heuristic(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    word = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
    return word == "heuristic"


def _module_set(tree: ast.Module) -> ModuleSet:
    """Return the module set that a file was written for."""
    names = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names |= {alias.name for alias in node.names}
    later = {"get_action", "DataPlayer", "BasePlayer", "Isolation"}
    return ModuleSet.FIRST if names.isdisjoint(later) else ModuleSet.LATER


def parameter_of(kind: type, name: str) -> inspect.Parameter | None:
    """Return a parameter of a class's constructor, which a base class may define; None if no class names it."""
    for one in kind.__mro__:
        try:
            found = inspect.signature(vars(one)["__init__"]).parameters.get(name)
        except (KeyError, TypeError, ValueError):
            continue
        if found is not None:
            return found
    return None


def _takes_text(parameter: inspect.Parameter | None) -> bool:
    """Return whether a parameter's default or annotation shows that it takes text."""
    if parameter is None:
        return False
    annotation = parameter.annotation
    return isinstance(parameter.default, str) or annotation is str or re.search(r"\bstr\b", str(annotation)) is not None


def _takes_anything(parameter: inspect.Parameter | None) -> bool:
    """Return whether nothing shows what a parameter takes."""
    if parameter is None:
        return True
    has_default = parameter.default is not None and parameter.default is not parameter.empty
    return not has_default and parameter.annotation is parameter.empty


def _hint(name: str, known: Collection[str]) -> str:
    found = f"it has {', '.join(sorted(known))}" if known else "it has none"
    return did_you_mean(name, known) or found
