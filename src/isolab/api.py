"""Isolab from Python: `isolab.match("alphabeta:improved", "mcts", pairs=200)` plays, and shows what came of it."""

import shutil
import sys
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, nullcontext
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from isolab.arena.connecting import connected
from isolab.arena.game_row import GameRow
from isolab.arena.plan import Plan
from isolab.arena.planning import Conditions, match_plan, sweep_plan, tournament_plan
from isolab.arena.record import Record
from isolab.arena.results import Results, read_results
from isolab.arena.runner import MOST_WORKERS, Progress, play_run
from isolab.arena.runs import begin_run
from isolab.errors import InputError, check_kind, quoted
from isolab.game.board import Board
from isolab.game.notation import parse_board
from isolab.grammar import EXAMPLE
from isolab.heuristics.catalogue import catalogue
from isolab.heuristics.definition import Heuristic, heuristic_of
from isolab.permits import check_may_start
from isolab.reporting.html import write_fragment
from isolab.reporting.progress import progress_line
from isolab.reporting.run_summary import run_json, run_summary, summary_title
from isolab.reporting.terminal import PLAIN_WIDTH, plain_text
from isolab.reporting.tuning import answer_words, tuning_blocks, tuning_json, tuning_title
from isolab.reporting.verdict import verdict_of
from isolab.stats import (
    EloEstimate,
    PairSummary,
    RateEstimate,
    Ratings,
    SprtPlan,
    elo_difference,
)
from isolab.tuning.playing import SILENT, TuningFindings, Watcher, begin_tuning, play_tuning
from isolab.tuning.tuning import Tuning, read_way

Found = TypeVar("Found")

if TYPE_CHECKING:
    from isolab.arena.cluster import Cluster

AgentLike = str | Heuristic | Callable[..., float]
"""An agent's spec; or a heuristic, which then plays alpha-beta."""


class Kept:
    """Something that was played, and its folder; a temporary one is removed when this object is.

    Attributes:
        folder: where it is.
    """

    def __init__(self, folder: Path, temporary: Path | None) -> None:
        self.folder = folder
        self._is_temporary = temporary is not None
        if temporary is not None:
            weakref.finalize(self, shutil.rmtree, temporary, ignore_errors=True)

    @property
    def _kept(self) -> Path | None:
        """Where it stays, if it does."""
        return None if self._is_temporary else self.folder


class Run(Kept):
    """A run that was played, and its record.

    Attributes:
        results: all figures.
    """

    def __init__(self, results: Results, folder: Path, temporary: Path | None = None) -> None:
        super().__init__(folder, temporary)
        self.results = results

    @property
    def finished(self) -> bool:
        """Whether everything that was to be played was."""
        return self.results.finished

    @property
    def verdict(self) -> str:
        """What the run has shown, in words."""
        return verdict_of(self.results).words

    def games(self) -> Iterator[GameRow]:
        """Every game, by encounter, pair and leg."""
        with closing(Record(self.folder)) as record:
            yield from record.games()

    def to_json(self) -> dict[str, Any]:
        """Every figure, as the command prints them with `--json`."""
        return run_json(self.results, self._kept)

    def __repr__(self) -> str:
        """Return what the command prints."""
        blocks = run_summary(self.results, PLAIN_WIDTH, self._kept)
        return f"{summary_title(self.results)}\n{plain_text(blocks)}"

    def _repr_html_(self) -> str:
        """Show the same in a notebook."""
        blocks = run_summary(self.results, PLAIN_WIDTH, self._kept)
        return write_fragment(summary_title(self.results), blocks)


class Match(Run):
    """A match that was played."""

    @property
    def rate(self) -> RateEstimate:
        """The first agent's share of the points."""
        return self.results.encounters[0].rate

    @property
    def elo(self) -> EloEstimate:
        """The same as a difference in Elo."""
        return elo_difference(self.rate)

    @property
    def superiority(self) -> float:
        """How likely the first agent is the better one."""
        return self.results.encounters[0].superiority

    @property
    def pairs(self) -> PairSummary:
        """Pairs won, split and lost by the first agent."""
        return self.results.encounters[0].summary


