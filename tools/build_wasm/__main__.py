"""Build the pages' engine: WebAssembly modules from the compiled functions, and their description.

    python -m tools.build_wasm           build the modules
    python -m tools.build_wasm --check   exit with status 1 if the sources have changed since they were built

It needs LLVM's linker at build time only: `apt install lld`, or `pip install ziglang`.
"""

import gzip
import json
import os
import re
import sys
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from tools.build_wasm.sources import ENGINE, FOLDER, digest, is_current, source_files

if TYPE_CHECKING:
    from tools.build_wasm.kernels import Function


def main() -> None:
    """Build, or check."""
    if "--check" in sys.argv[1:]:
        sys.exit(
            None if is_current() else "the pages' engine is stale; run python -m tools.build_wasm"
        )
    with TemporaryDirectory() as cache:
        # Vectors of 128 bits, and no code from the cache, whose LLVM text is lost.
        os.environ.update(NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES="", XDG_CACHE_HOME=cache)
        build()


def build() -> None:
    """Write the modules, the weights and the description."""
    from tools.build_wasm.description import description, weights
    from tools.build_wasm.kernels import WORDS, functions
    from tools.build_wasm.webassembly import link

    about: dict[str, Any] = {"sources": digest(), **description()}
    files = {"learned.weights": weights()}
    for words in WORDS:
        found = list(functions(words))
        check_sources(found)
        files[f"engine-{words}.wasm"] = link(found)
        about["functions"] = [function.name for function in found]
    text = json.dumps(about, separators=(",", ":"), sort_keys=True)
    files[ENGINE.name] = (text + "\n").encode()
    FOLDER.mkdir(exist_ok=True)
    for name, content in files.items():
        (FOLDER / name).write_bytes(content)
        zipped = len(gzip.compress(content, 9, mtime=0))
        print(f"{name:20} {len(content):8,} bytes, {zipped:7,} compressed")


def check_sources(functions: "list[Function]") -> None:
    """Check that the digest covers every module of Isolarium whose functions were compiled."""
    known = {path.with_suffix("").as_posix() for path in source_files()}
    for function in functions:
        for name in re.findall(r"@_ZN08NumbaEnv9isolarium(\w+) = ", str(function.module)):
            parts = re.findall(r"(?<=\d)[a-z_]+", name)
            paths = ["/".join(parts[:length]) for length in range(1, len(parts) + 1)]
            if not any(one.endswith(f"/isolarium/{path}") for path in paths for one in known):
                sys.exit(f"{function.name}: add the source of {name} to SOURCES")


if __name__ == "__main__":
    main()
