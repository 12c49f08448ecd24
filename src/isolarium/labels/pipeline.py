"""Makes labelled positions: plays and labels games in processes, keeps each, and writes the files when all are there.

Interrupted at any moment, the same call goes on after the last game that was kept. Games come back in any order and are
kept in that of their numbers, so that the files depend on the plan alone.
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
from isolarium.errors import InputError, RunAborted, is_full, located, quoted
from isolarium.game.board import MAX_SIDE, Board
from isolarium.game.notation import parse_board
from isolarium.labels.labeller import MOST_NODES, ROW, LabelledGame, Labeller, Reach
from isolarium.labels.source_games import AGENTS, GameSource, read_players
from isolarium.labels.store import (
    FACTS_NAME,
    BoardJournal,
    BoardLabels,
    check_labels,
    is_whole,
    read_facts,
    write_board,
    write_facts,
)
from isolarium.limits import Stop
from isolarium.processes.permissions import check_may_start
from isolarium.processes.worker import WorkerDied, results_in_order, usual_workers
from isolarium.solver.solver import load_solver
from isolarium.speed import per_second

GAMES_A_TASK: Final = 4
MOST_GAMES: Final = 10_000_000
HARDEST: Final = 1_000_000_000
"""Nodes that a position may be likely to cost."""


@dataclass(frozen=True)
class LabelPlan:
    """What decides every label.

    Attributes:
        boards: ROWSxCOLS each.
        games: games on each board.
        seed: the same seed, the same games.
        agents: who plays, in full.
        reach: which positions are labelled.
    """

    boards: tuple[str, ...]
    games: int
    seed: int
    agents: tuple[str, ...]
    reach: Reach

    @property
    def command(self) -> str:
        """The command that makes it; where its files go is not part of it."""
        words = [
            "isolarium",
            "label",
            "--boards",
            ",".join(self.boards),
            "--games",
            str(self.games),
        ]
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


def make_plan(
    boards: Sequence[Board], games: int, seed: int, agents: Sequence[str], reach: Reach
) -> LabelPlan:
    """Check what was asked for.

    Raises:
        InputError: an agent is wrong, a board is named twice, be it turned, or a number cannot be.
    """
    for what, value, least, most in (
        ("games", games, 1, MOST_GAMES),
        ("seed", seed, 0, inf),
        ("most_nodes", reach.most_nodes, 1, HARDEST),
        ("most_blanks", 1 if reach.most_blanks is None else reach.most_blanks, 1, MAX_SIDE**2),
        ("boards", len(boards), 1, inf),
    ):
        if not least <= value <= most:
            told = f"{least} or more" if most == inf else f"from {least} to {most:,}"
            raise InputError(f"{what}={value}: expected {told}")
    seen = set[frozenset[int]]()
    for board in boards:
        sides = frozenset((board.rows, board.cols))
        if sides in seen:
            raise InputError(f"{board}: named twice; expected each board once, turned or not")
        seen.add(sides)
    players = read_players(agents) if agents else AGENTS
    return LabelPlan(tuple(map(str, boards)), games, seed, players, reach)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far it is with a board.

    Attributes:
        board: which.
        games: labelled so far.
        wanted: games in all.
        positions: labelled since this process took it up.
        seconds: since the first of them.
        done: games since then.
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
        """Positions a second."""
        return per_second(self.positions, self.seconds)

    @property
    def seconds_left(self) -> float | None:
        """Until the board is done, at this rate; None while there is none."""
        rate = per_second(self.done, self.seconds)
        return (self.wanted - self.games) / rate if self.done else None


Show = Callable[[Progress], None]


def make_labels(
    plan: LabelPlan,
    folder: Path,
    workers: int | None = None,
    show: Show | None = None,
    stop: Stop | None = None,
) -> dict[str, Any] | None:
    """Label what is missing, and write the files; what `labels.json` then says, or None if `stop` ended it first.

    Args:
        plan: what to label.
        folder: where to; it may hold what an earlier call with the same plan, or with fewer games, has left.
        workers: processes; by default one for each core.
        show: told of progress, a few times a second.
        stop: asked as often whether to end early; what was labelled is kept.

    Raises:
        InputError: the folder holds something else, or cannot be written to.
        RunAborted: a worker died.
    """
    if (made := _begin(plan, folder)) is not None:
        return made
    workers = workers or usual_workers()
    with _written(folder), ExitStack() as open_records:
        records = {
            name: open_records.enter_context(closing(BoardJournal(folder / f"{name}.games")))
            for name in plan.boards
        }
        for name, record in records.items():
            if record.games < plan.games and not _label(plan, name, record, workers, show, stop):
                return None
        labels = {name: _finished(plan, folder, name, one) for name, one in records.items()}
        write_facts(folder, plan.facts(), labels)
        return read_facts(folder)


@contextmanager
def _written(folder: Path) -> Iterator[None]:
    """Within the block what cannot be written is the folder's fault.

    Raises:
        InputError: names it; a full disk is nobody's.
    """
    try:
        yield
    except OSError as error:
        if is_full(error):
            raise
        raise InputError(f"{folder}: {error.strerror}; expected a folder to write to") from None


def _begin(plan: LabelPlan, folder: Path) -> dict[str, Any] | None:
    """See that a folder is new, or holds what the same plan has left; what its facts say if all is there already.

    Raises:
        InputError: it is neither.
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
    """See that a folder was begun with this plan, or with fewer games of it.

    Raises:
        InputError: it was not.
    """
    wanted = {key: value for key, value in plan.facts().items() if key not in ("command", "games")}
    if any(facts.get(key) != value for key, value in wanted.items()):
        told = "expected another folder, or the same command but for more games"
        raise InputError(f"{folder}: made by {quoted(facts['command'], 200)}; {told}")
    if facts["games"] > plan.games:
        raise InputError(f"{folder}: begun for {facts['games']:,} games; expected as many or more")
    version = facts["versions"].get("isolarium", facts["versions"].get("isolab"))
    if version != __version__:
        raise InputError(f"{folder}: made by isolarium {version}; expected another folder")


