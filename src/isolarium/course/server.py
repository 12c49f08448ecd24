"""The process in which somebody's course agent lives: it loads the file, and then answers for a game's moves.

It confines itself (`isolarium.processes.sandbox`) before it has loaded anything. Every message either way is JSON:
what comes back is from third-party code, and must be nothing but data; each answer has the number of its request.
Each game begins with the agent's modules loaded anew, so that nothing of a game before is left: the same seed gives
the same game, whoever played before.
"""

import inspect
import json
import random
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from isolarium.compat import line_of
from isolarium.course.adapter import make_board, square_of_action, state_fields
from isolarium.course.clock import CLOCK_MS, Clock, Over, Queue
from isolarium.course.loader import AgentFile, ModuleSet
from isolarium.course.message_bounds import WrongAnswer, score_message, short, text_message
from isolarium.errors import InputError, told
from isolarium.game.board import Board
from isolarium.game.notation import parse_position
from isolarium.game.outcome import Player, Reason
from isolarium.game.position import Position
from isolarium.processes.rpc import CallServer
from isolarium.processes.sandbox import confine, explained, python_agent

WARM_UP_MS: Final = 100.0
RECURSION: Final = 1000
RESIGNED: Final = (-1, -1)
SEARCHES: Final = ("minimax", "alphabeta")
"""Methods to a given depth that the course asks for."""
NOWHERE: Final = [-1, -2]
"""A square that is on no board."""


def main(handle: int, scratch: str, personal: str) -> None:
    """Serve the other end of the pipe until it is gone; write nowhere but in `scratch`.

    The first message says what is wanted: `agent`, `score` or `file`, and what that is made of. Before any of it is
    read, the process confines itself and reports what its sandbox holds.
    """
    with line_of(handle) as line, suppress(EOFError, OSError):  # the parent is gone
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
        guest: Guest | Score | Contents = GUESTS[wanted.pop("kind")](**wanted)
        server.send(**_outcome(guest.load))
        server.serve(lambda do, **request: _outcome(getattr(guest, do), **request))


def _outcome(action: Callable[..., Any], **request: Any) -> dict[str, Any]:
    """What the action returns; or, where it failed, how that is charged and what happened."""
    try:
        return {"done": action(**request)}
    except InputError as error:
        return {"failed": Reason.CRASH, "told": text_message(explained(str(error)))}
    except WrongAnswer as error:
        return {"failed": Reason.ILLEGAL_MOVE, "told": text_message(str(error))}
    except MemoryError:
        return {"failed": Reason.MEMORY, "told": "out of memory"}
    except Over:
        return {"failed": Reason.TIME, "told": "it did not stop when its time was over"}
    except BaseException as error:  # whatever an agent may raise, SystemExit among it
        return {"failed": Reason.CRASH, "told": text_message(explained(told(error)))}


