"""Run the notebooks of `examples` and save their outputs; `tools.fill_docs` then makes pages of them.

python -m tools.run_notebooks            all of them
python -m tools.run_notebooks NAME...    some, such as first_match
"""

import sys
import tempfile
from pathlib import Path
from typing import Final

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

FOLDER: Final = Path("examples")


def main() -> None:
    """Run the notebooks, each in its own kernel and an empty folder."""
    for path in sorted(FOLDER.glob("*.ipynb")):
        if sys.argv[1:] and path.stem not in sys.argv[1:]:
            continue
        notebook = nbformat.read(path, as_version=4)
        with tempfile.TemporaryDirectory() as folder:
            NotebookClient(notebook, kernel_name="python3").execute(cwd=folder)
        for cell in notebook.cells:
            _clean(cell)
        notebook.metadata = {"kernelspec": _KERNEL, "language_info": {"name": "python"}}
        nbformat.write(notebook, path)
        print(f"{path}: run")


_KERNEL: Final = {"display_name": "Python 3", "language": "python", "name": "python3"}


def _clean(cell: NotebookNode) -> None:
    """Remove outputs that differ from run to run, and finished progress bars."""
    cell.metadata = {}
    if cell.cell_type == "code":
        cell.outputs = [one for one in cell.outputs if any(one.get("data", {"": "?"}).values())]
        for one in cell.outputs:
            one.pop("transient", None)


if __name__ == "__main__":
    main()
