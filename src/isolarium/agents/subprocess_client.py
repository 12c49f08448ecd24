"""The sandboxed process of heuristic files, as its parent sees it: requests, answers, and signs of life.

The process itself is `subprocess_agent_main.py`. Whatever it sends is checked: it may be anything.
"""

import os
import time
from collections.abc import Mapping
from hashlib import sha256
from math import inf
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import Field, ValidationError

from isolarium.agents.agent import AgentFailure
from isolarium.agents.messages import Message
from isolarium.agents.subprocess_agent_main import STOP
from isolarium.errors import InputError
from isolarium.game.outcome import Reason
from isolarium.limits import Stop
from isolarium.native.cache import FOLDER_VARIABLE, cache_folder, private_folder
from isolarium.processes.forkserver import can_fork, read_at_start
from isolarium.processes.json_channel import BadAnswer
from isolarium.processes.permissions import check_may_start
from isolarium.processes.sandboxed_process import SandboxedProcess
from isolarium.processes.supervised_process import HOST, STOP_S
from isolarium.processes.worker import ONE_THREAD
from isolarium.safe_files import MOST_SOURCE, read_small
from isolarium.spec.spec import ForeignCode
from isolarium.text import printable

LONGEST: Final = 2000
"""Letters of what went wrong."""


class HostMessage(Message):
    """What the process sends: a sign of life, an answer, or what went wrong."""

    alive: bool | None = None
    done: Any = None
    wrong: str | None = Field(default=None, max_length=LONGEST)
    advice: str = Field(default="", max_length=LONGEST)
    elsewhere: str = Field(default="", max_length=LONGEST)
    failed: Literal["crash", "memory"] | None = None
    told: str = Field(default="", max_length=LONGEST)


class HostProcess(SandboxedProcess):
    """A sandboxed process that loads heuristic files.

    Args:
        code: what it loads.

    Raises:
        InputError: If this process may not start others.
    """

    def __init__(self, code: ForeignCode) -> None:
        check_may_start()
        self._code = code
        self._cache = str(private_folder(_cache_key(code)))
        variables = {
            **({} if can_fork() else ONE_THREAD),
            **read_at_start(os.environ),  # so that our fork server suits
            **{name: os.environ[name] for name in ("HOME",) if name in os.environ},  # of ~ in specs
            FOLDER_VARIABLE: str(cache_folder()),
        }
        # Specs name files as seen from here.
        super().__init__(HOST, variables, folder=str(Path.cwd()), measured=[self._cache])

    def begin(self, kind: str, **wanted: Any) -> None:
        """Tell it what it is for; to be called once, first.

        Raises:
            EOFError: If it has ended.
        """
        code = {"files": list(map(str, self._code.files)), "data": list(map(str, self._code.data))}
        self.send({"kind": kind, "cache": self._cache, **code, **wanted})

    def answer(
        self,
        patience_s: float,
        stop: Stop | None = None,
        grace_s: float = 0.0,
        *,
        most_s: float = inf,
        pauses: bool = True,
    ) -> Any:
        """Return the next answer, waited for as long as there are signs of life.

        Args:
            patience_s: how long the process may show no sign of life.
            stop: asked again and again whether it is to end early; then it is told so.
            grace_s: how long it may show none once it was told.
            most_s: how long it may take whatever it shows.
            pauses: whether the process is stopped then, having nothing to do before the next request.

        Raises:
            TimeoutError: If there was no sign of life, or no answer in time.
            EOFError: If the process has ended.
            BadAnswer: If it sent what is not an answer.
            AgentFailure: If the code failed.
            InputError: If a text to look up is wrong.
        """
        began = heard = time.monotonic()
        stopped = False
        while True:
            message = self.receive(STOP_S if stop is not None else min(patience_s, most_s))
            now = time.monotonic()
            if message is not None:
                checked = self._checked(message)
                if checked.alive is None:
                    if pauses:
                        self.pause()
                    return _value_of(checked)
                heard = now
            if (message is None and now - heard > patience_s) or now - began > most_s:
                raise TimeoutError
            # Asked even after it has said so: it may keep an eye on the process.
            if stop is not None and stop() and not stopped:
                self.send(STOP, interrupts=True)
                heard, stopped, patience_s = time.monotonic(), True, min(patience_s, grace_s)

    @staticmethod
    def _checked(message: Mapping[str, Any]) -> HostMessage:
        try:
            return HostMessage.model_validate(message)
        except ValidationError:
            raise BadAnswer("sent what is not an answer") from None


def _value_of(message: HostMessage) -> Any:
    if message.wrong is not None:
        raise InputError(
            printable(message.wrong),
            advice=printable(message.advice),
            elsewhere=printable(message.elsewhere),
        )
    if message.failed is not None:
        raise AgentFailure(Reason(message.failed), printable(message.told))
    return message.done


def _cache_key(code: ForeignCode) -> str:
    """Return what the private cache is known by: where the files are, and what is in them."""
    parts = [f"package {name}" for name in code.packages]
    for file in sorted(code.files):
        try:
            digest = sha256(read_small(file, MOST_SOURCE)).hexdigest()
        except (OSError, ValueError):  # the process will tell what is wrong with it
            digest = "unreadable"
        parts.append(f"{file} {digest}")
    return "\n".join(parts)
