"""What people give from Python, made what plans are made of."""

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
from isolarium.processes.worker import MOST_WORKERS, usual_workers
from isolarium.spec.parser import EXAMPLE
from isolarium.stats import SprtPlan

LARGEST: Final = 2**63 - 1
AgentLike = str | Heuristic | Callable[..., float]
"""An agent's spec; or a heuristic, which then plays alpha-beta."""
Function = TypeVar("Function", bound=Callable[..., Any])


class PlayArguments(TypedDict, total=False):
    """How to play a run, in Python.

    Attributes:
        workers: processes; by default one a core.
        cluster: a Dask cluster to play on instead: `tcp://HOST:PORT`, `local:N`, or the path of a scheduler's file.
        runs: the folder to keep the run in; without one its record goes with the object that is returned.
        progress: whether to show progress on stderr; by default on a terminal and in a notebook.
    """

    workers: int | None
    cluster: str | None
    runs: str | Path | None
    progress: bool | None


class RunArguments(PlayArguments, total=False):
    """The conditions of a run as Python takes them (`Conditions` has their defaults), and how to play it.

    Attributes:
        pairs: pairs of games for every two that meet; by default {usual_pairs}.
        board: ROWSxCOLS, or a Board.
        seed: random seed; the same seed reproduces the same games.
        openings: `random`, `all`, or the path of a file.
        plies: random moves after the placements.
        move_ms: time limit for a move in milliseconds; exceeding it loses the game.
        limit: a limit for all agents, such as `ms=150`; overrides their own.
        name: what to call the run.
    """

    pairs: int | None
    board: str | Board
    seed: int
    openings: str | Path
    plies: int
    move_ms: float | None
    limit: str | None
    name: str


DEFAULTS: Final = asdict(Conditions())
"""Of the conditions; everything else about a run is None unless it is given."""


def spelled_out(usual_pairs: str = "") -> Callable[[Function], Function]:
    """Name in a function's signature and docstring each of the arguments that its `**options` stands for.

    So `help`, notebooks and docs/reference/python-api.md show them, while their names, types and meanings are
    written once.

    Args:
        usual_pairs: how many pairs are played by default.
    """

    def spell_out(function: Function) -> Function:
        call = inspect.signature(function)
        *own, options = call.parameters.values()
        kind = get_args(options.annotation)[0]
        given = get_type_hints(kind)
        about = _documented(kind) | _documented(PlayArguments)
        more = [
            Parameter(
                name, Parameter.KEYWORD_ONLY, default=DEFAULTS.get(name), annotation=given[name]
            )
            for name in about
        ]
        function.__signature__ = call.replace(parameters=[*own, *more])  # type: ignore[attr-defined] # read by inspect
        lines = "\n".join(f"        {name}: {text}" for name, text in about.items())
        doc = function.__doc__ or ""
        doc = re.sub(r" *\*\*options: .*", lambda _: lines, doc)
        function.__doc__ = doc.replace("{usual_pairs}", usual_pairs)
        return function

    return spell_out


def _documented(kind: type) -> dict[str, str]:
    """What the docstring of such arguments says of each."""
    return dict(re.findall(r"^ {4}(\w+): (.*)$", inspect.getdoc(kind) or "", re.MULTILINE))


def check_names(options: PlayArguments, kind: type) -> None:
    """See that there are arguments of these names.

    Raises:
        TypeError: If there is one of another name.
    """
    for name in options:
        if name not in get_type_hints(kind):
            raise TypeError(f"unexpected keyword argument {name!r}")