class Tournament(Run):
    """A tournament or a sweep that was played."""

    @property
    def ratings(self) -> Ratings | None:
        """Joint ratings, best first; None for two agents."""
        return self.results.ratings

    @property
    def rates(self) -> dict[str, RateEstimate]:
        """Every agent's share of the points against all others."""
        return dict(zip(self.results.labels, self.results.rates, strict=True))


class Tuned(Kept):
    """A tuning run that was played.

    Attributes:
        found: the trials, what is believed of all values, and the confirmation.
    """

    def __init__(self, found: TuningFindings, folder: Path, temporary: Path | None = None) -> None:
        super().__init__(folder, temporary)
        self.found = found

    @property
    def values(self) -> dict[str, str]:
        """The values that were chosen, by parameter."""
        return dict(zip(self.found.tuning.names, self.found.best.row, strict=True))

    @property
    def agent(self) -> str:
        """The spec of the agent with these values."""
        return self.found.tuning.spec(self.found.best.row)

    @property
    def rate(self) -> RateEstimate | None:
        """Its share of the points against the untuned, from openings that no trial had; None if it is the untuned."""
        return self.found.answer.rate if self.found.answer else None

    @property
    def elo(self) -> EloEstimate | None:
        """The same as a difference in Elo."""
        return elo_difference(self.rate) if self.rate else None

    @property
    def answer(self) -> str:
        """What was shown, in words."""
        return answer_words(self.found)

    def to_json(self) -> dict[str, Any]:
        """Every figure, as the command prints them with `--json`; it writes a report besides."""
        return {**tuning_json(self.found), "run": str(self._kept) if self._kept else None}

    def __repr__(self) -> str:
        """Return what the command prints."""
        return f"{tuning_title(self.found)}\n{plain_text(tuning_blocks(self.found, self._kept))}"

    def _repr_html_(self) -> str:
        """Show the same in a notebook."""
        return write_fragment(tuning_title(self.found), tuning_blocks(self.found, self._kept))


def match(
    first: AgentLike,
    second: AgentLike,
    *,
    pairs: int | None = None,
    board: str | Board = "7x7",
    seed: int = 1,
    openings: str | Path = "random",
    plies: int = 0,
    test: tuple[float, float] | SprtPlan | None = None,
    move_ms: float | None = None,
    limit: str | None = None,
    name: str = "",
    workers: int | None = None,
    cluster: str | None = None,
    runs: str | Path | None = None,
    progress: bool | None = None,
) -> Match:
    """Let two agents play pairs of games: each opening twice, with the sides swapped.

    Args:
        first: an agent's spec, such as `alphabeta:improved`, or a heuristic, which then plays alpha-beta.
        second: the agent it meets.
        pairs: how many; by default 500, each opening of a list once, or as many as the test needs.
        board: ROWSxCOLS, or a Board.
        seed: the same seed, the same games.
        openings: `random`, `all`, or the path of a file.
        plies: random moves after the placements.
        test: two Elo differences; the match stops as soon as one of them is shown to be wrong.
        move_ms: who takes longer for a move loses.
        limit: a limit for both, such as `ms=150`, in place of their own.
        name: what to call the run.
        workers: processes; by default one a core.
        cluster: a Dask cluster to play on instead: `tcp://HOST:PORT`, `local:N`, or the path of a scheduler's file.
        runs: the folder to keep the run in; without one its record goes with the object that is returned.
        progress: whether to show progress on stderr; by default where somebody sees it.

    Raises:
        InputError: something is not as it should be; the message says what.
    """
    check_may_start()
    conditions = _conditions(pairs, board, seed, openings, plies, move_ms, limit, name)
    plan = match_plan(_spec("first", first), _spec("second", second), conditions, _test_plan(test))
    return Match(*_play(plan, workers, cluster, runs, progress))


