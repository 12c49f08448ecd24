"""The process of a course agent: it loads the agent's file and answers calls.

It enters the sandbox (`isolarium.processes.sandbox`) before it loads the file. Messages are JSON,
because third-party code may send anything. Each game starts by reloading the agent's modules, which
discards all state, so the same seed reproduces the same game.
"""

import inspect
import json
import random
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import asdict
from math import inf, isnan
from pathlib import Path
from typing import Any, Final

from isolarium.compat import line_of
from isolarium.course.adapter import CLOCK_MS, Clock, Queue, TimeUp, make_board, square_of_action, state_fields
from isolarium.course.loader import AgentFile, ModuleSet, parameter_of
from isolarium.errors import InputError, error_line, located, quoted
from isolarium.game.board import Board
from isolarium.game.notation import parse_position
from isolarium.game.position import Player, Position, Reason
from isolarium.processes.rpc import LATE, LONGEST_TEXT, CallServer
from isolarium.processes.sandbox import adapt_torch, confine, explained, python_agent
from isolarium.text import printable, shortened

LONGEST_NAME: Final = 100
MOST_FILES: Final = 1000
"""The maximum number of an agent's files."""
MOST_NAMES: Final = 200
"""The maximum number of classes, and of functions, of a file."""
WARM_UP_MS: Final = 100.0
RECURSION: Final = 1000
RESIGNED: Final = (-1, -1)
"""The move that means resignation, by the course's convention."""
SEARCHES: Final = ("minimax", "alphabeta")
"""The methods that search to a given depth."""
NOWHERE: Final = [-1, -2]
"""A square that is off every board."""


class WrongAnswer(Exception):  # noqa: N818 # the agent's mistake, not Isolarium's
    """An agent returned a value that is not a valid answer."""


class NoAnswer(Exception):  # noqa: N818 # the agent's mistake, not Isolarium's
    """An agent of the later project put nothing on its queue."""


def main(handle: int, scratch: str, personal: str) -> None:
    """Answer calls until the parent closes the pipe; write only to `scratch`.

    The first message contains the kind of code to load (`agent`, `score` or `file`) and its parameters. Before any of
    the code is read, the process enters the sandbox and reports its protection.
    """
    with line_of(handle) as line, suppress(EOFError, OSError):  # The parent process has exited.
        server = CallServer(line)
        wanted = server.receive()
        protection = confine(
            python_agent(),
            personal=[Path(folder) for folder in json.loads(personal)],
            beside=[Path(wanted["file"]).parent],
            scratch=Path(scratch),
            descriptors=[handle],
        )
        server.send_protection(asdict(protection))
        code: Agent | Score | Contents = KINDS[wanted.pop("kind")](**wanted)
        server.send(**_outcome(code.load))
        server.serve(lambda do, **request: _outcome(getattr(code, do), **request))


def _outcome(action: Callable[..., Any], **request: Any) -> dict[str, Any]:
    """Return an action's event: its value, or the reason for its failure."""
    try:
        return {"done": action(**request)}
    except InputError as error:
        return {"failed": Reason.CRASH, "message": text_message(explained(str(error)))}
    except WrongAnswer as error:
        return {"failed": Reason.ILLEGAL_MOVE, "message": text_message(str(error))}
    except NoAnswer as error:
        return {"failed": Reason.TIME, "message": text_message(str(error))}
    except MemoryError:
        return {"failed": Reason.MEMORY, "message": "out of memory"}
    except TimeUp:
        return {"failed": Reason.TIME, "message": LATE}
    except BaseException as error:  # an agent may raise anything, even SystemExit
        return {"failed": Reason.CRASH, "message": text_message(explained(error_line(error)))}


