"""docs/reference/study-file.md is true: its study can be played, and it names every key."""

import re
from pathlib import Path

from isolarium.studies.study_file import StudyTable, parse_study

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/reference/study-file.md").read_text(encoding="utf-8")


def test_smallest_study_is_one() -> None:
    [text] = [block for block in re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL) if "title" in block]
    study = parse_study(text, "smallest", Path(), "smallest.toml")
    assert [study.plan(part).games for part in study.parts] == [400]


def test_every_key_is_named() -> None:
    schema = StudyTable.model_json_schema()
    tables = [schema, *schema["$defs"].values()]
    keys = {key for table in tables for key in table.get("properties", {})}
    assert {"pairs", "heat_map", "elo1", "better"} <= keys
    missing = {key for key in keys if not re.search(rf"\b{key}\b", PAGE)}
    assert missing == set()
