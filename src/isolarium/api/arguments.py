"""Checks and converts the arguments of the Python interface."""

import inspect
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from errno import ENAMETOOLONG
from inspect import Parameter
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Final, Protocol, TypedDict, TypeVar, get_args, get_type_hints

from isolarium.agents.python_agent import PythonAgent, required_parameters
from isolarium.arena import Conditions
from isolarium.env.observation import PolicyAgent
from isolarium.errors import InputError, check_kind, quoted
from isolarium.game.board import Board, parse_board
from isolarium.heuristics.bound_heuristic import format_value
from isolarium.heuristics.definition import Heuristic, heuristic_of
from isolarium.heuristics.lookup import as_heuristic, catalogue
from isolarium.limits import read_seed
from isolarium.processes.own_code import Kind, Names
from isolarium.processes.worker import MOST_WORKERS, default_workers
from isolarium.spec.parser import EXAMPLE, OWN, parse_call, tree_of
from isolarium.stats import SprtPlan
from isolarium.text import did_you_mean

LARGEST: Final = 2**63 - 1


class Chooser(Protocol):
    """An object or a class with a method that chooses moves."""

    @property
    def choose(self) -> Callable[..., Any]:
        """The method `choose(position, limit) -> move`."""


@dataclass(frozen=True)
class ChosenHeuristic:
    """A heuristic with its parameters and search, returned by `isolarium.heuristic`."""

    function: Any
    search: str
    limit: str
    parameters: Mapping[str, Any]


AgentLike = str | Heuristic | ChosenHeuristic | Chooser | Callable[..., Any]
"""An agent's spec, a heuristic to play with alpha-beta search, or your own agent."""
WRAPPERS: Final = (
    "wrap it: isolarium.heuristic(f) for f(view, own, opp), isolarium.agent(f) for f(position), "
    "isolarium.policy(f) for f(observation, mask)"
)
Function = TypeVar("Function", bound=Callable[..., Any])


class PlayArguments(TypedDict, total=False):
    """The options for playing a run from Python.

    Attributes:
        workers: The number of processes; by default one for each core.
        cluster: A Dask cluster to play on instead: `tcp://HOST:PORT`, `local:N`, or the path of a scheduler's file.
        runs: The folder to store the run in; by default a temporary one, removed with the returned object.
        progress: Whether to show progress on stderr; by default on a terminal and in a notebook.
    """

    workers: int | None
    cluster: str | None
    runs: str | Path | None
    progress: bool | None


class RunArguments(PlayArguments, total=False):
    """The types of a run's arguments: the fields of `Conditions` and `PlayArguments`."""

    pairs: int | None
    board: str | Board
    seed: int
    openings: str | Path
    plies: int
    move_ms: float | None
    limit: str | None
    name: str


DEFAULTS: Final = asdict(Conditions())
"""The defaults of the conditions; other arguments are None by default."""


def expand_options(usual_pairs: str = "") -> Callable[[Function], Function]:
    """List the arguments taken as `**options` in a function's signature and docstring.

    This makes the arguments visible in `help`, notebooks and docs/reference/python-api.md. Their
    defaults and meanings are written only once, in `Conditions` and `PlayArguments`.

    Args:
        usual_pairs: The default number of pairs.
    """

    def expand(function: Function) -> Function:
        call = inspect.signature(function)
        *own, options = call.parameters.values()
        kind = get_args(options.annotation)[0]
        given = get_type_hints(kind)
        about = _documented(PlayArguments)
        if kind is RunArguments:
            about = _documented(Conditions) | about
            about["pairs"] = f"{about['pairs'].partition(';')[0]}; by default {usual_pairs}."
            about["board"] = "ROWSxCOLS, or a Board."
        more = [
            Parameter(name, Parameter.KEYWORD_ONLY, default=DEFAULTS.get(name), annotation=given[name])
            for name in about
        ]
        function.__signature__ = call.replace(parameters=[*own, *more])  # type: ignore[attr-defined] # read by inspect
        lines = "\n".join(f"        {name}: {text}" for name, text in about.items())
        function.__doc__ = re.sub(r" *\*\*options: .*", lambda _: lines, function.__doc__ or "")
        return function

    return expand


def _documented(kind: type) -> dict[str, str]:
    """Return the documentation of each attribute in a class's docstring."""
    return dict(re.findall(r"^ {4}(\w+): (.*)$", inspect.getdoc(kind) or "", re.MULTILINE))