class Agent:
    """An agent.

    Args:
        file: Its file.
        name: The name of its class; empty for the default class.
        arguments: The arguments of the class, as written in the spec.
    """

    def __init__(self, file: str, name: str, arguments: dict[str, str]) -> None:
        self._path, self._name, self._arguments = Path(file), name, arguments
        self._file: AgentFile
        self._player: Any = None
        self._context: Any = None

    def load(self) -> dict[str, Any]:
        """Load the agent; return its class, its module set and its files.

        Raises:
            InputError: If the file does not contain such an agent.
        """
        self._file = AgentFile(self._path)
        self._file.load()
        self._make_player()
        return {
            "name": self._file.class_name(self._name),
            "modules": self._file.modules,
            "files": self._file.own_files(),
        }

    def game(self, seed: int) -> bool:
        """Reload the agent and seed the random generators.

        Returns:
            False if threads of an earlier game are still running, in which case the process must be
                replaced.
        """
        if threading.active_count() > 1:
            return False
        begin(self._file, seed)
        self._make_player()
        self._context = None
        return True

    def warm_up(self, position: str) -> None:
        """Choose a move that does not count, to exclude one-time work from timing.

        Failures are ignored.
        """
        with suppress(Exception, TimeUp, SystemExit):  # it fails again in a move that counts
            self.game(0)
            self._chosen(parse_position(position), Clock(WARM_UP_MS))

    def move(self, position: str, ms: float | None = None, calls: int | None = None) -> dict[str, Any]:
        """Choose a move; return it (None for a resignation) and its cost."""
        clock = Clock(ms, calls)
        return {"move": self._chosen(parse_position(position), clock), "calls": clock.generated, "plies": clock.plies}

    def search(self, position: str, method: str, depth: int) -> dict[str, Any]:
        """Call a search method without a time limit; return its move and its cost."""
        board, clock = self._board(parse_position(position)), Clock()
        self._player.time_left = lambda: CLOCK_MS
        with self._counted(clock):
            clock.start(board.move_count)
            answer = getattr(self._player, method)(board, depth)
        if _has_score(answer):
            answer = answer[1]
        return {"move": _move(answer), "calls": clock.generated}

    def _make_player(self, number: int = 0) -> None:
        kind = self._file.player_class(self._name)
        values = {}
        for name, text in self._arguments.items():
            with located(name):
                values[name] = self._file.value(text, parameter_of(kind, name))
        player_ids = [number] if self._file.modules is ModuleSet.LATER else []
        try:
            self._player = kind(*player_ids, **values)
        except TypeError as error:
            raise InputError(f"{kind.__name__}: {error_line(error)}") from None

    def _chosen(self, position: Position, clock: Clock) -> list[int] | None:
        is_later = self._file.modules is ModuleSet.LATER
        choose = self._chosen_later if is_later else self._chosen_first
        with self._counted(clock):
            return choose(position, clock)

    @contextmanager
    def _counted(self, clock: Clock) -> Iterator[None]:
        self._file.isolation.isolation.on_position = clock.on_position
        try:
            yield
        finally:
            self._file.isolation.isolation.on_position = None

    def _board(self, position: Position) -> Any:
        players = (self._player, Opponent())[:: -1 if position.to_move else 1]
        return make_board(self._file.isolation.Board, position, *players)

    def _chosen_first(self, position: Position, clock: Clock) -> list[int] | None:
        """Choose with the first interface, where the returned move counts."""
        board = self._board(position)
        moves = [board.get_legal_moves()] if _takes_moves(self._player.get_move) else []
        clock.start(board.move_count)
        return _move(self._player.get_move(board, *moves, clock.time_left))

    def _chosen_later(self, position: Position, clock: Clock) -> list[int] | None:
        """Choose with the later interface, where the last move queued in time counts.

        As in the course, which runs each move in a process, the move counts even if the agent then raises an exception.
        """
        state = self._file.isolation.Isolation(*state_fields(position))
        self._make_player(int(position.to_move))  # only `context` is kept
        # There the game is over once either player has no move; our rules need one more move.
        if state.terminal_test():
            return [*position.legal_moves()[0]]
        queue = Queue(clock)
        self._player.context, self._player.queue = self._context, queue
        try:
            with clock.interrupting(state.ply_count):
                self._player.get_action(state)
        except (TimeUp, self._file.isolation.StopSearch):
            pass
        except (Exception, SystemExit) as error:  # An agent may raise anything.
            if queue.last is None:
                raise
            print(f"after its choice: {error_line(error)}", file=sys.stderr)
        self._context = self._player.context
        if queue.last is None:
            raise NoAnswer("put nothing on its queue in time")
        square = square_of_action(position, _whole(queue.last))
        return NOWHERE if square is None else [*square]


