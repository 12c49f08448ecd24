"""The topics of `isolarium help`, and shell completion."""

import re
from pathlib import Path

import pytest

from isolarium.agents import parse_spec
from isolarium.arena.plan import FIELDS
from isolarium.arena.run_db import FILE_NAME
from isolarium.cli import completion
from isolarium.cli.commands import COMMANDS
from isolarium.cli.commands.help import TOPICS, page
from isolarium.game.notation import parse_start
from isolarium.game.record import parse_game
from isolarium.heuristics.lookup import catalogue
from isolarium.spec.parser import BOUNDS, FORM, tree_of
from isolarium.spec.registry import PROGRAMS, SEARCHES
from isolarium.studies.study_runner import TEXT_NAME
from isolarium.studies.tuning_runner import SETTINGS_NAME
from tests.command import assert_refused, run_isolarium


def examples(topic: str) -> list[str]:
    return [line.strip() for line in page(topic).splitlines() if line.startswith("    ")]


@pytest.mark.slow
def test_topics_are_listed_and_shown() -> None:
    listed = run_isolarium("help").stdout
    for topic in TOPICS:
        assert f"  {topic} " in listed
        printed = run_isolarium("help", topic).stdout
        assert printed.startswith(page(topic).splitlines()[0].removeprefix("# ").upper())
        assert "`" not in printed


@pytest.mark.slow
def test_a_command_is_a_topic_too() -> None:
    assert run_isolarium("help", "perft").stdout == run_isolarium("perft", "--help").stdout


@pytest.mark.slow
def test_an_unknown_topic_suggests_the_nearest() -> None:
    assert_refused(run_isolarium("help", "notatoin"), "did you mean 'notation'?")
    assert_refused(run_isolarium("help", "xyzzy"), "expected one of notation, specs")


def test_the_page_on_specs_is_true() -> None:
    form, *specs = examples("specs")
    assert form == FORM
    for spec in specs:
        tree = tree_of(spec)
        if not tree.files and tree.search.word not in PROGRAMS:
            parse_spec(spec)
    assert all(re.search(rf"\b{name}\b", page("specs")) for name in [*SEARCHES, *PROGRAMS])


def test_the_page_on_limits_is_true() -> None:
    limits = [line.split()[0] for line in examples("limits")]
    assert {limit.partition("=")[0] for limit in limits} == {*BOUNDS, "book"}
    for limit in limits:
        if limit != "book=FILE" and not limit.startswith("calls"):
            parse_spec(f"strong:improved@{limit}")
    for kind in SEARCHES.values():
        if kind.takes_limit:
            assert f"nodes={kind.default_nodes}" in page("limits")
    for program in PROGRAMS.values():
        assert str(program.default_limit) in page("limits")


def test_the_page_on_notation_is_true() -> None:
    _, *written = examples("notation")
    for text in written:
        if ":" in text:
            parse_game(text)
        else:
            parse_start(text)


def completed(shell: str, line: str) -> list[str]:
    words = {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split(" ")) - 1)}
    asked = {"_TYPER_COMPLETE_ARGS": line, "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    done = run_isolarium(_ISOLARIUM_COMPLETE=f"complete_{shell}", **words, **asked)
    assert done.returncode == 0, done.stderr
    return re.findall(r"[\w:-]+", done.stdout.replace("\\", ""))


@pytest.mark.slow
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_complete_commands_options_and_agents(shell: str) -> None:
    assert "solve" in completed(shell, "isolarium so")
    assert "--board" in completed(shell, "isolarium match --bo")
    assert "alphabeta:improved" in completed(shell, "isolarium match alp")
    assert "notation" in completed(shell, "isolarium help no")


def test_specs_are_completed_from_the_registries() -> None:
    assert completion.heuristics("") == [*dict.fromkeys(completion.heuristics(""))]
    assert set(completion.heuristics("")) == set(catalogue())
    assert completion.agents("alphabeta:impr") == ["alphabeta:improved"]
    assert completion.agents("random:") == []
    assert set(completion.agents("alpha")) == {f"alphabeta:{name}" for name in catalogue()}
    assert set(completion.agents("")) >= {"random", "strong:", "mcts", "course:", "engine:"}
    assert "report-003" in completion.studies("rep")
    assert completion.matching(COMMANDS, "per") == ["perft"]
    assert set(completion.fields("")) == set(FIELDS)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("isolarium tournament random --against stro", "strong:improved"),
        ("isolarium tournament random --field co", "course"),
        ("isolarium sweep alph", "alphabeta:improved"),
        ("isolarium sweep x --against alph", "alphabeta:improved"),
        ("isolarium tune alph", "alphabeta:improved"),
        ("isolarium tune x --against alph", "alphabeta:improved"),
        ("isolarium analyze 7x7 --agent alph", "alphabeta:improved"),
        ("isolarium play --level ", "7"),
    ],
)
def test_every_agent_or_name_is_completed(line: str, answer: str) -> None:
    assert answer in completed("zsh", line)


def test_runs_studies_and_tunings_are_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, file in (("one", FILE_NAME), ("two", TEXT_NAME), ("three", SETTINGS_NAME)):
        (tmp_path / "runs" / name).mkdir(parents=True)
        (tmp_path / "runs" / name / file).touch()
    (tmp_path / "runs" / "other").mkdir()
    monkeypatch.chdir(tmp_path)
    assert completion.runs("") == ["one", "three", "two", "last"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (["match", "alphabeta", ":", "impr"], "improved"),
        (["match", "alphabeta:impr"], "alphabeta:improved"),
        (["match", "alphabeta", ":", "open", "@", "nodes", "=", "9", "mct"], "mcts"),
        (["play", "--second", "greedy", ":", "impr"], "improved"),
        (["play", "--second", "=", "greedy", ":", "impr"], "improved"),
        (["play", "--second", "=", "mct"], "mcts"),
    ],
)
def test_bash_completes_agents_although_it_splits_them(words: list[str], answer: str) -> None:
    asked = {
        "_ISOLARIUM_COMPLETE": "complete_bash",
        "COMP_WORDS": "\n".join(["isolarium", *words]),
        "COMP_CWORD": str(len(words)),
    }
    assert run_isolarium(**asked).stdout.split() == [answer]
