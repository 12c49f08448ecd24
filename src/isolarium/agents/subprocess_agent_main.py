"""The sandboxed process for heuristic files.

It makes an agent and answers calls, or looks up heuristics by name.

It first compiles Isolarium's own code into the cache that all processes share. Then it enters its
sandbox and reports the restrictions in force. Only then does it load the files; from then on it
compiles into a cache that other files cannot read.

While code is compiled, a thread reports that the process is working. A search reports progress
after each slice, so the process falls silent if a heuristic never returns.
"""

import json
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from math import inf, isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

from isolarium.agents.agent import AgentFailure
from isolarium.compat import line_of
from isolarium.errors import InputError, located, shown
from isolarium.game.board import Board, parse_board
from isolarium.game.notation import parse_position
from isolarium.game.position import Player, Position, Reason
from isolarium.native.cache import redirect
from isolarium.processes.code_description import failure_line
from isolarium.processes.rpc import CallServer
from isolarium.processes.sandbox import HEURISTIC_FILE, confine
from isolarium.processes.supervisor import make_room
from isolarium.search.protocol import Choice
from isolarium.spec.parser import MOST_SHOWN, Call
from isolarium.spec.spec import AgentSpec, load_spec, parse_spec

if TYPE_CHECKING:
    from isolarium.agents.search_agent import SearchingAgent

COMPILING_S: Final = 180.0
"""The maximum time, in seconds, for which compiling is reported as progress."""
LOADING_S: Final = 10.0
"""The maximum time, in seconds, for which loading files is reported as progress.

The parent's patience is added to it.
"""
LISTEN_S: Final = 0.005
"""The interval, in seconds, at which a search checks for cancellation.

A check takes as long as a few thousand nodes.
"""


def main(handle: int, scratch: str, personal: str) -> None:
    """Serve the parent until the pipe closes.

    Write only to `scratch` and the private cache.

    The first call contains the task (`agent` or `lookup`), the files to load and read, and the
    folder of the private cache.
    """
    with line_of(handle) as line, suppress(EOFError, OSError):  # the parent has exited
        server = CallServer(line)
        wanted = server.receive()
        spec = parse_spec(wanted["spec"]) if wanted["kind"] == "agent" else None
        if spec is not None:
            server.alive_s = wanted["alive_s"]
            with server.busy(COMPILING_S):
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
        server.send_protection(asdict(protection))
        if spec is None:
            serve_lookups(server)
        else:
            AgentServer(server, spec).serve()


def compile_ours(spec: AgentSpec, board: Board) -> None:
    """Compile into the shared cache the code that all searches of the agent's kind share."""
    # Imported here: it loads the compiler, which would delay the first event too long.
    from isolarium.agents.search_agent import SearchingAgent
    from isolarium.heuristics.compiler import seed_compiled
    from isolarium.native.entry_points import keep_shared_parts

    # The agent itself will fail again, and then the failure is reported.
    with suppress(Exception), keep_shared_parts():
        twin = SearchingAgent(replace(spec, heuristic=Call("open"), book=False))
        twin.prepare(Position.empty(board))
        seed_compiled(0)


# Lookups of heuristics in files


def serve_lookups(server: CallServer) -> NoReturn:
    """Answer calls with the heuristic that a text names, or all files loaded so far."""
    from isolarium.processes.code_loader import files_of_loaded

    def answer(do: str, text: str = "") -> dict[str, Any]:
        if do == "files":
            return {"done": files_of_loaded(set(sys.modules) - before)}
        try:
            return {"done": LOOKUPS[do](text)}
        except InputError as error:
            elsewhere = error.without_commands.removeprefix(error.message)
            return {"wrong": error.message, "advice": error.advice, "elsewhere": elsewhere}

    warnings.simplefilter("ignore")
    before = set(sys.modules)
    server.send(done="ready")
    server.serve(answer)


def _heuristic_of_spec(text: str) -> str:
    spec = load_spec(text)
    with located(shown(text, MOST_SHOWN)):
        return _full_heuristic(str(spec.heuristic))


def _full_heuristic(text: str) -> str:
    from isolarium.heuristics.bound_heuristic import parse_heuristic
    from isolarium.heuristics.compiler import check_mistakes

    bound = parse_heuristic(text)
    check_mistakes(bound)
    return str(bound.call)


