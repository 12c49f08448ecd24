"""Processes that run third-party Python code in a sandbox and answer calls.

Events come from third-party code, so each event is validated and treated as data only. The first message of a process
reports the protection of its sandbox before the process has read any of the code. Between two calls the process is
paused, so that its threads cannot compute on another agent's time.
"""

import json
import os
import re
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import count
from math import inf
from multiprocessing import Pipe
from pathlib import Path
from tempfile import mkdtemp
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from isolarium.errors import fault_in_words
from isolarium.limits import Stop
from isolarium.processes.code_loader import FOLDERS, LOADING
from isolarium.processes.readable_paths import personal_folders
from isolarium.processes.rpc import LATE, LONGEST_TEXT, BadAnswer, UntrustedPipe
from isolarium.processes.sandbox import JIT, Protection
from isolarium.processes.supervised_process import STDERR, SupervisedProcess
from isolarium.processes.supervisor import TOO_MUCH_DISK
from isolarium.processes.worker import ONE_THREAD
from isolarium.removal import remove_tree
from isolarium.text import printable

POLL_S: Final = 0.01
"""The interval, in seconds, between callbacks while the process works."""
LAST_LINES: Final = 3
LINE_CHARS: Final = 200
TAIL: Final = 4000
CHUNK: Final = 1 << 16
MOST_PASSED_ON: Final = 1 << 18
"""The maximum bytes of the process's output to pass on per request."""
MOST_PRINTED: Final = 1 << 24
"""The maximum bytes of the process's output to keep on disk."""
CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""Characters that a terminal would treat as commands, except line feeds and tabs."""
PREFIX: Final = "isolarium-sandbox-"
PROBE: Final = "isolarium.processes.sandbox:report_protection"
PROBING_S: Final = 60.0
LONGEST_PLACE: Final = 100
"""The maximum number of characters in the location of an event's error."""

T = TypeVar("T")
Text = Annotated[str, Field(max_length=LONGEST_TEXT)]


class Message(BaseModel):
    """A part of an event.

    Values are not converted, unknown keys are rejected, and numbers must be finite.
    """

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, frozen=True)


class Answer(Message):
    """An event of a process: a progress report, or one of three ways to end a call.

    Attributes:
        number: The number of the call.
        alive: Whether the event only reports that the process is working.
        done: The returned value, whose schema depends on the call.
        wrong: The error in the input, with `advice` and `elsewhere` as in `InputError`.
        failed: The reason why the agent loses; a resignation is sent as a move instead.
        message: A description of the failure.
    """

    number: int
    alive: Literal[True] | None = None
    done: Any = None
    wrong: Text | None = None
    advice: Text = ""
    elsewhere: Text = ""
    failed: Literal["illegal move", "time over", "crash", "memory"] | None = None
    message: Text = ""

    @model_validator(mode="after")
    def _has_one_form(self) -> "Answer":
        given = self.model_fields_set - {"number"}
        is_null = any(getattr(self, name) is None for name in given - {"done"})
        if is_null or given not in FORMS:
            raise ValueError(f"an answer with {', '.join(sorted(given)) or 'nothing in it'}")
        return self


FORMS: Final = ({"alive"}, {"done"}, {"wrong", "advice", "elsewhere"}, {"failed", "message"})
_ANSWER: Final = TypeAdapter(Answer)
_PROTECTION: Final = TypeAdapter(Protection)