def tournament(
    agents: AgentLike | Sequence[AgentLike],
    *,
    against: AgentLike | Sequence[AgentLike] = (),
    field: str = "",
    self_play: bool = False,
    pairs: int | None = None,
    board: str | Board = "7x7",
    seed: int = 1,
    openings: str | Path = "random",
    plies: int = 0,
    move_ms: float | None = None,
    limit: str | None = None,
    name: str = "",
    workers: int | None = None,
    cluster: str | None = None,
    runs: str | Path | None = None,
    progress: bool | None = None,
) -> Tournament:
    """Let every agent meet every other, or every one of a field.

    Args:
        agents: the agents' specs, or heuristics, which then play alpha-beta.
        against: whom they meet; without any, and without a field, each other.
        field: a field with a name, `course` or `fixed-depth`, to be met too.
        self_play: whether each also meets itself.
        pairs: pairs of games for every two that meet; by default 100, or each opening of a list once.
        board: ROWSxCOLS, or a Board.
        seed: the same seed, the same games.
        openings: `random`, `all`, or the path of a file.
        plies: random moves after the placements.
        move_ms: who takes longer for a move loses.
        limit: a limit for all, such as `ms=150`, in place of their own.
        name: what to call the run.
        workers: processes; by default one a core.
        cluster: a Dask cluster to play on instead: `tcp://HOST:PORT`, `local:N`, or the path of a scheduler's file.
        runs: the folder to keep the run in; without one its record goes with the object that is returned.
        progress: whether to show progress on stderr; by default where somebody sees it.

    Raises:
        InputError: something is not as it should be; the message says what.
    """
    check_may_start()
    conditions = _conditions(pairs, board, seed, openings, plies, move_ms, limit, name)
    check_kind("field", field, str, "a text such as course")
    check_kind("self_play", self_play, bool, "True or False")
    specs, opponents = _specs("agents", agents), _specs("against", against)
    plan = tournament_plan(specs, conditions, opponents, field, self_play)
    return Tournament(*_play(plan, workers, cluster, runs, progress))


def sweep(
    template: str,
    *values: str,
    against: AgentLike | Sequence[AgentLike],
    pairs: int | None = None,
    board: str | Board = "7x7",
    seed: int = 1,
    openings: str | Path = "random",
    plies: int = 0,
    move_ms: float | None = None,
    limit: str | None = None,
    name: str = "",
    workers: int | None = None,
    cluster: str | None = None,
    runs: str | Path | None = None,
    progress: bool | None = None,
) -> Tournament:
    """Let one agent with many values of its parameters meet the same opponents.

    Args:
        template: a spec with `{}` for each list of values, such as `alphabeta:balanced(weight={})`.
        values: the lists, such as `0,0.5,1`, or `0:1:0.25` for all numbers in steps of 0.25.
        against: whom they meet.
        pairs: pairs of games for every two that meet; by default 500, or each opening of a list once.
        board: ROWSxCOLS, or a Board.
        seed: the same seed, the same games.
        openings: `random`, `all`, or the path of a file.
        plies: random moves after the placements.
        move_ms: who takes longer for a move loses.
        limit: a limit for all, such as `ms=150`, in place of their own.
        name: what to call the run.
        workers: processes; by default one a core.
        cluster: a Dask cluster to play on instead: `tcp://HOST:PORT`, `local:N`, or the path of a scheduler's file.
        runs: the folder to keep the run in; without one its record goes with the object that is returned.
        progress: whether to show progress on stderr; by default where somebody sees it.

    Raises:
        InputError: something is not as it should be; the message says what.
    """
    check_may_start()
    conditions = _conditions(pairs, board, seed, openings, plies, move_ms, limit, name)
    for what, text in (("template", template), *(("values", text) for text in values)):
        check_kind(what, text, str, "a text")
    plan = sweep_plan(template, values, _specs("against", against), conditions)
    return Tournament(*_play(plan, workers, cluster, runs, progress))


