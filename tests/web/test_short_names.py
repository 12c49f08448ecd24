"""Files of allowed folders by names that say nothing of the server's disk."""

import json
from pathlib import Path

import pytest

from isolarium.web.agent_policy import AgentPolicy, ShortNames


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("one/class/ann", "two/class/bob"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "agent.py").write_text("")
    return tmp_path.resolve()


def test_a_name_is_a_path_within_the_folder_and_back(folder: Path) -> None:
    policy = AgentPolicy([folder / "one" / "class"])
    path = f"course:{folder}/one/class/ann/agent.py@calls=9"
    assert policy.full("course:ann/agent.py@calls=9") == path
    assert policy.full(path) == path
    assert str(policy.agent("course:ann/agent.py@calls=9")) == path
    swept = policy.full_template("alphabeta:ann/agent.py:score(weight={1|2})@nodes=9")
    assert swept == f"alphabeta:{folder}/one/class/ann/agent.py:score(weight={{1|2}})@nodes=9"
    said = json.dumps({"agent": path, "error": f"{path}: no"}).encode()
    shown = {"agent": "course:ann/agent.py@calls=9", "error": "course:ann/agent.py@calls=9: no"}
    assert json.loads(policy.names.shown(said)) == shown


def test_several_folders_are_told_apart_by_their_names(folder: Path) -> None:
    policy = AgentPolicy([folder / "one" / "class", folder / "two" / "class"])
    for name, path in (("class/ann", "one/class/ann"), ("class-2/bob", "two/class/bob")):
        full = f"course:{folder}/{path}/agent.py"
        assert policy.full(f"course:{name}/agent.py") == full
        assert policy.names.shown(full.encode()) == f"course:{name}/agent.py".encode()


def test_what_leads_out_of_the_folder_or_is_not_there_stays_as_it_is(folder: Path) -> None:
    policy = AgentPolicy([folder / "one" / "class" / "ann"])
    for spec in ("course:nobody.py", "course:../agent.py"):
        assert policy.full(spec) == spec
    assert ShortNames([Path("/")]).shown(b"/a/b") == b"/a/b"


def test_in_a_record_files_elsewhere_lose_their_path(folder: Path) -> None:
    names = ShortNames([folder])
    said = b'"course:/srv/x/ann/agent.py@calls=9 vs alphabeta:/srv/x/bob/h.py:f(w=1)@nodes=5", http://h:8000/watch'
    shown = b'"course:ann/agent.py@calls=9 vs alphabeta:bob/h.py:f(w=1)@nodes=5", http://h:8000/watch'
    assert names.shown(said, is_record=True) == shown
    assert names.shown(said) == said
