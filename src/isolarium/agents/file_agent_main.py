"""The sandboxed process of an agent in Python from a file or an installed package.

Before it loads the agent, the process enters its sandbox and reports the restrictions in force.
"""

import json
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from isolarium.agents.agent import AgentFailure
from isolarium.agents.python_agent import PythonAgent, required_parameters
from isolarium.compat import line_of
from isolarium.errors import InputError, quoted
from isolarium.game.notation import parse_position
from isolarium.game.position import Reason
from isolarium.processes.code_description import failure_line
from isolarium.processes.code_loader import AGENTS, files_of_loaded, load_file, load_installed
from isolarium.processes.rpc import CallServer
from isolarium.processes.sandbox import adapt_torch, confine, explained, python_agent
from isolarium.processes.supervisor import make_room
from isolarium.spec.parser import parse_limit
from isolarium.text import did_you_mean

HEURISTIC: Final = ("view", "own", "opp")
"""The parameters of a heuristic."""


def main(handle: int, scratch: str, personal: str) -> None:
    """Answer calls until the parent closes the pipe; write only to `scratch`.

    The first call names the agent.
    """
    with line_of(handle) as line, suppress(EOFError, OSError):  # The parent has exited.
        server = CallServer(line)
        wanted = server.receive()
        protection = confine(
            python_agent(),
            personal=[Path(folder) for folder in json.loads(personal)],
            beside=[Path(wanted["file"]).parent] if wanted["file"] else [],
            scratch=Path(scratch),
            descriptors=[handle],
        )
        server.send_protection(asdict(protection))
        agent = _Agent(**wanted)
        server.send(**_outcome(agent.load))
        server.serve(lambda do, **request: _outcome(getattr(agent, do), **request))


def _outcome(action: Callable[..., Any], **request: Any) -> dict[str, Any]:
    """Return the result of an action as an event: its value, or the reason for its failure."""
    try:
        return {"done": action(**request)}
    except AgentFailure as failure:
        return {"failed": failure.reason, "message": str(failure)}
    except InputError as error:
        return {"failed": Reason.CRASH, "message": explained(str(error))}
    except MemoryError:
        make_room()
        return {"failed": Reason.MEMORY, "message": "out of memory"}
    except BaseException as error:  # An agent may raise anything, even SystemExit.
        return {"failed": Reason.CRASH, "message": explained(failure_line(error))}


class _Agent:
    """The agent.

    Args:
        file: Its file; empty for an agent of an installed package.
        function: The name of the function, class or object in the file, or the registered name.
        name: Its spec.
        limit: Its limit.
    """

    def __init__(self, file: str, function: str, name: str, limit: str) -> None:
        self._file, self._function, self._name = file, function, name
        self._limit = parse_limit(limit)[0]
        self._player: PythonAgent

    def load(self) -> dict[str, Any]:
        """Load the agent; return whether it takes a limit, and the files that were loaded.

        Raises:
            InputError: If there is no such agent.
        """
        before = set(sys.modules)
        thing = _from_file(self._file, self._function) if self._file else _installed(self._function)
        assert self._limit is not None
        self._player = PythonAgent(self._name, thing, self._limit)
        files = files_of_loaded(set(sys.modules) - before)
        adapt_torch()
        return {"takes_limit": hasattr(thing, "choose"), "files": files}

    def game(self, seed: int) -> None:
        """Begin a game."""
        self._player.new_game(seed)

    def prepare(self, position: str) -> None:
        """Create the object if the agent is a class."""
        self._player.prepare(parse_position(position))

    def move(self, position: str) -> dict[str, int | None]:
        """Return the number of the chosen square, or None for a resignation.

        Raises:
            AgentFailure: If the agent returns something other than a move.
        """
        where = parse_position(position)
        try:
            move: Any = self._player.choose(where).move
            return {"move": None if move is None else where.board.index(move)}
        except AgentFailure as failure:  # The parent adds the name.
            text = str(failure).removeprefix(f"{self._name}: ")
            raise AgentFailure(failure.reason, text) from None


def _from_file(file: str, name: str) -> Any:
    """Return the agent with this name in a file.

    Raises:
        InputError: If the file cannot be loaded, or has no such agent.
    """
    module = load_file(file)
    thing: Any = getattr(module, name, None)
    if thing is None:
        known = {key: one for key, one in vars(module).items() if not key.startswith("_")}
        agents = [key for key, one in known.items() if _fault(one, module.__name__) is None]
        has = f"it has {', '.join(agents)}" if agents else "it has none"
        raise InputError(f"no agent named {name!r} ({did_you_mean(name, agents) or has})")
    fault = _fault(thing)
    if fault is not None:
        raise InputError(fault)
    return thing


def _installed(name: str) -> Any:
    """Return the agent that an installed package has registered.

    Raises:
        InputError: If it cannot be loaded, or is not an agent.
    """
    loaded = load_installed(AGENTS, name)
    if loaded is None:
        raise InputError(f"no installed package has an agent named {quoted(name)}")
    thing, place = loaded
    fault = _fault(thing)
    if fault is not None:
        raise InputError(f"{place}: {fault}")
    return thing


def _fault(thing: Any, module: str | None = None) -> str | None:
    """Return the reason why an object is not an agent, or None if it is one.

    Args:
        thing: The object.
        module: If given, functions and classes of other modules are not agents.
    """
    expected = "expected f(position), or a class with choose(position, limit)"
    if isinstance(thing, PythonAgent):  # For example, what `isolarium.policy` returns.
        return None
    if module is not None and getattr(thing, "__module__", module) != module:
        return expected
    if callable(getattr(thing, "choose", None)):
        return None
    if not callable(thing) or isinstance(thing, type):
        return f"not an agent; {expected}"
    required = required_parameters(thing)
    if required == len(HEURISTIC):
        arguments = ", ".join(HEURISTIC)
        return f"a function of {arguments} is a heuristic; write alphabeta:FILE.py:FUNCTION"
    return None if required == 1 else f"not a function of one position; {expected}"
