"""docs/research/reports has evidence for every part of every report's study; `tools.fill_docs` keeps its tables."""

import json
import re
from pathlib import Path

import pytest

from isolarium.studies.study_file import read_study, shipped_studies

DOCS = Path(__file__).parents[2] / "docs"
EVIDENCE = {
    path.stem: json.loads(path.read_text(encoding="utf-8"))
    for path in sorted((DOCS / "evidence").glob("report-*.json"))
}
SEEDS = [name for name in shipped_studies() if name.startswith("report-")]


def test_there_is_evidence_for_every_report() -> None:
    assert list(EVIDENCE) == SEEDS


@pytest.mark.parametrize("name", SEEDS)
def test_evidence_is_of_the_whole_study(name: str) -> None:
    study = read_study(shipped_studies()[name])
    found = EVIDENCE[name]
    assert found["finished"]
    assert found["games"] == sum(study.plan(part).games for part in study.parts)
    for part, played in zip(study.parts, found["parts"], strict=True):
        plan = study.plan(part)
        assert played["name"] == part.name
        assert list(played["agents"].values()) == list(plan.agents)
        assert list(played["opponents"].values()) == list(plan.opponents)


@pytest.mark.parametrize("name", SEEDS)
def test_every_part_is_on_the_page_with_its_command(name: str) -> None:
    page = (DOCS / "research" / "reports" / f"{name}.md").read_text(encoding="utf-8")
    for part in read_study(shipped_studies()[name]).parts:
        assert re.search(f"<!-- {name} {part.name} ", page), part.name
        assert f"`isolarium study {name} --part {part.name}`" in page
