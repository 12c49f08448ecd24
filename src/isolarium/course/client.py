"""Third-party code of the course in a sandboxed process: what it is asked, and what it answers.

The process (`isolarium.course.server`) is started when it is first needed, and again after it has failed. Its code can
write anything to its end of the line, so every answer is only data: JSON of a fixed form, in which no value is
converted, nothing unknown is ignored, and everything has a bound.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple, TypeVar

from pydantic import (
    AfterValidator,
    ConfigDict,
    Field,
    TypeAdapter,
)

from isolarium.agents.agent import AgentFailure
from isolarium.agents.subprocess_client import ThirdPartyCode
from isolarium.course.message_bounds import LONGEST_NAME, MOST_FILES
from isolarium.course.loader import ModuleSet
from isolarium.errors import InputError
from isolarium.limits import Stop, read_seed
from isolarium.processes.permissions import check_permitted, python_file
from isolarium.processes.sandboxed_process import Message, SandboxedProcess
from isolarium.processes.supervised_process import GUEST
from isolarium.processes.worker import ONE_THREAD
from isolarium.safe_files import MOST_SOURCE, read_files
from isolarium.spec.parser import Call

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


class Description(Message):
    """What a process has loaded: the class or function (empty where a whole file was loaded), and its files."""

    name: Annotated[str, Field(max_length=LONGEST_NAME), AfterValidator(_name_or_nothing)]
    modules: Annotated[ModuleSet, Field(strict=False)]
    files: list[Annotated[str, Field(max_length=LONGEST_PATH), AfterValidator(_path)]] = Field(
        max_length=MOST_FILES
    )


DESCRIPTION: Final = TypeAdapter(Description)
YES_OR_NO: Final = TypeAdapter(bool, config=ConfigDict(strict=True))
T = TypeVar("T")


class Guest(ThirdPartyCode):
    """Somebody's agent or score function in its process, which is started when it is first needed.

    Args:
        name: what it is called in messages: its spec.
        wanted: what the process is to load.
    """

    def __init__(self, name: str, wanted: Mapping[str, Any]) -> None:
        super().__init__(name)
        self._wanted = dict(wanted)
        self._described: Description

    def describe(self) -> Description:
        """What there is to say of it; its process is started if there is none.

        Raises:
            AgentFailure: it cannot be loaded.
        """
        if not self.is_running:
            process = SandboxedProcess(GUEST, VARIABLES)
            self._described = self.start(process, self._wanted, DESCRIPTION, most_s=STARTING_S)
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
        """Return the answer to a request; the process is started if there is none.

        Args:
            request: The name of a method, as `do`, and its arguments.
            expected: The form of its answer.
            most_s: How long it may take.
            give_up: Asked again and again whether to wait no longer.

        Raises:
            AgentFailure: If the agent did something wrong, gave no answer in time or one of another form, or did not
                survive.
        """
        self.describe()
        return self.call(request, expected, most_s=most_s, give_up=give_up)


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
