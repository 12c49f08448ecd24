"""The command line explains itself, quickly and truly."""

import shlex
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from isolab.cli.app import app
from tests.command import run_isolab

COMMANDS = [command.name for command in app.registered_commands if command.name is not None]
ENDLESS = {"serve"}
"""Commands that run until they are ended; tests/web tries them."""


def test_version_is_the_packages() -> None:
    result = run_isolab("--version")
    assert (result.stdout, result.stderr, result.returncode) == (
        f"isolab {version('isolab')}\n",
        "",
        0,
    )


def test_help_lists_every_command() -> None:
    listed = run_isolab("--help").stdout.partition("Commands:")[2]
    assert [line.split()[0] for line in listed.splitlines() if line] == COMMANDS


def test_no_command_s_description_is_cut() -> None:
    assert "..." not in run_isolab(COLUMNS="80").stdout.partition("Commands:")[2]


def test_no_arguments_is_help() -> None:
    result = run_isolab()
    assert result.returncode == 0
    assert result.stdout == run_isolab("--help").stdout


def test_module_is_the_command() -> None:
    module = subprocess.run(
        [sys.executable, "-m", "isolab", "--help"], capture_output=True, text=True, check=True
    )
    assert module.stdout == run_isolab("--help").stdout


@pytest.fixture(scope="module")
def folder_with_a_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which a match was played, for the commands that need one."""
    folder = tmp_path_factory.mktemp("examples")
    match = ("match", "random", "random", "--board", "3x3", "--pairs", "2", "--no-accuracy")
    assert run_isolab(*match, "--runs", str(folder / "runs")).returncode == 0
    return folder


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in ENDLESS])
def test_help_ends_with_two_examples_that_work(
    command: str, folder_with_a_run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder_with_a_run)
    examples = run_isolab(command, "--help").stdout.partition("Examples:\n")[2].splitlines()
    assert len(examples) == 2
    for example in examples:
        name, *arguments = shlex.split(example)
        assert name == "isolab"
        result = run_isolab(*arguments)
        assert result.returncode == 0
        assert result.stdout


@pytest.mark.parametrize(
    "arguments", [["--help"], ["--version"], ["play", "--help"], ["perft", "--help"]]
)
def test_nothing_heavy_is_loaded_to_answer(arguments: list[str]) -> None:
    traced = [sys.executable, "-X", "importtime", "-m", "isolab", *arguments]
    trace = subprocess.run(traced, capture_output=True, text=True, check=True).stderr
    loaded = {line.rpartition("|")[2].strip().partition(".")[0] for line in trace.splitlines()}
    assert "isolab" in loaded
    assert loaded.isdisjoint({"llvmlite", "numba", "numpy", "rich"})
