"""The command line explains itself, quickly and truly."""

import json
import pkgutil
import re
import shlex
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from isolarium import bench
from isolarium.cli import commands
from isolarium.cli.app import Command, load_command, notes, term
from isolarium.cli.commands import COMMANDS, SHARED_MODULES
from tests.command import run_isolarium, with_few
from tests.course.few_positions import run_quickly
from tests.in_process import run_here

pytestmark = pytest.mark.slow

ENDLESS = {"serve", "engine"}
"""Commands that run until they are ended; tests/web and tests/engine try them."""


def test_version_is_the_packages() -> None:
    result = run_isolarium("--version")
    assert (result.stdout, result.stderr, result.returncode) == (f"isolarium {version('isolarium')}\n", "", 0)


def test_help_lists_every_command() -> None:
    listed = run_isolarium("--help").stdout.partition("Commands:")[2]
    assert [line.split()[0] for line in listed.splitlines() if line] == list(COMMANDS)


def test_no_summary_is_cut() -> None:
    assert "..." not in run_isolarium(COLUMNS="80").stdout.partition("Commands:")[2]


def test_no_arguments_is_help() -> None:
    result = run_isolarium()
    assert result.returncode == 0
    assert result.stdout == run_isolarium("--help").stdout


def test_module_is_the_command() -> None:
    module = subprocess.run([sys.executable, "-m", "isolarium", "--help"], capture_output=True, text=True, check=True)
    assert module.stdout == run_isolarium("--help").stdout


STUDENT = """
class AlphaBetaPlayer:
    def get_move(self, game, time_left):
        return min(game.get_legal_moves(), default=(-1, -1))

    def alphabeta(self, game, depth, alpha=float("-inf"), beta=float("inf")):
        return self.get_move(game, None)
"""


@pytest.fixture(scope="module")
def folder_with_a_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which a match was played, with a student's agent, for the commands that need them."""
    folder = tmp_path_factory.mktemp("examples")
    (folder / "game_agent.py").write_text(STUDENT)
    match = ("match", "random", "random", "--board", "3x3", "--pairs", "2", "--no-accuracy")
    assert run_isolarium(*match, "--runs", str(folder / "runs")).returncode == 0
    return folder


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in ENDLESS])
def test_help_ends_with_examples_that_work(
    command: str, folder_with_a_run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder_with_a_run)
    monkeypatch.setattr(bench, "QUICK", bench.Effort(rounds=1, least_ms=1, student_depth=8))
    examples = run_here(command, "--help").stdout.partition("Examples:\n")[2].splitlines()
    assert len(examples) in (2, 3)
    for example in examples:
        name, *arguments = shlex.split(example)
        assert name == "isolarium"
        result = run_quickly(*with_few(arguments))
        assert result.returncode == 0
        assert result.stdout or "--out" in arguments


def test_every_module_belongs_to_a_command() -> None:
    modules = {module.name for module in pkgutil.iter_modules(commands.__path__)}
    assert modules == {SHARED_MODULES.get(name, name) for name in COMMANDS}


@pytest.mark.parametrize("command", COMMANDS)
def test_the_table_has_the_first_line_of_each_docstring(command: str) -> None:
    assert COMMANDS[command] == (load_command(command).help or "").partition("\n")[0]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_parameter_is_described_in_one_form(command: str) -> None:
    parameters: list[Any] = load_command(command).params
    for one in parameters:
        assert re.fullmatch(r"[A-Z0-9a-z].*[.]", one.help), one.name
        assert "[default" not in one.help, one.name
        assert one.metavar or one.is_flag, one.name


def test_notes_give_the_default_the_range_and_whether_a_parameter_is_required() -> None:
    label: list[Any] = load_command("label").params
    found = {term(one): notes(one) for one in label}
    assert found["--boards ROWSxCOLS,..."] == ["required"]
    assert found["--games N"] == ["default: 1000", "1 to 10,000,000"]
    assert found["--agent SPEC"][-1] == "may be repeated"
    assert found["--outcomes"] == []


def test_statuses_and_examples_are_read_from_the_docstring() -> None:
    command = load_command("analyze")
    assert isinstance(command, Command)
    assert set(command.statuses) == {1, 130}
    assert all(example.startswith("isolarium analyze ") for example in command.examples)
    assert "Exit status" not in command.about


ANSWERS = [["--help"], ["--version"], *([name, "--help"] for name in COMMANDS)]
HEAVY = {"altair", "fastapi", "llvmlite", "numba", "numpy", "rich"}
ASKED_IN_TURN = """
import contextlib, io, json, sys
from isolarium.cli import main

loaded = []
for arguments in json.loads(sys.argv[1]):
    with contextlib.redirect_stdout(io.StringIO()) as said:
        status = main(arguments)
    loaded.append([status == 0 and bool(said.getvalue()), *sys.modules])
print(json.dumps(loaded))
"""
"""Answers to one after the other, and prints what is loaded after each: what none has loaded, no one alone would."""


def test_help_loads_nothing_heavy_and_the_list_no_command() -> None:
    asked = [sys.executable, "-c", ASKED_IN_TURN, json.dumps(ANSWERS)]
    printed = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    for arguments, (has_answered, *loaded) in zip(ANSWERS, json.loads(printed), strict=True):
        assert has_answered, arguments
        assert "isolarium.cli.app" in loaded
        commands_of = {name for name in loaded if name.startswith("isolarium.cli.commands.")}
        assert bool(commands_of) == (len(arguments) > 1), arguments
        assert HEAVY.isdisjoint(name.partition(".")[0] for name in loaded), arguments
