"""The tables from `docs/evidence`: of the studies in `docs/research/reports`, and of the attacks on the sandbox.

    python -m tools.docs.evidence_tables FOLDER ...      take the evidence from the folders of studies that were played

A comment such as `<!-- report-000 tournament verdicts -->` asks for a table by study, part and table; the text between
it and the next `<!-- end -->` is replaced.
"""

import json
import re
import sys
from collections import Counter
from pathlib import Path
from subprocess import run
from typing import Any, Final

from isolarium.reporting.markdown import write_blocks
from isolarium.reporting.model import table_from_json

EVIDENCE = Path("docs/evidence")
PLACE = re.compile(r"<!-- (\S+) (\S+) (\S+) -->\n.*?<!-- end -->", re.DOTALL)
OF_THE_MACHINE = ("run", "report")
COIN = "would a fair coin do?"  # prose: ok
RENAMED = {
    "How far off the centre": "Offset from the centre",
    "Sessions counted": "Sessions in which an agent scored better",
    "The report's figures and ours": "Published figures and ours",
    "What the report said": "Published figures judged",
    "centre of the squares visited": "mean visited square",
    "chance\ngives": "expected\n(95%)",
    "ms a move": "ms\nper move",
    "nodes a move": "nodes\nper move",
    "odds of a session:\nbetter, tied": "probability:\nbetter, tied",
    "plies a move": "mean\ndepth",  # prose: ok
    "report said": "published",
    "we measured": "ours",
    "who": "agent",
    COIN: "significant vs 50%?",
}
"""Titles and headings of evidence recorded by an earlier version, with today's wording."""
REWORDED = (
    (r"(\d pairs?) a meeting", r"\1 per encounter"),
    (r"^beside ", "vs "),
    (r"; chance alone puts about (\S+) there$", r"; about \1 expected by chance"),
    (r"; chance alone marks about (\S+)$", r"; about \1 expected by chance"),
    (r"over ([\d,]+ games), a fair coin: (.+)$", r"by chance over \1: \2"),  # prose: ok
    (r"the printed results scatter by", "the published results vary by"),
    (r"from session to session, as chance does", "between sessions, as expected by chance"),
    (r"from session to session, more than chance does", "between sessions, more than expected by chance"),
    (
        r"^the odds follow exactly from our win rates, taking games as independent; .*$",
        "the probabilities follow exactly from our win rates if games are independent; in 95% of cases, chance "
        "gives a count in the expected range",
    ),
    (r"openings do not count as visits$", "squares of the opening are not counted"),
    (r"the agent went to the square$", "the agent visited the square"),
    (
        r"^the report's games won of those played, and our win rate in percent, (.*)$",
        r"games won out of games played, as published, and our win rate in percent, \1",
    ),
    (
        r"^the report's ± is the 95% interval that its own number of games supports$",
        "the ± of a published figure is the 95% interval for its number of games",
    ),
)
"""Patterns of notes and settings recorded by an earlier version, with today's wording."""


def read_evidence() -> dict[str, Any]:
    """Return every study's figures by its name."""
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(EVIDENCE.glob("report-*.json"))}


def filled(page: str) -> str:
    """Return the page with its tables."""
    evidence = read_evidence()

    def table(asked: re.Match[str]) -> str:
        study, part, name = asked.groups()
        [found] = [one for one in evidence[study]["parts"] if one["name"] == part]
        [facts] = [one for one in found["tables"] if one["name"] == name]
        shown = write_blocks([table_from_json(_in_current_words(facts))])
        settings = _reworded(found["settings"])
        return f"<!-- {study} {part} {name} -->\n{settings}\n\n{shown}\n<!-- end -->"

    return PLACE.sub(table, page)


def _in_current_words(facts: dict[str, Any]) -> dict[str, Any]:
    """Return a recorded table with the headings and notes that the same table has today."""
    columns, rows = facts["columns"], facts["rows"]
    if COIN in columns:
        place = columns.index(COIN)
        rows = [[*row[:place], _significant(row[place]), *row[place + 1 :]] for row in rows]
    return {
        **facts,
        "title": RENAMED.get(facts["title"], facts["title"]),
        "columns": [RENAMED.get(column, _reworded(column)) for column in columns],
        "rows": rows,
        "notes": [_reworded(note) for note in facts["notes"]],
    }


def _significant(coin: str) -> str:
    """Return whether a figure is significant, given whether chance alone explains it."""
    swapped = {"yes": "no", "no": "yes"}
    return re.sub(r"^(yes|no)\b", lambda found: swapped[found.group()], coin)


def _reworded(text: str) -> str:
    for pattern, replacement in REWORDED:
        text = re.sub(pattern, replacement, text)
    return text


def take(folder: str) -> None:
    """Write the evidence of a study from its folder."""
    isolarium = Path(sys.executable).with_name("isolarium")
    done = run([isolarium, "study", folder, "--json"], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout, parse_float=lambda text: round(float(text), 5))
    for name in OF_THE_MACHINE:
        found.pop(name)
    lines = ",\n".join(json.dumps(part, ensure_ascii=False) for part in found.pop("parts"))
    head = json.dumps(found, ensure_ascii=False)[:-1]
    path = EVIDENCE / f"{found['study']}.json"
    path.write_text(f'{head}, "parts": [\n{lines}\n]}}\n', encoding="utf-8")


# Attacks on the sandbox


ATTACKS_FILE: Final = Path("docs/evidence/sandbox_attacks.md")
ATTACKS: Final = re.compile(r"<!-- attacks -->\n.*?<!-- end -->", re.DOTALL)
ATTACK_OUTCOMES: Final = ("prevented", "not prevented", "**succeeded**")


def security_page(page: str) -> str:
    """Return the page with its table as the evidence has it."""
    lines = ["<!-- attacks -->", *attack_table(ATTACKS_FILE.read_text(encoding="utf-8")), "<!-- end -->"]
    return ATTACKS.sub("\n".join(lines).replace("\\", r"\\"), page)


def attack_table(evidence: str) -> list[str]:
    """Return the summary, and a row for each subject of the evidence."""
    summary, *sections = re.split(r"^## ", evidence, flags=re.MULTILINE)
    rows = [_attack_row(section) for section in sections if "| stopped by |" in section]
    return [
        next(line for line in summary.splitlines() if " attacks, " in line),
        "",
        "| subject | attacks | attempts | prevented | not prevented, for a reason | succeeded | stopped by |",
        "|---|---|---|---|---|---|---|",
        *rows,
    ]


def _attack_row(section: str) -> str:
    title, *lines = section.splitlines()
    attacks = [
        cells
        for cells in (line.strip("| ").split(" | ") for line in lines if line.startswith("| "))
        if any(cell in ATTACK_OUTCOMES for cell in cells)
    ]
    outcomes = Counter(cell for cells in attacks for cell in cells if cell in ATTACK_OUTCOMES)
    stops = Counter(cells[-1].partition(":")[0] for cells in attacks if not cells[-1].startswith("nothing"))
    counts = " | ".join(str(outcomes[outcome]) for outcome in ATTACK_OUTCOMES)
    by = ", ".join(stop for stop, _ in stops.most_common())
    return f"| {title} | {len(attacks)} | {outcomes.total()} | {counts} | {by} |"


if __name__ == "__main__":
    for folder in sys.argv[1:]:
        take(folder)
