"""Plays a run: sends batches of pairs to workers, and stores the returned games.

A run can be interrupted at any moment. A resumed run plays only the pairs that are not complete in its database.
"""

import json
import platform
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, partial
from math import inf
from typing import TYPE_CHECKING, ClassVar, Final, TypeAlias

import numpy as np

from isolarium import __version__
from isolarium.agents import AgentFailure, parse_spec
from isolarium.arena.game_batch import REASON_CODES, GameBatch
from isolarium.arena.live_game import SlowMove, remove_live, slowest_move
from isolarium.arena.local_workers import (
    AHEAD,
    LOG_NAME,
    Exited,
    Joined,
    LocalWorkers,
    Returned,
    WorkerEvent,
    Workers,
    drop_log_if_empty,
)
from isolarium.arena.provenance import check_agent_files, own_definitions
from isolarium.arena.referee import Batch, PlayedBatch, compile_agent, get_ready, play_batch, plays_compiled
from isolarium.arena.run_db import Record, written
from isolarium.arena.schedule import TASK_S, Schedule, Span
from isolarium.arena.tally import MOST_FAILURES, FailureStreaks, Tally
from isolarium.compat import load, usable_cores
from isolarium.errors import AgentKeepsFailing, RunAborted
from isolarium.game.board import parse_board
from isolarium.game.position import Reason
from isolarium.limits import Stop, per_second
from isolarium.processes.code_loader import check_may_start
from isolarium.processes.own_code import pack
from isolarium.processes.worker import MOST_WORKERS, default_workers
from isolarium.spec.parser import AGENT, tree_of

if TYPE_CHECKING:  # Only runs on a cluster need these.
    from isolarium.arena.cluster.cluster_runner import Check
    from isolarium.arena.cluster.remote_workers import Cluster

    Task: TypeAlias = Span | Check[Span]
    """A worker's task: a span to play, or another worker's span to repeat and compare."""

MOST_DEATHS: Final = 5
"""The number of workers that may die on a batch before the run is aborted."""
MOST_FAILING: Final = 2
"""The number of a cluster's workers that may fail on a batch before aborting."""
POLL_S: Final = 0.25
MOST_REASON: Final = 300
"""The maximum length of the reason why a batch is invalid."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a run.

    Attributes:
        tally: The games counted so far.
        games: The maximum number of games in total.
        played: The games played since the run was started or resumed.
        seconds: The time since the first of those games began.
        workers: The number of workers.
        silent_s: The time since the last games arrived.
        slow: The agent with the longest current move, if that move is slow.
        stage: `compiling` before the first game, `waiting` for workers of a cluster, `playing`, or
            `locked` while another process prevents games from being written.
    """

    tally: Tally
    games: int
    played: int
    seconds: float
    workers: int
    stage: str = "playing"
    slow: SlowMove | None = None
    silent_s: float = 0.0

    @property
    def rate(self) -> float:
        """Games per second."""
        return per_second(self.played, self.seconds)

    @property
    def seconds_left(self) -> float | None:
        """The time until all games are played; None if it cannot be estimated.

        The estimate is made when games arrive, and counts down until the next ones do. It cannot be made before the
        first game, nor once the time is over, for example while a slow agent thinks.
        """
        if not self.played:
            return None
        left = (self.games - self.tally.games) / per_second(self.played, self.seconds - self.silent_s)
        return left - self.silent_s if left > self.silent_s else None


Show = Callable[[Progress], None]


def play_run(
    record: Record,
    workers: int | None = None,
    show: Show | None = None,
    stop: Stop | None = None,
    cluster: "Cluster | None" = None,
) -> Tally:
    """Play the missing games of a run until it is complete or `stop` returns true.

    Args:
        record: The run's database, open for writing.
        workers: The number of processes; by default one for each core.
        show: Called with the progress a few times a second.
        stop: Called a few times a second; returns whether to stop early. Finished games are kept.
        cluster: A cluster whose workers play instead of local processes.

    Raises:
        InputError: If an agent's files have changed since the run began, or this process may not start others.
        RunAborted: If workers keep dying or failing or cannot be used, the cluster cannot be reached, an agent keeps
            failing, or the database cannot be written.
        KeyboardInterrupt: On Ctrl-C; finished games are kept.
    """
    check_may_start()
    runner = Runner(record, workers, show, stop)
    if cluster is not None:
        # Imported here, because it imports this module.
        from isolarium.arena.cluster.cluster_runner import ClusterRunner

        runner = ClusterRunner(record, workers, show, stop, cluster)
    if not record.is_finished:
        files = check_agent_files(record)
        if runner.tally.is_complete or runner.play(files):
            with written(record):
                record.finish(_now(), runner.tally.decided_at, runner.gives_up_writing)
            if runner.tally.decided_at is not None:
                return tally_of(record)  # Without the pairs played after the test's decision
    return runner.tally


