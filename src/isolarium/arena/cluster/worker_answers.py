"""The answers of a cluster's workers, which the coordinator validates.

Answers are never unpickled here. An answer is one line of JSON of a bounded size, either
`{"result": ...}` or `{"failure": "..."}`. Each of the four kinds of results has a model:
introductions, speeds, played batches, and solutions. The games of a batch follow its line as the
bytes that the database stores; `Record.read_batch` checks them.
"""

import json
from typing import Annotated, Final, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, FailFast, Field, TypeAdapter, ValidationError

from isolarium.arena.game import ClockTroubles
from isolarium.arena.referee import MOST_REPLAYS, Batch, PlayedBatch
from isolarium.errors import InputError, fault_in_words
from isolarium.game.board import parse_board, parse_square
from isolarium.game.position import Position
from isolarium.limits import Limit
from isolarium.solver.solution import Solution, solution_json
from isolarium.text import printable, shortened

MOST_BYTES: Final = 64 << 20
"""The maximum length of an answer."""
MOST_SMALL_BYTES: Final = 1 << 16
"""The maximum length of an introduction, a speed, a solution or a failure."""
MOST_TEXT: Final = 2000
"""The maximum length of a failure or a game's note; workers shorten longer texts."""
MOVE_BYTES: Final = 48
"""An upper bound on the size of a move with its square, score, depth, nodes and two times."""

_INTRODUCE: Final = """
import json, os, platform, socket

def version(name):
    try:
        return str(__import__(name).__version__)
    except Exception:
        return ""

try:
    from distributed import get_worker
    name = str(get_worker().name)
except Exception:  # not on a cluster's worker
    name = ""
try:
    from isolarium.native.cache import cache_folder
    folder = cache_folder()
except Exception:
    folder = None
try:
    cores = sorted(os.sched_getaffinity(os.getpid()))
except AttributeError:  # not on this system
    cores = range(os.cpu_count() or 1)
introduction = {
    "name": name,
    "machine": f"{socket.gethostname()} {folder}",
    "cores": list(cores),
    "isolarium": version("isolarium"),
    "numba": version("numba"),
    "python": ".".join(platform.python_version_tuple()[:2]),
}
answer = json.dumps({"result": introduction}).encode()
"""
INTRODUCTION: Final = f"(lambda scope: exec({_INTRODUCE!r}, scope) or scope['answer'])({{}})"
"""An expression for the JSON of an `Introduction`; it needs neither Isolarium nor Numba."""

Text = Annotated[str, Field(max_length=MOST_TEXT)]
Count = Annotated[int, Field(ge=0, lt=1 << 40)]
Result = TypeVar("Result")


class WorkerFailed(Exception):  # noqa: N818 # not a user's error
    """A worker reports that it failed at its task; the message gives the reason."""


