"""Runs that were made elsewhere: the files that they name are loaded only after the user has seen them."""

import json
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from isolarium.arena import Conditions
from isolarium.arena.plan import match_plan
from isolarium.arena.provenance import files_named, sign, signature
from isolarium.arena.run_db import Record
from isolarium.studies.study_file import find_study
from isolarium.studies.study_runner import begin_study
from tests.arena.playing import play
from tests.command import PATIENCE_S, assert_refused, environment, run_isolarium

HEURISTIC = """
from isolarium.heuristics import heuristic

@heuristic
def mine(view, own, opp):
    return 0
"""


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder of its own."""
    folder = tmp_path / "data"
    monkeypatch.setenv("XDG_DATA_HOME", str(folder))
    return folder


@pytest.fixture
def file(tmp_path: Path) -> Path:
    found = tmp_path / "mine.py"
    found.write_text(HEURISTIC)
    return found


@pytest.fixture
def run(tmp_path: Path, file: Path) -> Path:
    """A run that was stopped before its first game."""
    plan = match_plan(f"greedy:{file}:mine", "random", Conditions(pairs=1, board="3x3"))
    play(tmp_path / "run", plan, workers=1, stop=lambda: True)
    return tmp_path / "run"


def resume(run: Path, *options: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    return run_isolarium("resume", str(run), "--workers", "1", "--json", *options, **variables)


@pytest.mark.slow
def test_a_run_that_was_made_here_goes_on(run: Path) -> None:
    assert json.loads(resume(run).stdout)["finished"]


@pytest.mark.parametrize("program", ["true", "sh -c 'exit 1'", "./not-there"])
def test_a_program_is_named_wherever_it_is(program: str) -> None:
    assert files_named([f"engine:{program}@ms=5"]) == [program.split()[0]]


@pytest.mark.slow
def test_a_run_that_was_made_elsewhere_names_its_files_and_waits_for_trust(
    run: Path, file: Path, tmp_path: Path
) -> None:
    elsewhere = {"XDG_DATA_HOME": str(tmp_path / "elsewhere")}
    refused = resume(run, **elsewhere)
    assert refused.returncode == 2
    output = f"made elsewhere, and resuming it runs {file}; read these files first, then use --trust"
    assert output in refused.stderr
    assert json.loads(resume(run, "--trust", **elsewhere).stdout)["finished"]


@pytest.mark.slow
def test_trust_is_asked_for_once(run: Path, tmp_path: Path, file: Path) -> None:
    text = file.read_text()
    file.write_text("1 / 0")  # it has changed, so the run is not resumed
    elsewhere = {"XDG_DATA_HOME": str(tmp_path / "elsewhere")}
    assert "it has changed" in resume(run, "--trust", **elsewhere).stderr
    file.write_text(text)
    assert resume(run, **elsewhere).returncode == 0


@pytest.mark.parametrize(("fact", "old"), [("plan", '"seed": 1'), ("files", '": "')])
def test_what_was_changed_since_was_not_made_here(run: Path, fact: str, old: str) -> None:
    with closing(Record(run, writes=True)) as record:
        text = record.fact(fact) or ""
        assert old in text
        record.set_fact(fact, text.replace(old, f"{old}1"))
    assert "made elsewhere" in resume(run).stderr


def test_a_run_of_our_own_agents_needs_no_trust(tmp_path: Path) -> None:
    plan = match_plan("greedy:open", "random", Conditions(pairs=1, board="3x3"))
    play(tmp_path / "run", plan, workers=1, stop=lambda: True)
    assert resume(tmp_path / "run", XDG_DATA_HOME=str(tmp_path / "elsewhere")).returncode == 0


STUDY = """
title = "Mine"
about = "It has one part."
[[part]]
name = "only"
about = "Two agents meet."
format = "match"
agents = ["greedy:FILE:mine", "random"]
board = "3x3"
pairs = 1
"""


@pytest.mark.slow
def test_a_study_from_elsewhere_waits_for_trust_too(tmp_path: Path, file: Path) -> None:
    text = tmp_path / "study.toml"
    text.write_text(STUDY.replace("FILE", str(file)))
    folder = begin_study(find_study(str(text)), tmp_path / "runs").folder
    output = f"made elsewhere, and resuming it runs {file}; read these files first, then use --trust"
    assert_refused(resume(folder, XDG_DATA_HOME=str(tmp_path / "elsewhere")), output)
    assert resume(folder).returncode == 0


def test_the_key_is_for_its_owner_alone(home: Path) -> None:
    assert signature("text") == signature("text")
    key = home / "isolarium" / "key"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    key.chmod(0o644)
    assert signature("text") == ""


def test_no_folder_for_a_key_is_no_error(run: Path, home: Path) -> None:
    (home / "isolarium" / "key").unlink()
    (home / "isolarium").rmdir()
    (home / "isolarium").touch()
    with closing(Record(run, writes=True)) as record:
        sign(record)
    assert "made elsewhere" in resume(run).stderr


# What lies in the folder that one happens to be in


SHADOWED = ("typer", "multiprocessing", "numpy", "pickle", "json", "platformdirs")


@pytest.mark.slow
@pytest.mark.parametrize("agent", ["random", "greedy:FILE:mine"])
def test_no_module_of_the_current_folder_is_imported(tmp_path: Path, file: Path, agent: str) -> None:
    here = tmp_path / "here"
    here.mkdir()
    for name in SHADOWED:
        (here / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'a').write({name!r})")
    spec = agent.replace("FILE", str(file))
    command = ["match", spec, "random", "--pairs", "1", "--board", "3x3", "--workers", "1"]
    shown = subprocess.run(
        [sys.executable, "-m", "isolarium", *command, "--runs", str(tmp_path), "--no-accuracy"],
        cwd=here,
        env=environment(),
        timeout=PATIENCE_S,
        check=False,
        capture_output=True,
        text=True,
    )
    assert not (tmp_path / "ran").exists()
    assert shown.returncode == 0, shown.stderr


def test_the_texts_of_all_files_are_kept(run: Path, file: Path, tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("weight = 2\n")
    file.write_text(f"from helper import weight\n{HEURISTIC}")
    plan = match_plan(f"greedy:{file}:mine", "random", Conditions(pairs=1, board="3x3"))
    play(tmp_path / "second", plan, workers=1, stop=lambda: True)
    with closing(Record(tmp_path / "second")) as record:
        kept = json.loads(record.fact("sources") or "")
    texts = {Path(name).name: text for name, text in kept.items()}
    assert texts == {"mine.py": file.read_text(), "helper.py": "weight = 2\n"}
