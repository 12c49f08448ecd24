"""Entry points: what Python calls and Numba compiles, kept in the cache folder under a digest of their content.

An entry point is an ordinary module-level function, the template, that mentions names which it leaves open, such as
`WORDS` or `evaluate`. For every binding of these names a copy is compiled for one explicit signature. The copy's code
claims to stand in a file of the cache folder whose name is the digest; so Numba, which files its compiled code by file,
keeps the copies apart and can never mistake one for another.
"""

import inspect
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from types import FunctionType, ModuleType
from typing import Any

import numba

from isolab.native.cache import cache_folder, prune
from isolab.native.fingerprint import fingerprint
from isolab.native.jit import FLAGS

_compiling = RLock()
_compiled: dict[str, Callable[..., Any]] = {}  # by digest
_asked: dict[
    Any, Callable[..., Any]
] = {}  # by the very objects asked with: a digest takes milliseconds
_tell: Callable[[], None] | None = None


@contextmanager
def compiling_told(tell: Callable[[], None]) -> Iterator[None]:
    """Within the block, `tell` is called before something is compiled that is not in the cache: that takes seconds."""
    global _tell  # one task at a time asks for it
    _tell = tell
    try:
        yield
    finally:
        _tell = None


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
        assert isinstance(template, FunctionType)
        digest = fingerprint(*asked)
        with _compiling:
            if digest not in _compiled:
                _compiled[digest] = _compile(template, signature, bindings, digest)
        _asked[asked] = _compiled[digest]
    return _asked[asked]


def is_cached(template: Callable[..., Any], signature: Any, bindings: Mapping[str, Any]) -> bool:
    """Whether `compile_entry` would find its work done."""
    digest = fingerprint(template, str(signature), tuple(sorted(bindings.items())))
    return digest in _compiled or _source_path(template, digest).with_suffix(".done").exists()


def _compile(
    template: FunctionType, signature: Any, bindings: Mapping[str, Any], digest: str
) -> Callable[..., Any]:
    path = _source_path(template, digest)
    name = f"isolab_compiled_{template.__name__}_{digest}"
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
    if _tell is not None and not path.with_suffix(".done").exists():
        _tell()
    try:
        return _compile_and_keep(template, copy, signature, path)
    except OSError:  # the disk is full, for instance: it is compiled for this process alone
        unkept: Callable[..., Any] = numba.njit(signature, **FLAGS)(copy)
        return unkept


def _compile_and_keep(
    template: FunctionType, copy: FunctionType, signature: Any, path: Path
) -> Callable[..., Any]:
    if not path.exists():
        prune()
        _write_once(
            path,
            f'"""{template.__module__}.{template.__name__}, as compiled."""\n\n'
            + inspect.getsource(template),
        )
    with _private_cache():
        compiled: Callable[..., Any] = numba.njit(signature, cache=True, **FLAGS)(copy)
    path.with_suffix(".done").touch()
    return compiled


@contextmanager
def _private_cache() -> Iterator[None]:
    """Have Numba keep compiled code beside the source, whatever NUMBA_CACHE_DIR says: others might write there."""
    chosen, numba.config.CACHE_DIR = numba.config.CACHE_DIR, ""
    try:
        yield
    finally:
        numba.config.CACHE_DIR = chosen


def _source_path(template: Callable[..., Any], digest: str) -> Path:
    return cache_folder() / f"{template.__name__}_{digest}.py"


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
