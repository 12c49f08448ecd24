"""Entry points: what Python calls and Numba compiles, kept in the cache folder under a digest of their content.

An entry point is an ordinary module-level function, the template, that mentions names which it leaves open, such as
`WORDS` or `evaluate`. For every binding of these names a copy is compiled for one explicit signature. The copy's code
claims to stand in a file of the cache folder whose name is the digest; so Numba, which files its compiled code by file,
keeps the copies apart and can never mistake one for another.

An open name may be bound to a `Part` (see `linker.py`). Then the entry point is compiled once for all parts, and a new
part costs a fraction of the time.
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
_compiled: dict[str, Any] = {}  # dispatchers by digest
_asked: dict[
    Any, Callable[..., Any]
] = {}  # by the very objects asked with: a digest takes milliseconds
_tell: Callable[[], None] | None = None
_keeps_shared_parts = False


@contextmanager
def compiling_told(tell: Callable[[], None]) -> Iterator[None]:
    """Within the block, `tell` is called before something is compiled that is not in the cache: that takes seconds."""
    global _tell  # one task at a time asks for it
    _tell = tell
    try:
        yield
    finally:
        _tell = None


@contextmanager
def shared_parts_kept() -> Iterator[None]:
    """Within the block, whatever is compiled or loaded with a part is also kept without it, for parts to come."""
    global _keeps_shared_parts  # one task at a time asks for it
    _keeps_shared_parts = True
    try:
        yield
    finally:
        _keeps_shared_parts = False


def compile_entry(
    template: Callable[..., Any], signature: Any, bindings: Mapping[str, Any]
) -> Callable[..., Any]:
    """Compile `template` for `signature` with its open names bound, or load it from the cache.

    Args:
        template: a module-level function; it is not called.
        signature: one explicit Numba signature.
        bindings: values of the template's open names; functions among them become part of the compiled code.
    """
    asked = (template, str(signature), tuple(sorted(bindings.items())))
    if asked not in _asked:
        digest = fingerprint(*asked)
        with _compiling:
            if digest not in _compiled:
                _compiled[digest] = _compile(template, signature, bindings, digest)
        _asked[asked] = _compiled[digest]
    return _asked[asked]


def is_cached(template: Callable[..., Any], signature: Any, bindings: Mapping[str, Any]) -> bool:
    """Whether `compile_entry` would find its work done."""
    digest = fingerprint(template, str(signature), tuple(sorted(bindings.items())))
    return digest in _compiled or _source_path(template, digest).with_suffix(DONE).exists()


def _compile(
    template: Callable[..., Any],
    signature: Any,
    bindings: Mapping[str, Any],
    digest: str,
    flags: Mapping[str, Any] = FLAGS,
) -> Any:
    """Numba's dispatcher, which has compiled code for the signature and compiles no other."""
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
            if _tell is not None:
                _tell()
            with _garbage_kept():
                if part is None:
                    result = _result(numba.njit(**flags)(function), signature)
                else:
                    unfilled, hole_digest = _with_hole(template, signature, bindings, name)
                    result = filled(unfilled, _by_itself(part, part_digest), hole_digest, digest)
            if kept is not None:
                with suppress(OSError):  # the disk is full, for instance
                    kept.save_overload(signature, result)
    dispatcher.add_overload(result)
    dispatcher.disable_compile()
    if kept is not None:
        with suppress(OSError):
            path.with_suffix(DONE).touch()
    return dispatcher


def _cache_of(
    template: Callable[..., Any], function: FunctionType, path: Path
) -> QuickCache | None:
    """Where the function's compiled code is kept; None where nothing can be, and it is for this process alone."""
    try:
        if not path.exists():
            _make_room(path.parent)
            _write_once(
                path,
                f'"""{template.__module__}.{template.__name__}, as compiled."""\n\n'
                + inspect.getsource(template),
            )
        return QuickCache(function)
    except OSError:
        return None


@cache
def _make_room(_: Path) -> None:
    """Keep a folder from growing without end, once in a process: to look at thousands of files takes its time."""
    prune()


def _part_of(bindings: Mapping[str, Any]) -> tuple[str, Part | None]:
    """The part among the bindings, of which there is one at the most, and its name."""
    parts = [(name, value) for name, value in bindings.items() if isinstance(value, Part)]
    return parts[0] if parts else ("", None)


def _with_hole(
    template: Callable[..., Any], signature: Any, bindings: Mapping[str, Any], name: str
) -> tuple[Any, str]:
    """The compile result of the entry point without its part of that name, and its digest."""
    taken = bindings[name].signature
    named = {**bindings, name: str(taken)}
    digest = fingerprint(template, str(signature), tuple(sorted(named.items())))
    if digest not in _compiled:
        _compiled[digest] = _compile(template, signature, {**bindings, name: hole(taken)}, digest)
    return _result(_compiled[digest], signature), digest


def _register(part: Part) -> str:
    """The digest of a part, whose module is there from now on: what calls it is not loaded without."""
    digest = fingerprint(part.template, str(part.signature), part.bindings)
    _bound_copy(part.template, dict(part.bindings), digest)
    return digest


def _by_itself(part: Part, digest: str) -> Any:
    """The compile result of a part, which is the same in all entry points."""
    if digest not in _compiled:
        bindings = dict(part.bindings)
        _compiled[digest] = _compile(part.template, part.signature, bindings, digest, PART)
    return _result(_compiled[digest], part.signature)


def _result(dispatcher: Any, signature: Any) -> Any:
    """Numba's compile result for the signature."""
    if signature.args not in dispatcher.overloads:
        dispatcher.compile(signature)
    return dispatcher.overloads[signature.args]


def _bound_copy(
    template: Callable[..., Any], bindings: Mapping[str, Any], digest: str
) -> FunctionType:
    """The function with its open names bound, in a module of its own."""
    assert isinstance(template, FunctionType)
    name = f"isolarium_compiled_{template.__name__}_{digest}"
    path = _source_path(template, digest)
    module = ModuleType(name)
    module.__file__ = str(path)
    scope = module.__dict__
    scope.update({**template.__globals__, **bindings, "__name__": name, "__file__": str(path)})
    sys.modules[name] = (
        module  # Numba looks its functions' modules up by name when it loads compiled code
    )
    code = template.__code__.replace(co_filename=str(path))
    copy = FunctionType(code, scope, template.__name__, template.__defaults__)
    copy.__module__ = name
    copy.__qualname__ = template.__qualname__
    return copy


@contextmanager
def _garbage_kept() -> Iterator[None]:
    """Have Python not look for garbage: compiling leaves little, and to look for it takes a tenth of the time."""
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
    """Have Numba use no folder that its environment variables name: others might write there."""
    chosen, numba.config.CACHE_DIR = numba.config.CACHE_DIR, ""
    try:
        yield
    finally:
        numba.config.CACHE_DIR = chosen


def _source_path(template: Callable[..., Any], digest: str) -> Path:
    return place_of(f"{template.__name__}_{digest}.py")


def _write_once(path: Path, text: str) -> None:
    """Put the file in place whole. A file replaced while another process compiles only costs compiling again."""
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