def tune(
    agent: str,
    *,
    against: AgentLike | None = None,
    on: str = "games",
    trials: int = 40,
    round: int = 8,  # `--round`
    pairs: int = 200,
    positions: int = 500,
    gain: float = 20.0,
    confirm: int = 5000,
    board: str | Board = "7x7",
    seed: int = 1,
    plies: int = 2,
    name: str = "tune",
    workers: int | None = None,
    cluster: str | None = None,
    runs: str | Path | None = None,
    progress: bool | None = None,
) -> Tuned:
    """Find the best values of an agent's parameters, and test them against its own.

    Args:
        agent: a spec with `{0..2}`, `{0..4 by 1}` or `{a|b}` for parameters: `alphabeta:balanced(weight={0..2})`.
        against: whom trials meet; by default the untuned agent.
        on: what trials are judged by: `games`, or `truth`, which is solved positions.
        trials: values to try, in all.
        round: of these, tried at a time, on games.
        pairs: pairs of games of a trial.
        positions: on truth, solved positions for each of the game's stages.
        gain: the least gain worth having in Elo, for the confirmation.
        confirm: pairs of that, at the most.
        board: ROWSxCOLS, or a Board.
        seed: the same seed, the same games.
        plies: random moves after the placements.
        name: what to call it.
        workers: processes; by default one a core.
        cluster: a Dask cluster to play on instead: `tcp://HOST:PORT`, `local:N`, or the path of a scheduler's file.
        runs: the folder to keep it in; without one it goes with the object that is returned.
        progress: whether to show progress on stderr; by default where somebody sees it.

    Raises:
        InputError: something is not as it should be; the message says what.
    """
    check_may_start()
    tuning = Tuning(
        agent,
        "" if against is None else _spec("against", against),
        read_way(on),
        _whole("trials", trials),
        _whole("round", round),
        _whole("pairs", pairs),
        _whole("positions", positions),
        _number("gain", gain),
        _whole("confirm", confirm),
        str(board) if isinstance(board, Board) else str(parse_board(board)),
        _whole("seed", seed),
        _whole("plies", plies),
        name,
    )

    def play(
        folder: Path, line: ProgressLine | None, found: "Cluster | None"
    ) -> tuple[TuningFindings, Path]:
        begun = begin_tuning(tuning, folder)
        watcher = SILENT if line is None else Watcher(lambda _: line.show, line.tell)
        return play_tuning(begun, workers, watcher, cluster=found), begun.folder

    return Tuned(*_play_in(runs, workers, cluster, progress, play))


# What people give, made what plans are made of


def _conditions(
    pairs: Any,
    board: Any,
    seed: Any,
    openings: Any,
    plies: Any,
    move_ms: Any,
    limit: Any,
    name: Any,
) -> Conditions:
    """The conditions, of whatever kind their parts were given.

    Raises:
        InputError: a part is of none that is right.
    """
    if isinstance(openings, Path):
        openings = str(openings)
    for what, text in (("openings", openings), ("limit", limit), ("name", name)):
        if text is not None or what != "limit":
            check_kind(what, text, str, "a text")
    return Conditions(
        None if pairs is None else _whole("pairs", pairs),
        str(board) if isinstance(board, Board) else str(parse_board(board)),
        _whole("seed", seed),
        openings,
        _whole("plies", plies),
        None if move_ms is None else _number("move_ms", move_ms),
        limit,
        name,
    )


def _whole(what: str, value: Any) -> int:
    """A whole number, which may be NumPy's."""
    check_kind(what, value, Integral, "a whole number")
    return int(value)


def _number(what: str, value: Any) -> float:
    check_kind(what, value, Real, "a number")
    return float(value)


def _specs(what: str, agents: Any) -> list[str]:
    """The specs of agents; a single one is a list of one: as a sequence a text would be its letters."""
    if isinstance(agents, (str, Heuristic)) or callable(agents):
        agents = [agents]
    if not isinstance(agents, Iterable):
        raise InputError(f"{what} {quoted(agents)}: expected agents, such as {EXAMPLE}")
    return [_spec(what, agent) for agent in agents]


