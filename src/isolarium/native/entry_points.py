"""Entry points: functions that Python calls, compiled by Numba and cached.

An entry point is an ordinary module-level function, the template, with open names such as `WORDS`
or `evaluate`. For every binding of these names, a copy is compiled for one explicit signature. The
code object of the copy refers to a file in the cache folder whose name contains the digest. Numba
organises its cache by source file, so it stores the copies separately.

An open name may be bound to a `Part` (see `linker.py`). The entry point is then compiled once for
all parts, and a new part takes a fraction of the time.
"""

import gc
import inspect
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from threading import RLock
from types import FunctionType, ModuleType
from typing import Any

import numba
from numba.core.compiler_lock import global_compiler_lock

from isolarium.native.cache import DONE, place_of, prune
from isolarium.native.fingerprint import fingerprint
from isolarium.native.jit import FLAGS, PART
from isolarium.native.linker import Part, QuickCache, filled, hole

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
