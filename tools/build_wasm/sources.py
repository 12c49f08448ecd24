"""The digest of the sources of the pages' engine, by which it is known whether the modules are current.

The digest ignores docstrings, comments and blank lines, and does not depend on the versions of Python and Numba.
"""

import ast
import io
import json
import tokenize
from hashlib import sha256
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
PACKAGE: Final = ROOT / "src" / "isolarium"
FOLDER: Final = PACKAGE / "web" / "pages" / "engine"
ENGINE: Final = FOLDER / "engine.json"
SOURCES: Final = (
    "agents/prover_kernel.py",
    "game/move_order.py",
    "game/tables.py",
    "game/view.py",
    "heuristics/bound_heuristic.py",
    "heuristics/catalogue/*.py",
    "heuristics/compiler.py",
    "native/arithmetic.py",
    "native/jit.py",
    "native/linker.py",
    "native/memory.py",
    "native/simd_*.py",
    "native/squareset.py",
    "search/alphabeta.py",
    "search/alphabeta_common.py",
    "search/champion_kernel.py",
    "search/inputs.py",
    "search/kernel_state.py",
    "search/mcts.py",
    "search/minmax_approximation.py",
    "search/random_kernel.py",
    "solver/depth_to_win.py",
    "solver/separated_endgame.py",
    "solver/winloss.py",
)
"""The files that define compiled functions."""
TOOLS: Final = ("kernels.py", "webassembly.py", "runtime.ll")


def source_files() -> list[Path]:
    """Return the files that the modules depend on."""
    paths = [path for pattern in SOURCES for path in PACKAGE.glob(pattern)]
    return sorted(paths + [Path(__file__).with_name(name) for name in TOOLS])


def digest() -> str:
    """Return the digest of the source files."""
    whole = sha256()
    for path in source_files():
        content = path.read_bytes()
        text = code_of(content.decode()).encode() if path.suffix == ".py" else content
        whole.update(b"%s %d " % (path.relative_to(ROOT).as_posix().encode(), len(text)) + text)
    return whole.hexdigest()


def is_current() -> bool:
    """Return whether the modules were built from the current sources."""
    return ENGINE.exists() and json.loads(ENGINE.read_text(encoding="utf-8"))["sources"] == digest()


def code_of(text: str) -> str:
    """Return a Python source without docstrings, comments and blank lines."""
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            for number in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                lines[number - 1] = ""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            line, column = token.start
            lines[line - 1] = lines[line - 1][:column]
    return "\n".join(line.rstrip() for line in lines if line.strip())
