"""The tables of the pages in `docs/research/reports`, from the studies' results in `docs/evidence`.

    python -m tools.docs.study_tables FOLDER ...      take the evidence from the folders of studies that were played

A comment such as `<!-- report-000 tournament verdicts -->` asks for a table by study, part and table; what stands
between it and the next `<!-- end -->` is replaced.
"""

import json
import re
import sys
from pathlib import Path
from subprocess import run
from typing import Any

from isolarium.reporting.csv_json import table_from_json
from isolarium.reporting.markdown import write_blocks

EVIDENCE = Path("docs/evidence")
PLACE = re.compile(r"<!-- (\S+) (\S+) (\S+) -->\n.*?<!-- end -->", re.DOTALL)
OF_THE_MACHINE = ("run", "report")


def read_evidence() -> dict[str, Any]:
    """Return every study's figures by its name."""
    return {
        path.stem: json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(EVIDENCE.glob("report-*.json"))
    }


def filled(page: str) -> str:
    """Return the page with its tables."""
    evidence = read_evidence()

    def table(asked: re.Match[str]) -> str:
        study, part, name = asked.groups()
        [found] = [one for one in evidence[study]["parts"] if one["name"] == part]
        [facts] = [one for one in found["tables"] if one["name"] == name]
        shown = write_blocks([table_from_json(facts)])
        return f"<!-- {study} {part} {name} -->\n{found['settings']}\n\n{shown}\n<!-- end -->"

    return PLACE.sub(table, page)


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


if __name__ == "__main__":
    for folder in sys.argv[1:]:
        take(folder)
