"""Students' files loaded here as another process would load them, with a module set beside them on the path."""

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from isolarium.course.loader import ModuleSet

AGENTS: Final = Path(__file__).parent / "agents"


@contextmanager
def on_the_path(*folders: Path) -> Iterator[None]:
    """Import from these folders first, and forget afterwards what was imported."""
    path, known = sys.path[:], set(sys.modules)
    sys.path[:0] = [str(folder) for folder in folders]
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path[:] = path
        for name in set(sys.modules) - known:
            file = getattr(sys.modules[name], "__file__", None) or ""
            if any(Path(file).is_relative_to(folder) for folder in folders):
                del sys.modules[name]


def load(module: str, folder: Path, modules: ModuleSet) -> Any:
    """Return a student's module."""
    with on_the_path(folder, modules.folder):
        return importlib.import_module(module)
