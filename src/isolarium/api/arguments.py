"""Checks and converts the arguments of the Python interface."""

import inspect
import os
import re
from collections.abc import Callable, Iterable
from dataclasses import asdict
from errno import ENAMETOOLONG
from inspect import Parameter
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Final, TypedDict, TypeVar, get_args, get_type_hints

from isolarium.arena.conditions import Conditions
from isolarium.errors import InputError, check_kind, quoted
from isolarium.game.board import Board
from isolarium.game.notation import parse_board
from isolarium.heuristics.catalogue import catalogue
from isolarium.heuristics.definition import Heuristic, heuristic_of
from isolarium.limits import read_seed
from isolarium.processes.worker import MOST_WORKERS, default_workers
from isolarium.spec.parser import EXAMPLE
from isolarium.stats import SprtPlan

LARGEST: Final = 2**63 - 1
AgentLike = str | Heuristic | Callable[..., float]
"""An agent's spec, or a heuristic, which then plays with alpha-beta search."""
Function = TypeVar("Function", bound=Callable[..., Any])


class PlayArguments(TypedDict, total=False):
    """How to play a run, in Python.

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
    """The types of a run's arguments: the fields of `Conditions`, and how to play."""

    pairs: int | None
    board: str | Board
    seed: int
    openings: str | Path
    plies: int
    move_ms: float | None
    limit: str | None
    name: str


DEFAULTS: Final = asdict(Conditions())
"""The defaults of the conditions; other options are None by default."""


def expand_options(usual_pairs: str = "") -> Callable[[Function], Function]:
    """List the arguments taken as `**options` in a function's signature and docstring.

    So `help`, notebooks and docs/reference/python-api.md show them, while their defaults and meanings are written once:
    those of the conditions in `Conditions`, the others in `PlayArguments`.

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
            Parameter(
                name, Parameter.KEYWORD_ONLY, default=DEFAULTS.get(name), annotation=given[name]
            )
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
        TypeError: If there is no argument of such a name.
    """
    for name in options:
        if name not in get_type_hints(kind):
            raise TypeError(f"unexpected keyword argument {name!r}")


def read_conditions(options: RunArguments) -> Conditions:
    """Read the conditions of a run.

    Raises:
        InputError: If one is of the wrong type.
        TypeError: If there is no argument of such a name.
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
        InputError: If there is no such board.
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
        raise InputError(f"workers={workers}: expected from 1 to {MOST_WORKERS}")
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
        InputError: If it is not such a path.
    """
    check_kind(what, path, (str, Path), expected)
    try:
        os.lstat(path)
    except OSError as error:
        if error.errno == ENAMETOOLONG:
            problem = f"{what} {quoted(str(path))}: {error.strerror}"
            raise InputError(f"{problem}; expected {expected}") from None
    except ValueError:  # it has a null or half a character
        raise InputError(f"{what} {quoted(str(path))}: expected {expected}") from None
    return Path(path)


def whole_number(what: str, value: Any) -> int:
    """Return a whole number, which may be NumPy's.

    Raises:
        InputError: If it is not a whole number, or too large for any argument.
    """
    check_kind(what, value, Integral, "a whole number")
    if abs(value) > LARGEST:
        raise InputError(f"{what}={quoted(value, 30)}: expected a smaller number")
    return int(value)


def number(what: str, value: Any) -> float:
    """Return a number as a float.

    Raises:
        InputError: If it is not a number, or too large.
    """
    check_kind(what, value, Real, "a number")
    try:
        return float(value)
    except OverflowError:
        raise InputError(f"{what}={quoted(value, 30)}: expected a smaller number") from None


def read_specs(what: str, agents: Any) -> list[str]:
    """Return the specs of one or several agents."""
    return [read_agent(what, agent) for agent in _several(what, agents, EXAMPLE)]


def read_heuristics(what: str, heuristics: Any) -> list[str]:
    """Return the names of one or several heuristics."""
    given = _several(what, heuristics, "improved")
    return [one if isinstance(one, str) else _named(what, one, "improved") for one in given]


def _several(what: str, given: Any, example: str) -> Iterable[Any]:
    """Return one or several values as an iterable.

    A text is one value, not its characters.
    """
    if isinstance(given, (str, Heuristic)) or callable(given):
        return [given]
    if not isinstance(given, Iterable):
        raise InputError(f"{what} {quoted(given)}: expected {what}, such as {example}")
    return given


def read_agent(what: str, agent: Any) -> str:
    """Return an agent's spec; for a heuristic, that of alpha-beta search with it.

    Raises:
        InputError: If it is neither, or a heuristic that other processes cannot find.
    """
    return agent if isinstance(agent, str) else f"alphabeta:{_named(what, agent, EXAMPLE)}"


def _named(what: str, agent: Any, example: str) -> str:
    """Return a heuristic as specs write it.

    Raises:
        InputError: If it is not a heuristic, or other processes cannot find it.
    """
    found = agent if isinstance(agent, Heuristic) else heuristic_of(agent)
    if found is None and callable(agent):
        name = getattr(agent, "__name__", quoted(agent))
        raise InputError(f"{what} {name}: not a heuristic; decorate it with @heuristic")
    if found is None:
        raise InputError(f"{what} {quoted(agent)}: expected a text, such as {example}")
    known = catalogue().get(found.name)
    if known is not None and known.function is found.function:
        return found.name
    return _place(found.function)


def _place(function: Callable[..., float]) -> str:
    """Return a heuristic's file and name as specs write them.

    The processes that play load the file.

    Raises:
        InputError: If other processes cannot find it.
    """
    name, path = function.__name__, Path(function.__code__.co_filename)
    if function.__qualname__ != name:
        raise InputError(
            f"{function.__qualname__}: it is nested; move it to the top level of a file"
        )
    if not path.is_file():  # as in a notebook's cell: its agents play in other processes
        advice = f"move it to one, such as {name}.py, and import it"
        raise InputError(f"{name}: not in a file that other processes can load; {advice}")
    path, here = path.resolve(), Path.cwd()
    text = str(path.relative_to(here) if path.is_relative_to(here) else path)
    if set(text) & set("(),="):
        raise InputError(f"{text}: the path of {name} has one of ( ) , =; rename it")
    return f"{text if '/' in text or text.endswith('.py') else f'./{text}'}:{name}"


def read_test(test: Any) -> SprtPlan | None:
    """Return a sequential test from its bounds; None for None.

    Raises:
        InputError: If they are not bounds.
    """
    if test is None or isinstance(test, SprtPlan):
        return test
    try:
        return SprtPlan(*(number("test", bound) for bound in test))
    except (TypeError, ValueError):
        expected = "expected two numbers, the first below the second, such as (0, 20)"
        raise InputError(f"test {quoted(test)}: {expected}") from None
