"""Somebody's file of the course, looked into: what there is in it, what its searches find, what its scores say.

Each is asked in a process of its own that is shut in, as its games are.
"""

from collections.abc import Mapping
from typing import Any, Final, Literal

from pydantic import Field, TypeAdapter

from isolarium.agents.agent import AgentFailure
from isolarium.course.agent_spec import Count, Move, ask_value
from isolarium.course.client import Guest, Name, path_of, wanted
from isolarium.course.message_bounds import MOST_NAMES
from isolarium.course.module_set import ModuleSet
from isolarium.errors import InputError, quoted, shown
from isolarium.game.board import Square
from isolarium.game.outcome import Player
from isolarium.game.position import Position
from isolarium.processes.sandboxed_process import Message
from isolarium.spec.parser import COURSE, Argument, Call, tree_of

SEARCH_S: Final = 20.0
"""How long a search to a small depth may take."""


class CourseClass(Message):
    """A class that can choose.

    Attributes:
        takes: what it can be made with.
        searches: which of `minimax` and `alphabeta` it has.
    """

    takes: list[Name] = Field(max_length=MOST_NAMES)
    searches: list[Literal["minimax", "alphabeta"]] = Field(max_length=2)


class CourseContents(Message):
    """What there is in a file.

    Attributes:
        classes: those that can choose, by name.
        functions: names.
    """

    classes: dict[Name, CourseClass] = Field(max_length=MOST_NAMES)
    functions: list[Name] = Field(max_length=MOST_NAMES)


class Searched(Message):
    """What a search to a given depth found: a move, None for none; and how many positions it asked for."""

    move: Move | None
    calls: Count


CONTENTS: Final = TypeAdapter(CourseContents)
SEARCHED: Final = TypeAdapter(Searched)


class CourseFile:
    """A file, by its path as a person gave it.

    Attributes:
        path: that.
        modules: the module set that it is written for.
        contents: what there is in it.

    Raises:
        InputError: it cannot be loaded, or not be named in a spec.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        if tree_of(f"course:{path}:Player").files != (path,):
            told = "expected a path without commas, brackets and such, which no spec can name"
            raise InputError(f"{quoted(path)}: {told}")
        guest = Guest(path, {"kind": "file", "file": str(path_of(Call(path)))})
        try:
            self.modules = guest.describe().modules
            self.contents = guest.ask({"do": "contents"}, CONTENTS)
        except AgentFailure as failure:
            told = str(failure).removeprefix(f"{path}: ")
            raise InputError(f"{shown(path, 200)}: {told}") from None
        finally:
            guest.close()

    @property
    def is_later(self) -> bool:
        """Whether it is written for the later project."""
        return self.modules is ModuleSet.LATER

    def spec(self, name: str, arguments: Mapping[str, str]) -> str:
        """An agent of a class as it is written, without a limit."""
        return f"{COURSE}:{self._call(name, arguments)}"

    def player(self, name: str, arguments: Mapping[str, str]) -> "CoursePlayer":
        """An agent of a class, made with such arguments, to be asked for searches."""
        return CoursePlayer(Guest(name, wanted(self._call(name, arguments), "agent")))

    def score(self, name: str) -> "CourseScore":
        """A score function, to be asked for values."""
        return CourseScore(Guest(name, wanted(self._call(name, {}), "score")))

    def _call(self, name: str, arguments: Mapping[str, str]) -> Call:
        made_with = tuple(Argument(key, Call(value)) for key, value in arguments.items())
        return Call(f"{self.path}:{name}", made_with)


class _Asked:
    """Something that is asked in a process of its own.

    Args:
        guest: the process.
    """

    def __init__(self, guest: Guest) -> None:
        self._guest = guest

    def close(self) -> None:
        """End the process."""
        self._guest.close()


class CoursePlayer(_Asked):
    """An agent whose searches can be asked."""

    def search(self, position: Position, method: str, depth: int, seed: int) -> Searched:
        """What a method finds at a depth, with everything loaded anew before.

        Raises:
            AgentFailure: it fails, or does not come to an end.
        """
        self._guest.new_game(seed)
        request: dict[str, Any] = {
            "do": "search",
            "position": str(position),
            "method": method,
            "depth": depth,
        }
        return self._guest.ask(request, SEARCHED, SEARCH_S)


class CourseScore(_Asked):
    """A score function, whose values are the first player's."""

    def begin(self, seed: int) -> None:
        """Load everything anew.

        Raises:
            AgentFailure: it cannot be loaded.
        """
        self._guest.new_game(seed)

    def value(self, position: Position) -> float:
        """What it says for the first player of a position in which both are placed.

        Raises:
            AgentFailure: it fails, or says what is no number.
        """
        board = position.board
        first, second = (board.index(square) for square in _placed(position))
        own_to_move = position.to_move is Player.FIRST
        return ask_value(self._guest, board, position.blank, first, second, own_to_move=own_to_move)


def _placed(position: Position) -> tuple[Square, Square]:
    assert position.first is not None
    assert position.second is not None
    return position.first, position.second
