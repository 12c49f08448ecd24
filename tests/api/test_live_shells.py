"""Code typed into a shell or run in a notebook's cells plays, and a killed kernel's run is resumed."""

import subprocess
import sys
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

import pytest
from jupyter_client import BlockingKernelClient, KernelManager
from jupyter_client.manager import start_new_kernel

from isolarium import InputError
from isolarium.arena.run_db import Record
from tests.command import PATIENCE_S, environment

pytestmark = pytest.mark.slow

DEFINITIONS: Final = """import numpy as np
import isolarium
from isolarium.heuristics import mobility

network = np.random.default_rng(1).normal(size=(75, 25))

def freer(view, own, opp):
    return mobility(view, own) - mobility(view, opp)

class Last:
    def choose(self, position, limit):
        return position.legal_moves()[-1]

def act(observation, mask):
    return np.where(mask, observation[:3].reshape(-1) @ network, -np.inf).argmax()

agents = [freer, lambda view, own, opp: -mobility(view, opp), Last, isolarium.policy(act)]
"""
PLAY: Final = """played = isolarium.tournament(agents, pairs={pairs}, board="5x5", limit="nodes=30",
    workers=2, runs="runs", progress=False)
"""
SHOW: Final = 'print(played.finished, len(list(played.games())), "own:freer" in str(played))\n'


@pytest.mark.parametrize("start", [["-i", "-q"], ["-m", "IPython", "--simple-prompt", "--no-banner"]])
def test_what_is_typed_into_a_shell_plays(start: list[str], tmp_path: Path) -> None:
    typed = DEFINITIONS + PLAY.format(pairs=2) + "\n" + SHOW
    done = subprocess.run(
        [sys.executable, *start],
        input=typed,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment(IPYTHONDIR=str(tmp_path / "ipython")),
        timeout=PATIENCE_S,
        check=False,
    )
    assert "True 24 True" in done.stdout, done.stderr
    assert "Error" not in done.stdout + done.stderr


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for kernels, which is the current one."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_run_of_a_killed_notebook_is_resumed_in_another(folder: Path) -> None:
    with closing(_Kernel()) as kernel:
        assert kernel.run(DEFINITIONS) == ""
        kernel.start(PLAY.format(pairs=500))
        run = _with_games(folder)
    with closing(Record(run)) as record:
        before = {(game.encounter, game.pair, game.leg): game.line for game in record.games()}
        assert 0 < len(before) < record.plan.games == 6_000
    with closing(_Kernel()) as kernel:
        kernel.run(DEFINITIONS)
        kernel.run('played = isolarium.read_run("last").resume(*agents)')
        assert kernel.run(SHOW) == "True 6000 True\n"
    with closing(Record(run)) as record:
        found = {(game.encounter, game.pair, game.leg): game.line for game in record.games()}
    assert before.items() <= found.items()


class _Kernel:
    """A notebook's kernel, which ends as if it had crashed."""

    def __init__(self) -> None:
        started: tuple[KernelManager, BlockingKernelClient] = start_new_kernel(kernel_name="python3")
        self._manager, self._client = started

    def start(self, code: str) -> None:
        """Run a cell without waiting for its end."""
        self._client.execute(code)

    def run(self, code: str) -> str:
        """Run a cell, and return what it printed."""
        printed = list[str]()

        def note(message: dict[str, dict[str, str]]) -> None:
            content = message["content"]
            printed.extend(content[key] for key in ("text", "evalue") if key in content)

        self._client.execute_interactive(code, timeout=PATIENCE_S, output_hook=note)
        return "".join(printed)

    def close(self) -> None:
        """Kill the process."""
        self._client.stop_channels()
        self._manager.shutdown_kernel(now=True)


def _with_games(folder: Path) -> Path:
    """Wait until a run in the folder has games."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        for path in folder.glob("runs/*/run.sqlite"):
            with suppress(InputError), closing(Record(path.parent)) as record:
                if record.count():
                    return path.parent
        time.sleep(0.05)
    raise AssertionError("no games")