class _Form(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


class _Answer(_Form, Generic[Result]):
    result: Result | None = None
    failure: Text | None = None


class Introduction(_Form):
    """A worker's description of itself.

    Attributes:
        name: The worker's name in the cluster.
        machine: The name of the worker's machine, whose workers share compiled code.
        cores: The cores that the worker may use.
        isolarium: The version of Isolarium; empty if it is not installed.
        numba: The version of Numba; empty if it is not installed.
        python: The version of Python, without the patch number.
    """

    name: Text
    machine: Text
    cores: Annotated[tuple[Count, ...], FailFast(), Field(max_length=1 << 13)]
    isolarium: Text
    numba: Text
    python: Text

    def difference(self, other: "Introduction") -> str | None:
        """Return why a worker's games might differ from ours; None without a reason."""
        for name in ("isolarium", "python", "numba"):
            found, expected = getattr(other, name), getattr(self, name)
            if found != expected:
                has = f"{name} {found}" if found else f"no {name}"
                return f"it has {has}; expected {name} {expected}"
        return None


class _Batch(_Form):
    seconds: Annotated[float, Field(ge=0)]
    pairs_replayed: Count
    late_moves_held_up: Count


class _Solution(_Form):
    wins: bool | None
    move: Annotated[str, Field(max_length=10)] | None
    nodes: Count


# The worker's side


def result_json(value: object) -> bytes:
    """Encode an answer with a result: a played batch, a solution, or a speed."""
    line = json.dumps({"result": _plain(value)}, ensure_ascii=False, allow_nan=False).encode()
    return line + b"\n" + value.games if isinstance(value, PlayedBatch) else line


def failure_json(error: Exception) -> bytes:
    """Encode an answer that reports an error."""
    reason = printable(shortened(f"{type(error).__name__}: {error}", MOST_TEXT))
    return json.dumps({"failure": reason}).encode()


def _plain(value: object) -> object:
    match value:
        case PlayedBatch(_, seconds, troubles):
            return {
                "seconds": seconds,
                "pairs_replayed": troubles.pairs_replayed,
                "late_moves_held_up": troubles.late_moves_held_up,
            }
        case Solution():
            plain = solution_json(value)
            del plain["position"]  # The coordinator knows the opening.
            return plain
    return value


# The coordinator's side


def read_introduction(data: bytes) -> Introduction:
    """Read a worker's introduction.

    Raises:
        ValueError: If the answer is not a valid introduction.
    """
    return _needed(_read(_introduction, data))


def introduce() -> Introduction:
    """Return the introduction of this process."""
    return read_introduction(eval(INTRODUCTION))


def read_speed(data: bytes) -> float | None:
    """Read the speed of a worker that is ready, in nodes per second.

    Return None if the agents' moves do not depend on the clock.

    Raises:
        ValueError: If the answer is not a speed.
        WorkerFailed: If the worker could not get ready.
    """
    return _read(_speed, data)


def most_bytes_of_batch(batch: Batch) -> int:
    """Return the maximum length of an answer with the games of a batch."""
    board = parse_board(batch.board)
    game = MOST_SMALL_BYTES // 4 + board.rows * board.cols * MOVE_BYTES
    return min(MOST_BYTES, MOST_SMALL_BYTES + 2 * len(batch.openings) * game)


def read_batch(data: bytes, batch: Batch, most_seconds: float) -> PlayedBatch:
    """Parse the answer with a played batch; its games are still bytes, unchecked.

    Args:
        data: The answer.
        batch: The batch.
        most_seconds: The time since the batch was sent, an upper bound on the reported time.
            Workers could otherwise extend their time limits by reporting longer times.

    Raises:
        ValueError: If a value is out of range.
        WorkerFailed: If the worker could not play.
    """
    line, _, games = data.partition(b"\n")
    found, pairs = _needed(_read(_batch, line)), len(batch.openings)
    if found.pairs_replayed > MOST_REPLAYS * pairs or found.late_moves_held_up > 2 * pairs:
        raise ValueError("more delays by the machine than possible")
    troubles = ClockTroubles(found.pairs_replayed, found.late_moves_held_up)
    return PlayedBatch(games, min(found.seconds, most_seconds), troubles)


def read_solution(data: bytes, position: Position, limit: Limit) -> Solution:
    """Read a worker's solution of a position.

    Raises:
        ValueError: If the solution is impossible.
        WorkerFailed: If the worker could not solve the position.
    """
    found = _needed(_read(_solution, data))
    if found.wins is None and not limit.bounds:
        raise ValueError("unknown without a limit")
    try:
        move = None if found.move is None else parse_square(found.move, position.board)
    except InputError as error:
        raise ValueError(error.message) from None
    if (found.wins is True) != (move is not None) or (move and not position.is_legal(move)):
        raise ValueError("expected a legal move where the player to move wins, and only there")
    return Solution(position, found.wins, move, found.nodes)


_introduction: Final = TypeAdapter(_Answer[Introduction])
_speed: Final = TypeAdapter(_Answer[Annotated[float, Field(gt=0, lt=1e15)]])
_batch: Final = TypeAdapter(_Answer[_Batch])
_solution: Final = TypeAdapter(_Answer[_Solution])


def _read(adapter: TypeAdapter[_Answer[Result]], data: bytes) -> Result | None:
    try:
        answer = adapter.validate_json(data)
    except ValidationError as error:
        raise ValueError(describe_fault(error)) from None
    if answer.failure is not None:
        raise WorkerFailed(printable(answer.failure))
    return answer.result


def _needed(result: Result | None) -> Result:
    if result is None:
        raise ValueError("no result")
    return result


def describe_fault(error: ValidationError) -> str:
    """Return the first error on one line, with its location."""
    faults = error.errors(include_url=False)
    place = ".".join(map(str, faults[0]["loc"]))
    words = faults[0]["msg"] if faults[0]["type"] == "json_invalid" else fault_in_words(faults)
    return shortened(printable(f"{place}: {words}" if place else words), 200)
