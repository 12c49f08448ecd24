"""docs/seeds.md shows what the evidence says, for every part of every seed's study."""

import re
from pathlib import Path
from runpy import run_path

import pytest

from isolab.studies.study_file import read_study, shipped_studies

DOCS = Path(__file__).parents[2] / "docs"
SCRIPT = run_path(str(DOCS / "fill_seeds.py"))
PAGE = (DOCS / "seeds.md").read_text(encoding="utf-8")
EVIDENCE = SCRIPT["read_evidence"]()
SEEDS = [name for name in shipped_studies() if name.startswith("seed-")]


def test_tables_are_those_of_the_evidence() -> None:
    assert SCRIPT["filled"](PAGE, EVIDENCE) == PAGE, "python docs/fill_seeds.py"


def test_there_is_evidence_for_every_seed() -> None:
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
    for part in read_study(shipped_studies()[name]).parts:
        assert re.search(f"<!-- {name} {part.name} ", PAGE), part.name
        assert f"`isolab study {name} --part {part.name}`" in PAGE
