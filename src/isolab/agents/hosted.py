"""An agent in a process of its own, for code that is not ours: it may crash or hang without taking us along.

The process (`host.py`) shows again and again that it is alive. If it is silent for `PATIENCE_S`, a heuristic did not
return: the process is ended and the agent loses its game. It ends with its parent too, however that ends.
"""

import json
import os
import signal
import sys
import time
import warnings
import weakref
from collections.abc import Iterable, Mapping
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any, Final

from isolab.agents.agent import AgentFailure
from isolab.agents.spec import AgentSpec
from isolab.game.board import Square
from isolab.game.outcome import Reason
from isolab.game.position import Position
from isolab.heuristics.compiling import SlowHeuristicWarning
from isolab.limits import Stop
from isolab.search.protocol import Choice, check_unfinished

PATIENCE_S: Final = 20.0
ALIVE_S: Final = 1.0
"""How often the process shows that it is alive, at least."""
STOP_S: Final = 0.01
"""How often `stop` is asked while the process thinks."""
STDERR: Final = 2

# A process of `multiprocessing` would run the program's main module again, which scripts and notebooks cannot bear.
BOOT: Final = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[2]); "
    "from isolab.agents.host import main; main(int(sys.argv[1]))"
)


class HostedAgent:
    """An agent whose moves are chosen in another process, started with its first game and again after it has failed.

    Args:
        spec: the agent.
        patience_s: how long its process may be silent.
    """

    def __init__(self, spec: AgentSpec, patience_s: float = PATIENCE_S) -> None:
        self.name = str(spec)
        self._patience_s = patience_s
        self._seed = 0
        self._warned = False
        self._process: _Process | None = None

    def new_game(self, seed: int) -> None:
        """Take the seed, and start the process if there is none."""
        self._seed = seed
        self._running()

    def choose(self, position: Position, stop: Stop | None = None) -> Choice:
        """Have the process choose.

        Raises:
            InputError: the game is over.
            AgentFailure: the process raised, ended, or fell silent.
        """
        check_unfinished(position)
        choice: Choice = self._ask(("choose", self._seed, position), self._patience_s, stop)
        return choice

    def prepare(self, position: Position) -> None:
        """Have the process compile everything that it needs there; the heuristic is asked nothing."""
        check_unfinished(position)
        self._ask(("prepare", self._seed, position), self._patience_s)

    def values(self, position: Position) -> Mapping[Square, float]:
        """See `SearchingAgent`."""
        values: Mapping[Square, float] = self._ask(
            ("values", self._seed, position), self._patience_s
        )
        return values

    @property
    def process_id(self) -> int | None:
        """The number of the process that chooses, while there is one."""
        return None if self._process is None else self._process.number

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.end()
            self._process = None

    def _running(self) -> "_Process":
        """The process, started if there is none, its warnings passed on once."""
        if self._process is None:
            self._process = _Process()
            weakref.finalize(self, self._process.end)
            alive_s = min(ALIVE_S, self._patience_s / 4)
            try:
                told = self._ask((alive_s, self.name), max(self._patience_s, PATIENCE_S))
            except AgentFailure:
                self.close()
                raise
            for message in () if self._warned else told:
                warnings.warn(message, SlowHeuristicWarning, stacklevel=3)
            self._warned = True
        return self._process

    def _ask(self, request: Any, patience_s: float, stop: Stop | None = None) -> Any:
        """The process's answer to a request.

        Raises:
            AgentFailure: it raised, ended, or fell silent.
        """
        process = self._running()
        try:
            process.line.send(request)
            kind, answer = _wait(process.line, patience_s, stop)
        except TimeoutError:
            self.close()
            silent = f"{self.name}: no sign of life for {patience_s:g} s; ended"
            raise AgentFailure(Reason.TIME, silent) from None
        except (EOFError, OSError):
            self.close()
            ended = f"{self.name}: its process ended ({process.ending})"
            raise AgentFailure(Reason.CRASH, ended) from None
        except BaseException:  # an answer that nobody waits for would be taken for the next one
            self.close()
            raise
        if kind == "failed":
            raise answer
        return answer


def _wait(line: Connection, patience_s: float, stop: Stop | None) -> tuple[str, Any]:
    """Wait for the answer, for as long as there are signs of life.

    Raises:
        TimeoutError: there were none.
    """
    heard = time.monotonic()
    while True:
        if line.poll(STOP_S if stop is not None else patience_s):
            kind, answer = line.recv()
            if kind != "alive":
                return kind, answer
            heard = time.monotonic()
        elif time.monotonic() - heard > patience_s:
            raise TimeoutError
        if stop is not None and stop():
            line.send(None)
            stop = None


def files_loaded_for(specs: Iterable[AgentSpec]) -> Mapping[Path, str]:
    """The files that making these agents loads and that are neither ours nor installed, each with a digest.

    They are loaded in a process of its own, where nothing else is; none are known if that does not survive it.
    """
    process = _Process()
    try:
        process.line.send((ALIVE_S, [str(spec) for spec in specs]))
        kind, found = _wait(process.line, PATIENCE_S, None)
    except (TimeoutError, EOFError, OSError):
        return {}
    finally:
        process.end()
    return found if kind == "done" else {}


class _Process:
    """A process that hosts an agent, and the line to it."""

    def __init__(self) -> None:
        self.line, theirs = Pipe()
        path = json.dumps([str(folder) for folder in sys.path])
        with theirs:
            self._process = Popen(
                [sys.executable, "-c", BOOT, str(theirs.fileno()), path],
                stdin=PIPE,  # never written to: it tells the process that we are gone
                stdout=STDERR,  # what foreign code prints must not mix with what we do
                pass_fds=[theirs.fileno()],
                process_group=0,  # Ctrl-C is ours to deal with
            )

    @property
    def number(self) -> int:
        """What the system calls the process."""
        return self._process.pid

    @property
    def ending(self) -> str:
        """How the process ended."""
        status = self._process.wait()
        return signal.Signals(-status).name if status < 0 else f"exit status {status}"

    def end(self) -> None:
        """End the process with everything that it started."""
        if self._process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.communicate()
        self.line.close()
