"""Finds where a module reads files without a limit, however it is written.

A name is followed through imports and plain assignments: `from numpy import load as l` and `f = open` are found. What
only writes (`open(path, "x")`) is left out. What is read without a limit through a name made at run time is not found.
"""

import ast
from collections.abc import Iterator

METHODS = {"read_text", "read_bytes", "open", "fromfile", "memmap", "loadtxt", "genfromtxt"}
"""Found on any object, for what is a Path or an array nobody can tell."""
FUNCTIONS = {
    *("builtins.open", "io.open", "io.open_code", "io.FileIO", "codecs.open", "tokenize.open"),
    *("os.open", "os.fdopen", "os.popen", "gzip.open", "bz2.open", "lzma.open", "gzip.GzipFile"),
    *("zipfile.ZipFile", "tarfile.open", "tarfile.TarFile", "shelve.open", "dbm.open"),
    *("json.load", "tomllib.load", "pickle.load", "pickle.Unpickler", "marshal.load"),
    *("numpy.load", "csv.reader", "csv.DictReader", "configparser.ConfigParser"),
    *("hashlib.file_digest", "sqlite3.connect", "runpy.run_path", "linecache.getline"),
    *("linecache.getlines", "fileinput.input", "mmap.mmap", "shutil.copyfileobj"),
    *("shutil.copyfile", "shutil.copy", "shutil.copy2", "shutil.copytree"),
}
REMOVAL = {"shutil.rmtree", "tempfile.TemporaryDirectory"}
"""What recurses into a folder: its depth may be anything."""
ALL = FUNCTIONS | REMOVAL
MODULES = {name.rpartition(".")[0] for name in ALL}
WRITING = {"w", "x", "a", "wb", "xb", "ab", "wt", "xt", "at"}
LOOKUPS = {"getattr", "attrgetter", "methodcaller"}


def unbounded_reads(text: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the name of each use in a module's source."""
    tree = ast.parse(text)
    known = {"open": "builtins.open", **_imported(tree)}
    _follow_assignments(tree, known)
    harmless = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call) and _reads_nothing(node, known)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute):
            if isinstance(node.ctx, ast.Load) and id(node) not in harmless:
                yield from ((node.lineno, name) for name in _used(node, known))
        elif isinstance(node, ast.ImportFrom) and any(one.name == "*" for one in node.names):
            if node.module in MODULES:
                yield node.lineno, f"{node.module}.*"
        elif isinstance(node, ast.Call):
            yield from ((node.lineno, name) for name in _looked_up(node))


def _used(node: ast.Name | ast.Attribute, known: dict[str, str]) -> Iterator[str]:
    dotted = _dotted(node, known)
    if dotted in ALL:
        yield dotted
    elif isinstance(node, ast.Attribute) and node.attr in METHODS:
        is_own = isinstance(node.value, ast.Name) and node.value.id == "self"
        if not is_own:  # of a class of ours, which is looked at itself
            yield node.attr


def _imported(tree: ast.Module) -> dict[str, str]:
    """The dotted name of each name that an import binds."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                found[alias.asname or top] = alias.name if alias.asname else top
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                found[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return found


def _follow_assignments(tree: ast.Module, known: dict[str, str]) -> None:
    """Add the names that are bound to a module or a function of one, also over several steps."""
    assigned = [
        (target.id, node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr) and node.value is not None
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    ]
    for _ in assigned:
        for name, value in assigned:
            dotted = _dotted(value, known)
            if dotted is not None and (dotted in ALL or dotted in MODULES):
                known.setdefault(name, dotted)


def _dotted(node: ast.AST, known: dict[str, str]) -> str | None:
    """The dotted name that an expression stands for, as far as it is one."""
    if isinstance(node, ast.Name):
        return known.get(node.id)
    if isinstance(node, ast.Attribute):
        before = _dotted(node.value, known)
        return None if before is None else f"{before}.{node.attr}"
    if isinstance(node, ast.Call) and _last_name(node.func) in ("import_module", "__import__"):
        name = node.args[0] if node.args else None
        return str(name.value) if isinstance(name, ast.Constant) else None
    return None


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _reads_nothing(call: ast.Call, known: dict[str, str]) -> bool:
    """Whether a call opens a file only to write, by a mode or flags that are written out, or the null device."""
    func = call.func
    dotted = _dotted(func, known) or ""
    if not (dotted.endswith("open") or (isinstance(func, ast.Attribute) and func.attr == "open")):
        return False
    is_function = dotted in ALL
    opened = call.args[:1] if is_function else [getattr(func, "value", func)]
    if any("os.devnull" in ast.unparse(one) for one in opened):
        return True
    modes = [word.value for word in call.keywords if word.arg == "mode"]
    modes += call.args[1:2] if is_function else call.args[:1]
    if dotted == "os.open":
        flags = "".join(map(ast.unparse, modes))
        return "os.O_RDWR" not in flags and ("os.O_WRONLY" in flags or "os.O_PATH" in flags)
    return bool(modes) and all(map(_writes, modes))


def _writes(mode: ast.expr) -> bool:
    if isinstance(mode, ast.IfExp):
        return _writes(mode.body) and _writes(mode.orelse)
    return isinstance(mode, ast.Constant) and mode.value in WRITING


def _looked_up(node: ast.Call) -> Iterator[str]:
    """What a call looks up by a name that is written as a text."""
    if _last_name(node.func) in LOOKUPS:
        for word in node.args:
            if isinstance(word, ast.Constant) and word.value in METHODS:
                yield str(word.value)
