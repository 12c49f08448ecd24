"""The sandboxed process of a heuristic file: it makes an agent and answers requests, or looks up what texts name.

What is ours it compiles first, into the cache that all processes share. Then it confines itself, reports what its
sandbox holds, and only then loads the file; what is compiled from there on goes into a cache that no other file sees.

Every message to the parent is an object with one name: `alive`, to show that work goes on; `sandbox`, once; `done` with
the answer; `wrong` with what is wrong with a text; or `failed` with the reason and what happened. Compiling is known to
be alive, so a thread says so. A search says so itself after each slice: a heuristic that never returns is silent.
"""

import json
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from math import inf, isnan
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from isolarium.agents.agent import AgentFailure
from isolarium.compat import line_of
from isolarium.errors import InputError, told
from isolarium.game.board import Board
from isolarium.game.notation import parse_board, parse_position
from isolarium.game.outcome import Player, Reason
from isolarium.game.position import Position
from isolarium.native.cache import redirect
from isolarium.processes.sandbox import HEURISTIC_FILE, confine
from isolarium.processes.supervisor import make_room
from isolarium.search.protocol import Choice
from isolarium.spec.parser import Call
from isolarium.spec.spec import AgentSpec, load_spec, parse_spec

if TYPE_CHECKING:
    from isolarium.agents.search_agent import SearchingAgent

COMPILING_S: Final = 180.0
"""How long a compilation may take before it, too, falls silent."""
LOADING_S: Final = 10.0
"""The same for the loading of files; the silence that follows is waited for too."""
LISTEN_S: Final = 0.005
"""How often a search hears whether to stop: asking takes as long as some thousand nodes."""
STOP: Final = {"do": "stop"}
"""Asks a search to end early; one that was over by then has no answer to it."""


def main(handle: int, scratch: str, personal: str) -> None:
    """Serve the other end of the pipe until it is gone; write nowhere but in `scratch` and the private cache.

    The first request says what is wanted, `agent` or one of `LOOKUPS`, the files that this loads and reads, and the
    folder of the private cache.
    """
    with line_of(handle) as line, suppress(EOFError, OSError):  # the parent is gone
        pipe = Pipe(line)
        wanted = pipe.receive()
        spec = None if wanted["kind"] in LOOKUPS else parse_spec(wanted["spec"])
        if spec is not None:
            pipe.alive_s = wanted["alive_s"]
            with pipe.busy(COMPILING_S):
                compile_ours(spec, parse_board(wanted["board"]))
        private = Path(wanted["cache"])
        protection = confine(
            HEURISTIC_FILE,
            personal=[Path(text) for text in json.loads(personal)],
            beside={Path(file).parent for file in wanted["files"]},
            readable=[redirect(private), *map(Path, wanted["data"])],
            scratch=Path(scratch),
            writable=[private],
            descriptors=[handle],
        )
        pipe.send({"sandbox": asdict(protection)})
        if spec is None:
            look_up(pipe, LOOKUPS[wanted["kind"]], wanted["texts"])
        else:
            Host(pipe, spec).serve()


def compile_ours(spec: AgentSpec, board: Board) -> None:
    """Compile, or load, what the agent's search has in common with all others of its kind, into the shared cache."""
    # Imported inside: it loads the compiler, which takes longer than the first sign of life should.
    from isolarium.agents.search_agent import SearchingAgent
    from isolarium.native.entry_points import shared_parts_kept

    # The agent itself will fail again, where that is told.
    with suppress(Exception), shared_parts_kept():
        twin = SearchingAgent(replace(spec, heuristic=Call("open"), book=False))
        twin.prepare(Position.empty(board))


