"""Descriptions of objects in the user's program: their code and its values.

The digest of a description identifies an object in another process or at another time.
"""

import dis
import inspect
import linecache
import site
import sys
import sysconfig
import textwrap
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, partial
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, Final

from isolarium.errors import LONGEST, InputError, quoted
from isolarium.safe_files import MOST_SOURCE, read_small
from isolarium.text import shortened

MOST_SHOWN: Final = 200
"""The maximum number of characters of a value or a line in a description."""
GLOBAL_OPS: Final = ("LOAD_GLOBAL", "LOAD_NAME")
TWIN: Final = "__compiled_twin__"
"""An attribute set by our decorators; it follows from the function, so it is left out."""


# The user's own code


@cache
def _installed_folders() -> tuple[Path, ...]:
    """Return the folders of the standard library, installed packages and Isolarium."""
    kinds = ("stdlib", "platstdlib", "purelib", "platlib")
    folders = [*map(sysconfig.get_path, kinds), *site.getsitepackages()]
    folders += [site.getusersitepackages(), str(Path(__file__).parents[1])]
    return tuple(Path(folder).resolve() for folder in folders)


@cache
def is_installed(path: Path) -> bool:
    """Return whether a file belongs to Python, an installed package or Isolarium."""
    return any(path.is_relative_to(folder) for folder in _installed_folders())


def is_own_module(name: str | None) -> bool:
    """Return whether a module is part of the user's program and not installed."""
    if name is None or name == "__main__":
        return True
    if name.partition(".")[0] in ("isolarium", *sys.builtin_module_names):
        return False
    module = sys.modules.get(name)
    if module is None:  # The module was removed, or the name is not a module's.
        return True
    file = getattr(module, "__file__", None)
    if file is None:  # Built in, a namespace, or created by a program
        return getattr(module, "__spec__", None) is None
    return not is_installed(_resolved(file))


@cache
def _resolved(file: str) -> Path:
    return Path(file).resolve()


def _is_own_file(file: str) -> bool:
    """Return whether a file in a traceback is the user's.

    Frozen and generated code is not the user's.
    """
    if file.startswith("<") and not file.startswith(("<stdin", "<ipython", "<string", "<python")):
        return file in linecache.cache and "isolarium" not in file
    return not is_installed(_resolved(file))


def failure_line(error: BaseException) -> str:
    """Return an error as one line, with the line of the user's program that raised it."""
    text = " ".join(f"{type(error).__name__}: {error}".removesuffix(": ").split())[:LONGEST]
    place = ""
    for frame, line in traceback.walk_tb(error.__traceback__):
        file = frame.f_code.co_filename
        if _is_own_file(file):
            code = linecache.getline(file, line).strip()
            where = f"{file_name(file)}, line {line}"
            place = f" ({where}: {shortened(code, MOST_SHOWN)})" if code else f" ({where})"
    return text + place


def file_name(file: str) -> str:
    """Return a source file's name for a message; a notebook's cells have no names."""
    if "ipykernel_" in file or file.startswith("<ipython"):
        return "notebook cell"
    return file.rpartition("/")[2].rpartition("\\")[2]


def return_lines(code: CodeType) -> tuple[list[int], list[int]]:
    """Return the lines on which a function returns None as it is written, and those on which it returns other values.

    A missing return counts as a return of None on the last line that runs before it.
    """
    lines: tuple[list[int], list[int]] = [], []
    for before, step in pairwise(dis.get_instructions(code)):
        constant = step if step.opname == "RETURN_CONST" else before
        if step.opname in ("RETURN_CONST", "RETURN_VALUE") and step.positions and step.positions.lineno:
            is_none = constant.opname in ("RETURN_CONST", "LOAD_CONST") and constant.argval is None
            lines[not is_none].append(step.positions.lineno)
    return lines


def lines_text(lines: list[int]) -> str:
    """Return lines as text, such as `line 4` or `line 4 or 7`; empty text if there are none."""
    return f"line {' or '.join(map(str, sorted(set(lines))))}" if lines else ""


# Descriptions


