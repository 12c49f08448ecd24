"""Generate the documentation's tables and pictures, and wrap its prose at 100 columns.

The sources are the evidence, the notebooks and the package.

python -m tools.fill_docs             write what differs
python -m tools.fill_docs --check     write nothing; exit with status 1 if a page is out of date
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from isolarium.heuristics import description
from tools import dataset
from tools.docs import (
    animation,
    api_page,
    commands_page,
    evidence_tables,
    example_outputs,
    line_width,
    notebook_pages,
    package_picture,
    theory,
)
from tools.proofs import levels, stealer

README = Path("README.md")
DOCS = Path("docs")
PAGES = {
    "reference/python-api.md": api_page.filled,
    "reference/commands.md": commands_page.filled,
    "explanation/exact-values.md": theory.filled,
    "research/dataset.md": dataset.filled,
    "how-to/engines.md": example_outputs.engines_page,
    "explanation/security.md": evidence_tables.security_page,
    "research/levels.md": levels.filled,
    "research/reports/report-000.md": evidence_tables.filled,
    "research/reports/report-001.md": evidence_tables.filled,
    "research/reports/report-002.md": evidence_tables.filled,
    "research/reports/report-003.md": evidence_tables.filled,
    "research/reports/report-004.md": evidence_tables.filled,
    "research/stealer.md": stealer.filled,
}
TEXTS = Path("src/isolarium/cli/topics")
TOPICS = {"notation": ("notation",), "specs": ("specs", "limits"), "environment": ("environment",)}
"""Pages with the texts of `isolarium help TOPIC`."""


def wanted(is_check: bool) -> Iterator[tuple[Path, str]]:
    """Yield every generated file with its up-to-date text."""
    generated = dict(_generated(is_check))
    for page in line_width.pages():
        generated.setdefault(page, page.read_text(encoding="utf-8"))
    for path, text in generated.items():
        yield path, line_width.wrapped(text) if path.suffix == ".md" else text


def _generated(is_check: bool) -> Iterator[tuple[Path, str]]:
    yield README, example_outputs.filled(README.read_text(encoding="utf-8"), only_quick=is_check)
    yield DOCS / "images" / "game.svg", animation.drawing()
    yield DOCS / "images" / "packages.svg", package_picture.drawing() + "\n"
    for name, filled in PAGES.items():
        yield DOCS / name, filled((DOCS / name).read_text(encoding="utf-8"))
    yield DOCS / "reference" / "heuristics.md", description.page()
    for name, topics in TOPICS.items():
        texts = [(TEXTS / f"{topic}.md").read_text(encoding="utf-8") for topic in topics]
        first, *more = texts
        lower = [re.sub("^#", "##", text, flags=re.MULTILINE) for text in more]
        yield DOCS / "reference" / f"{name}.md", "\n".join([first, *lower])
    for name, drawing in theory.drawings().items():
        yield DOCS / "images" / name, drawing + "\n"
    yield levels.LIST, levels.listed()
    yield from notebook_pages.pages()


def main() -> int:
    """Write or check all files; return the exit status."""
    is_check = "--check" in sys.argv[1:]
    differing = 0
    for path, text in wanted(is_check):
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        differing += 1
        if is_check:
            print(f"{path} is out of date; run python -m tools.fill_docs", file=sys.stderr)
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(f"{path}: written")
    return int(is_check and differing > 0)


if __name__ == "__main__":
    sys.exit(main())
