"""Somebody's code of the course, in a process of its own that is shut in: what is asked of it, and what it answers.

The process (`isolab.course.guest`) is started when it is first needed, and again after it has failed. Whatever it
answers is checked: it may be anything.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from isolab.agents.agent import AgentFailure
from isolab.agents.guest_process import GuestProcess
from isolab.course.module_set import ModuleSet
from isolab.errors import InputError
from isolab.game.outcome import Reason
from isolab.grammar import Call
from isolab.limits import Stop, read_seed
from isolab.permits import check_permitted, python_file
from isolab.processes import when_gone

STARTING_S: Final = 60.0
"""How long a process may take to start and to load a file, and a game to begin."""
LONGEST: Final = 2000


class Description(BaseModel):
    """What a process says of what it has loaded."""

    name: str = Field(max_length=100)
    modules: ModuleSet
    files: list[str] = Field(max_length=1000)


class Answer(BaseModel):
    """What a process answers: what was asked for; or what is wrong with the spec; or what the agent did."""

    model_config = ConfigDict(extra="forbid")

    done: Any = None
    wrong: str | None = Field(default=None, max_length=LONGEST)
    failed: Reason | None = None
    told: str = Field(default="", max_length=LONGEST)


M = TypeVar("M", bound=BaseModel)


class Guest:
    """Somebody's agent or score function in its process.

    Args:
        name: what it is called in messages: its spec.
        wanted: what the process is to load.
    """

    def __init__(self, name: str, wanted: Mapping[str, Any]) -> None:
        self._name = name
        self._wanted = dict(wanted)
        self._process: GuestProcess | None = None
        self._number: int | None = None
        self._described: Description

    def describe(self) -> Description:
        """What there is to say of it; its process is started if there is none.

        Raises:
            AgentFailure: it cannot be loaded.
        """
        self._running()
        return self._described

    def new_game(self, seed: int) -> None:
        """Have everything loaded anew, and all that is left to chance drawn from the seed.

        Raises:
            AgentFailure: it cannot be loaded.
        """
        seed = read_seed(seed)
        if self.ask({"do": "game", "seed": seed}) is not True:
            self.close()  # a game before has left something running
            self.ask({"do": "game", "seed": seed})

    def ask(
        self, request: dict[str, Any], most_s: float = STARTING_S, give_up: Stop | None = None
    ) -> Any:
        """The answer to a request.

        Raises:
            AgentFailure: it did something wrong, gave none in time, or did not survive.
        """
        return self._hear(self._running(), request, most_s, give_up)

    def checked(self, model: type[M], answer: Any) -> M:
        """An answer, if it is of that form.

        Raises:
            AgentFailure: it is not.
        """
        try:
            return model.model_validate(answer)
        except ValidationError:
            failure = self.failure(Reason.CRASH, "sent what is no answer")
            self.close()
            raise failure from None

    def failure(
        self, reason: Reason, told: str, process: GuestProcess | None = None
    ) -> AgentFailure:
        """What it did, with the last lines that it printed."""
        process = process or self._process
        said = "" if process is None else process.last_words
        told = f"{self._name}: {told}" + (f"; it said: {said}" if said else "")
        return AgentFailure(reason, told)

    @property
    def process_id(self) -> int | None:
        """The number of the process, while there is one."""
        if self._process is None:
            return None
        if self._number is None:
            self._number = self._process.number
        return self._number

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.end()
            self._process = None

    def _running(self) -> GuestProcess:
        if self._process is None:
            process = self._process = GuestProcess()
            self._number = None
            when_gone(self, process.end)
            try:
                told = self._hear(process, self._wanted, STARTING_S)
                self._described = self.checked(Description, told)
            except AgentFailure:
                self.close()
                raise
        return self._process

    def _hear(
        self,
        process: GuestProcess,
        request: dict[str, Any],
        most_s: float,
        give_up: Stop | None = None,
    ) -> Any:
        try:
            answered = process.ask(request, most_s, give_up)
        except TimeoutError:
            self.close()
            late = "did not stop when its time was over"
            raise self.failure(Reason.TIME, late, process) from None
        except EOFError:
            self.close()
            ended = f"its process ended ({process.ending})"
            raise self.failure(Reason.CRASH, ended, process) from None
        except BaseException:  # an answer that nobody waits for would be taken for the next one
            self.close()
            raise
        answer = self.checked(Answer, answered)
        if answer.wrong is not None:
            raise self.failure(Reason.CRASH, answer.wrong)
        if answer.failed is not None:
            failure = self.failure(answer.failed, answer.told)
            if answer.failed is Reason.MEMORY:  # what it holds it may hold for ever
                self.close()
            raise failure
        return answer.done


class Loaded(NamedTuple):
    """What a spec names of the course, in full; and the files that it is made of, with their texts."""

    call: Call
    files: Mapping[Path, bytes]


def load(name: str, call: Call, kind: str) -> Loaded:
    """Have somebody's file loaded where it does no harm.

    Args:
        name: what to call it in messages.
        call: how it is written, without `course:`.
        kind: `agent` or `score`.

    Raises:
        InputError: there is nothing of the kind, or it cannot be loaded.
    """
    path, guest = path_of(call), Guest(name, wanted(call, kind))
    try:
        described = guest.describe()
    except AgentFailure as failure:
        raise InputError(str(failure).removeprefix(f"{name}: ")) from None
    finally:
        guest.close()
    file = call.file or call.word
    named = (Path(one).resolve() for one in described.files)
    own = {one for one in named if one.is_relative_to(path.parent) and one.is_file()}
    texts = {one: one.read_bytes() for one in sorted(own | {path})}
    return Loaded(Call(f"{file}:{described.name}", call.arguments), texts)


def wanted(call: Call, kind: str) -> dict[str, Any]:
    """What a process is told to load.

    Raises:
        InputError: the text says it in a way that cannot be.
    """
    found: dict[str, Any] = {"kind": kind, "file": str(path_of(call)), "name": call.function}
    if kind == "score":
        if call.arguments:
            raise InputError("a score function of the course takes no parameters here")
        return found
    if any(not name for name, _ in call.arguments):
        raise InputError("expected ARGUMENT=VALUE, such as score_fn=custom_score")
    return {**found, "arguments": {name: str(value) for name, value in call.arguments}}


def path_of(call: Call) -> Path:
    """The file that is named, links resolved.

    Raises:
        InputError: it is none that may be loaded.
    """
    path = python_file(call.file or call.word)
    check_permitted(path)
    return path