def tally_of(record: Record) -> Tally:
    """Count the games of a run."""
    tally = Tally(record.plan, record.clusters())
    for batch in record.batches():
        tally.add_batch(batch)
    return tally


class Runner:
    """The state of one `play_run` with local processes."""

    task_s: ClassVar = TASK_S

    def __init__(self, record: Record, workers: int | None, show: Show | None, stop: Stop | None) -> None:
        self.record, self.plan = record, record.plan
        self.show, self.stop = show, stop
        self.tally = tally_of(record)
        self.cores = usable_cores()
        most = len(self.cores) if self.plan.is_timed else MOST_WORKERS
        self.count = max(1, min(workers or default_workers(), most))
        encounters = len(self.plan.encounters)
        self.schedule = Schedule(encounters, self.plan.pairs, self._is_done, self.task_s)
        self.streaks = FailureStreaks(self.plan, self._is_done)
        self.assigned: dict[str, dict[int, Task]] = {}  # Each worker's tasks by number
        self.batches = 0
        self.played_before = self.tally.games
        self.began: float | None = None
        self.arrived = self.shown = -inf  # When the last games arrived, and when progress was shown

    @cached_property
    def _compiled(self) -> bool:
        """Whether compiled code may play the games."""
        plan = self.plan
        return not plan.is_timed and plays_compiled(plan.players, plan.games)

    def _is_done(self, encounter: int, pair: int) -> bool:
        return self.tally.is_done(encounter, pair)

    def play(self, files: Mapping[str, bytes]) -> bool:
        """Play all missing games; return False if `stop` ended the run early.

        Args:
            files: The contents of the agents' files.
        """
        self._note_circumstances()
        with self._local(self.count, self.cores if self.plan.is_timed else None) as workers:
            return self._compile() and self._feed(workers)

    @contextmanager
    def _local(self, count: int, own_cores: list[int] | None) -> Iterator[LocalWorkers]:
        """Start processes on this machine, and stop them at the end of the block."""
        log = self.record.folder.resolve() / LOG_NAME
        if log.is_symlink():  # A symlink in an untrusted folder could redirect the log to any file.
            log.unlink()
        remove_live(log.parent)
        own = tuple(map(pack, own_definitions(self.plan)))
        ready = partial(get_ready, self.plan.players, own, compiled=self._compiled)
        workers = LocalWorkers(count, own_cores, log, play_batch, ready)
        try:
            yield workers
        finally:
            workers.stop()
            drop_log_if_empty(log)
            remove_live(log.parent)

    def _compile(self) -> bool:
        """Compile the code that the run needs; return False if `stop` ended the run."""
        board, players = parse_board(self.plan.board), tuple(dict.fromkeys(self.plan.players))
        for spec in players:
            self._show("compiling")
            if self._is_stopped():
                return False
            try:
                compile_agent(spec, players, board, self._compiled)
            except AgentFailure as failure:
                tree = tree_of(spec)
                if parse_spec(spec).loads_heuristic or tree.search.word == AGENT:
                    raise AgentKeepsFailing(str(failure), tree.files) from None
                # Any other agent will fail again in a game, where the failure counts.
        return True

    def _feed(self, workers: Workers) -> bool:
        """Keep all workers busy until the end; return False if `stop` ended the run early."""
        while not self._is_over():
            for worker in list(self.assigned):
                self._fill(workers, worker)
            for event in workers.poll(POLL_S):
                self._handle(event)
                self.schedule.workers = len(self.assigned)
            self._check_workers(workers)
            self._show("playing" if self.assigned else "waiting")
            if self._is_stopped():
                return False
        self._show("playing", at_once=True)
        return True

    def _is_over(self) -> bool:
        return self.tally.is_complete

    def _check_workers(self, workers: Workers) -> None:
        """Check that a worker is available or may become available."""

    def _fill(self, workers: Workers, worker: str) -> None:
        """Assign tasks to a worker until it has `AHEAD` of them."""
        assigned = self.assigned[worker]
        while len(assigned) < AHEAD:
            task = self._next_task(worker)
            if task is None:
                return
            assigned[self.batches] = task
            workers.submit(worker, self.batches, self._batch(span_of(task)))
            self.batches += 1

    def _next_task(self, worker: str) -> "Task | None":
        return None if self.tally.is_complete else self.schedule.next()

    def _batch(self, span: Span) -> Batch:
        plan, met = self.plan, self.plan.encounters[span.encounter]
        return Batch(
            encounter=span.encounter,
            specs=(plan.players[met.first], plan.players[met.second]),
            players=(met.first, met.second),
            board=plan.board,
            seed=plan.seed,
            move_ms=plan.move_ms,
            watch=plan.is_timed,
            first_pair=span.first,
            openings=self.record.opening_lines.part(span.first, span.end),
            compiled=self._compiled,
        )

    def _handle(self, event: WorkerEvent) -> None:
        match event:
            case Joined(worker):
                self.assigned[worker] = {}
            case Exited(worker):
                self._count_death(self._dismiss(worker))
            case Returned(worker, number, result):
                self._handle_result(worker, number, result)

    def _handle_result(self, worker: str, number: int, played: PlayedBatch) -> None:
        task = self.assigned.get(worker, {}).pop(number, None)
        if isinstance(task, Span):  # Any other task is no longer needed.
            try:
                games = self.record.read_batch(played.games, task)
            except ValueError as error:
                raise self._bug(task, error) from None
            self._take(task, games, played, worker)

    def _bug(self, span: Span, error: ValueError) -> RunAborted:
        problem = f"{self._describe(span)}: a worker returned {error}"
        return RunAborted(f"{problem}; this is a bug in Isolarium, please report it")

    def _dismiss(self, worker: str) -> list[Span]:
        """Stop giving a worker tasks; return its unplayed spans."""
        return [task for task in self.assigned.pop(worker, {}).values() if isinstance(task, Span)]

    def _count_death(self, lost: list[Span]) -> None:
        if not lost:
            return
        deaths = self.schedule.requeue_lost(lost)
        if deaths >= MOST_DEATHS:
            raise RunAborted(f"{deaths} workers died over {self._describe(lost[0])}")

    def _describe(self, span: Span) -> str:
        met = self.plan.encounters[span.encounter]
        names = f"{self.plan.players[met.first]} against {self.plan.players[met.second]}"
        return f"pairs {span.first + 1} to {span.end} of {names}"

    def _take(self, span: Span, games: GameBatch, played: PlayedBatch, worker: str) -> None:
        """Write and count the games of a batch, which have already been checked."""
        if self.began is None:
            self.began = time.monotonic() - played.seconds
        self._check_own_code(games)
        try:
            with written(self.record):
                origin = self._origin(span, worker)
                self.record.add_batch(games, played.games, played.troubles, origin, self.gives_up_writing)
        except ValueError as error:
            raise self._bug(span, error) from None
        self.tally.add_batch(games)
        self.arrived = time.monotonic()
        self.schedule.note_time(span, played.seconds)
        self._check_streaks(games)

    def _check_own_code(self, games: GameBatch) -> None:
        """Check that no heuristic in a file, and no code of the user's program, has failed.

        Such a mistake is reported at once.

        Raises:
            RunAborted: If one has failed; the games of this batch are not written.
        """
        losers = games.losing_players
        for number in np.flatnonzero(games.reasons == REASON_CODES[Reason.CRASH]).tolist():
            spec = self.plan.players[losers[number]]
            tree = tree_of(spec)
            if tree.own or parse_spec(spec).loads_heuristic:
                raise AgentKeepsFailing(games.notes.get(number, ""), tree.files)

    def gives_up_writing(self) -> bool:
        """Show that another process has locked the database; return whether to give up."""
        self._show("locked")
        return self._is_stopped()

    def _origin(self, span: Span, worker: str) -> tuple[str, str] | None:
        """Return the fact that records the worker of a span; None for this machine."""
        return None

    def _check_streaks(self, games: GameBatch) -> None:
        """Check that no agent keeps failing.

        Raises:
            AgentKeepsFailing: If an agent keeps failing while games are left and no test has ended the run.
        """
        streak, decided = self.streaks.add(games), self.tally.decided_at
        if self.tally.is_complete and decided is None:
            return
        if streak is not None and (decided is None or decided > streak.pairs):
            spec = self.plan.players[streak.player]
            problem = f"failed in {MOST_FAILURES} games in a row: {streak.note}"
            raise AgentKeepsFailing(f"{spec} {problem}", tree_of(spec).files)

    def _is_stopped(self) -> bool:
        return self.stop is not None and self.stop()

    def _show(self, stage: str, *, at_once: bool = False) -> None:
        """Show the progress, at most every `POLL_S` unless `at_once`."""
        now = time.monotonic()
        if self.show is None or (now - self.shown < POLL_S and not at_once):
            return
        self.shown = now
        seconds = 0.0 if self.began is None else now - self.began
        played = self.tally.games - self.played_before
        slow = None if stage == "compiling" else slowest_move(self.record.folder)
        self.show(Progress(self.tally, self.plan.games, played, seconds, self.count, stage, slow, now - self.arrived))

    def _note_circumstances(self, **more: str) -> None:
        """Store the time, the machine and the number of workers of this session."""
        session = {
            "since": _now(),
            "games_before": self.played_before,
            "isolarium": __version__,
            "python": platform.python_version(),
            "processor": platform.machine(),
            "cores": len(self.cores),
            "workers": self.count,
            "load": load(),
            **more,
        }
        with written(self.record):
            if self.record.fact("started") is None:
                self.record.set_fact("started", _now())
            sessions = [*self.record.sittings(), session]
            self.record.set_fact("circumstances", json.dumps(sessions))


def span_of(task: "Task") -> Span:
    """Return the span that a task plays."""
    return task if isinstance(task, Span) else task.task


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