def _spec(what: str, agent: Any) -> str:
    """The spec of an agent: itself, or alpha-beta with a heuristic, by its name or by the file that it is in.

    Raises:
        InputError: it is neither, or is a heuristic that other processes could not find.
    """
    if isinstance(agent, str):
        return agent
    found = agent if isinstance(agent, Heuristic) else heuristic_of(agent)
    if found is None and callable(agent):
        name = getattr(agent, "__name__", quoted(agent))
        raise InputError(f"{what} {name}: no heuristic; expected @heuristic above its def")
    if found is None:
        raise InputError(f"{what} {quoted(agent)}: expected a spec, such as {EXAMPLE}")
    known = catalogue().get(found.name)
    if known is not None and known.function is found.function:
        return f"alphabeta:{found.name}"
    return f"alphabeta:{_place(found.function)}"


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


def _test_plan(test: Any) -> SprtPlan | None:
    if test is None or isinstance(test, SprtPlan):
        return test
    try:
        return SprtPlan(*(_number("test", bound) for bound in test))
    except (TypeError, ValueError):
        told = "expected two numbers, the first below the second, such as (0, 20)"
        raise InputError(f"test {quoted(test)}: {told}") from None


def _play(
    plan: Plan,
    workers: int | None,
    cluster: str | None,
    runs: str | Path | None,
    progress: bool | None,
) -> tuple[Results, Path, Path | None]:
    """Play a plan; what it says, where it is, and, if it is not to stay, what is to be removed."""

    def play(
        folder: Path, line: ProgressLine | None, found: "Cluster | None"
    ) -> tuple[Results, Path]:
        with closing(begin_run(folder, plan)) as record:
            play_run(record, workers, None if line is None else line.show, cluster=found)
            return read_results(record), record.folder

    return _play_in(runs, workers, cluster, progress, play)


def _play_in(
    runs: str | Path | None,
    workers: int | None,
    cluster: str | None,
    progress: bool | None,
    play: "Callable[[Path, ProgressLine | None, Cluster | None], tuple[Found, Path]]",
) -> tuple[Found, Path, Path | None]:
    """Play something in a folder, or in a temporary one; what it says, where it is, and what is to be removed.

    Raises:
        InputError: what is asked for cannot be.
    """
    if workers is not None and not 1 <= _whole("workers", workers) <= MOST_WORKERS:
        raise InputError(f"workers={workers}: expected from 1 to {MOST_WORKERS}")
    for what, value, kind, told in (
        ("cluster", cluster, str, "a text such as tcp://HOST:PORT"),
        ("progress", progress, bool, "True or False"),
        ("runs", runs, (str, Path), "a folder"),
    ):
        if value is not None:
            check_kind(what, value, kind, told)
    shown = _is_watched() if progress is None else progress
    with connected(cluster, workers) as found, ProgressLine() if shown else nullcontext() as line:
        if runs is not None:
            return *play(Path(runs), line, found), None
        temporary = Path(tempfile.mkdtemp(prefix="isolab-run-"))
        try:
            return *play(temporary, line, found), temporary
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            raise


def _is_watched() -> bool:
    """Whether somebody sees stderr: on a terminal or in a notebook."""
    return "ipykernel" in sys.modules or (sys.stderr is not None and sys.stderr.isatty())


class ProgressLine:
    """One line on stderr that is written over again and again, and gone at the end."""

    def __init__(self) -> None:
        self._width = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.tell("")
        print(end="\r", file=sys.stderr, flush=True)

    def show(self, progress: Progress) -> None:
        """Show how far it is."""
        self.tell(progress_line(progress))

    def tell(self, text: str) -> None:
        """Show words."""
        print("\r" + text.ljust(self._width), end="", file=sys.stderr, flush=True)
        self._width = len(text)
