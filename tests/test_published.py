"""What is published beside the package, to build, test and cite it, agrees with the package."""

import json
import re
import shlex
import tomllib
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from isolarium import __version__
from isolarium.cli.app import load_command
from isolarium.cli.commands import COMMANDS
from isolarium.web import Settings
from isolarium.web.server import create_app

ROOT = Path(__file__).parent.parent
WORKFLOWS: Final = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMS: Final = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("[!c]*.yml"))
CLASSIFIER: Final = "Programming Language :: Python :: 3."


def check_usage(words: list[str]) -> None:
    """See that the command line can be called so."""
    _, name, *arguments = words
    if not name.startswith("-"):
        assert name in COMMANDS
        load_command(name).make_context(name, arguments)


@pytest.fixture(scope="module")
def steps() -> dict[str, list[str]]:
    """The Dockerfile's instructions, those of its last stage: what each kind of them is given."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    found: dict[str, list[str]] = {}
    for line in text[text.rindex("\nFROM ") :].splitlines():
        if line and not line.startswith("#"):
            kind, _, given = line.partition(" ")
            found.setdefault(kind, []).append(given.strip())
    return found


def test_the_container_serves(steps: dict[str, list[str]]) -> None:
    command = json.loads(steps["ENTRYPOINT"][0])
    check_usage(command)
    assert command[:2] == ["isolarium", "serve"]
    given = dict(pairwise(command))
    assert [given["--port"]] == steps["EXPOSE"]
    assert given["--host"] == "0.0.0.0"
    [volume] = steps["VOLUME"]
    assert Path(given["--runs"]).is_relative_to(volume)
    kept = dict(re.findall(r"(HOME|ISOLARIUM_CACHE)=(\S+)", " ".join(steps["ENV"])))
    assert all(Path(kept[name]).is_relative_to(volume) for name in ("HOME", "ISOLARIUM_CACHE"))


def test_the_container_has_no_rights(steps: dict[str, list[str]]) -> None:
    [user] = steps["USER"]
    assert user != "root"
    assert f" {user} " in f"{steps['RUN'][0]} "


def test_the_container_s_health_is_asked_where_it_is_told(steps: dict[str, list[str]], tmp_path: Path) -> None:
    [path] = re.findall(r"http://127\.0\.0\.1:8000(/[\w/]+)", steps["HEALTHCHECK"][0])
    settings = Settings(runs=tmp_path, host="127.0.0.1", port=8000)
    assert path in create_app(settings).openapi()["paths"]


def test_the_container_is_built_from_what_there_is() -> None:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    copied = [name for line in re.findall(r"^COPY (?!--)(.*)$", text, re.MULTILINE) for name in line.split()[:-1]]
    let_in = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    assert {f"!{name}" for name in copied} <= set(let_in)
    assert all((ROOT / name).exists() for name in copied)


def test_every_python_that_is_claimed_is_tested_on_three_systems() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    claimed = [text for text in project["classifiers"] if text.startswith(CLASSIFIER)]
    tested = yaml.safe_load((ROOT / ".github/workflows/test.yml").read_text(encoding="utf-8"))
    matrix = tested["jobs"]["quick"]["strategy"]["matrix"]
    assert [f"{CLASSIFIER}{text.partition('.')[2]}" for text in matrix["python"]] == claimed
    assert [name.partition("-")[0] for name in matrix["system"]] == ["ubuntu", "macos", "windows"]
    assert project["requires-python"] == f">={matrix['python'][0]}"


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_use_what_there_is(path: Path) -> None:
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for line in _commands(workflow):
        program, *words = shlex.split(line)
        if Path(program).name == "isolarium":
            check_usage(["isolarium", *words[: words.index("|") if "|" in words else None]])
        elif program == "make":
            assert all(re.search(rf"^{word}:", makefile, re.MULTILINE) for word in words)
        assert all((ROOT / word).exists() for word in words if word.startswith("tests/"))


def _commands(workflow: dict[str, Any]) -> list[str]:
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    return [line for step in steps for line in step.get("run", "").replace("\\\n", " ").splitlines()]


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_issue_forms_can_be_filled_in(path: Path) -> None:
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert set(form) == {"name", "description", "labels", "body"}
    names = [field["id"] for field in form["body"]]
    assert len(set(names)) == len(names)
    for field in form["body"]:
        assert field["type"] in ("textarea", "input", "dropdown")
        assert field["attributes"]["label"]


def test_the_citation_is_of_this_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["cff-version"] == "1.2.0"
    assert citation["version"] == __version__
    assert {"message", "title", "authors", "license"} <= set(citation)
