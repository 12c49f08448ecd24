"""Somebody's file is loaded where it does no harm: in a process of its own, from folders that are allowed, once."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from isolarium.agents import AgentFailure, read_spec, read_specs
from isolarium.errors import InputError
from isolarium.game.position import Reason
from isolarium.heuristics.bound_heuristic import parse_heuristic
from isolarium.processes.code_loader import FOLDERS, HEURISTICS, Permit, installed_names, loading_elsewhere
from isolarium.spec import resolve
from tests.agents.foreign import EARLY, hosted, processes_of
from tests.command import PATIENCE_S, environment, run_isolarium

pytestmark = pytest.mark.slow

HEURISTIC = """
from isolarium.heuristics import heuristic

@heuristic
def mine(view, own, opp, z=0.0):
    return z
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    found = tmp_path / "mine.py"
    found.write_text(HEURISTIC)
    return found


# What ends a process, or never ends


ENDINGS = {
    "os._exit": ("import os; os._exit(3)", r"crashed while it was loaded \(exit status 3\)"),
    "a fault": ("import ctypes; ctypes.string_at(0)", r"crashed while it was loaded \(SIGSEGV\)"),
    "a signal": ("import os; os.kill(os.getpid(), 15)", r"crashed while it was loaded \(SIGTERM\)"),
}


@pytest.mark.parametrize(("text", "output"), ENDINGS.values(), ids=ENDINGS.keys())
def test_a_file_that_ends_its_process_is_one_line(file: Path, text: str, output: str) -> None:
    file.write_text(text)
    with pytest.raises(InputError, match=rf"^greedy:.*mine\.py:mine: {output}$"):
        read_spec(f"greedy:{file}:mine")


