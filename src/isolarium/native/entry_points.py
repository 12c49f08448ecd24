"""Entry points: functions that Python calls, compiled by Numba and cached.

An entry point is an ordinary module-level function, the template, with open names such as `WORDS`
or `evaluate`. For every binding of these names, a copy is compiled for one explicit signature. The
code object of the copy refers to a file in the cache folder whose name contains the digest. Numba
organises its cache by source file, so it stores the copies separately.

An open name may be bound to a `Part` (see `jit.py`). The entry point is then compiled once for
all parts, and a new part takes a fraction of the time.

The digest is of everything that compiled code depends on. Numba's own cache checks only the time stamp of the file that
defines a function. After an edit to a helper function in another file, it would therefore load outdated code. The
digest follows every name in the bytecode: functions with their closures and defaults, compiled twins, constants, arrays
and modules. An object that cannot be followed makes the digest unique, which costs a compilation but never gives a
wrong value.
"""

import gc
import hashlib
import inspect
import os
import sys
import sysconfig
import tempfile
import uuid
from collections import namedtuple
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from threading import RLock
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any, Final

import numba
import numpy as np
from numba.core.compiler_lock import global_compiler_lock

from isolarium.native.cache import DONE, place_of, prune
from isolarium.native.jit import FLAGS, PART, TWIN, Part, QuickCache, filled, hole
from isolarium.safe_files import MOST_OWN, read_small

LIBRARIES: Final = frozenset({"numpy", "numba", "llvmlite"})
STANDARD_LIBRARY: Final = Path(sysconfig.get_path("stdlib"))
"""Libraries and the standard library are identified by version; their code is not followed."""

_Field: Final = type(vars(namedtuple("_Example", "field"))["field"])  # The type has no public name.


def fingerprint(*things: Any) -> str:
    """Return a hexadecimal digest of all code and data reachable from `things`."""
    walker = _Walker()
    walker.add(_foundation())
    for thing in things:
        walker.add(thing)
    return walker.digest.hexdigest()[:32]


