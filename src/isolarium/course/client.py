"""Third-party code of the course in a sandboxed process: what it is asked, and what it answers.

The process (`isolarium.course.server`) is started when it is first needed, and again after it has failed. Its code can
write anything to its end of the line, so every answer is only data: JSON of a fixed form, in which no value is
converted, nothing unknown is ignored, and everything has a bound.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple, TypeVar

from pydantic import (
    AfterValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from isolarium.agents.agent import AgentFailure
from isolarium.agents.messages import Message
from isolarium.course.message_bounds import LONGEST_NAME, LONGEST_TEXT, MOST_FILES
from isolarium.course.module_set import ModuleSet
from isolarium.errors import InputError
from isolarium.game.outcome import Reason
from isolarium.limits import Stop, read_seed
from isolarium.processes.json_channel import BadAnswer
from isolarium.processes.permissions import check_permitted, python_file
from isolarium.processes.sandboxed_process import SandboxedProcess
from isolarium.processes.supervised_process import GUEST
from isolarium.processes.worker import ONE_THREAD, when_gone
from isolarium.safe_files import MOST_SOURCE, read_files
from isolarium.spec.parser import Call
from isolarium.text import printable
from isolarium.validation_messages import fault_in_words

STARTING_S: Final = 60.0
"""How long a process may take to start and to load a file, and a game to begin."""
VARIABLES: Final = {
    **ONE_THREAD,
    "PYTHONHASHSEED": "0",  # the order of a set is then the same in every run
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONUNBUFFERED": "1",
}
"""What is in the environment of every course agent."""
LONGEST_PATH: Final = 4096
REPORTED: Final = frozenset({Reason.ILLEGAL_MOVE, Reason.TIME, Reason.CRASH, Reason.MEMORY})
"""The reasons by which a process may report that its agent lost; it resigns with a move."""


def _reported(reason: Reason) -> Reason:
    if reason not in REPORTED:
        raise ValueError(f"the reason {str(reason)!r}, which is not for an agent to report")
    return reason


def _name(text: str) -> str:
    if not (text.isidentifier() and text.isprintable()):
        raise ValueError(f"{text!r}, which is not the name of a class or a function")
    return text


def _name_or_nothing(text: str) -> str:
    return text and _name(text)


def _path(text: str) -> str:
    if not text.isprintable():
        raise ValueError(f"{text!r}, a path with control characters")
    return text


Name = Annotated[str, Field(max_length=LONGEST_NAME), AfterValidator(_name)]
"""What a class, a function or a parameter is called."""
Text = Annotated[str, Field(max_length=LONGEST_TEXT)]


class Description(Message):
    """What a process has loaded: the class or function (empty where a whole file was loaded), and its files."""

    name: Annotated[str, Field(max_length=LONGEST_NAME), AfterValidator(_name_or_nothing)]
    modules: Annotated[ModuleSet, Field(strict=False)]
    files: list[Annotated[str, Field(max_length=LONGEST_PATH), AfterValidator(_path)]] = Field(
        max_length=MOST_FILES
    )


class Answer(Message):
    """What a process answers: what was asked for; or what is wrong with the spec; or what the agent did.

    Attributes:
        number: That of the request.
        done: What was asked for; each request has a model of its own for it.
        wrong: What is wrong with the spec.
        failed: Why the agent loses.
        told: What it did.
    """

    number: int
    done: Any = None
    wrong: Text | None = None
    failed: Annotated[Reason, Field(strict=False), AfterValidator(_reported)] | None = None
    told: Text = ""

    @model_validator(mode="after")
    def _is_one_of_three(self) -> "Answer":
        given = self.model_fields_set - {"number"}
        is_empty = "done" not in given and self.wrong is None and self.failed is None
        if is_empty or given not in ({"done"}, {"wrong"}, {"failed", "told"}):
            raise ValueError(f"an answer with {', '.join(sorted(given)) or 'nothing in it'}")
        return self


ANSWER: Final = TypeAdapter(Answer)
DESCRIPTION: Final = TypeAdapter(Description)
YES_OR_NO: Final = TypeAdapter(bool, config=ConfigDict(strict=True))
NOTHING: Final = TypeAdapter(None)
T = TypeVar("T")


class Guest:
    """Somebody's agent or score function in its process.

    Args:
        name: what it is called in messages: its spec.
        wanted: what the process is to load.
    """

    def __init__(self, name: str, wanted: Mapping[str, Any]) -> None:
        self._name = name
        self._wanted = dict(wanted)
        self._process: SandboxedProcess | None = None
        self._number: int | None = None
        self._requests = count(1)
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
        if not self.ask({"do": "game", "seed": seed}, YES_OR_NO):
            self.close()  # a game before has left something running
            self.ask({"do": "game", "seed": seed}, YES_OR_NO)

    def ask(
        self,
        request: dict[str, Any],
        expected: TypeAdapter[T],
        most_s: float = STARTING_S,
        give_up: Stop | None = None,
    ) -> T:
        """Return the answer to a request.

        Args:
            request: The name of a method, as `do`, and its arguments.
            expected: The form of its answer.
            most_s: How long it may take.
            give_up: Asked again and again whether to wait no longer.

        Raises:
            AgentFailure: If the agent did something wrong, gave no answer in time or one of another form, or did not
                survive.
        """
        return self._hear(self._running(), request, expected, most_s, give_up)

    def failure(
        self, reason: Reason, told: str, process: SandboxedProcess | None = None
    ) -> AgentFailure:
        """Return what it did, with the last lines that it printed."""
        process = process or self._process
        said = "" if process is None else process.last_words
        told = f"{self._name}: {printable(told)}" + (f"; it said: {said}" if said else "")
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

    def _running(self) -> SandboxedProcess:
        if self._process is None:
            process = self._process = SandboxedProcess(GUEST, VARIABLES)
            self._number = None
            when_gone(self, process.end)
            try:
                self._described = self._hear(process, self._wanted, DESCRIPTION, STARTING_S)
            except AgentFailure:
                self.close()
                raise
        return self._process

    def _hear(
        self,
        process: SandboxedProcess,
        request: dict[str, Any],
        expected: TypeAdapter[T],
        most_s: float,
        give_up: Stop | None = None,
    ) -> T:
        number = next(self._requests)
        try:
            found = process.ask({"number": number, **request}, most_s, give_up)
            answer = _checked(ANSWER, found)
            if answer.number != number:
                raise BadAnswer("sent an answer to another request")
            if "done" in answer.model_fields_set:
                return _checked(expected, answer.done)
        except TimeoutError:
            self.close()
            late = "did not stop when its time was over"
            raise self.failure(Reason.TIME, late, process) from None
        except EOFError:
            self.close()
            ended = f"its process ended ({process.ending})"
            raise self.failure(Reason.CRASH, ended, process) from None
        except BadAnswer as error:
            self.close()
            raise self.failure(Reason.CRASH, str(error), process) from None
        except BaseException:  # an answer that nobody waits for would be taken for the next one
            self.close()
            raise
        if answer.failed is None:
            raise self.failure(Reason.CRASH, str(answer.wrong))
        failure = self.failure(answer.failed, answer.told)
        if answer.failed is Reason.MEMORY:  # what it holds it may hold for ever
            self.close()
        raise failure


def _checked(form: TypeAdapter[T], found: Any) -> T:
    """Return a part of an answer, if it is of a form.

    Raises:
        BadAnswer: If it is not.
    """
    try:
        return form.validate_python(found)
    except ValidationError as error:
        faults = error.errors(include_url=False)
        place = ".".join(str(part) for part in faults[0]["loc"])[:LONGEST_NAME]
        told = f"{place}: {fault_in_words(faults)}" if place else fault_in_words(faults)
        raise BadAnswer(f"sent what is not an answer: {told}") from None


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
    own = set(_own_files(described.files, path.parent))
    texts = read_files(sorted(own | {path}), MOST_SOURCE)
    return Loaded(Call(f"{file}:{described.name}", call.arguments), texts)


def _own_files(named: Iterable[str], folder: Path) -> Iterable[Path]:
    """Return the regular Python files of a folder among those that a process named, links resolved."""
    for name in named:
        with suppress(OSError):  # a name of any length
            file = Path(name).resolve()
            if file.suffix == ".py" and file.is_relative_to(folder) and file.is_file():
                yield file


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
