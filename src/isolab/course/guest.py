"""The process in which somebody's course agent lives: it loads the file, and then answers for a game's moves.

It is shut in (`isolab.fence`) before it has loaded anything. Every message either way is a line of JSON: what comes
back is from somebody's program, and must be nothing but data. Each game begins with the agent's modules loaded anew,
so that nothing of a game before is left: the same seed gives the same game, whoever played before.
"""

import ast
import inspect
import json
import random
import sys
import threading
import traceback
from collections.abc import Callable, Iterable
from contextlib import suppress
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from multiprocessing.connection import Connection
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from isolab.course.clock import Clock, Over, Queue
from isolab.course.module_set import ModuleSet
from isolab.course.translation import make_board, square_of_action, state_fields
from isolab.errors import InputError, quoted
from isolab.fence import enclose
from isolab.game.notation import parse_position
from isolab.game.outcome import Reason
from isolab.game.position import Position
from isolab.grammar import parse_number
from isolab.permits import check_may_load
from isolab.text import did_you_mean

WARM_UP_MS: Final = 100.0
USUAL: Final = ("AlphaBetaPlayer", "CustomPlayer", "MinimaxPlayer")
"""Which class is meant where none is named and there are several."""
RECURSION: Final = 1000
OLDEST: Final = "__board_state__"


def main(handle: int, scratch: str) -> None:
    """Serve the other end of the line until it is gone; write nowhere but in `scratch`."""
    with Connection(handle) as line:
        enclose([Path(scratch)])
        try:
            guest = None
            while True:
                request = json.loads(line.recv_bytes())
                if guest is None:
                    guest = Guest(**request)
                    answer = _answer(guest.describe)
                else:
                    answer = _answer(getattr(guest, request.pop("do")), **request)
                line.send_bytes(json.dumps(answer).encode())
        except (EOFError, OSError):  # the parent is gone
            return


def _answer(action: Callable[..., Any], **request: Any) -> dict[str, Any]:
    """What the action says; or, where it failed, how that is charged and what happened."""
    try:
        return {"done": action(**request)}
    except InputError as error:
        return {"wrong": str(error)}
    except MemoryError:
        return {"failed": str(Reason.MEMORY), "told": "out of memory"}
    except Over:
        return {"failed": str(Reason.TIME), "told": "it did not stop when its time was over"}
    except WrongMove as error:
        return {"failed": str(Reason.ILLEGAL_MOVE), "told": str(error)}
    except BaseException as error:  # whatever an agent may raise, SystemExit among it
        return {"failed": str(Reason.CRASH), "told": _told(error)}