@cache
def _foundation() -> bytes:
    """Return a digest of the platform's versions and this package's source.

    All of the source is included, because overloaded operators have no names to follow.
    """
    digest = hashlib.sha256()
    for part in (sys.version, numba.__version__, np.__version__, sysconfig.get_platform()):
        digest.update(part.encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(read_small(path, MOST_OWN, follow_links=True))
    return digest.digest()


class _Walker:
    """A walk that adds every reachable object to a digest exactly once."""

    def __init__(self) -> None:
        self.digest = hashlib.sha256()
        self.seen: dict[int, tuple[int, Any]] = {}  # By id: the index in the walk, and the object

    def add(self, thing: Any) -> None:
        """Add an object and everything reachable from it."""
        if isinstance(thing, (bool, int, float, complex, str, bytes, type(None), type(...))):
            return self._update(type(thing).__name__, repr(thing))
        if id(thing) in self.seen:
            return self._update("seen", str(self.seen[id(thing)][0]))
        self.seen[id(thing)] = len(self.seen), thing  # Kept alive so that its id is not reused
        if isinstance(thing, (tuple, list, set, frozenset, dict)):
            return self._add_collection(thing)
        if isinstance(thing, CodeType):
            return self._add_code(thing)
        return self._add_object(thing)

    def _update(self, *words: str) -> None:
        self.digest.update("\0".join(words).encode() + b"\1")

    def _add_collection(self, thing: Iterable[Any]) -> None:
        self._update(type(thing).__name__)
        items = list(thing.items()) if isinstance(thing, dict) else list(thing)
        if isinstance(thing, (set, frozenset)):
            items.sort(key=repr)
        for item in items:
            self.add(item)
        self._update("end")

    def _add_code(self, code: CodeType) -> None:
        self._update("code", code.co_name, repr(code.co_code), repr(code.co_flags))
        self.add((code.co_consts, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars))

    def _add_object(self, thing: Any) -> None:
        if isinstance(thing, np.ndarray):
            return self._update("array", str(thing.dtype), str(thing.shape), thing.tobytes().hex())
        if isinstance(thing, ModuleType):
            return self._update("module", thing.__name__)  # `_named` follows the attributes in use.
        inner = getattr(thing, "py_func", None) or getattr(thing, "_defn", None)
        if inner is not None:  # A Numba dispatcher or intrinsic
            self._update("options", repr(getattr(thing, "targetoptions", None)))
            return self.add(inner)
        if isinstance(thing, numba.types.Type):
            return self._update("type", str(thing))
        if _library(getattr(thing, "__module__", None)) or isinstance(thing, BuiltinFunctionType):
            return self._update("library", str(getattr(thing, "__qualname__", None) or repr(thing)))
        if isinstance(thing, FunctionType):
            return self._add_function(thing)
        if isinstance(thing, _Field):  # A field of a named tuple, determined by its index
            return self._update("field", str(thing.__reduce__()[1][0]))
        if isinstance(thing, type):
            self._update("class", thing.__qualname__)
            return self.add({k: v for k, v in vars(thing).items() if not k.startswith("__")})
        return self._update("unknown", uuid.uuid4().hex)

    def _add_function(self, function: FunctionType) -> None:
        # Loading compiled code imports its functions' modules, so the digest includes the module's
        # name.
        self._update("function", function.__module__, function.__name__)
        self.add(function.__code__)
        self.add((function.__defaults__, function.__kwdefaults__))
        self.add(tuple(cell.cell_contents for cell in function.__closure__ or ()))
        self.add(getattr(function, TWIN, None))
        for name, value in _named(function.__code__, function.__globals__):
            self._update("name", name)
            self.add(value)


def _library(module: str | None) -> bool:
    """Return whether a module is identified by its version or is part of this package."""
    if module is None:
        return False
    top = module.partition(".")[0]
    if top in sys.stdlib_module_names:  # Unless a user's file with the same name shadows it
        file = getattr(sys.modules.get(top), "__file__", None)
        return file is None or Path(file).is_relative_to(STANDARD_LIBRARY)
    return top in LIBRARIES or module.startswith(f"{__package__}.")


def _named(code: CodeType, scope: dict[str, Any]) -> list[tuple[str, Any]]:
    """Return the globals, and the attributes of modules, that the code uses."""
    names = _all_names(code)
    found = [(name, scope[name]) for name in names if name in scope]
    for name, value in found:  # Grows during iteration, because modules may refer to other modules
        if isinstance(value, ModuleType) and not _library(value.__name__):
            found += [
                (f"{name}.{attribute}", getattr(value, attribute))
                for attribute in names
                if hasattr(value, attribute) and name.count(".") < 8
            ]
    return found


def _all_names(code: CodeType) -> list[str]:
    """Return the names used by the code and by nested code, each once."""
    names = list(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names += _all_names(constant)
    return list(dict.fromkeys(names))


_compiling = RLock()
_compiled: dict[str, Any] = {}  # Dispatchers by digest
_requested: dict[Any, Callable[..., Any]] = {}  # By the arguments, because digests are slow
_notify: Callable[[], None] | None = None
_keeps_shared_parts = False


@contextmanager
def notify_before_compiling(notify: Callable[[], None]) -> Iterator[None]:
    """Within the block, call `notify` before each compilation."""
    global _notify  # Only one task at a time uses it.
    _notify = notify
    try:
        yield
    finally:
        _notify = None


@contextmanager
def keep_shared_parts() -> Iterator[None]:
    """Within the block, also cache entry points compiled without their part.

    This speeds up later compilations with other parts.
    """
    global _keeps_shared_parts  # Only one task at a time uses it.
    _keeps_shared_parts = True
    try:
        yield
    finally:
        _keeps_shared_parts = False


def compile_entry(template: Callable[..., Any], signature: Any, bindings: Mapping[str, Any]) -> Callable[..., Any]:
    """Compile a template with its open names bound, or load it from the cache.

    Args:
        template: A module-level function, which is not called itself.
        signature: One explicit Numba signature.
        bindings: Values of the template's open names; functions among them become part of the
            compiled code.
    """
    request = (template, str(signature), tuple(sorted(bindings.items())))
    if request not in _requested:
        digest = fingerprint(*request)
        with _compiling:
            if digest not in _compiled:
                _compiled[digest] = _compile(template, signature, bindings, digest)
        _requested[request] = _compiled[digest]
    return _requested[request]


def entry_address(compiled: Callable[..., Any]) -> int:
    """Return the machine code's address of a function that `compile_entry` returned.

    `call_compiled` calls it from other compiled code.
    """
    (result,) = compiled.overloads.values()  # type: ignore[attr-defined] # a dispatcher
    address: int = result.library.get_pointer_to_function(result.fndesc.llvm_func_name)
    return address


def is_cached(template: Callable[..., Any], signature: Any, bindings: Mapping[str, Any]) -> bool:
    """Return whether `compile_entry` would have nothing to compile."""
    digest = fingerprint(template, str(signature), tuple(sorted(bindings.items())))
    return digest in _compiled or _source_path(template, digest).with_suffix(DONE).exists()


def _compile(
    template: Callable[..., Any],
    signature: Any,
    bindings: Mapping[str, Any],
    digest: str,
    flags: Mapping[str, Any] = FLAGS,
) -> Any:
    """Return Numba's dispatcher with compiled code for this signature only."""
    path = _source_path(template, digest)
    function = _bound_copy(template, bindings, digest)
    name, part = _part_of(bindings)
    part_digest = _register(part) if part else ""
    dispatcher = numba.njit(**flags)(function)
    with _private_cache(), global_compiler_lock:
        if part is not None and _keeps_shared_parts:
            _with_hole(template, signature, bindings, name)
        kept = _cache_of(template, function, path)
        result: Any = kept and kept.load_overload(signature, dispatcher.targetctx)
        if result is None:
            if _notify is not None:
                _notify()
            with _garbage_collection_off():
                if part is None:
                    result = _result(numba.njit(**flags)(function), signature)
                else:
                    unfilled, hole_digest = _with_hole(template, signature, bindings, name)
                    result = filled(unfilled, _by_itself(part, part_digest), hole_digest, digest)
            if kept is not None:
                with suppress(OSError):  # For instance, the disk is full.
                    kept.save_overload(signature, result)
    dispatcher.add_overload(result)
    dispatcher.disable_compile()
    if kept is not None:
        with suppress(OSError):
            path.with_suffix(DONE).touch()
    return dispatcher


def _cache_of(template: Callable[..., Any], function: FunctionType, path: Path) -> QuickCache | None:
    """Return the cache of the compiled code, or None if it cannot be stored."""
    try:
        if not path.exists():
            _make_room(path.parent)
            _write_once(
                path, f'"""{template.__module__}.{template.__name__}, as compiled."""\n\n' + inspect.getsource(template)
            )
        return QuickCache(function)
    except OSError:
        return None


@cache
def _make_room(_: Path) -> None:
    """Limit the size of the cache, once per process.

    It runs only once because scanning thousands of files takes time.
    """
    prune()


def _part_of(bindings: Mapping[str, Any]) -> tuple[str, Part | None]:
    """Return the name and value of the binding that is a `Part`, if any."""
    parts = [(name, value) for name, value in bindings.items() if isinstance(value, Part)]
    return parts[0] if parts else ("", None)


def _with_hole(template: Callable[..., Any], signature: Any, bindings: Mapping[str, Any], name: str) -> tuple[Any, str]:
    """Return an entry point, compiled with a hole for its part, and its digest."""
    taken = bindings[name].signature
    named = {**bindings, name: str(taken)}
    digest = fingerprint(template, str(signature), tuple(sorted(named.items())))
    if digest not in _compiled:
        _compiled[digest] = _compile(template, signature, {**bindings, name: hole(taken)}, digest)
    return _result(_compiled[digest], signature), digest


def _register(part: Part) -> str:
    """Create the module of a part and return its digest.

    Compiled code that calls the part cannot be loaded unless this module exists.
    """
    digest = fingerprint(part.template, str(part.signature), part.bindings)
    _bound_copy(part.template, dict(part.bindings), digest)
    return digest


def _by_itself(part: Part, digest: str) -> Any:
    """Return the compile result of a part, which is the same for all entry points."""
    if digest not in _compiled:
        bindings = dict(part.bindings)
        _compiled[digest] = _compile(part.template, part.signature, bindings, digest, PART)
    return _result(_compiled[digest], part.signature)


def _result(dispatcher: Any, signature: Any) -> Any:
    """Return Numba's compile result for the signature."""
    if signature.args not in dispatcher.overloads:
        dispatcher.compile(signature)
    return dispatcher.overloads[signature.args]


def _bound_copy(template: Callable[..., Any], bindings: Mapping[str, Any], digest: str) -> FunctionType:
    """Return a copy of the function, in a module of its own, with its open names bound."""
    assert isinstance(template, FunctionType)
    name = f"isolarium_compiled_{template.__name__}_{digest}"
    path = _source_path(template, digest)
    module = ModuleType(name)
    module.__file__ = str(path)
    scope = module.__dict__
    scope.update({**template.__globals__, **bindings, "__name__": name, "__file__": str(path)})
    sys.modules[name] = module  # Numba looks up modules by name when it loads compiled code.
    code = template.__code__.replace(co_filename=str(path))
    copy = FunctionType(code, scope, template.__name__, template.__defaults__)
    copy.__module__ = name
    copy.__qualname__ = template.__qualname__
    return copy


@contextmanager
def _garbage_collection_off() -> Iterator[None]:
    """Turn garbage collection off.

    Compilation creates little garbage, but collecting it takes a tenth of the time.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@contextmanager
def _private_cache() -> Iterator[None]:
    """Make Numba ignore the cache folder that its environment variables set.

    Other users might be able to write to that folder.
    """
    chosen, numba.config.CACHE_DIR = numba.config.CACHE_DIR, ""
    try:
        yield
    finally:
        numba.config.CACHE_DIR = chosen


def _source_path(template: Callable[..., Any], digest: str) -> Path:
    return place_of(f"{template.__name__}_{digest}.py")


def _write_once(path: Path, text: str) -> None:
    """Write the file atomically.

    If another process is compiling at the same time, replacing the file only costs a recompilation.
    """
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