class Score:
    """A score function.

    Args:
        file: Its file.
        name: Its name.
    """

    def __init__(self, file: str, name: str) -> None:
        self._path, self._name = Path(file), name
        self._file: AgentFile
        self._function: Callable[..., Any]
        self._player: Any

    def load(self) -> dict[str, Any]:
        """Load the function; return its name, its module set and its files.

        Raises:
            InputError: If there is no such function.
        """
        self._file = AgentFile(self._path)
        if self._file.modules is ModuleSet.LATER:
            raise InputError("written for the later project; expected a score function of a Board")
        self._file.load()
        self._function = self._file.function(self._name)
        self._player = self._make_player()
        return {"name": self._name, "modules": self._file.modules, "files": self._file.own_files()}

    def game(self, seed: int) -> bool:
        """Reload the function and seed the random generators."""
        begin(self._file, seed)
        self._function = self._file.function(self._name)
        self._player = self._make_player()
        _seed(seed)
        return True

    def _make_player(self) -> Any:
        """Return the file's agent, for which the function is called.

        As in the course, the function may use the agent's attributes.
        """
        try:
            kind = self._file.player_class("")
            values = {"score_fn": self._function} if "score_fn" in _parameters(kind) else {}
            player = kind(**values)
            player.time_left = lambda: CLOCK_MS
        except InputError as error:
            return NoPlayer(str(error))
        except (Exception, SystemExit) as error:  # An agent may raise anything.
            return NoPlayer(error_line(error))
        return player

    def value(
        self, rows: int, cols: int, blank: str, own: int, opp: int, own_to_move: bool, is_sorted: bool = False
    ) -> dict[str, float | str]:
        """Return a player's score of a position, as a message.

        Args:
            rows: The rows of the board.
            cols: The columns of the board.
            blank: The set of blank squares, as a hexadecimal number.
            own: The player's square, as a number.
            opp: The opponent's square, as a number.
            own_to_move: Whether the player is to move.
            is_sorted: Whether `get_legal_moves` returns moves in order, instead of at random.
        """
        board, mask = Board(rows, cols), int(blank, 16)
        # The number of moves made determines which player is the first.
        turn = Player((board.size - mask.bit_count()) % 2)
        seat = turn if own_to_move else turn.other
        players = [self._player, Opponent()][:: -1 if seat else 1]
        places = [board.squares[own], board.squares[opp]][:: -1 if seat else 1]
        position = Position(board, mask, places[0], places[1], turn)
        course_board = make_board(self._file.isolation.Board, position, *players)
        with self._sorted_moves() if is_sorted else nullcontext():
            return score_message(self._function(course_board, self._player))

    @contextmanager
    def _sorted_moves(self) -> Iterator[None]:
        module = self._file.isolation.isolation
        usual, module._in_random_order = module._in_random_order, sorted
        try:
            yield
        finally:
            module._in_random_order = usual


class Contents:
    """A course file whose contents are listed.

    Args:
        file: The file.
    """

    def __init__(self, file: str) -> None:
        self._path = Path(file)
        self._file: AgentFile

    def load(self) -> dict[str, Any]:
        """Load the file; return its module set and its files.

        Raises:
            InputError: If it cannot be loaded.
        """
        self._file = AgentFile(self._path)
        self._file.load()
        return {"name": "", "modules": self._file.modules, "files": self._file.own_files()}

    def contents(self) -> dict[str, Any]:
        """Return the functions, and the playable classes with their parameters.

        A file with `from numpy import *` has more functions than an answer may contain, so scores
        come first and the rest is cut off.
        """
        classes = {
            name: {
                "takes": _parameters(kind),
                "searches": [one for one in SEARCHES if callable(getattr(kind, one, None))],
            }
            for name, kind in self._file.own_classes().items()
        }
        functions = sorted(self._file.own_functions(), key=lambda name: (not name.startswith("custom_score"), name))
        return {"classes": classes, "functions": functions[:MOST_NAMES]}


