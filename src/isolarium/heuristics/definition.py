"""What a heuristic is: a plain function with `@heuristic` above it.

    @heuristic
    def improved(view, own, opp):
        return mobility(view, own) - mobility(view, opp)

It scores `view` for the player on `own` against the player on `opp`, higher is better, `inf` and `-inf` allowed. It is
never asked about a finished game. Parameters follow the three arguments as keywords with defaults; the default tells
the kind: a number is a run-time argument of the compiled code, so that a sweep compiles once; a name is one of the
`names` given to the decorator; another heuristic is a heuristic.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, TypeVar, overload

from isolarium.errors import InputError
from isolarium.game.outcome import Player
from isolarium.game.position import Position
from isolarium.game.view import PlainView
from isolarium.native.jit import compiled_twin

F = TypeVar("F", bound=Callable[..., float])
W = TypeVar("W", bound=Callable[..., Any])
Table = Callable[[str, Mapping[str, float]], Sequence[float]]

MARK: Final = "__heuristic__"
LEADING: Final = ("view", "own", "opp")


@dataclass(frozen=True)
class Tabulated:
    """A name that stands for a function over whole numbers, worked out once before a search.

    The heuristic receives it as `function(view, x)` for `-reach <= x <= reach`.

    Attributes:
        names: the names people may give.
        values: from the chosen name and the heuristic's numbers to the `2 * reach + 1` values, from `-reach` on.
        reach: the largest argument.
    """

    names: tuple[str, ...]
    values: Table
    reach: int


@dataclass(frozen=True)
class Weights:
    """A name that stands for a table of 64-bit words, read once before a search: other words compile nothing anew.

    The heuristic receives the place of the first word, and asks `weight(view, place + x)` for word x.

    Attributes:
        names: the names people may give.
        words: from the chosen name to the table.
    """

    names: tuple[str, ...]
    words: Callable[[str], Sequence[int]]


Names = Mapping[str, Mapping[str, Any] | Tabulated | Weights]
Ranges = Mapping[str, tuple[float, float]]


@dataclass(frozen=True)
class Heuristic:
    """A heuristic with its name, origin and parameters.

    Attributes:
        name: what people type.
        function: the decorated function.
        defaults: the parameters in order, each with its default.
        names: for each parameter that takes names, what each name stands for (a number, or a function that
            is compiled in), or how it is tabulated.
        ranges: for each number that is limited, the least and the largest value.
        family: the module it stands in.
        report: which of the five published reports describes it, or `course`; empty where none does.
        formula: its value in one line.
    """

    name: str
    function: Callable[..., float]
    defaults: Mapping[str, Any]
    names: Names = field(default_factory=dict)
    ranges: Ranges = field(default_factory=dict)
    family: str = ""
    report: str = ""
    formula: str = ""

    @property
    def is_ours(self) -> bool:
        """Whether it comes with Isolarium."""
        return (self.function.__module__ or "").startswith(f"{__package__}.")

    @property
    def about(self) -> str:
        """The docstring."""
        return inspect.getdoc(self.function) or ""


@overload
def heuristic(function: F) -> F: ...
@overload
def heuristic(
    *,
    report: str = "",
    formula: str = "",
    names: Names = MappingProxyType({}),
    ranges: Ranges = MappingProxyType({}),
    name: str = "",
) -> Callable[[F], F]: ...
def heuristic(
    function: F | None = None,
    *,
    report: str = "",
    formula: str = "",
    names: Names = MappingProxyType({}),
    ranges: Ranges = MappingProxyType({}),
    name: str = "",
) -> F | Callable[[F], F]:
    """Make a heuristic of a function; it stays an ordinary function, and compiled heuristics may call it too.

    Args:
        function: when used without parentheses.
        report: the published report that describes it.
        formula: its value in one line.
        names: what the names stand for that a parameter takes.
        ranges: the least and the largest value of the numbers that are limited.
        name: what people type, where it is not the function's name.
    """

    def mark(function: F) -> F:
        found = Heuristic(
            name=name or function.__name__,
            function=function,
            defaults=_defaults(function, names),
            names=names,
            ranges=ranges,
            family=(function.__module__ or "").rpartition(".")[2],
            report=report,
            formula=formula,
        )
        setattr(function, MARK, found)
        compiled_twin(function)(function)
        return function

    return mark if function is None else mark(function)


def word(function: W) -> W:
    """Make a function one that heuristics may call: it is compiled where they are, and plain where they are."""
    compiled_twin(function)(function)
    return function


def seen(position: Position, player: Player | None = None) -> tuple[PlainView, int, int]:
    """The view, own's square and opp's square, so that `improved(*seen(position))` is a value.

    Args:
        position: one in which both players are placed.
        player: whose value is asked for; by default the player to move.

    Raises:
        InputError: a player is not yet placed.
    """
    player = position.to_move if player is None else player
    own, opp = position.square_of(player), position.square_of(player.other)
    if own is None or opp is None:
        raise InputError(f"{position}: a heuristic needs both players placed")
    board = position.board
    blank = frozenset(map(board.index, board.squares_in(position.blank)))
    view = PlainView(board, blank, position.to_move == player)
    return view, board.index(own), board.index(opp)


def heuristic_of(thing: Any) -> Heuristic | None:
    """The heuristic that a decorated function is, or None."""
    found = getattr(thing, MARK, None)
    return found if isinstance(found, Heuristic) else None


def _defaults(function: Callable[..., float], names: Names) -> dict[str, Any]:
    """The parameters after the leading three, each with its default.

    Raises:
        InputError: the signature is not that of a heuristic.
    """
    where = f"heuristic {function.__name__!r}"
    parameters = list(inspect.signature(function).parameters.values())
    if len(parameters) < len(LEADING):
        raise InputError(f"{where}: expected the arguments {', '.join(LEADING)}")
    found = {}
    for parameter in parameters[len(LEADING) :]:
        default = parameter.default
        if (
            default is inspect.Parameter.empty
            or parameter.kind is not inspect.Parameter.POSITIONAL_OR_KEYWORD
        ):
            raise InputError(
                f"{where}: parameter {parameter.name!r} needs a default, such as {parameter.name}=1.0"
            )
        named = isinstance(default, str) and parameter.name in names
        if not (named or isinstance(default, (bool, int, float)) or heuristic_of(default)):
            raise InputError(
                f"{where}: the default of {parameter.name!r} is {default!r}; expected a number, a heuristic, "
                f"or a name listed in names={{{parameter.name!r}: ...}}"
            )
        found[parameter.name] = default
    return found