def check_names(options: PlayArguments, kind: type) -> None:
    """Check the names of arguments.

    Raises:
        TypeError: If there is no argument with such a name.
    """
    for name in options:
        if name not in get_type_hints(kind):
            hint = did_you_mean(name, get_type_hints(kind))
            suggestion = f" ({hint})" if hint else ""
            raise TypeError(f"unexpected keyword argument {name!r}{suggestion}")


def read_conditions(options: RunArguments) -> Conditions:
    """Read the conditions of a run.

    Raises:
        InputError: If a condition has the wrong type.
        TypeError: If there is no argument with such a name.
    """
    check_names(options, RunArguments)
    given: dict[str, Any] = {**DEFAULTS, **options}
    if isinstance(given["openings"], Path):
        given["openings"] = str(given["openings"])
    for what in ("openings", "limit", "name"):
        if given[what] is not None or what != "limit":
            check_kind(what, given[what], str, "a text")
    return Conditions(
        pairs=None if given["pairs"] is None else whole_number("pairs", given["pairs"]),
        board=str(read_board(given["board"])),
        seed=read_seed(given["seed"]),
        openings=given["openings"],
        plies=whole_number("plies", given["plies"]),
        move_ms=None if given["move_ms"] is None else number("move_ms", given["move_ms"]),
        limit=given["limit"],
        name=given["name"],
    )


def read_board(board: Any) -> Board:
    """Return a board, given as a `Board` or by its name.

    Raises:
        InputError: If the board is invalid.
    """
    return board if isinstance(board, Board) else parse_board(board)


def read_workers(workers: Any) -> int:
    """Return the number of workers; for None, the usual number.

    Raises:
        InputError: If it is out of range.
    """
    if workers is None:
        return default_workers()
    if not 1 <= whole_number("workers", workers) <= MOST_WORKERS:
        raise InputError(f"workers={workers}: expected 1 to {MOST_WORKERS}")
    return int(workers)


def read_optional_workers(workers: Any) -> int | None:
    """Return the number of workers, or None.

    Raises:
        InputError: If it is out of range.
    """
    return None if workers is None else read_workers(workers)


def read_path(what: str, path: Any, expected: str) -> Path:
    """Return a path that the system accepts, whether it exists or not.

    Raises:
        InputError: If the system does not accept the path.
    """
    check_kind(what, path, (str, Path), expected)
    try:
        os.lstat(path)
    except OSError as error:
        if error.errno == ENAMETOOLONG:
            problem = f"{what} {quoted(str(path))}: {error.strerror}"
            raise InputError(f"{problem}; expected {expected}") from None
    except ValueError:  # The path contains a null character or half a surrogate pair.
        raise InputError(f"{what} {quoted(str(path))}: expected {expected}") from None
    return Path(path)


def whole_number(what: str, value: Any) -> int:
    """Return a whole number, converted from a NumPy integer if necessary.

    Raises:
        InputError: If the value is not a whole number, or is too large for any argument.
    """
    check_kind(what, value, Integral, "a whole number")
    if abs(value) > LARGEST:
        raise InputError(f"{what}={quoted(value, 30)}: expected a smaller number")
    return int(value)


def number(what: str, value: Any) -> float:
    """Return a number as a float.

    Raises:
        InputError: If the value is not a number, or is too large.
    """
    check_kind(what, value, Real, "a number")
    try:
        return float(value)
    except OverflowError:
        raise InputError(f"{what}={quoted(value, 30)}: expected a smaller number") from None


def read_specs(what: str, agents: Any, names: Names) -> list[str]:
    """Return the specs of one or several agents."""
    return [read_agent(what, agent, names) for agent in _several(what, agents, EXAMPLE)]


def read_heuristics(what: str, heuristics: Any) -> list[str]:
    """Return the names of one or several heuristics."""
    names = Names()
    return [_read_heuristic(what, one, names) for one in _several(what, heuristics, "improved")]


def _read_heuristic(what: str, given: Any, names: Names) -> str:
    if isinstance(given, str):
        names.keep(call.own for call in parse_call(given).calls())
        return given
    if _kind_of(what, given, "improved") is not Kind.HEURISTIC:
        raise InputError(f"{what} {_shown(given)}: an agent; expected a heuristic f(view, own, opp)")
    return _heuristic_text(given, names)