class SandboxedProcess(SupervisedProcess):
    """A sandboxed process with its own writable folder, which is removed when the process ends.

    Args:
        run: The function to run, as `module:function`; it is called with its end of the pipe, its
            writable folder, and the user's personal folders as JSON.
        variables: Environment variables, besides those that every such process needs.
        folder: The process's working directory, by default its writable folder.
        measured: Further folders that the process may write to.

    Attributes:
        protection: The sandbox's protection; known after the first event.

    Raises:
        InputError: If this process may not start others.
    """

    def __init__(
        self, run: str, variables: Mapping[str, str], *, folder: str | None = None, measured: Sequence[str] = ()
    ) -> None:
        self.protection: Protection | None = None
        ours, theirs = Pipe()
        self._line = UntrustedPipe(ours)
        self._numbers = count(1)
        self._folder = Path(mkdtemp(prefix=PREFIX))
        scratch, printed = self._folder / "scratch", self._folder / "printed"
        scratch.mkdir()
        self._tail, self._passed_on = b"", 0
        try:
            # With a file, output printed before an event is available when the event arrives.
            with theirs, printed.open("ab") as prints:
                super().__init__(
                    run,
                    [theirs.fileno()],
                    [str(scratch), json.dumps([str(path) for path in personal_folders()])],
                    environment={**_environment(str(scratch)), **variables},
                    folder=folder or str(scratch),
                    prints_to=prints,
                    scratch=str(self._folder),
                    measured=[str(scratch), *measured],
                )
            self._prints = printed.open("r+b", buffering=0)
        except BaseException:
            self._line.close()
            remove_tree(self._folder)
            raise

    def call(
        self,
        request: Mapping[str, Any],
        *,
        most_s: float = inf,
        patience_s: float = inf,
        stop: Stop | None = None,
        grace_s: float = 0.0,
        give_up: Stop | None = None,
        late: str = LATE,
    ) -> Answer:
        """Return the event that ends a call, with the process paused.

        Args:
            request: The task, as `do`, and its arguments, in JSON's types.
            most_s: The time limit of the call.
            patience_s: The maximum time without any event.
            stop: Polled while the process works; once it returns true, the call is cancelled.
            grace_s: The maximum time without any event after a cancellation.
            give_up: Polled while the process works; once it returns true, the call returns without an answer.
            late: The message if there is no answer within `most_s`.

        Raises:
            TimeoutError: If there is no answer in time; the message names the exceeded limit.
            EOFError: If the process has ended.
            BadAnswer: If the process sent anything but an event of this call.
        """
        number = next(self._numbers)
        self.send({"number": number, **request})
        began = last_event = time.monotonic()
        ends, is_cancelled = began + most_s, False
        poll_s = POLL_S if stop is not None or give_up is not None else inf
        now = began
        while True:
            message = self.receive(min(poll_s, ends - now, last_event + patience_s - now))
            now = time.monotonic()
            if message is not None:
                answer = checked(_ANSWER, message)
                if answer.number != number:
                    raise BadAnswer("sent an answer to another request")
                if answer.alive is None:
                    self.pause()
                    return answer
                if patience_s == inf:
                    raise BadAnswer("sent progress where none is expected")
                last_event = now
            elif now - last_event >= patience_s:
                silence = f"did not respond for {patience_s:g} s; terminated"
                raise TimeoutError("did not stop when asked; terminated" if is_cancelled else silence)
            if now > ends:
                raise TimeoutError(late)
            if give_up is not None and give_up():
                raise TimeoutError(LATE)
            # Called even after it returned true, because it may watch the process.
            if stop is not None and stop() and not is_cancelled:
                self.send({"cancel": number}, interrupts=True)
                last_event, is_cancelled, patience_s = (time.monotonic(), True, min(patience_s, grace_s))

    def send(self, request: Mapping[str, Any], *, interrupts: bool = False) -> None:
        """Send a message, and let the process run.

        Args:
            request: The message, in JSON's types.
            interrupts: Whether the process is working on a call, and may be sending its events.

        Raises:
            EOFError: If the process has ended.
            BadAnswer: If it has sent unexpected data.
        """
        if not interrupts:
            self._line.check_silent()
        self._passed_on = 0
        self._resume()
        self._line.send(json.dumps(request).encode())

    def receive(self, seconds: float) -> dict[str, Any] | None:
        """Return the next message, or None after the timeout; pass on printed output.

        Raises:
            EOFError: If the process has ended.
            BadAnswer: If it sent anything but a message.
        """
        try:
            if not self._line.poll(max(0.0, seconds)):
                return None
            message = self._line.receive()
            if self.protection is None and message.keys() == {"sandbox"}:
                self.protection = _PROTECTION.validate_json(json.dumps(message["sandbox"]))
                return self.receive(seconds)
        except ValidationError:
            raise BadAnswer("sent a report of its sandbox that is not one") from None
        finally:
            self._pass_on_prints()
        return message

    def _pass_on_prints(self) -> None:
        """Copy the process's output to stderr, and remember its last lines."""
        while text := self._prints.read(CHUNK):
            self._tail = (self._tail + text)[-TAIL:]
            self._passed_on += len(text)
            if self._passed_on > MOST_PASSED_ON:
                continue
            with suppress(OSError):
                os.write(STDERR, CONTROL.sub("", text.decode(errors="replace")).encode())
        if self._prints.tell() > MOST_PRINTED:
            self._prints.seek(0)
            self._prints.truncate()  # The process always writes at the end of the file.

    @property
    def ending(self) -> str:
        """A description of how the process ended; reading it waits for the end."""
        if self._process.wait() == TOO_MUCH_DISK:
            return "too many files, or too large"
        return super().ending

    @property
    def last_words(self) -> str:
        """The last lines of the process's output, as one line; may be empty."""
        lines = self._tail.decode(errors="replace").splitlines()
        printed = [printable(line.strip())[:LINE_CHARS] for line in lines if line.strip()]
        return " / ".join(printed[-LAST_LINES:])

    def end(self) -> None:
        """Kill the process and everything that it started, and remove its folder."""
        super().end()
        self._line.close()
        self._prints.close()
        remove_tree(self._folder)


def checked(form: TypeAdapter[T], found: Any) -> T:
    """Validate a part of an event and return it.

    Raises:
        BadAnswer: If it does not match the schema.
    """
    try:
        return form.validate_python(found)
    except ValidationError as error:
        faults = error.errors(include_url=False)
        place = ".".join(str(part) for part in faults[0]["loc"])[:LONGEST_PLACE]
        problem = f"{place}: {fault_in_words(faults)}" if place else fault_in_words(faults)
        raise BadAnswer(f"sent an invalid answer: {problem}") from None


def protection_here() -> Protection:
    """Return the protection of a sandbox on this machine, reported by a process in a new sandbox.

    Raises:
        InputError: If this process may not start others.
        OSError: If the process does not answer.
    """
    process = SandboxedProcess(PROBE, ONE_THREAD)
    try:
        process.call({}, most_s=PROBING_S)
    except (EOFError, BadAnswer):
        raise OSError(f"the sandbox could not be tested: {process.ending}") from None
    finally:
        process.end()
    return process.protection or Protection()


def _environment(scratch: str) -> dict[str, str]:
    """Return the environment of a sandboxed process: only the variables that it needs."""
    needed = (FOLDERS, JIT, "LD_LIBRARY_PATH", "SYSTEMROOT")  # On Windows, sockets need the last variable.
    kept = {name: os.environ[name] for name in needed if name in os.environ}
    return {
        **kept,
        "HOME": scratch,
        "TMPDIR": scratch,
        "LANG": "C.UTF-8",
        "PATH": os.defpath,
        LOADING: "",  # Code loaded there may not start processes of Isolarium.
    }