class Guest:
    """An agent's file, its class and what that is made with.

    Args:
        file: the file.
        name: of the class; empty for the one that is meant most probably.
        arguments: what the class is made with, as it is written in a spec.
    """

    def __init__(self, file: str, name: str, arguments: dict[str, str]) -> None:
        self._path = Path(file)
        self._name = name
        self._arguments = arguments
        self._modules = ModuleSet.FIRST
        self._player: Any = None
        self._class: Any = None
        self._keywords: dict[str, Any] = {}
        self._isolation: Any = None
        self._context: Any = None

    # What is asked for

    def describe(self) -> dict[str, Any]:
        """Load the agent: its class, which interface that is written for, and the files that this took.

        Raises:
            InputError: there is no such agent.
        """
        check_may_load(self._path)
        text = self._text()
        self._modules = _module_set(text)
        sys.path[:0] = [str(self._modules.folder), str(self._path.parent)]
        self._load()
        self._make_player(0)
        return {
            "name": self._class.__name__,
            "modules": self._modules.value,
            "files": [str(path) for path in self._own_files()],
        }

    def game(self, seed: int) -> bool:
        """Begin a game: load everything anew, and draw all chances from the seed.

        Returns:
            Whether that was possible: what a game before has left running here may disturb another.
        """
        if threading.active_count() > 1:
            return False
        self._forget()
        sys.setrecursionlimit(RECURSION)
        _seed(seed)
        self._load()
        _seed(seed)
        self._make_player(0)
        self._context = None
        return True

    def warm_up(self, position: str) -> None:
        """Have a move chosen for nothing, so that what is done once is not done on the clock; whatever happens."""
        try:
            self.game(0)
            self._chosen(parse_position(position), Clock(WARM_UP_MS))
        except (Exception, Over, SystemExit):  # it will fail again where it counts
            return

    def move(
        self, position: str, ms: float | None = None, calls: int | None = None
    ) -> dict[str, Any]:
        """Choose a move: where to, None for a resignation, and what it took."""
        clock = Clock(ms, calls)
        chosen = self._chosen(parse_position(position), clock)
        return {
            "move": chosen,
            "calls": clock.asked,
            "plies": clock.plies,
            "late": clock.asked_too_often,
        }

    # Loading

    def _text(self) -> str:
        try:
            return self._path.read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            raise InputError(
                f"{quoted(str(self._path))}: {error.strerror}; expected a Python file"
            ) from None

    def _load(self) -> None:
        """Run the file, and find the class and the values of its arguments."""
        module = self._run()
        self._class = _class_named(module, self._name, self._modules)
        self._isolation, players = map(import_module, ("isolation", "sample_players"))
        self._keywords = {
            name: _value(text, (module, players)) for name, text in self._arguments.items()
        }

    def _run(self) -> ModuleType:
        name = self._path.stem
        spec = spec_from_file_location(name, self._path)
        if spec is None or spec.loader is None:
            raise InputError(f"{quoted(str(self._path))}: expected a Python file")
        module = module_from_spec(spec)
        sys.modules[name] = module
        try:
            spec.loader.exec_module(module)
        except (Exception, SystemExit) as error:  # whatever a file may raise when it is loaded
            raise InputError(f"{self._path.name}: {_told(error)}") from None
        return module

    def _own_files(self) -> list[Path]:
        """The files of the agent's own folder that are loaded."""
        folder = self._path.parent
        files = [getattr(module, "__file__", None) for module in [*sys.modules.values()]]
        paths = {Path(file) for file in files if file}
        return sorted(
            path for path in paths if path.is_relative_to(folder) and path.suffix == ".py"
        )

    def _forget(self) -> None:
        """Forget the agent's modules, and those that it is given."""
        folders = (self._path.parent, self._modules.folder)
        for name, module in [*sys.modules.items()]:
            file = getattr(module, "__file__", None)
            if file and any(Path(file).is_relative_to(folder) for folder in folders):
                del sys.modules[name]

    def _make_player(self, number: int) -> None:
        try:
            if self._modules is ModuleSet.LATER:
                self._player = self._class(number, **self._keywords)
            else:
                self._player = self._class(**self._keywords)
        except TypeError as error:
            raise InputError(f"{self._class.__name__}: {_told(error)}") from None

    # Choosing

    def _chosen(self, position: Position, clock: Clock) -> list[int] | None:
        try:
            if self._modules is ModuleSet.LATER:
                return self._chosen_later(position, clock)
            return self._chosen_first(position, clock)
        finally:
            self._isolation.counting.on_position = None

    def _chosen_first(self, position: Position, clock: Clock) -> list[int] | None:
        """Choose as the course has it: what is returned counts."""
        players = (self._player, Opponent())[:: -1 if position.to_move else 1]
        board = make_board(self._isolation.Board, position, *players)
        moves = [board.get_legal_moves()] if _takes_moves(self._player.get_move) else []
        self._isolation.counting.on_position = clock.on_position
        clock.start(board.move_count)
        return _checked(self._player.get_move(board, *moves, clock.time_left))

    def _chosen_later(self, position: Position, clock: Clock) -> list[int] | None:
        """Choose as the later project has it: what stands on the queue when the time is over counts."""
        state = self._isolation.Isolation(*state_fields(position))
        self._make_player(int(position.to_move))
        self._player.context, self._player.queue = self._context, Queue(clock)
        self._isolation.counting.on_position = clock.on_position
        with suppress(Over, self._isolation.StopSearch), clock.breaking_off(state.ply_count):
            self._player.get_action(state)
        self._context = self._player.context
        action = self._player.queue.last
        if action is None:
            raise RuntimeError("nothing on its queue when its time was over")
        square = square_of_action(position, _whole(action))
        return [-1, -2] if square is None else [*square]


class Opponent:
    """Who plays on the other side: nobody whom an agent could ask anything."""


# Reading a file and what is in it