def test_a_file_that_never_ends_is_one_line(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text("while True: pass")
    monkeypatch.setattr(resolve, "LOADING_S", 0.5)
    before = processes_of(os.getpid())
    with pytest.raises(InputError, match=r"mine: did not finish loading in 0\.5 s$"):
        read_spec(f"greedy:{file}:mine")
    assert processes_of(os.getpid()) == before


@pytest.mark.parametrize("command", [["match", "AGENT", "random"], ["heuristics", "HEURISTIC"]])
def test_no_command_ends_with_a_file_that_ends_its_process(file: Path, command: list[str]) -> None:
    file.write_text("import os; os._exit(0)")
    names = {"AGENT": f"greedy:{file}:mine", "HEURISTIC": f"{file}:mine"}
    shown = run_isolarium(*(names.get(word, word) for word in command))
    assert shown.returncode == 2
    assert shown.stderr.splitlines()[-1].endswith("crashed while it was loaded (exit status 0)")


def test_a_command_loads_nothing_itself(file: Path) -> None:
    with loading_elsewhere():
        with pytest.raises(RuntimeError, match="outside a sandboxed process"):
            parse_heuristic(f"{file}:mine")
        assert str(read_spec(f"greedy:{file}:mine(1)")) == f"greedy:{file}:mine(z=1)"


def test_several_are_read_at_once_and_an_edited_one_anew(file: Path) -> None:
    texts = [f"greedy:{file}:mine(0)", "random", f"greedy:{file}:mine(2)", f"greedy:{file}:mine(0)"]
    full = [f"greedy:{file}:mine", "random", f"greedy:{file}:mine(z=2)", f"greedy:{file}:mine"]
    assert [str(spec) for spec in read_specs(texts)] == full
    file.write_text(HEURISTIC.replace("z=0.0", "y=2.0").replace("return z", "return y"))
    assert str(read_spec(f"greedy:{file}:mine(2)")) == f"greedy:{file}:mine"


# A file that starts games when it is loaded


STARTS = {
    "match": "import isolarium; isolarium.match('SPEC', 'random', pairs=1)",
    "tournament": "import isolarium; isolarium.tournament(['SPEC', 'random'], pairs=1)",
    "sweep": "import isolarium; isolarium.sweep('SPEC(z={})', '1,2', against='random', pairs=1)",
    "agent": "from isolarium.agents import parse_agent; parse_agent('SPEC').new_game(1)",
}
GUARD = 'put them under if __name__ == "__main__":'


@pytest.mark.parametrize("start", STARTS.values(), ids=STARTS.keys())
def test_a_file_that_starts_games_when_it_is_loaded_is_told_so(file: Path, start: str) -> None:
    file.write_text(f"{HEURISTIC}\n{start.replace('SPEC', f'greedy:{file}:mine')}")
    with pytest.raises(InputError) as caught:
        read_spec(f"greedy:{file}:mine")
    assert str(caught.value).endswith(GUARD)
    assert "games were started while mine.py is loaded" in str(caught.value)


def test_a_script_with_a_guard_plays_its_own_heuristic(file: Path) -> None:
    match = f"isolarium.match('greedy:{file}:mine', 'random', pairs=1, board='3x3', workers=1)"
    file.write_text(f"import isolarium\n{HEURISTIC}\nif __name__ == '__main__': print({match}.finished)")
    command = [sys.executable, str(file)]
    shown = subprocess.run(command, capture_output=True, text=True, env=environment(), timeout=PATIENCE_S, check=True)
    assert shown.stdout == "True\n"


# From which folders


@pytest.fixture
def allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "allowed"
    folder.mkdir()
    monkeypatch.setenv(FOLDERS, Permit((folder.resolve(),)).environment()[FOLDERS])
    return folder


def test_the_loader_asks_for_the_real_path(file: Path, allowed: Path) -> None:
    inside = allowed / "inside.py"
    inside.write_text(HEURISTIC)
    (allowed / "link.py").symlink_to(file)
    assert read_spec(f"greedy:{inside}:mine").is_third_party
    for path in (file, allowed / "link.py", allowed / ".." / "mine.py"):
        with pytest.raises(InputError, match="not in a folder whose files may be loaded here"):
            read_spec(f"greedy:{path}:mine")


def test_a_neighbour_that_leads_outside_is_not_loaded(file: Path, allowed: Path) -> None:
    (allowed / "inside.py").write_text(f"import neighbour\n{HEURISTIC}")
    (allowed / "neighbour.py").symlink_to(file)
    with pytest.raises(InputError, match="not in a folder whose files may be loaded here"):
        read_spec(f"greedy:{allowed}/inside.py:mine")


@pytest.mark.parametrize("text", ["[", "7", '{"a": 1'])
def test_folders_that_cannot_be_read_allow_nothing(file: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDERS, text)
    with pytest.raises(InputError, match="not in a folder whose files may be loaded here"):
        parse_heuristic(f"{file}:mine")


# It starts nothing, and its memory is limited


def greedy_with(file: Path, body: str) -> str:
    file.write_text(
        "import os, subprocess, time\nfrom isolarium.heuristics import heuristic\nkept = []\n"
        f"class Slow: pass\n@heuristic\ndef mine(view, own, opp):\n    Slow()\n{body}\n    return 0"
    )
    return f"greedy:{file}:mine"


FORKS = {
    "a child": "    os.fork() or time.sleep(1000)",
    "a program": "    subprocess.Popen(['sleep', '1000'], start_new_session=True)",
}


@pytest.mark.filterwarnings("ignore::isolarium.heuristics.compiler.HeuristicWarning")
@pytest.mark.parametrize("body", FORKS.values(), ids=FORKS.keys())
def test_a_heuristic_starts_nothing(file: Path, body: str) -> None:
    with hosted(greedy_with(file, body)) as agent:
        agent.new_game(1)
        with pytest.raises(AgentFailure, match="PermissionError"):
            agent.choose(EARLY)


@pytest.mark.filterwarnings("ignore::isolarium.heuristics.compiler.HeuristicWarning")
@pytest.mark.parametrize("kept", ["kept.append(bytes(1 << 26))", "bytes(1 << 40)"])
def test_too_much_memory_is_charged_as_memory(file: Path, kept: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOLARIUM_AGENT_MEMORY", "1")
    with hosted(greedy_with(file, f"    for _ in range(100): {kept}")) as agent:
        agent.new_game(1)
        with pytest.raises(AgentFailure, match="out of memory") as caught:
            agent.choose(EARLY)
        assert caught.value.reason is Reason.MEMORY
        assert agent.process_id is None


def test_a_limit_on_memory_that_is_none_is_told(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOLARIUM_AGENT_MEMORY", "much")
    with pytest.raises(InputError, match="ISOLARIUM_AGENT_MEMORY=much: expected a number of GiB"):
        read_spec(f"greedy:{file}:mine")


def test_a_package_that_is_installed_or_removed_meanwhile_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    assert "their_own" not in installed_names(HEURISTICS)
    about = tmp_path / "theirs-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Name: theirs\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[isolarium.heuristics]\ntheir_own = theirs:own\n")
    os.utime(tmp_path, (1, 1))  # the clock of some file systems is coarse
    assert "their_own" in installed_names(HEURISTICS)
    shutil.rmtree(about)
    assert "their_own" not in installed_names(HEURISTICS)