KINDS: Final = {"agent": Agent, "score": Score, "file": Contents}


class Opponent:
    """A player without methods."""


class NoPlayer(Opponent):
    """The player for a score function whose file has no usable agent.

    Args:
        why: Why there is no usable agent.
    """

    def __init__(self, why: str) -> None:
        self._why = why

    def __getattr__(self, name: str) -> Any:
        """Explain that there is no player.

        Raises:
            AttributeError: Always.
        """
        raise AttributeError(f"the score uses player.{name}, but its file has no player: {self._why}")


def begin(file: AgentFile, seed: int) -> None:
    """Reload a file, and seed the random generators before and after."""
    sys.setrecursionlimit(RECURSION)
    _seed(seed)
    file.run()
    _seed(seed)
    adapt_torch()


def _seed(seed: int) -> None:
    random.seed(seed)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(seed % (1 << 32))


def _takes_moves(get_move: Callable[..., Any]) -> bool:
    """Return whether a `get_move` also takes the legal moves, as in generation 1."""
    try:
        parameters = inspect.signature(get_move).parameters.values()
    except (TypeError, ValueError):
        return False
    kinds = [one.kind for one in parameters if one.default is one.empty]
    return len(kinds) == 3 and inspect.Parameter.VAR_POSITIONAL not in kinds


def _parameters(kind: type) -> list[str]:
    try:
        return [*inspect.signature(kind).parameters]
    except (TypeError, ValueError):
        return []


def _has_score(answer: Any) -> bool:
    """Return whether an answer is a pair of score and move, as in generation 1."""
    return isinstance(answer, tuple | list) and len(answer) == 2 and isinstance(answer[1], tuple | list)


def _move(answer: Any) -> list[int] | None:
    """Return the move in an answer, or None for a resignation.

    Raises:
        WrongAnswer: If the answer is neither a move nor a resignation.
    """
    if answer is None:
        return None
    wrong = WrongAnswer(f"returned {short(answer)}; expected a tuple, (row, col), of whole numbers")
    if not isinstance(answer, tuple) or len(answer) != 2:
        raise wrong
    try:
        row, col = map(_whole, answer)
    except WrongAnswer:
        raise wrong from None
    return None if (row, col) == RESIGNED else [row, col]


def _whole(number: Any) -> int:
    with suppress(TypeError, ValueError, OverflowError):
        whole = int(number)
        if whole == number and abs(whole) < 1 << 31:
            return whole
    raise WrongAnswer(f"returned {short(number)}; expected a whole number")


# Messages


def score_message(value: Any) -> dict[str, float | str]:
    """Return the message of a score, which may be any type of number except NaN.

    Infinite scores become the text `inf` or `-inf`, since JSON has no number for them.

    Raises:
        WrongAnswer: If the score is not a number; booleans and strings are not.
    """
    is_boolean = isinstance(value, bool) or "bool" in str(getattr(value, "dtype", ""))
    if not is_boolean and not isinstance(value, str | bytes | bytearray):
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            number = float("nan")
        if not isnan(number):
            return {"value": str(number) if number in (inf, -inf) else number}
    raise WrongAnswer(f"returned {short(value)}; expected a number")


def text_message(text: str) -> str:
    """Return text with a bounded length and without control characters."""
    return shortened(printable(text), LONGEST_TEXT)


def short(thing: Any) -> str:
    """Return an agent's return value as short text for messages."""
    text = quoted(thing, LONGEST_TEXT)
    return text if len(text) <= 60 else text[:60] + "..."