def read_conditions(options: RunArguments) -> Conditions:
    """The conditions of a run, as far as they are given.

    Raises:
        InputError: If one is of the wrong kind.
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
        pairs=None if given["pairs"] is None else whole("pairs", given["pairs"]),
        board=str(read_board(given["board"])),
        seed=read_seed(given["seed"]),
        openings=given["openings"],
        plies=whole("plies", given["plies"]),
        move_ms=None if given["move_ms"] is None else number("move_ms", given["move_ms"]),
        limit=given["limit"],
        name=given["name"],
    )


def read_board(board: Any) -> Board:
    """A board, which may be given by its name.

    Raises:
        InputError: there is no such board.
    """
    return board if isinstance(board, Board) else parse_board(board)


def read_workers(workers: Any) -> int:
    """How many workers there are to be, by default as `isolarium.processes.worker` has it.

    Raises:
        InputError: so many cannot be.
    """
    if workers is None:
        return usual_workers()
    if not 1 <= whole("workers", workers) <= MOST_WORKERS:
        raise InputError(f"workers={workers}: expected from 1 to {MOST_WORKERS}")
    return int(workers)


def read_chosen_workers(workers: Any) -> int | None:
    """How many workers somebody wants, None where nobody says.

    Raises:
        InputError: so many cannot be.
    """
    return None if workers is None else read_workers(workers)


def read_path(what: str, path: Any, expected: str) -> Path:
    """A path that the system can take, whatever is there.

    Raises:
        InputError: it cannot, or it is no path.
    """
    check_kind(what, path, (str, Path), expected)
    try:
        os.lstat(path)
    except OSError as error:
        if error.errno == ENAMETOOLONG:
            told = f"{what} {quoted(str(path))}: {error.strerror}"
            raise InputError(f"{told}; expected {expected}") from None
    except ValueError:  # a null in it, or half a character
        raise InputError(f"{what} {quoted(str(path))}: expected {expected}") from None
    return Path(path)


def whole(what: str, value: Any) -> int:
    """A whole number, which may be NumPy's.

    Raises:
        InputError: it is none, or larger than any that is asked for.
    """
    check_kind(what, value, Integral, "a whole number")
    if abs(value) > LARGEST:
        raise InputError(f"{what}={quoted(value, 30)}: expected a smaller number")
    return int(value)


def number(what: str, value: Any) -> float:
    """A number that somebody gave.

    Raises:
        InputError: it is none, or too large.
    """
    check_kind(what, value, Real, "a number")
    try:
        return float(value)
    except OverflowError:
        raise InputError(f"{what}={quoted(value, 30)}: expected a smaller number") from None


def read_specs(what: str, agents: Any) -> list[str]:
    """The specs of agents; a single one is a list of one."""
    return [read_agent(what, agent) for agent in _several(what, agents, EXAMPLE)]


def read_heuristics(what: str, heuristics: Any) -> list[str]:
    """The names of heuristics; a single one is a list of one."""
    given = _several(what, heuristics, "improved")
    return [one if isinstance(one, str) else _named(what, one, "improved") for one in given]


def _several(what: str, given: Any, example: str) -> Iterable[Any]:
    """One or several of what agents are made of; a text is one: as a sequence it would be its letters."""
    if isinstance(given, (str, Heuristic)) or callable(given):
        return [given]
    if not isinstance(given, Iterable):
        raise InputError(f"{what} {quoted(given)}: expected {what}, such as {example}")
    return given


def read_agent(what: str, agent: Any) -> str:
    """The spec of an agent: itself, or alpha-beta with a heuristic, by its name or by the file that it is in.

    Raises:
        InputError: it is neither, or is a heuristic that other processes could not find.
    """
    return agent if isinstance(agent, str) else f"alphabeta:{_named(what, agent, EXAMPLE)}"


def _named(what: str, agent: Any, example: str) -> str:
    """What specs call a heuristic.

    Raises:
        InputError: it is none, or one that other processes could not find.
    """
    found = agent if isinstance(agent, Heuristic) else heuristic_of(agent)
    if found is None and callable(agent):
        name = getattr(agent, "__name__", quoted(agent))
        raise InputError(f"{what} {name}: no heuristic; expected @heuristic above its def")
    if found is None:
        raise InputError(f"{what} {quoted(agent)}: expected a text, such as {example}")
    known = catalogue().get(found.name)
    if known is not None and known.function is found.function:
        return found.name
    return _place(found.function)


def _place(function: Callable[..., float]) -> str:
    """A heuristic's file and name, as specs have them; its file is loaded where it plays.

    Raises:
        InputError: other processes could not find it.
    """
    name, path = function.__name__, Path(function.__code__.co_filename)
    if function.__qualname__ != name:
        raise InputError(f"{function.__qualname__}: not at the top of a file; expected it there")
    if not path.is_file():  # as in a notebook's cell: its agents play in other processes
        told = f"expected it in one, such as {name}.py, and that imported"
        raise InputError(f"{name}: in no file that other processes can load; {told}")
    path, here = path.resolve(), Path.cwd()
    text = str(path.relative_to(here) if path.is_relative_to(here) else path)
    if set(text) & set("(),="):
        raise InputError(f"{text}: the path of {name}; expected one without ( ) , and =")
    return f"{text if '/' in text or text.endswith('.py') else f'./{text}'}:{name}"


def read_test(test: Any) -> SprtPlan | None:
    """A sequential test from its bounds, if there is to be one.

    Raises:
        InputError: they are none.
    """
    if test is None or isinstance(test, SprtPlan):
        return test
    try:
        return SprtPlan(*(number("test", bound) for bound in test))
    except (TypeError, ValueError):
        told = "expected two numbers, the first below the second, such as (0, 20)"
        raise InputError(f"test {quoted(test)}: {told}") from None
