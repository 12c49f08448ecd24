"""Bundle the editor of the Write page from the npm packages in `tools/codemirror`.

.venv/bin/python -m tools.vendor_codemirror             write the bundle and its licences
.venv/bin/python -m tools.vendor_codemirror --check     write nothing; exit with status 1 if they differ

It needs npm. The lock file pins every package by its content, so the result is the same everywhere.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path("tools/codemirror")
BUNDLE = Path("src/isolarium/web/pages/vendor/codemirror.js")
LICENCES = BUNDLE.with_name("codemirror-licences.txt")
BUILT_FROM = ("editor.js", "package.json", "package-lock.json")
OPTIONS = ("--bundle", "--format=esm", "--minify", "--legal-comments=none", "--target=es2022")
TITLE = "// CodeMirror 6 and its packages, bundled by tools/vendor_codemirror.py. MIT; see codemirror-licences.txt.\n"
LISTED = re.compile(r"export\{([^}]*)\};?\s*$")


def build(folder: Path) -> dict[Path, str]:
    """Install the packages in a folder, and return the files to write."""
    for name in BUILT_FROM:
        shutil.copy(SOURCE / name, folder)
    npm = shutil.which("npm")
    if npm is None:
        sys.exit("vendor_codemirror: no npm here; install Node.js")
    subprocess.run([npm, "ci", "--no-audit", "--no-fund", "--silent"], cwd=folder, check=True)
    command = [str(folder / "node_modules" / ".bin" / "esbuild"), "editor.js", *OPTIONS]
    built = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout
    # The server's own bundler reads a list of exports at the start of a line.
    text, count = LISTED.subn(r"\nexport {\1};\n", built)
    if count != 1:
        sys.exit("vendor_codemirror: the bundle does not end with its exports")
    return {BUNDLE: TITLE + text, LICENCES: licences(folder / "node_modules")}


def licences(modules: Path) -> str:
    """Return the licence of every bundled package; packages with the same text share it."""
    packages: dict[str, list[str]] = {}
    for file in sorted(modules.glob("**/LICENSE")):
        name = file.parent.relative_to(modules).as_posix()
        if not name.startswith(("esbuild", "@esbuild")):
            packages.setdefault(file.read_text().strip(), []).append(name)
    return "\n\n".join(f"{', '.join(names)}\n\n{text}" for text, names in packages.items()) + "\n"


def main() -> None:
    """Write or check the files."""
    with tempfile.TemporaryDirectory() as folder:
        built = build(Path(folder))
    differing = [path for path, text in built.items() if not path.is_file() or path.read_text() != text]
    if sys.argv[1:] == ["--check"]:
        sys.exit(f"out of date: {', '.join(map(str, differing))}" if differing else 0)
    for path in differing:
        path.parent.mkdir(exist_ok=True)
        path.write_text(built[path])
        print(f"{path}  {path.stat().st_size / 1000:.0f} KB")


if __name__ == "__main__":
    main()
