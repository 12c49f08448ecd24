"""Puts tables and pictures into the pages of `docs`, from the evidence and from what the package knows.

python -m tools.fill_docs             write what differs
python -m tools.fill_docs --check     write nothing; the exit status says whether anything would be
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from tools import dataset
from tools.docs import engine_transcript, study_tables, theory_pictures, theory_tables
from tools.proofs import stealer

DOCS = Path("docs")
PAGES = {
    "theory.md": theory_tables.filled,
    "dataset.md": dataset.filled,
    "engines.md": engine_transcript.filled,
    "reports.md": study_tables.filled,
    "stealer.md": stealer.filled,
}


def wanted() -> Iterator[tuple[Path, str]]:
    """Every file that is filled, as it should be."""
    for name, filled in PAGES.items():
        yield DOCS / name, filled((DOCS / name).read_text(encoding="utf-8"))
    for name, drawing in theory_pictures.drawings().items():
        yield DOCS / "images" / name, drawing + "\n"


def main() -> int:
    """Write or check them all; the exit status."""
    is_check = "--check" in sys.argv[1:]
    differing = 0
    for path, text in wanted():
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        differing += 1
        if is_check:
            print(
                f"{path} is not what the evidence says: python -m tools.fill_docs", file=sys.stderr
            )
        else:
            path.write_text(text, encoding="utf-8")
            print(f"{path}: written")
    return int(is_check and differing > 0)


if __name__ == "__main__":
    sys.exit(main())
