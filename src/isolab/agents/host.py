"""The process of a hosted agent: makes the agent and answers one request after the other.

Every message to the parent is `(kind, value)`: `alive`, to show that work goes on; `done` with the answer; or `failed`
with an `AgentFailure`. Compiling is known to be alive, so a thread says so. A search says so itself after each slice: a
heuristic that never returns is silent.
"""

import os
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from isolab.agents.agent import AgentFailure
from isolab.agents.spec import read_spec
from isolab.errors import InputError
from isolab.game.board import Board
from isolab.game.outcome import Reason
from isolab.game.position import Position

if TYPE_CHECKING:
    from isolab.agents.searching import SearchingAgent

COMPILING_S: Final = 180.0
"""How long a compilation may take before it, too, falls silent."""
LISTEN_S: Final = 0.005
"""How often a search hears whether to stop: asking takes as long as some thousand nodes."""
OUR_CODE: Final = Path(__file__).parents[1]


def main(handle: int) -> None:
    """Serve the other end of the line until it is gone.

    The first message says how often to be heard, and the spec of the agent to be; or the specs of agents whose files
    are to be told.
    """
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with Connection(handle) as line:
        try:
            alive_s, wanted = line.recv()
            if isinstance(wanted, str):
                Host(line, wanted, alive_s).serve()
            else:
                Host(line, "files", alive_s).tell_files(wanted)
        except (EOFError, OSError):  # the parent is gone
            return


def _end_with_parent() -> None:
    """End this process, and what it may have started, once the other end of stdin is gone, whatever goes on here."""
    os.read(0, 1)
    os.killpg(0, signal.SIGKILL)


class Host:
    """One agent and the line to its parent."""

    def __init__(self, line: Connection, name: str, alive_s: float) -> None:
        self._line = line
        self._name = name
        self._alive_s = alive_s
        self._agent: SearchingAgent
        self._ready: set[Board] = set()

    def serve(self) -> None:
        """Make the agent and answer with its warnings; then answer requests."""
        self._line.send(self._answer(self._make))
        while True:
            request = self._line.recv()
            if request is not None:  # which asked a search to stop that was over by then
                self._line.send(self._answer(self._obey, *request))

    def tell_files(self, specs: Iterable[str]) -> None:
        """Answer with the files that making these agents takes."""
        self._line.send(self._answer(self._load, specs))

    def _load(self, specs: Iterable[str]) -> dict[Path, str]:
        with self._compiling():
            from isolab.heuristics.loading import digests_of_loaded

            warnings.simplefilter("ignore")
            before = set(sys.modules)
            for spec in specs:
                with suppress(InputError):  # what it loaded before that counts all the same
                    read_spec(spec)
            return digests_of_loaded(set(sys.modules) - before)

    def _answer(self, action: Callable[..., Any], *arguments: Any) -> tuple[str, Any]:
        try:
            return "done", action(*arguments)
        except AgentFailure as failure:
            return "failed", failure
        except MemoryError:
            return "failed", AgentFailure(Reason.MEMORY, f"{self._name}: out of memory")
        except (Exception, SystemExit) as error:  # whatever foreign code may raise
            return "failed", AgentFailure(Reason.CRASH, f"{self._name}: {_told(error)}")

    def _obey(self, request: str, seed: int, position: Position) -> Any:
        if position.board not in self._ready:
            with self._compiling():
                self._agent.prepare(position)
            self._ready.add(position.board)
        if request == "prepare":
            return None
        if request == "values":
            return self._agent.values(position)
        self._agent.new_game(seed)
        return self._agent.choose(position, _Pulse(self._line, self._alive_s))

    def _make(self) -> list[str]:
        with self._compiling(), warnings.catch_warnings(record=True) as caught:
            # Imported inside: they load the compiler, which takes longer than the first sign of life should.
            from isolab.agents.searching import SearchingAgent
            from isolab.heuristics.compiling import SlowHeuristicWarning

            warnings.simplefilter("ignore")
            warnings.simplefilter("always", SlowHeuristicWarning)
            try:
                spec = read_spec(self._name)
            except InputError as error:
                raise AgentFailure(Reason.CRASH, error.without_commands) from None
            self._agent = SearchingAgent(spec)
        return [str(warning.message) for warning in caught]

    @contextmanager
    def _compiling(self) -> Iterator[None]:
        """Say that we are alive for as long as the block takes."""
        over = threading.Event()
        thread = threading.Thread(target=self._beat, args=[over], daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()  # only one may use the line at a time

    def _beat(self, over: threading.Event) -> None:
        for _ in range(int(COMPILING_S / self._alive_s)):
            if over.wait(self._alive_s):
                return
            self._line.send(("alive", None))


class _Pulse:
    """Asked after every slice of a search: says that we are alive, and hears whether to stop."""

    def __init__(self, line: Connection, alive_s: float) -> None:
        self._line = line
        self._alive_s = alive_s
        self._said = self._listened = time.monotonic()

    def __call__(self) -> bool:
        now = time.monotonic()
        if now - self._said > self._alive_s:
            self._said = now
            self._line.send(("alive", None))
        if now - self._listened < LISTEN_S:
            return False
        self._listened = now
        if not self._line.poll():
            return False
        self._line.recv()
        return True


def _told(error: BaseException) -> str:
    """The error in one line, with the line of foreign code in which it arose, if that is known."""
    told = " ".join(f"{type(error).__name__}: {error}".removesuffix(": ").split())
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        path = Path(frame.filename)
        if path.is_file() and not path.is_relative_to(OUR_CODE):
            return f"{told} ({path.name}, line {frame.lineno})"
    return told