@dataclass(frozen=True)
class Description:
    """A description that identifies an object in another process or at another time.

    Attributes:
        digest: The digest of the object's code, of all user code that it uses, and of their values.
        source: The source text of all that code, except parts that cannot be read.
        values: The values that the code uses, shortened.
        files: The lines of the source files, by the files' names in tracebacks.
    """

    digest: str
    source: str
    values: Mapping[str, str]
    files: Mapping[str, list[str]]


def describe(thing: Any) -> Description:
    """Describe an object by its code and its values.

    Pickled bytes are not used, because they change between runs.

    Raises:
        InputError: If the object is nested too deeply.
    """
    walker = _Walker()
    try:
        walker.add(thing)
    except RecursionError:
        raise InputError(f"{quoted(thing)}: nested too deeply") from None
    return Description(walker.digest.hexdigest(), "\n\n".join(walker.sources), walker.values, walker.files)


def own_functions(thing: Any) -> list[FunctionType]:
    """Return the user's functions that an object uses, including the object itself."""
    walker = _Walker()
    walker.add(thing)
    return walker.functions


@dataclass
class _Walker:
    """A walk over an object and all user code and values that it uses.

    Each is visited once, always in the same order.
    """

    digest: Any = field(default_factory=sha256)
    sources: dict[str, None] = field(default_factory=dict)
    values: dict[str, str] = field(default_factory=dict)
    files: dict[str, list[str]] = field(default_factory=dict)
    functions: list[FunctionType] = field(default_factory=list)
    seen: dict[int, tuple[int, Any]] = field(default_factory=dict)

    def add(self, thing: Any) -> None:
        """Add an object and everything reachable from it."""
        if isinstance(thing, (bool, int, float, complex, str, bytes, type(None), type(...))):
            return self._update(type(thing).__name__, repr(thing))
        if id(thing) in self.seen:
            return self._update("seen", str(self.seen[id(thing)][0]))
        self.seen[id(thing)] = len(self.seen), thing  # Kept alive so that its id is not reused
        if isinstance(thing, Mapping):
            return self._add_items(type(thing).__name__, [x for item in thing.items() for x in item])
        if isinstance(thing, (set, frozenset)):
            return self._add_items("set", sorted(thing, key=_digest_alone))
        if isinstance(thing, (tuple, list)):
            return self._add_items(type(thing).__name__, thing)
        if isinstance(thing, CodeType):
            return self._add_code(thing)
        if isinstance(thing, FunctionType):
            return self._add_function(thing)
        if isinstance(thing, type):
            return self._add_class(thing)
        if isinstance(thing, ModuleType):
            return self._add_module(thing)
        return self._add_object(thing)

    def _update(self, *words: str) -> None:
        self.digest.update("\0".join(words).encode(errors="surrogatepass") + b"\1")

    def _add_items(self, kind: str, items: Iterable[Any]) -> None:
        self._update(kind)
        for item in items:
            self.add(item)
        self._update("end")

    def _add_named(self, name: str, value: Any) -> None:
        self._update("name", name)
        if not isinstance(value, (FunctionType, type, ModuleType, BuiltinFunctionType)):
            self.values.setdefault(name, quoted(value, MOST_SHOWN))
        self.add(value)

    def _add_code(self, code: CodeType) -> None:
        self._update("code", code.co_name, code.co_code.hex())
        self.add((*code.co_names, *code.co_varnames, *code.co_freevars))
        self._add_items("constants", code.co_consts)

    def _add_function(self, function: FunctionType) -> None:
        if not is_own_module(function.__module__):
            return self._update("installed", function.__module__, function.__qualname__)
        self.functions.append(function)
        self._keep_source(function, function.__code__.co_filename)
        self._update("function", function.__name__)
        self.add(function.__code__)
        for name, value in _defaults(function):
            self._add_named(name, value)
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            with suppress(ValueError):  # Not yet filled
                self._add_named(name, cell.cell_contents)
        for name in _global_names(function.__code__):
            if name in function.__globals__:
                self._add_named(name, function.__globals__[name])
        for name, value in vars(function).items():
            if name != TWIN:
                self._add_named(name, value)
        return None

    def _add_class(self, kind: type) -> None:
        if not is_own_module(kind.__module__):
            return self._update("installed", kind.__module__, kind.__qualname__)
        self._keep_source(kind, "")
        self._update("class", kind.__name__)
        self._add_items("bases", kind.__bases__)
        for name, value in vars(kind).items():
            if name not in ("__dict__", "__weakref__", "__doc__", "__module__", "__firstlineno__"):
                self._update("name", name)
                self.add(value)
        return None

    def _add_module(self, module: ModuleType) -> None:
        self._update("module", module.__name__)
        file = getattr(module, "__file__", None)
        if file is None or not is_own_module(module.__name__):
            return
        with suppress(OSError, InputError):
            text = read_small(Path(file), MOST_SOURCE, follow_links=True)
            self._update("text", sha256(text).hexdigest())
        for value in list(vars(module).values()):
            is_function = isinstance(value, FunctionType) and value.__module__ == module.__name__
            if is_function or (isinstance(value, ModuleType) and is_own_module(value.__name__)):
                self.add(value)

    def _add_object(self, thing: Any) -> None:
        if isinstance(thing, (staticmethod, classmethod)):
            return self.add(thing.__func__)
        if isinstance(thing, property):
            return self._add_items("property", (thing.fget, thing.fset, thing.fdel))
        if isinstance(thing, MethodType):
            return self._add_items("method", (thing.__func__, thing.__self__))
        if isinstance(thing, partial):
            return self._add_items("partial", (thing.func, thing.args, thing.keywords))
        if isinstance(thing, BuiltinFunctionType):
            return self._update("installed", str(thing.__module__), thing.__qualname__)
        wrapped = getattr(thing, "py_func", None) or getattr(thing, "__wrapped__", None)
        if wrapped is not None:  # Compiled by Numba, or cached
            return self._add_items("wrapped", (wrapped,))
        array = _array_of(thing)
        if array is not None:
            kind, shape = str(array.dtype), str(array.shape)
            return self._update("array", kind, shape, sha256(array.tobytes()).hexdigest())
        return self._add_state(thing)

    def _add_state(self, thing: Any) -> None:
        """Add an object of any other type, by its class and its attributes."""
        self._update("object")
        self.add(type(thing))
        state = getattr(thing, "__dict__", None)
        if isinstance(state, dict) and is_own_module(type(thing).__module__):
            for name, value in state.items():
                self._add_named(str(name), value)
            return
        try:  # The state that a copy needs, such as a random generator's
            parts = thing.__reduce_ex__(4)
        except Exception:  # The object cannot be copied, so no other process could receive its values.
            return
        self._add_items("state", parts if isinstance(parts, tuple) else (str(parts),))

    def _keep_source(self, thing: Any, file: str) -> None:
        """Keep the source text of a function or a class, if it can be found."""
        with suppress(OSError, TypeError, SyntaxError, IndexError):
            self.sources.setdefault(textwrap.dedent(inspect.getsource(thing)).rstrip())
        if file and file not in self.files and (lines := linecache.getlines(file)):
            self.files[file] = lines


def _digest_alone(thing: Any) -> str:
    walker = _Walker()
    walker.add(thing)
    return str(walker.digest.hexdigest())


def _defaults(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """Yield the parameters that have default values, with these values."""
    code, given = function.__code__, function.__defaults__ or ()
    names = code.co_varnames[: code.co_argcount]
    yield from zip(names[len(names) - len(given) :], given, strict=True)
    yield from (function.__kwdefaults__ or {}).items()


def _global_names(code: CodeType) -> list[str]:
    """Return the distinct names of globals used by code and functions inside it."""
    names = [step.argval for step in dis.get_instructions(code) if step.opname in GLOBAL_OPS]
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names += _global_names(constant)
    return list(dict.fromkeys(names))


def _array_of(thing: Any) -> Any:
    """Convert an array, a NumPy scalar or a tensor to a NumPy array.

    Return None for anything else.
    """
    numpy = sys.modules.get("numpy")
    if numpy is None or not hasattr(thing, "__array__"):
        return None
    with suppress(Exception):  # a third-party type may refuse
        detach: Callable[[], Any] | None = getattr(thing, "detach", None)  # of PyTorch
        return numpy.asarray(thing if detach is None else detach().cpu().numpy())
    return None
