"""The pages' engine in Node, for tests, proofs and benchmarks."""

import json
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any, Final

from tools.build_wasm.sources import FOLDER

SCALAR: Final = "-scalar.wasm"
"""The ending of the modules without vector instructions."""


def has_node() -> bool:
    """Return whether Node is installed."""
    return shutil.which("node") is not None


class NodeEngine:
    """The engine in a process of its own, as a context manager.

    Args:
        scalar: Whether to use the modules without vector instructions.
    """

    def __init__(self, *, scalar: bool = False) -> None:
        self._scalar = scalar

    def __enter__(self) -> "NodeEngine":
        """Start Node on a copy of the pages' modules, which Node takes for modules only with a package.json."""
        self._folder = TemporaryDirectory()
        for name in ("engine", "game"):
            shutil.copytree(FOLDER.parent / name, Path(self._folder.name, name))
        if self._scalar:
            for path in Path(self._folder.name, "engine").glob(f"*{SCALAR}"):
                path.replace(path.with_name(path.name.replace(SCALAR, ".wasm")))
        Path(self._folder.name, "package.json").write_text('{"type": "module"}', encoding="utf-8")
        command = ["node", str(Path(__file__).with_suffix(".mjs")), self._folder.name]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, encoding="utf-8")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End Node."""
        self._process.communicate()
        self._folder.cleanup()

    def ask(self, method: str, *arguments: Any) -> Any:
        """Call a method of the engine and return its result."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([method, *arguments]) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("the engine in Node ended")
        return json.loads(line)