class Guest:
    """An agent.

    Args:
        file: its file.
        name: of the class; empty for the one that is meant most probably.
        arguments: what the class is made with, as it is written in a spec.
    """

    def __init__(self, file: str, name: str, arguments: dict[str, str]) -> None:
        self._path, self._name, self._arguments = Path(file), name, arguments
        self._file: AgentFile
        self._player: Any = None
        self._context: Any = None

    def load(self) -> dict[str, Any]:
        """Load the agent: its class, the interface that it is written for, and the files that this took.

        Raises:
            InputError: there is no such agent.
        """
        self._file = AgentFile(self._path)
        self._file.run()
        self._make_player()
        return {
            "name": self._file.class_name(self._name),
            "modules": self._file.modules,
            "files": self._file.own_files(),
        }

    def game(self, seed: int) -> bool:
        """Begin a game: load everything anew, and draw all chances from the seed.

        Returns:
            Whether that was possible: what a game before has left running here may disturb another.
        """
        if threading.active_count() > 1:
            return False
        begin(self._file, seed)
        self._make_player()
        self._context = None
        return True

    def warm_up(self, position: str) -> None:
        """Have a move chosen for nothing, so that what is done once is not done on the clock; whatever happens."""
        with suppress(Exception, Over, SystemExit):  # it will fail again where it counts
            self.game(0)
            self._chosen(parse_position(position), Clock(WARM_UP_MS))

    def move(
        self, position: str, ms: float | None = None, calls: int | None = None
    ) -> dict[str, Any]:
        """Choose a move: where to, None for a resignation, and what it took."""
        clock = Clock(ms, calls)
        return {
            "move": self._chosen(parse_position(position), clock),
            "calls": clock.asked,
            "plies": clock.plies,
        }

    def search(self, position: str, method: str, depth: int) -> dict[str, Any]:
        """Have a method of the agent search to a depth, on a clock that stands still: its move, and what it took."""
        board, clock = self._board(parse_position(position)), Clock()
        self._player.time_left = lambda: CLOCK_MS
        with self._counted(clock):
            clock.start(board.move_count)
            answer = getattr(self._player, method)(board, depth)
        if _has_score(answer):
            answer = answer[1]
        return {"move": _move(answer), "calls": clock.asked}

    def _make_player(self, number: int = 0) -> None:
        kind = self._file.player_class(self._name)
        values = {name: self._file.value(text) for name, text in self._arguments.items()}
        numbers = [number] if self._file.modules is ModuleSet.LATER else []
        try:
            self._player = kind(*numbers, **values)
        except TypeError as error:
            raise InputError(f"{kind.__name__}: {told(error)}") from None

    def _chosen(self, position: Position, clock: Clock) -> list[int] | None:
        is_later = self._file.modules is ModuleSet.LATER
        choose = self._chosen_later if is_later else self._chosen_first
        with self._counted(clock):
            return choose(position, clock)

    @contextmanager
    def _counted(self, clock: Clock) -> Iterator[None]:
        self._file.isolation.counting.on_position = clock.on_position
        try:
            yield
        finally:
            self._file.isolation.counting.on_position = None

    def _board(self, position: Position) -> Any:
        players = (self._player, Opponent())[:: -1 if position.to_move else 1]
        return make_board(self._file.isolation.Board, position, *players)

    def _chosen_first(self, position: Position, clock: Clock) -> list[int] | None:
        """Choose as the course has it: what is returned counts."""
        board = self._board(position)
        moves = [board.get_legal_moves()] if _takes_moves(self._player.get_move) else []
        clock.start(board.move_count)
        return _move(self._player.get_move(board, *moves, clock.time_left))

    def _chosen_later(self, position: Position, clock: Clock) -> list[int] | None:
        """Choose as the later project has it: what stands on the queue when the time is over counts."""
        state = self._file.isolation.Isolation(*state_fields(position))
        self._make_player(int(position.to_move))  # only `context` is carried over
        # There the game is over as soon as either player is stuck; here one more move is made.
        if state.terminal_test():
            return [*position.legal_moves()[0]]
        queue = Queue(clock)
        self._player.context, self._player.queue = self._context, queue
        with suppress(Over, self._file.isolation.StopSearch), clock.breaking_off(state.ply_count):
            self._player.get_action(state)
        self._context = self._player.context
        if queue.last is None:
            raise WrongAnswer("nothing on its queue when its time was over")
        square = square_of_action(position, _whole(queue.last))
        return NOWHERE if square is None else [*square]


