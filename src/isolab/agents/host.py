"""The process for code that is not ours: it makes an agent and answers one request after the other, or looks things up.

Every message to the parent is `(kind, value)`: `alive`, to show that work goes on; `done` with the answer; or `failed`
with an `AgentFailure`. Compiling is known to be alive, so a thread says so. A search says so itself after each slice: a
heuristic that never returns is silent.
"""

import os
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any, Final

from isolab.agents.agent import AgentFailure
from isolab.agents.spec import load_spec
from isolab.errors import InputError, told
from isolab.game.board import Board
from isolab.game.outcome import Reason
from isolab.game.position import Position
from isolab.supervisor import make_room
from isolab.system import line_of

if TYPE_CHECKING:
    from isolab.agents.searching import SearchingAgent

COMPILING_S: Final = 180.0
"""How long a compilation may take before it, too, falls silent."""
LOADING_S: Final = 10.0
"""The same for the loading of files; the silence that follows is waited for too."""
LISTEN_S: Final = 0.005
"""How often a search hears whether to stop: asking takes as long as some thousand nodes."""


def main(handle: int) -> None:
    """Serve the other end of the line until it is gone.

    The first message says what is wanted: `agent`, with how often to be heard and its spec; or a kind of `LOOKUPS` with
    what to look up.
    """
    with line_of(handle) as line:
        try:
            kind, *wanted = line.recv()
            if kind == "agent":
                alive_s, spec = wanted
                Host(line, spec, alive_s).serve()
            else:
                look_up(line, LOOKUPS[kind], *wanted)
        except (EOFError, OSError):  # the parent is gone
            return


# Looking up: what somebody's code says of itself


def look_up(line: Connection, lookup: Callable[[str], Any], texts: Iterable[str]) -> None:
    """Answer for each text with what is found, or the `InputError`; then with the files that this loaded."""
    from isolab.heuristics.loading import texts_of_loaded

    warnings.simplefilter("ignore")
    before = set(sys.modules)
    line.send(("ready", None))
    for text in texts:
        try:
            line.send(("done", lookup(text)))
        except InputError as error:
            line.send(("wrong", error))
    line.send(("done", texts_of_loaded(set(sys.modules) - before)))


def _heuristic_of_spec(text: str) -> Any:
    return load_spec(text).heuristic


def _full_heuristic(text: str) -> Any:
    from isolab.heuristics.binding import parse_heuristic

    return parse_heuristic(text).call


def _facts_of_heuristic(name: str) -> Any:
    from isolab.heuristics.describing import facts, origin
    from isolab.heuristics.loading import find

    found = find(name)
    return facts(found), origin(found)


LOOKUPS: Final = {
    "spec": _heuristic_of_spec,
    "heuristic": _full_heuristic,
    "facts": _facts_of_heuristic,
}


# An agent


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

    def _answer(self, action: Callable[..., Any], *arguments: Any) -> tuple[str, Any]:
        try:
            return "done", action(*arguments)
        except AgentFailure as failure:
            return "failed", failure
        except MemoryError:
            make_room()
            return "failed", AgentFailure(Reason.MEMORY, f"{self._name}: out of memory")
        except (Exception, SystemExit) as error:  # whatever foreign code may raise
            return "failed", AgentFailure(Reason.CRASH, f"{self._name}: {told(error)}")

    def _obey(self, request: str, seed: Any, position: Position) -> Any:
        if position.board not in self._ready:
            with self._busy(COMPILING_S):
                self._agent.prepare(position)
            self._ready.add(position.board)
        if request == "prepare":
            return None
        if request == "values":
            return self._agent.values(position)
        if request == "value":
            return self._agent.value(position, seed)
        self._agent.new_game(seed)
        return self._agent.choose(position, _Pulse(self._line, self._alive_s))

    def _make(self) -> tuple[int, list[str]]:
        """Make the agent: the number of its process, and what there is to warn of."""
        with warnings.catch_warnings(record=True) as caught:
            with self._busy(COMPILING_S):
                # Imported inside: they load the compiler, which takes longer than the first sign of life should.
                from isolab.agents.searching import SearchingAgent
                from isolab.heuristics.compiling import SlowHeuristicWarning

            warnings.simplefilter("ignore")
            warnings.simplefilter("always", SlowHeuristicWarning)
            try:
                with self._busy(LOADING_S):
                    spec = load_spec(self._name)
            except InputError as error:
                raise AgentFailure(Reason.CRASH, error.without_commands) from None
            with self._busy(COMPILING_S):
                self._agent = SearchingAgent(spec)
        return os.getpid(), [str(warning.message) for warning in caught]

    @contextmanager
    def _busy(self, most_s: float) -> Iterator[None]:
        """Say that we are alive for as long as the block takes, and may take."""
        over = threading.Event()
        thread = threading.Thread(target=self._beat, args=[over, most_s], daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()  # only one may use the line at a time

    def _beat(self, over: threading.Event, most_s: float) -> None:
        for _ in range(int(most_s / self._alive_s)):
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
