"""The table of `docs/explanation/security.md`: the attacks on the sandbox, by subject, and what stopped them."""

import re
from collections import Counter
from pathlib import Path
from typing import Final

EVIDENCE: Final = Path("docs/evidence/sandbox_attacks.md")
BLOCK: Final = re.compile(r"<!-- attacks -->\n.*?<!-- end -->", re.DOTALL)
OUTCOMES: Final = ("prevented", "not prevented", "**succeeded**")


def filled(page: str) -> str:
    """Return the page with its table as the evidence has it."""
    lines = ["<!-- attacks -->", *table(EVIDENCE.read_text(encoding="utf-8")), "<!-- end -->"]
    return BLOCK.sub("\n".join(lines).replace("\\", r"\\"), page)


def table(evidence: str) -> list[str]:
    """Return the summary, and a row for each subject of the evidence."""
    summary, *sections = re.split(r"^## ", evidence, flags=re.MULTILINE)
    rows = [_row(section) for section in sections if "| stopped by |" in section]
    return [
        next(line for line in summary.splitlines() if " attacks, " in line),
        "",
        "| subject | attacks | attempts | prevented | not prevented, for a reason | succeeded | stopped by |",
        "|---|---|---|---|---|---|---|",
        *rows,
    ]


def _row(section: str) -> str:
    title, *lines = section.splitlines()
    attacks = [
        cells
        for cells in (line.strip("| ").split(" | ") for line in lines if line.startswith("| "))
        if any(cell in OUTCOMES for cell in cells)
    ]
    outcomes = Counter(cell for cells in attacks for cell in cells if cell in OUTCOMES)
    stops = Counter(cells[-1].partition(":")[0] for cells in attacks if not cells[-1].startswith("nothing"))
    counts = " | ".join(str(outcomes[outcome]) for outcome in OUTCOMES)
    by = ", ".join(stop for stop, _ in stops.most_common())
    return f"| {title} | {len(attacks)} | {outcomes.total()} | {counts} | {by} |"