def _finished(plan: LabelPlan, folder: Path, name: str, record: BoardJournal) -> dict[str, Any]:
    """Write the file of a board; what is said of it.

    Raises:
        InputError: the record is not what it should be: somebody else has made it.
    """
    rows = record.rows()
    arrays = {column: np.ascontiguousarray(rows[column]) for column in ROW.names or ()}
    labels = BoardLabels(parse_board(name), arrays)
    with located(str(folder / f"{name}.games")):
        check_labels(labels, plan.seed, plan.games)
    return {
        **write_board(folder, labels),
        "games": record.games,
        "labelled": record.positions,
        "given_up": record.given_up,
    }


# A board


def _label(
    plan: LabelPlan,
    name: str,
    record: BoardJournal,
    workers: int,
    show: Show | None,
    stop: Stop | None,
) -> bool:
    """Label the games of a board that its record lacks; False if `stop` ended it first."""
    board, before, labelled = parse_board(name), record.games, record.positions

    def look(stage: str = "labelling") -> bool:
        if show is not None:
            since = perf_counter() - began
            done, positions = record.games - before, record.positions - labelled
            show(Progress(name, record.games, plan.games, positions, since, done, stage))
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
                    record.add(game)
                if look():
                    break
    except WorkerDied:
        raise RunAborted("a worker process died") from None
    return record.games == plan.games


def _labelled(
    plan: LabelPlan, name: str, first: int, workers: int, is_stopped: Stop
) -> Generator[list[LabelledGame]]:
    """Yield the labelled games from number `first` on, in order, a few at a time; may end early once `is_stopped`."""
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
    """What this process plays and labels the games of a board with."""
    return GameSource(parse_board(name), plan.agents, plan.seed), Labeller(plan.reach, plan.seed)


def _label_here(plan: LabelPlan, name: str, first: int, end: int) -> list[LabelledGame]:
    games, labeller = _tools(plan, name)
    return [labeller.label(games.play(number), number) for number in range(first, end)]
