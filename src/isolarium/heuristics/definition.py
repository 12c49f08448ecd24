"""The definition of a heuristic: a plain function decorated with `@heuristic`.

    @heuristic
    def improved(view, own, opp):
        return mobility(view, own) - mobility(view, opp)

The function scores `view` for the player on `own` against the player on `opp`. Higher is better; `inf` and `-inf` are
allowed. It is never called for a finished game. Parameters follow the three arguments. They need defaults, which
determine their kind:

- a number: the parameter is a run-time argument of the compiled code, so a parameter sweep compiles only once;
- a string: the parameter takes one of the `names` passed to the decorator;
- a heuristic: the parameter takes a heuristic.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, TypeVar, overload

from isolarium.errors import InputError
from isolarium.game.position import Player, Position
from isolarium.game.view import PlainView
from isolarium.native.jit import compiled_twin
from isolarium.spec.parser import OWN

F = TypeVar("F", bound=Callable[..., float])
W = TypeVar("W", bound=Callable[..., Any])
Table = Callable[[str, Mapping[str, float]], Sequence[float]]

MARK: Final = "__heuristic__"
LEADING: Final = ("view", "own", "opp")


@dataclass(frozen=True)
class Tabulated:
    """Named functions of whole numbers, each tabulated once before a search.

    The heuristic calls the chosen function as `function(view, x)`, with `-reach <= x <= reach`.

    Attributes:
        names: The names to choose from.
        values: Maps the chosen name and the heuristic's numbers to the `2 * reach + 1` values, starting at `-reach`.
        reach: The largest argument.
    """

    names: tuple[str, ...]
    values: Table
    reach: int


@dataclass(frozen=True)
class Weights:
    """Named tables of 64-bit words, each read once before a search.

    The heuristic receives the index of the first word as `place` and calls
    `weight(view, place + x)` for word x. Changing the table does not require recompilation.

    Attributes:
        names: The names to choose from.
        words: Maps the chosen name to the table.
    """

    names: tuple[str, ...]
    words: Callable[[str], Sequence[int]]


Names = Mapping[str, Mapping[str, Any] | Tabulated | Weights]
Ranges = Mapping[str, tuple[float, float]]


@dataclass(frozen=True)
class Heuristic:
    """A heuristic with its name, origin and parameters.

    Attributes:
        name: The name in a spec.
        function: The decorated function.
        defaults: The parameters in order, each with its default.
        names: For each parameter that takes names, the number, the compiled-in function or the tabulation for each
            name.
        ranges: For each number with bounds, the smallest and the largest value.
        family: The module that defines the heuristic.
        report: The one of the five published reports that describes the heuristic, or `course`; empty if there is none.
        formula: The formula of the value, in one line.
        fault: Why the function's signature is not that of a heuristic; empty if it is.
    """

    name: str
    function: Callable[..., float]
    defaults: Mapping[str, Any]
    names: Names = field(default_factory=dict)
    ranges: Ranges = field(default_factory=dict)
    family: str = ""
    report: str = ""
    formula: str = ""
    fault: str = ""

    def __call__(self, position: Position, player: Player | None = None, **parameters: Any) -> float:
        """Return the value of a position.

        Args:
            position: A position in which both players are placed.
            player: The player to evaluate, by default the player to move.
            **parameters: Values of the heuristic's parameters; omitted ones keep their defaults.

        Raises:
            InputError: If a player is not yet placed, or a parameter is invalid.
        """
        # Imported here because that module imports this one.
        from isolarium.heuristics.bound_heuristic import bind

        return bind(self, parameters).plain(*seen(position, player))

    @property
    def is_ours(self) -> bool:
        """Whether the heuristic comes with Isolarium."""
        return (self.function.__module__ or "").startswith(f"{__package__}.")

    @property
    def is_own(self) -> bool:
        """Whether the heuristic is an object of the running program."""
        return self.name.startswith(f"{OWN}:")

    @property
    def about(self) -> str:
        """The docstring of the function."""
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
    """Mark a function as a heuristic, with or without arguments in parentheses.

    The function stays an ordinary function, and other heuristics may call it, compiled or not. A function without the
    signature of a heuristic is refused when it is used, so that it does not affect the others of its file.

    Args:
        function: The function, if the decorator is used without parentheses.
        report: The published report that describes it.
        formula: The formula of the value, in one line.
        names: For each parameter that takes names, the meaning of each name.
        ranges: For each number with bounds, the smallest and the largest value.
        name: The name in a spec, if it differs from the function's name.
    """

    def mark(function: F) -> F:
        defaults, fault = dict[str, Any](), ""
        try:
            defaults = _defaults(function, names)
        except InputError as error:
            fault = f"line {function.__code__.co_firstlineno}: {error}"
        found = Heuristic(
            name=name or function.__name__,
            function=function,
            defaults=defaults,
            names=names,
            ranges=ranges,
            family=(function.__module__ or "").rpartition(".")[2],
            report=report,
            formula=formula,
            fault=fault,
        )
        setattr(function, MARK, found)
        compiled_twin(function)(function)
        return function

    return mark if function is None else mark(function)


def helper(function: W) -> W:
    """Mark a helper function that heuristics may call, compiled or not."""
    compiled_twin(function)(function)
    return function


word = helper  # The former name, which existing heuristic files still import


def seen(position: Position, player: Player | None = None) -> tuple[PlainView, int, int]:
    """Return the arguments of a heuristic: `improved(*seen(position))` is its value.

    Args:
        position: A position in which both players are placed.
        player: The player to evaluate, by default the player to move.

    Returns:
        The view, the player's square and the opponent's square.

    Raises:
        InputError: If a player is not yet placed.
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
    """Return the heuristic for a decorated function, or None if it is not decorated."""
    found = getattr(thing, MARK, None)
    return found if isinstance(found, Heuristic) else None


def _defaults(function: Callable[..., float], names: Names) -> dict[str, Any]:
    """Return the parameters after the first three, each with its default.

    Raises:
        InputError: If the function does not have the signature of a heuristic.
    """
    parameters = list(inspect.signature(function).parameters.values())
    if len(parameters) < len(LEADING):
        raise InputError(f"expected at least the arguments {', '.join(LEADING)}")
    leading = tuple(parameter.name for parameter in parameters[: len(LEADING)])
    if leading != LEADING and sorted(leading) == sorted(LEADING):
        raise InputError(f"its arguments are {', '.join(leading)}; expected this order: {', '.join(LEADING)}")
    found = {}
    for parameter in parameters[len(LEADING) :]:
        default = parameter.default
        if default is inspect.Parameter.empty or parameter.kind is not inspect.Parameter.POSITIONAL_OR_KEYWORD:
            raise InputError(f"parameter {parameter.name!r} needs a default, such as {parameter.name}=1.0")
        named = isinstance(default, str) and parameter.name in names
        if not (named or isinstance(default, (bool, int, float)) or heuristic_of(default)):
            raise InputError(
                f"the default of {parameter.name!r} is {default!r}; expected a number, a heuristic, "
                f"or a name listed in names={{{parameter.name!r}: ...}}"
            )
        found[parameter.name] = default
    return found
