"""Third-party code in a sandboxed process, as its agents use it: calls, and what each way to fail is charged with.

`subprocess_agent_main.py` is the process of heuristic files, `isolarium.course.server` that of course agents.
"""

import os
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, TypeVar

from pydantic import TypeAdapter

from isolarium.agents.agent import AgentFailure
from isolarium.game.outcome import Reason
from isolarium.native.cache import FOLDER_VARIABLE, cache_folder, private_folder
from isolarium.processes.forkserver import can_fork, startup_variables
from isolarium.processes.permissions import check_may_start
from isolarium.processes.rpc import BadAnswer
from isolarium.processes.sandboxed_process import SandboxedProcess, checked
from isolarium.processes.supervised_process import HOST
from isolarium.processes.worker import ONE_THREAD, when_gone
from isolarium.safe_files import MOST_SOURCE, read_small
from isolarium.spec.spec import ThirdPartyCode
from isolarium.text import printable

NOTHING: Final = TypeAdapter(None)
T = TypeVar("T")


class ThirdPartyProcess:
    """Third-party code in a process, which is ended whenever it fails to answer a call.

    Args:
        name: What messages call the code: its spec.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._process: SandboxedProcess | None = None
        self._number: int | None = None

    @property
    def is_running(self) -> bool:
        """Whether there is a process."""
        return self._process is not None

    @property
    def process_id(self) -> int | None:
        """The id of the process, while there is one."""
        if self._process is not None and self._number is None:
            self._number = self._process.number
        return self._number

    def start(
        self,
        process: SandboxedProcess,
        request: Mapping[str, Any],
        expected: TypeAdapter[T],
        **waiting: Any,
    ) -> T:
        """Use a process that has just started; return its answer to the first call, see `call`.

        Raises:
            AgentFailure: If it fails.
        """
        self._process = process
        when_gone(self, process.end)
        try:
            return self.call(request, expected, **waiting)
        except AgentFailure:
            self.close()
            raise

    def call(self, request: Mapping[str, Any], expected: TypeAdapter[T], **waiting: Any) -> T:
        """Return the answer to a call.

        Args:
            request: What to do, as `do`, and its arguments.
            expected: The form of the answer.
            waiting: How long to wait, see `SandboxedProcess.call`.

        Raises:
            AgentFailure: If the code did something wrong, gave no answer in time or one of another form, or ended its
                process.
        """
        process = self._process
        assert process is not None
        try:
            answer = process.call(request, **waiting)
            if "done" in answer.model_fields_set:
                return checked(expected, answer.done)
        except TimeoutError as error:
            self.close()
            raise self.failure(Reason.TIME, str(error), process) from None
        except EOFError:
            self.close()
            ended = f"its process ended ({process.ending})"
            raise self.failure(Reason.CRASH, ended, process) from None
        except BadAnswer as error:
            self.close()
            raise self.failure(Reason.CRASH, str(error), process) from None
        except BaseException:  # the answer that is still to come would be taken for the next one
            self.close()
            raise
        if answer.failed is None:
            raise self.failure(Reason.CRASH, str(answer.wrong))
        failure = self.failure(Reason(answer.failed), answer.message)
        if failure.reason is Reason.MEMORY:  # the process may never release what it holds
            self.close()
        raise failure

    def failure(
        self, reason: Reason, what: str, process: SandboxedProcess | None = None
    ) -> AgentFailure:
        """Return a failure of the code, with the last lines that it printed."""
        process = process or self._process
        printed = "" if process is None else process.last_words
        message = f"{self._name}: {printable(what)}"
        return AgentFailure(reason, f"{message}; it printed: {printed}" if printed else message)

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.end()
            self._process = self._number = None


class HeuristicProcess(SandboxedProcess):
    """A sandboxed process that loads heuristic files.

    Args:
        code: What it loads.

    Raises:
        InputError: If this process may not start others.
    """

    def __init__(self, code: ThirdPartyCode) -> None:
        check_may_start()
        cache = str(private_folder(_cache_key(code)))
        self.loads = {
            "cache": cache,
            "files": list(map(str, code.files)),
            "data": list(map(str, code.data)),
        }
        variables = {
            **({} if can_fork() else ONE_THREAD),
            **startup_variables(os.environ),  # so that our fork server can be used
            **{name: os.environ[name] for name in ("HOME",) if name in os.environ},  # of ~ in specs
            FOLDER_VARIABLE: str(cache_folder()),
        }
        # Paths in specs are relative to the current folder.
        super().__init__(HOST, variables, folder=str(Path.cwd()), measured=[cache])


def _cache_key(code: ThirdPartyCode) -> str:
    """Return the key of the private cache: where the files are, and what they contain."""
    parts = [f"package {name}" for name in code.packages]
    for file in sorted(code.files):
        try:
            digest = sha256(read_small(file, MOST_SOURCE)).hexdigest()
        except (OSError, ValueError):  # the process reports what is wrong with it
            digest = "unreadable"
        parts.append(f"{file} {digest}")
    return "\n".join(parts)
