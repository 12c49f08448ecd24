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

from tools.build_wasm.sources import ENGINE, FOLDER, PACKAGE, content_of, digest, is_current, source_files

if TYPE_CHECKING:
    from tools.build_wasm.kernels import Function


def main() -> None:
    """Build, or check."""
    if "--check" in sys.argv[1:]:
        sys.exit(None if is_current() else "the pages' engine is stale; run python -m tools.build_wasm")
    with TemporaryDirectory() as cache:
        # Vectors of 128 bits, and no code from the cache, whose LLVM text is lost.
        os.environ.update(NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES="", XDG_CACHE_HOME=cache)
        if not is_current():
            write_modules()
        write_description()
    for path in sorted(FOLDER.iterdir()):
        if path.suffix != ".js":
            content = path.read_bytes()
            zipped = len(gzip.compress(content, 9, mtime=0))
            print(f"{path.name:20} {len(content):8,} bytes, {zipped:7,} compressed")


def write_modules() -> None:
    """Compile and write the modules, the digest of their sources and the names of their functions."""
    from tools.build_wasm.kernels import WORDS, functions
    from tools.build_wasm.webassembly import link

    about: dict[str, Any] = {"sources": digest()}
    for words in WORDS:
        found = list(functions(words))
        check_sources(found)
        (FOLDER / f"engine-{words}.wasm").write_bytes(link(found))
        (FOLDER / f"engine-{words}-scalar.wasm").write_bytes(link(found, vectors=False))
        about["functions"] = [function.name for function in found]
    write_json(about)


def write_description() -> None:
    """Write the description beside the digest, and the data."""
    from tools.build_wasm.description import data_files, description

    old = json.loads(ENGINE.read_text(encoding="utf-8"))
    kept = {name: old[name] for name in ("sources", "functions")}
    write_json({**kept, **description()})
    for name, content in data_files().items():
        (FOLDER / name).write_bytes(content)


def write_json(about: dict[str, Any]) -> None:
    """Write the description."""
    text = json.dumps(about, separators=(",", ":"), sort_keys=True)
    ENGINE.write_text(text + "\n", encoding="utf-8")


def check_sources(functions: "list[Function]") -> None:
    """Check that the digest covers every function of Isolarium that was compiled."""
    covered = {
        path.with_suffix("").relative_to(PACKAGE).as_posix(): content_of(path)
        for path in source_files()
        if path.is_relative_to(PACKAGE)
    }
    for function in functions:
        for name in re.findall(r"@_ZN08NumbaEnv9isolarium(\w+) = ", str(function.module)):
            parts = _parts_of(name)
            places = [place for place in range(1, len(parts)) if "/".join(parts[:place]) in covered]
            if not places or f"def {parts[places[0]]}(" not in covered["/".join(parts[: places[0]])]:
                sys.exit(f"{function.name}: the digest does not cover {'.'.join(parts)}")


def _parts_of(name: str) -> list[str]:
    """Return the parts of a mangled name, each of which follows its length."""
    parts = []
    while found := re.match(r"\d+", name):
        end = found.end() + int(found[0])
        parts.append(name[found.end() : end])
        name = name[end:]
    return parts


if __name__ == "__main__":
    main()
