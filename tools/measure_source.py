"""Measure the source: sizes of files and functions, and how much of it is imports.

    python -m tools.measure_source [FOLDER] ...      src/isolarium by default

Prints one row for each folder.
"""

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median, quantiles

SMALL = 40
LONG = 60
HEADINGS = (
    "files",
    "lines",
    "median file",
    f"files under {SMALL} lines",
    "project imports per file",
    "modules with one importer",
    f"functions: median / p90 / over {LONG}",
    "imports, share of lines",
    "imports inside functions",
)


@dataclass(frozen=True)
class Module:
    """A Python file: its dotted name and its syntax tree."""

    name: str
    lines: int
    tree: ast.Module


def modules_in(folder: Path) -> list[Module]:
    """Return every module of a package, or of a folder of packages."""
    root = folder.parent
    found = []
    for path in sorted(folder.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        parts = path.relative_to(root).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found.append(Module(name, text.count("\n"), ast.parse(text)))
    return found


def imports(tree: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield every import statement below a node."""
    return (node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom))


def imported(statement: ast.Import | ast.ImportFrom, module: Module, known: set[str]) -> set[str]:
    """Yield the project's modules that a statement imports."""
    if isinstance(statement, ast.Import):
        return {alias.name for alias in statement.names} & known
    base = statement.module or ""
    if statement.level:
        package = module.name.split(".")[: -statement.level]
        base = ".".join([*package, base]).rstrip(".")
    return {
        name
        for alias in statement.names
        for name in ([f"{base}.{alias.name}"] if f"{base}.{alias.name}" in known else [base])
        if name in known
    }


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield every function below a node, including methods and inner functions."""
    kinds = ast.FunctionDef | ast.AsyncFunctionDef
    return (node for node in ast.walk(tree) if isinstance(node, kinds))


def length(node: ast.stmt) -> int:
    """Return the number of lines of a statement."""
    return (node.end_lineno or node.lineno) - node.lineno + 1


def figures(folder: Path) -> list[str]:
    """Return the figures of a package in the order of the headings."""
    modules = modules_in(folder)
    known = {module.name for module in modules}
    uses = {
        module.name: {
            name
            for statement in imports(module.tree)
            for name in imported(statement, module, known)
            if name != module.name
        }
        for module in modules
    }
    importers = Counter(name for used in uses.values() for name in used)
    sizes = [module.lines for module in modules]
    lengths = [length(function) for module in modules for function in functions(module.tree)]
    taken = sum(length(one) for module in modules for one in imports(module.tree))
    inside = {
        (module.name, one.lineno)
        for module in modules
        for function in functions(module.tree)
        for one in imports(function)
    }
    return [
        f"{len(modules):,}",
        f"{sum(sizes):,}",
        f"{median(sizes):.0f}",
        f"{sum(size < SMALL for size in sizes)}",
        f"{mean(len(used) for used in uses.values()):.1f}",
        f"{sum(count == 1 for count in importers.values())}",
        f"{median(lengths):.0f} / {quantiles(lengths, n=10)[-1]:.0f} / {sum(size > LONG for size in lengths)}",
        f"{100 * taken / sum(sizes):.1f}%",
        f"{len(inside)}",
    ]


def main() -> None:
    """Print a table of the given folders."""
    folders = [Path(name) for name in sys.argv[1:]] or [Path("src/isolarium")]
    print("| | " + " | ".join(HEADINGS) + " |")
    print("|---|" + "---|" * len(HEADINGS))
    for folder in folders:
        print(f"| {folder.name} | " + " | ".join(figures(folder)) + " |")


if __name__ == "__main__":
    main()