class Pipe:
    """The pipe to the parent.

    Args:
        line: its end here.

    Attributes:
        alive_s: how often to show that work goes on, at least.
    """

    def __init__(self, line: Connection, alive_s: float = 1.0) -> None:
        self._line, self.alive_s = line, alive_s

    def send(self, message: Mapping[str, Any]) -> None:
        """Send a message."""
        self._line.send_bytes(json.dumps(message).encode())

    def receive(self) -> dict[str, Any]:
        """Return the next request.

        Raises:
            EOFError: If the parent is gone.
        """
        request: dict[str, Any] = json.loads(self._line.recv_bytes())
        return request

    def poll(self) -> bool:
        """Return whether there is a request."""
        return self._line.poll()

    @contextmanager
    def busy(self, most_s: float) -> Iterator[None]:
        """Show to be alive for as long as the block takes, and may take."""
        over = threading.Event()
        thread = threading.Thread(target=self._beat, args=[over, most_s], daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()  # only one may use the pipe at a time

    def _beat(self, over: threading.Event, most_s: float) -> None:
        for _ in range(int(most_s / self.alive_s)):
            if over.wait(self.alive_s):
                return
            self.send({"alive": True})


# Looking up: what somebody's code says of itself


def look_up(pipe: Pipe, lookup: Callable[[str], Any], texts: Sequence[str]) -> None:
    """Answer for each text with what is found, or what is wrong; then with the names of the files that this loaded."""
    from isolarium.heuristics.lookup import files_of_loaded

    warnings.simplefilter("ignore")
    before = set(sys.modules)
    pipe.send({"done": "ready"})
    for text in texts:
        try:
            pipe.send({"done": lookup(text)})
        except InputError as error:
            elsewhere = error.without_commands.removeprefix(error.message)
            pipe.send({"wrong": error.message, "advice": error.advice, "elsewhere": elsewhere})
    pipe.send({"done": files_of_loaded(set(sys.modules) - before)})


def _heuristic_of_spec(text: str) -> str:
    return str(load_spec(text).heuristic)


def _full_heuristic(text: str) -> str:
    from isolarium.heuristics.bound_heuristic import parse_heuristic

    return str(parse_heuristic(text).call)


def _facts_of_heuristic(name: str) -> dict[str, Any]:
    from isolarium.heuristics.description import facts, origin
    from isolarium.heuristics.lookup import find

    found = find(name)
    return {"facts": facts(found), "origin": origin(found)}


LOOKUPS: Final = {
    "spec": _heuristic_of_spec,
    "heuristic": _full_heuristic,
    "facts": _facts_of_heuristic,
}


# An agent


class Host:
    """One agent and the pipe to its parent.

    Args:
        pipe: that.
        spec: the agent's, without its parameters looked up.
    """

    def __init__(self, pipe: Pipe, spec: AgentSpec) -> None:
        self._pipe, self._name = pipe, str(spec)
        self._agent: SearchingAgent
        self._ready: set[Board] = set()

    def serve(self) -> None:
        """Make the agent and answer with its warnings; then answer requests."""
        self._pipe.send(self._answer(self._make))
        while True:
            request = self._pipe.receive()
            if request != STOP:
                self._pipe.send(self._answer(self._obey, **request))

    def _answer(self, action: Callable[..., Any], **request: Any) -> dict[str, Any]:
        try:
            return {"done": action(**request)}
        except AgentFailure as failure:
            return {"failed": failure.reason, "told": str(failure)}
        except MemoryError:
            make_room()
            return {"failed": Reason.MEMORY, "told": f"{self._name}: out of memory"}
        except (Exception, SystemExit) as error:  # whatever third-party code may raise
            return {"failed": Reason.CRASH, "told": f"{self._name}: {told(error)}"}

    def _obey(self, do: str, position: str, seed: int = 0, player: int = 0) -> Any:
        where = parse_position(position)
        if where.board not in self._ready:
            with self._pipe.busy(COMPILING_S):
                self._agent.prepare(where)
            self._ready.add(where.board)
        if do == "prepare":
            return None
        if do == "values":
            values = self._agent.values(where)
            return {str(move): number_message(value) for move, value in values.items()}
        if do == "value":
            return number_message(self._agent.value(where, Player(player)))
        self._agent.new_game(seed)
        return choice_message(self._agent.choose(where, _Pulse(self._pipe)), where.board)

    def _make(self) -> list[str]:
        """Make the agent, and return what there is to warn of."""
        with warnings.catch_warnings(record=True) as caught:
            with self._pipe.busy(COMPILING_S):
                # Imported inside: they load the compiler, as above.
                from isolarium.agents.search_agent import SearchingAgent
                from isolarium.heuristics.compiler import SlowHeuristicWarning

            warnings.simplefilter("ignore")
            warnings.simplefilter("always", SlowHeuristicWarning)
            try:
                with self._pipe.busy(LOADING_S):
                    spec = load_spec(self._name)
            except InputError as error:
                raise AgentFailure(Reason.CRASH, error.without_commands) from None
            with self._pipe.busy(COMPILING_S):
                self._agent = SearchingAgent(spec)
        return [str(warning.message) for warning in caught]


def number_message(value: float) -> float | str | None:
    """Return a number as JSON can hold it: the infinite ones as text, None for what is not a number."""
    if isnan(value):
        return None
    return str(value) if value in (inf, -inf) else value


def choice_message(choice: Choice, board: Board) -> dict[str, Any]:
    """Return a choice as JSON can hold it; squares are numbers of the board."""
    report = choice.report
    return {
        "move": board.index(choice.move),
        "score": None if report.score is None else number_message(report.score),
        "depth": report.depth,
        "nodes": report.nodes,
        "time_ms": report.time_ms,
        "pv": [board.index(square) for square in report.pv],
        "proven": report.proven,
        "plies": report.plies,
    }


class _Pulse:
    """Asked after every slice of a search: shows to be alive, and hears whether to stop."""

    def __init__(self, pipe: Pipe) -> None:
        self._pipe = pipe
        self._said = self._listened = time.monotonic()

    def __call__(self) -> bool:
        now = time.monotonic()
        if now - self._said > self._pipe.alive_s:
            self._said = now
            self._pipe.send({"alive": True})
        if now - self._listened < LISTEN_S:
            return False
        self._listened = now
        if not self._pipe.poll():
            return False
        self._pipe.receive()
        return True