def _facts_of_heuristic(name: str) -> dict[str, Any]:
    from isolarium.heuristics.bound_heuristic import bind
    from isolarium.heuristics.description import facts, origin
    from isolarium.heuristics.lookup import find

    found = find(name)
    bind(found)  # Refuses a function without the signature of a heuristic.
    return {"facts": facts(found), "origin": origin(found)}


LOOKUPS: Final = {"spec": _heuristic_of_spec, "heuristic": _full_heuristic, "facts": _facts_of_heuristic}


# An agent


class AgentServer:
    """Makes one agent and answers the calls of its parent.

    Args:
        server: The pipe to the parent.
        spec: The agent, whose heuristic has not been looked up yet.
    """

    def __init__(self, server: CallServer, spec: AgentSpec) -> None:
        self._server, self._name = server, str(spec)
        self._agent: SearchingAgent
        self._ready: set[Board] = set()
        self._heard: list[str] = []  # Warnings that the parent has not received

    def serve(self) -> NoReturn:
        """Make the agent and answer with its warnings; then answer calls.

        Raises:
            EOFError, OSError: Once the parent has exited.
        """
        self._server.send(**self._outcome(self._make))
        self._server.serve(lambda **request: self._outcome(self._obey, **request))

    def _outcome(self, action: Callable[..., Any], **request: Any) -> dict[str, Any]:
        try:
            return {"done": action(**request)}
        except AgentFailure as failure:
            return {"failed": failure.reason, "message": str(failure)}
        except MemoryError:
            make_room()
            return {"failed": Reason.MEMORY, "message": "out of memory"}
        except (Exception, SystemExit) as error:  # third-party code may raise anything
            return {"failed": Reason.CRASH, "message": failure_line(error)}

    def _obey(self, do: str, position: str, seed: int = 0, player: int = 0) -> Any:
        where = parse_position(position)
        if where.board not in self._ready:
            with self._server.busy(COMPILING_S), heard_warnings() as heard:
                self._agent.prepare(where)
            with heard_warnings() as found:  # not while busy: a heuristic may never return
                self._agent.check_values(where.board)
            heard += found
            self._ready.add(where.board)
            self._heard += heard
        if do == "prepare":
            heard, self._heard = self._heard, []
            return heard
        if do == "values":
            values = self._agent.values(where)
            return {str(move): number_message(value) for move, value in values.items()}
        if do == "value":
            return number_message(self._agent.value(where, Player(player)))
        self._agent.new_game(seed)
        return choice_message(self._agent.choose(where, _Pulse(self._server)), where.board)

    def _make(self) -> list[str]:
        """Make the agent, and return the warnings raised meanwhile."""
        with self._server.busy(COMPILING_S):
            # Imported here, because it loads the compiler.
            from isolarium.agents.search_agent import SearchingAgent
        with heard_warnings() as heard:
            try:
                with self._server.busy(LOADING_S):
                    spec = load_spec(self._name)
                with self._server.busy(COMPILING_S):
                    self._agent = SearchingAgent(spec)
            except InputError as error:
                why = error.without_commands.removeprefix(f"{self._name}: ")
                raise AgentFailure(Reason.CRASH, why) from None
        return heard


@contextmanager
def heard_warnings() -> Iterator[list[str]]:
    """Collect the warnings about the heuristic that are raised within the block, and ignore all others."""
    # Imported here, because it loads the compiler.
    from isolarium.heuristics.compiler import HeuristicWarning

    heard = list[str]()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", HeuristicWarning)
        yield heard
    heard += [str(warning.message) for warning in caught]


def number_message(value: float) -> float | str | None:
    """Convert a number to JSON: infinities become text, and NaN becomes None."""
    if isnan(value):
        return None
    return str(value) if value in (inf, -inf) else value


def choice_message(choice: Choice, board: Board) -> dict[str, Any]:
    """Convert a choice to JSON; squares become their numbers on the board."""
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
    """Called after every slice of a search: reports progress, and returns whether to stop."""

    def __init__(self, server: CallServer) -> None:
        self._server = server
        self._reported = self._listened = time.monotonic()

    def __call__(self) -> bool:
        now = time.monotonic()
        if now - self._reported > self._server.alive_s:
            self._reported = now
            self._server.send(alive=True)
        if now - self._listened < LISTEN_S:
            return False
        self._listened = now
        return self._server.is_cancelled()