def _module_set(text: str) -> ModuleSet:
    """Which interface a file is written for.

    Raises:
        InputError: it does not parse, or is of the oldest one.
    """
    if OLDEST in text:
        raise InputError(
            f"it uses {OLDEST}[row][col], of the oldest version of the course; expected an agent for "
            "a Board with _board_state, a flat list"
        )
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise InputError(f"{_told(error)}; expected a Python file") from None
    defined = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    imported = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    is_later = "get_action" in defined or bool(imported & {"DataPlayer", "BasePlayer", "Isolation"})
    return ModuleSet.LATER if is_later else ModuleSet.FIRST


def _class_named(module: ModuleType, name: str, modules: ModuleSet) -> Any:
    """The agent's class.

    Raises:
        InputError: there is none of that name, or it is not clear which is meant.
    """
    method = "get_action" if modules is ModuleSet.LATER else "get_move"
    found = {
        key: thing
        for key, thing in vars(module).items()
        if isinstance(thing, type) and callable(getattr(thing, method, None))
    }
    own = {key for key, thing in found.items() if thing.__module__ == module.__name__}
    if name:
        if name in found:
            return found[name]
        known = f"it has {', '.join(sorted(own or found))}" if found else "it has none"
        hint = did_you_mean(name, found) or known
        raise InputError(f"no class {quoted(name)} with {method} ({hint})")
    meant: list[str] = [key for key in USUAL if key in own] or sorted(own)
    if not meant or (len(meant) > 1 and meant[0] not in USUAL):
        told = f"it has {', '.join(meant)}: say which, FILE.py:CLASS" if meant else "it has none"
        raise InputError(f"no class that is meant by itself ({told}); expected one with {method}")
    return found[meant[0]]


def _value(text: str, places: Iterable[ModuleType]) -> Any:
    """What an argument stands for: a number, true or false, something of the file or of the samples, or a word."""
    number = parse_number(text)
    if number is not None:
        return int(text) if text.lstrip("+-").isdecimal() else number
    if text in ("true", "false"):
        return text == "true"
    for place in places:
        if hasattr(place, text):
            return getattr(place, text)
    return text


def _takes_moves(get_move: Callable[..., Any]) -> bool:
    """Whether it wants the legal moves between the board and the clock, as the first generation did."""
    try:
        parameters = inspect.signature(get_move).parameters.values()
    except (TypeError, ValueError):
        return False
    needed = [one for one in parameters if one.kind is not one.VAR_KEYWORD]
    return len(needed) == 3 and all(one.kind is not one.VAR_POSITIONAL for one in needed)


def _checked(answer: Any) -> list[int] | None:
    """The move of an answer, None for a resignation.

    Raises:
        TypeError: it is neither.
    """
    if answer is None:
        return None
    if not isinstance(answer, tuple) or len(answer) != 2:
        raise WrongMove(f"returned {_short(answer)}; expected a tuple, (row, col)")
    row, col = (_whole(number) for number in answer)
    return None if (row, col) == (-1, -1) else [row, col]


class WrongMove(Exception):  # noqa: N818 # an agent's doing, not an error of ours
    """What an agent returned is no move at all."""


def _whole(number: Any) -> int:
    try:
        whole = int(number)
        if whole == number and abs(whole) < 1 << 31:
            return whole
    except (TypeError, ValueError, OverflowError):
        pass
    raise WrongMove(f"returned {_short(number)} where a whole number was expected")


def _short(thing: Any) -> str:
    text = repr(thing)
    return text if len(text) <= 60 else text[:60] + "..."


def _seed(seed: int) -> None:
    random.seed(seed)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(seed % (1 << 32))


def _told(error: BaseException) -> str:
    """The error in one line, with the line of the agent's code in which it arose."""
    told = " ".join(f"{type(error).__name__}: {error}".removesuffix(": ").split())[:300]
    if isinstance(error, WrongMove):
        return str(error)
    if isinstance(error, SyntaxError):
        return f"{type(error).__name__}: {error.msg} (line {error.lineno})"
    ours = Path(__file__).parents[1]
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        path = Path(frame.filename)
        if path.is_file() and not path.is_relative_to(ours):
            return f"{told} ({path.name}, line {frame.lineno})"
    return told
