"""Make labelled positions: play and label games, then write the files.

Each labelled game is appended to its board's journal, in the order of the games' numbers, so the
files depend only on the plan. After an interruption, the same call continues after the last game of
the journal.
"""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, dataclass
from functools import cache
from math import inf
from pathlib import Path
from shlex import join
from time import perf_counter
from typing import Any, Final

import numpy as np

from isolarium import __version__
from isolarium.agents import warm_up
from isolarium.analysis.label_store import (
    FACTS_NAME,
    BoardJournal,
    BoardLabels,
    check_labels,
    is_whole,
    read_facts,
    write_board,
    write_facts,
)
from isolarium.analysis.labeller import AGENTS, MOST_NODES, ROW, GameSource, LabelledGame, Labeller, Reach, read_players
from isolarium.errors import InputError, RunAborted, is_full, located, quoted
from isolarium.game.board import MAX_SIDE, Board, parse_board
from isolarium.limits import Stop, per_second
from isolarium.processes.code_loader import check_may_start
from isolarium.processes.worker import WorkerDied, default_workers, results_in_order
from isolarium.solver.solver import load_solver

GAMES_A_TASK: Final = 4
MOST_GAMES: Final = 10_000_000
HARDEST: Final = 1_000_000_000
"""The maximum of `Reach.most_nodes`."""


@dataclass(frozen=True)
class LabelPlan:
    """The settings that determine the labels.

    Attributes:
        boards: The boards, each as ROWSxCOLS.
        games: The number of games on each board.
        seed: Random seed; the same seed reproduces the same games.
        agents: The agents that play, in full form.
        reach: Which positions to label.
    """

    boards: tuple[str, ...]
    games: int
    seed: int
    agents: tuple[str, ...]
    reach: Reach

    @property
    def command(self) -> str:
        """The command that makes these labels, without `--out`."""
        words = ["isolarium", "label", "--boards", ",".join(self.boards), "--games", str(self.games)]
        words += ["--seed", str(self.seed)]
        if self.agents != AGENTS:
            words += [word for agent in self.agents for word in ("--agent", agent)]
        if self.reach.most_blanks is not None:
            words += ["--most-blanks", str(self.reach.most_blanks)]
        elif self.reach.most_nodes != MOST_NODES:
            words += ["--most-nodes", str(self.reach.most_nodes)]
        words += ["--decisive-only"] * self.reach.decisive_only
        words += ["--outcomes"] * self.reach.outcomes
        return join(words)

    def facts(self) -> dict[str, Any]:
        """The plan as JSON."""
        return {
            "command": self.command,
            "boards": list(self.boards),
            "games": self.games,
            "seed": self.seed,
            "agents": list(self.agents),
            **asdict(self.reach),
        }