class Score:
    """A score function alone.

    Args:
        file: the file that it is in.
        name: of the function.
    """

    def __init__(self, file: str, name: str) -> None:
        self._path, self._name = Path(file), name
        self._file: AgentFile
        self._function: Callable[..., Any]

    def load(self) -> dict[str, Any]:
        """Load the function: which it is, and the files that this took.

        Raises:
            InputError: there is no such function.
        """
        self._file = AgentFile(self._path)
        if self._file.modules is ModuleSet.LATER:
            raise InputError("written for the later project; expected a score of a Board")
        self._file.run()
        self._function = self._file.function(self._name)
        return {
            "name": self._name,
            "modules": self._file.modules,
            "files": self._file.own_files(),
        }

    def game(self, seed: int) -> bool:
        """Begin a game: load everything anew, and draw all chances from the seed."""
        begin(self._file, seed)
        self._function = self._file.function(self._name)
        return True

    def value(
        self, rows: int, cols: int, blank: str, own: int, opp: int, own_to_move: bool
    ) -> dict[str, float | str]:
        """The score of a position for the player who stands on `own`, as a message.

        Args:
            rows: of the board.
            cols: of the board.
            blank: the set of blank squares, in hexadecimal digits.
            own: the number of that player's square.
            opp: the number of the other's.
            own_to_move: whose turn it is.
        """
        board, mask = Board(rows, cols), int(blank, 16)
        turn = Player(
            (board.size - mask.bit_count()) % 2
        )  # who is first follows from the moves made
        players = [Opponent(), Opponent()]
        seat = turn if own_to_move else turn.other
        places = [board.squares[own], board.squares[opp]][:: -1 if seat else 1]
        position = Position(board, mask, places[0], places[1], turn)
        course_board = make_board(self._file.isolation.Board, position, *players)
        return score_message(self._function(course_board, players[seat]))


class Contents:
    """A file, to find out what there is in it.

    Args:
        file: the file.
    """

    def __init__(self, file: str) -> None:
        self._path = Path(file)
        self._file: AgentFile

    def load(self) -> dict[str, Any]:
        """Load the file.

        Raises:
            InputError: it cannot be loaded.
        """
        self._file = AgentFile(self._path)
        self._file.run()
        return {"name": "", "modules": self._file.modules, "files": self._file.own_files()}

    def contents(self) -> dict[str, Any]:
        """The classes that can choose, what each is made with and which searches it has; and the functions."""
        classes = {
            name: {
                "takes": _parameters(kind),
                "searches": [one for one in SEARCHES if callable(getattr(kind, one, None))],
            }
            for name, kind in self._file.own_classes().items()
        }
        return {"classes": classes, "functions": sorted(self._file.own_functions())}


GUESTS: Final = {"agent": Guest, "score": Score, "file": Contents}


class Opponent:
    """A player whom nobody can ask anything."""


def begin(file: AgentFile, seed: int) -> None:
    """Have everything loaded anew, all chances drawn from the seed, before and after."""
    sys.setrecursionlimit(RECURSION)
    _seed(seed)
    file.run()
    _seed(seed)
    torch = sys.modules.get("torch")
    if torch is not None and not python_agent().executable_memory:
        torch.backends.mkldnn.enabled = (
            False  # it makes machine code; without it convolutions work, more slowly
        )


def _seed(seed: int) -> None:
    random.seed(seed)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(seed % (1 << 32))


def _takes_moves(get_move: Callable[..., Any]) -> bool:
    """Whether it wants the legal moves between the board and the clock, as the first generation did."""
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
    """Whether an answer is a score and a move, as searches of the first generation return it."""
    return (
        isinstance(answer, tuple | list)
        and len(answer) == 2
        and isinstance(answer[1], tuple | list)
    )


def _move(answer: Any) -> list[int] | None:
    """The move of an answer, None for a resignation.

    Raises:
        WrongAnswer: it is neither.
    """
    if answer is None:
        return None
    if not isinstance(answer, tuple) or len(answer) != 2:
        raise WrongAnswer(f"returned {short(answer)}; expected a tuple, (row, col)")
    row, col = (_whole(number) for number in answer)
    return None if (row, col) == RESIGNED else [row, col]


def _whole(number: Any) -> int:
    with suppress(TypeError, ValueError, OverflowError):
        whole = int(number)
        if whole == number and abs(whole) < 1 << 31:
            return whole
    raise WrongAnswer(f"returned {short(number)} where a whole number was expected")
