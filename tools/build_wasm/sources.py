"""The digest of the sources of the pages' engine, by which it is known whether the modules are current.

The digest ignores docstrings, comments and blank lines, and does not depend on the versions of Python and Numba.
"""

import ast
import io
import json
import tokenize
from collections.abc import Container
from hashlib import sha256
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
PACKAGE: Final = ROOT / "src" / "isolarium"
FOLDER: Final = PACKAGE / "web" / "pages" / "engine"
ENGINE: Final = FOLDER / "engine.json"
SOURCES: Final = (
    "agents/prover.py",
    "game/move_order.py",
    "game/tables.py",
    "game/view.py",
    "heuristics/bound_heuristic.py",
    "heuristics/catalogue/*.py",
    "heuristics/compiler.py",
    "native/arithmetic.py",
    "native/jit.py",
    "native/memory.py",
    "native/simd_*.py",
    "native/squareset.py",
    "search/alphabeta.py",
    "search/alphabeta_common.py",
    "search/champion_kernel.py",
    "search/driver.py",
    "search/kernel_state.py",
    "search/mcts.py",
    "search/minmax_approximation.py",
    "solver/depth_to_win.py",
    "solver/separated_endgame.py",
    "solver/winloss.py",
)
"""The files that define compiled functions."""
ENTRIES: Final = (
    "alphabeta",
    "champion",
    "distance_slice",
    "evaluate_once",
    "mcts",
    "minmax_approximation",
    "on_grid",
    "random_move",
    "selective_alphabeta",
    "table_bits",
    "value_of_view",
    "winloss_slice",
    "_assemble",
    "_fetch",
    "_named",
    "_number_of",
)
"""The functions without a decorator that are compiled, or write the source of such a function."""
TOOLS: Final = ("kernels.py", "webassembly.py", "runtime.ll")


def source_files() -> list[Path]:
    """Return the files that the modules depend on."""
    paths = [path for pattern in SOURCES for path in PACKAGE.glob(pattern)]
    return sorted(paths + [Path(__file__).with_name(name) for name in TOOLS])


def digest() -> str:
    """Return the digest of the source files."""
    whole = sha256()
    for path in source_files():
        text = content_of(path).encode()
        whole.update(b"%s %d " % (path.relative_to(ROOT).as_posix().encode(), len(text)) + text)
    return whole.hexdigest()


def content_of(path: Path) -> str:
    """Return the part of a source file that the modules depend on."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return text
    is_whole = path.parent.name in ("build_wasm", "catalogue", "native")
    return code_of(text, None if is_whole else ENTRIES)


def is_current() -> bool:
    """Return whether the modules were built from the current sources."""
    return ENGINE.exists() and json.loads(ENGINE.read_text(encoding="utf-8"))["sources"] == digest()


def code_of(text: str, entries: Container[str] | None = None) -> str:
    """Return the part of a Python source that may be compiled, without docstrings, comments and blank lines.

    Args:
        text: The source.
        entries: The functions without a decorator that are compiled. Others, classes but named tuples, and imports
            are left out. None keeps everything.
    """
    lines = text.splitlines()
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            _blank(lines, node)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            line, column = token.start
            lines[line - 1] = lines[line - 1][:column]
    for statement in tree.body:
        if entries is not None and not _may_be_compiled(statement, entries):
            _blank(lines, statement)
    return "\n".join(line.rstrip() for line in lines if line.strip())


def _may_be_compiled(statement: ast.stmt, entries: Container[str]) -> bool:
    if isinstance(statement, ast.FunctionDef):
        return bool(statement.decorator_list) or statement.name in entries
    if isinstance(statement, ast.ClassDef):
        return any(isinstance(base, ast.Name) and base.id == "NamedTuple" for base in statement.bases)
    return not isinstance(statement, (ast.Import, ast.ImportFrom, ast.If))


def _blank(lines: list[str], node: ast.stmt) -> None:
    decorators = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(each.lineno for each in decorators)])
    for number in range(first, (node.end_lineno or first) + 1):
        lines[number - 1] = ""