def make_plan(boards: Sequence[Board], games: int, seed: int, agents: Sequence[str], reach: Reach) -> LabelPlan:
    """Check the settings, and make a plan of them.

    Raises:
        InputError: If an agent is invalid, a number is out of range, or a board occurs twice,
            possibly rotated.
    """
    for what, value, least, most in (
        ("games", games, 1, MOST_GAMES),
        ("seed", seed, 0, inf),
        ("most_nodes", reach.most_nodes, 1, HARDEST),
        ("most_blanks", 1 if reach.most_blanks is None else reach.most_blanks, 1, MAX_SIDE**2),
        ("boards", len(boards), 1, inf),
    ):
        if not least <= value <= most:
            bounds = f"{least} or more" if most == inf else f"from {least} to {most:,}"
            raise InputError(f"{what}={value}: expected {bounds}")
    seen = set[frozenset[int]]()
    for board in boards:
        sides = frozenset((board.rows, board.cols))
        if sides in seen:
            raise InputError(f"{board}: given twice; give each board once, rotated or not")
        seen.add(sides)
    players = read_players(agents) if agents else AGENTS
    return LabelPlan(tuple(map(str, boards)), games, seed, players, reach)


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress on one board.

    Attributes:
        board: The board, as ROWSxCOLS.
        games: Games labelled so far.
        wanted: The total number of games.
        positions: Positions labelled by this call.
        seconds: Time since this call began to label the board.
        done: Games labelled by this call.
        stage: `compiling` or `labelling`.
    """

    board: str
    games: int
    wanted: int
    positions: int
    seconds: float
    done: int
    stage: str = "labelling"

    @property
    def rate(self) -> float:
        """Positions labelled per second."""
        return per_second(self.positions, self.seconds)

    @property
    def seconds_left(self) -> float | None:
        """The estimated time until the board is done; None before the first game."""
        rate = per_second(self.done, self.seconds)
        return (self.wanted - self.games) / rate if self.done else None


Show = Callable[[Progress], None]


def make_labels(
    plan: LabelPlan, folder: Path, workers: int | None = None, show: Show | None = None, stop: Stop | None = None
) -> dict[str, Any] | None:
    """Label the missing games, write the files and return `labels.json`'s contents.

    Args:
        plan: What to label.
        folder: The folder to write to: a new folder, or the folder of an earlier call with the same
            plan or with fewer games.
        workers: The number of worker processes; by default one per core.
        show: Called with the progress a few times a second.
        stop: Called equally often; if it returns true, the work stops, and None is returned.
            Labelled games are kept.

    Raises:
        InputError: If the folder contains anything else, or cannot be written to.
        RunAborted: If a worker process dies.
    """
    if (made := _begin(plan, folder)) is not None:
        return made
    workers = workers or default_workers()
    with _written(folder), ExitStack() as open_journals:
        journals = {
            name: open_journals.enter_context(closing(BoardJournal(folder / f"{name}.games"))) for name in plan.boards
        }
        for name, journal in journals.items():
            if journal.games < plan.games and not _label(plan, name, journal, workers, show, stop):
                return None
        labels = {name: _finished(plan, folder, name, one) for name, one in journals.items()}
        write_facts(folder, plan.facts(), labels)
        return read_facts(folder)


@contextmanager
def _written(folder: Path) -> Iterator[None]:
    """Report failures to write within the block as errors about the folder.

    Disk-full errors are raised unchanged.

    Raises:
        InputError: If a file cannot be written.
    """
    try:
        yield
    except OSError as error:
        if is_full(error):
            raise
        raise InputError(f"{folder}: {error.strerror}; expected a folder to write to") from None


def _begin(plan: LabelPlan, folder: Path) -> dict[str, Any] | None:
    """Prepare a folder; return its facts if all its files already exist.

    Raises:
        InputError: If the folder is neither new nor from the same plan.
    """
    if (folder / FACTS_NAME).exists():
        facts = read_facts(folder)
        _check_same(plan, folder, facts)
        if facts["games"] == plan.games and is_whole(folder, facts):
            return facts
    else:
        with _written(folder):
            folder.mkdir(parents=True, exist_ok=True)
            if any(folder.iterdir()):
                raise InputError(f"{folder}: not empty; expected a new folder")
    with _written(folder):
        write_facts(folder, plan.facts(), {})
    return None


def _check_same(plan: LabelPlan, folder: Path, facts: Mapping[str, Any]) -> None:
    """Check that a folder belongs to this plan, possibly with fewer games.

    Raises:
        InputError: If the folder belongs to another plan.
    """
    wanted = {key: value for key, value in plan.facts().items() if key not in ("command", "games")}
    if any(facts.get(key) != value for key, value in wanted.items()):
        problem = "use another folder, or the same command (--games may be larger)"
        raise InputError(f"{folder}: made by {quoted(facts['command'], 200)}; {problem}")
    if facts["games"] > plan.games:
        raise InputError(f"{folder}: begun for {facts['games']:,} games; ask for at least as many")
    version = facts["versions"].get("isolarium", facts["versions"].get("isolab"))
    if version != __version__:
        raise InputError(f"{folder}: made by isolarium {version}; use another folder")


def _finished(plan: LabelPlan, folder: Path, name: str, journal: BoardJournal) -> dict[str, Any]:
    """Write a board's array file and return its entry in `labels.json`.

    Raises:
        InputError: If the journal contains rows that no labelled game can have.
    """
    rows = journal.rows()
    arrays = {column: np.ascontiguousarray(rows[column]) for column in ROW.names or ()}
    labels = BoardLabels(parse_board(name), arrays)
    with located(str(folder / f"{name}.games")):
        check_labels(labels, plan.seed, plan.games)
    return {
        **write_board(folder, labels),
        "games": journal.games,
        "labelled": journal.positions,
        "given_up": journal.given_up,
    }


# A board


def _label(
    plan: LabelPlan, name: str, journal: BoardJournal, workers: int, show: Show | None, stop: Stop | None
) -> bool:
    """Label the games missing from a board's journal; return whether it is complete."""
    board, before, labelled = parse_board(name), journal.games, journal.positions

    def look(stage: str = "labelling") -> bool:
        if show is not None:
            since = perf_counter() - began
            done, positions = journal.games - before, journal.positions - labelled
            show(Progress(name, journal.games, plan.games, positions, since, done, stage))
        return stop is not None and stop()

    began = perf_counter()
    if look("compiling"):
        return False
    load_solver(board)
    for agent in plan.agents:
        warm_up(agent, board)
    began = perf_counter()
    try:
        with closing(_labelled(plan, name, before, workers, look)) as games:
            for labelled_games in games:
                for game in labelled_games:
                    journal.add(game)
                if look():
                    break
    except WorkerDied:
        raise RunAborted("a worker process died") from None
    return journal.games == plan.games


def _labelled(plan: LabelPlan, name: str, first: int, workers: int, is_stopped: Stop) -> Generator[list[LabelledGame]]:
    """Yield the labelled games from number `first`, in order, a few at a time."""
    each = 1 if workers == 1 else GAMES_A_TASK
    starts = range(first, plan.games, each)
    tasks = ((plan, name, start, min(start + each, plan.games)) for start in starts)
    if workers == 1:
        yield from (_label_here(*task) for task in tasks)
        return
    check_may_start()
    yield from results_in_order(_label_here, tasks, workers, is_stopped=is_stopped)


@cache
def _tools(plan: LabelPlan, name: str) -> tuple[GameSource, Labeller]:
    """Return this process's source of games and labeller for a board."""
    return GameSource(parse_board(name), plan.agents, plan.seed), Labeller(plan.reach, plan.seed)


def _label_here(plan: LabelPlan, name: str, first: int, end: int) -> list[LabelledGame]:
    games, labeller = _tools(plan, name)
    return [labeller.label(games.play(number), number) for number in range(first, end)]
