"""The sandboxed process of a course file, and the form of its answers.

The process (`isolarium.course.server`) is started when first needed, and restarted after a failure.
Its code can write anything to the pipe, so answers are JSON of a fixed form: values are not
converted, unknown keys are rejected, and sizes are bounded.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple, TypeVar

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter

from isolarium.agents.agent import AgentFailure
from isolarium.agents.subprocess_agent import PYTHON_AGENT, ThirdPartyProcess
from isolarium.course.loader import ModuleSet
from isolarium.course.server import LONGEST_NAME, MOST_FILES
from isolarium.errors import InputError
from isolarium.limits import Stop, read_seed
from isolarium.processes.code_loader import check_permitted, python_file
from isolarium.processes.rpc import LATE, NO_ANSWER
from isolarium.processes.sandboxed_process import Message, SandboxedProcess
from isolarium.processes.supervised_process import COURSE_SERVER
from isolarium.safe_files import MOST_SOURCE, read_files
from isolarium.spec.parser import Call, check_path

STARTING_S: Final = 60.0
"""The time limit for starting a process and loading a file, or starting a game."""
LONGEST_PATH: Final = 4096


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
"""The name of a class, a function or a parameter."""


class Description(Message):
    """The code that a process has loaded.

    `name` is the name of the class or function; it is empty for a whole file.
    """

    name: Annotated[str, Field(max_length=LONGEST_NAME), AfterValidator(_name_or_nothing)]
    modules: Annotated[ModuleSet, Field(strict=False)]
    files: list[Annotated[str, Field(max_length=LONGEST_PATH), AfterValidator(_path)]] = Field(max_length=MOST_FILES)


DESCRIPTION: Final = TypeAdapter(Description)
YES_OR_NO: Final = TypeAdapter(bool, config=ConfigDict(strict=True))
T = TypeVar("T")


class CourseProcess(ThirdPartyProcess):
    """The process of an agent, a score function or a file.

    The process is started when it is first needed.

    Args:
        name: The name of the code in messages: its spec.
        code: The code to load, as `code_of` returns it.
    """

    def __init__(self, name: str, code: Mapping[str, Any]) -> None:
        super().__init__(name)
        self._code = dict(code)
        self._described: Description

    def describe(self) -> Description:
        """Return a description of the loaded code, starting the process if needed.

        Raises:
            AgentFailure: If the code cannot be loaded.
        """
        if not self.is_running:
            process = SandboxedProcess(COURSE_SERVER, PYTHON_AGENT)
            self._described = self.start(process, self._code, DESCRIPTION, most_s=STARTING_S)
        return self._described

    def new_game(self, seed: int) -> None:
        """Reload the code and seed its random generators.

        Raises:
            AgentFailure: If the code cannot be loaded.
        """
        seed = read_seed(seed)
        if not self.ask({"do": "game", "seed": seed}, YES_OR_NO):
            self.close()  # An earlier game left threads running.
            self.ask({"do": "game", "seed": seed}, YES_OR_NO)

    def ask(
        self,
        request: dict[str, Any],
        expected: TypeAdapter[T],
        most_s: float = STARTING_S,
        give_up: Stop | None = None,
        *,
        is_timed: bool = False,
    ) -> T:
        """Return the answer to a request, starting the process if needed.

        Args:
            request: The name of a method, as `do`, and its arguments.
            expected: The form of the answer.
            most_s: The time limit.
            give_up: Called repeatedly; true ends the wait.
            is_timed: Whether the code's own clock limits the request; otherwise a failure states that it never
                answered.

        Raises:
            AgentFailure: If the code fails, does not answer in time or in this form, or its process ends.
        """
        self.describe()
        late = LATE if is_timed else f"{NO_ANSWER} in {most_s:g} s; terminated"
        return self.call(request, expected, most_s=most_s, give_up=give_up, late=late)


class Loaded(NamedTuple):
    """A course agent or score function in full form, and its files' contents."""

    call: Call
    files: Mapping[Path, bytes]


def load(name: str, call: Call, kind: str) -> Loaded:
    """Load an agent or a score function in a sandboxed process, to check it.

    Args:
        name: Its name in messages.
        call: Its spec, without `course:`.
        kind: `agent` or `score`.

    Raises:
        InputError: If the file cannot be loaded, or has no such class or function.
    """
    path, process = path_of(call), CourseProcess(name, code_of(call, kind))
    try:
        described = process.describe()
    except AgentFailure as failure:
        raise InputError(str(failure).removeprefix(f"{name}: ")) from None
    finally:
        process.close()
    file = call.file or call.word
    own = set(_own_files(described.files, path.parent))
    texts = read_files(sorted(own | {path}), MOST_SOURCE)
    return Loaded(Call(f"{file}:{described.name}", call.arguments), texts)


def _own_files(named: Iterable[str], folder: Path) -> Iterator[Path]:
    """Yield the resolved paths of the named files that are regular Python files in a folder."""
    for name in named:
        with suppress(OSError):  # The name may be too long.
            file = Path(name).resolve()
            if file.suffix == ".py" and file.is_relative_to(folder) and file.is_file():
                yield file


def code_of(call: Call, kind: str) -> dict[str, Any]:
    """Return the message that describes the code to load.

    Raises:
        InputError: If the file may not be loaded, or the arguments are invalid.
    """
    found: dict[str, Any] = {"kind": kind, "file": str(path_of(call)), "name": call.function}
    if kind == "score":
        if call.arguments:
            raise InputError("a score function of the course does not take arguments")
        return found
    if any(not name for name, _ in call.arguments):
        raise InputError("expected ARGUMENT=VALUE, such as score_fn=custom_score")
    return {**found, "arguments": {name: str(value) for name, value in call.arguments}}


def path_of(call: Call) -> Path:
    """Return the path of the file, with links resolved.

    Raises:
        InputError: If the file is not a Python file, or may not be loaded.
    """
    path = python_file(call.file or call.word)
    check_path(str(path))
    check_permitted(path)
    return path