def _several(what: str, given: Any, example: str) -> Iterable[Any]:
    """Return one or several values as an iterable.

    Text counts as one value, not as its characters.
    """
    single = isinstance(given, (str, Heuristic, ChosenHeuristic)) or hasattr(given, "choose")
    if single or callable(given):
        return [given]
    if not isinstance(given, Iterable):
        raise InputError(f"{what} {quoted(given)}: expected {what}, such as {example}")
    return given


def read_agent(what: str, agent: Any, names: Names) -> str:
    """Return an agent's spec; a heuristic plays with alpha-beta search.

    Args:
        what: The name of the argument in error messages.
        agent: The agent.
        names: Assigns names to the objects of the user's program.

    Raises:
        InputError: If the value is not an agent.
    """
    if isinstance(agent, str):
        names.keep(tree_of(agent).own)
        return agent
    if isinstance(agent, PythonAgent):
        _, at, limit = agent.name.partition("@")
        return f"{OWN}:{names.define(Kind.AGENT, agent.thing)}{at}{limit}"
    if type(agent).__module__.startswith(("isolarium.agents.", "isolarium.course.")):
        return read_agent(what, agent.name, names)
    if _kind_of(what, agent, EXAMPLE) is Kind.AGENT:
        return f"{OWN}:{names.define(Kind.AGENT, agent)}"
    search, limit = "alphabeta", ""
    if isinstance(agent, ChosenHeuristic):
        search, limit = agent.search, agent.limit
    return f"{search}:{_heuristic_text(agent, names)}" + (f"@{limit}" if limit else "")


def definable(given: Any) -> Any:
    """Return the user's Python object inside an argument or a result."""
    if isinstance(given, PythonAgent):
        return given.thing
    if isinstance(given, ChosenHeuristic):
        return definable(given.function)
    return given.function if isinstance(given, Heuristic) else given


def _kind_of(what: str, given: Any, example: str) -> Kind:
    """Return the kind of a Python object: a heuristic or an agent.

    Raises:
        InputError: If the object is neither, or could be either.
    """
    if isinstance(given, Heuristic | ChosenHeuristic) or heuristic_of(given) is not None:
        return Kind.HEURISTIC
    if hasattr(given, "choose") or isinstance(given, PolicyAgent):
        return Kind.AGENT
    if not callable(given):
        raise InputError(f"{what} {quoted(given)}: expected a string, such as {example}")
    kind = {1: Kind.AGENT, 3: Kind.HEURISTIC}.get(required_parameters(given))
    if kind is None or isinstance(given, type) or inspect.isbuiltin(given):
        raise InputError(f"{what} {_shown(given)}: cannot tell whether it is a heuristic or an agent; {WRAPPERS}")
    return kind


def _shown(given: Any) -> str:
    name = getattr(given, "__name__", None)
    return name if isinstance(name, str) else quoted(given)


def _heuristic_text(given: Any, names: Names) -> str:
    """Return a heuristic in the notation of specs, after checking its signature.

    Raises:
        InputError: If the function does not have the signature of a heuristic.
    """
    chosen = given.parameters if isinstance(given, ChosenHeuristic) else {}
    given = given.function if isinstance(given, ChosenHeuristic) else given
    if isinstance(given, str):
        names.keep(call.own for call in parse_call(given).calls())
        name = given
    else:
        found = as_heuristic(given)
        known = catalogue().get(found.name)
        is_known = known is not None and known.function is found.function
        name = found.name
        if not is_known:
            name = f"{OWN}:{names.define(Kind.HEURISTIC, definable(given))}"
    values = [f"{name}={_parameter(value, names)}" for name, value in chosen.items()]
    return f"{name}({', '.join(values)})" if values else name


def _parameter(value: Any, names: Names) -> str:
    if isinstance(value, str | bool | Real):
        return format_value(value)
    return _read_heuristic("parameter", value, names)


def read_test(test: Any) -> SprtPlan | None:
    """Return a sequential test with the given bounds, or None without bounds.

    Raises:
        InputError: If the bounds are invalid.
    """
    if test is None or isinstance(test, SprtPlan):
        return test
    try:
        return SprtPlan(*(number("test", bound) for bound in test))
    except (TypeError, ValueError):
        expected = "expected two numbers, the first below the second, such as (0, 20)"
        raise InputError(f"test {quoted(test)}: {expected}") from None
