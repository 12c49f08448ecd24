"""Plays a run: hands batches of pairs to worker processes, writes what comes back, and stops when nothing is left.

Interrupted at any moment, it goes on from its record: pairs that are not complete there are played, no others.
"""

import json
import platform
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Final

from isolarium import __version__
from isolarium.agents import AgentFailure, warm_up
from isolarium.arena.cluster.file_bundle import pack
from isolarium.arena.cluster.worker_audit import Check, Checking, comparable
from isolarium.arena.game import check_span
from isolarium.arena.live_game import remove_live
from isolarium.arena.local_workers import (
    AHEAD,
    LOG_NAME,
    Came,
    ClusterGone,
    Event,
    Failed,
    Invalid,
    LocalWorkers,
    Played,
    Refused,
    Went,
    Workers,
    drop_log_if_empty,
)
from isolarium.arena.provenance import check_agent_files
from isolarium.arena.referee import Batch, PlayedBatch, get_ready, play_batch
from isolarium.arena.run_db import Record, written
from isolarium.arena.schedule import PATIENCE, Schedule, Span
from isolarium.arena.tally import MOST_FAILURES, FailureStreaks, Tally
from isolarium.compat import load, usable_cores
from isolarium.errors import RunAborted
from isolarium.game.notation import parse_board
from isolarium.limits import Stop, per_second
from isolarium.processes.permissions import check_may_start
from isolarium.processes.worker import MOST_WORKERS, usual_workers
from isolarium.text import printable, shortened

if TYPE_CHECKING:  # it starts a relay
    from isolarium.arena.cluster.remote_workers import Cluster

MOST_DEATHS: Final = 5
"""Workers that may die over one batch before the run gives up."""
MOST_FAILING: Final = 2
"""Workers that may fail at one batch before the run gives up."""
LOOK_S: Final = 0.25
MOST_WHY: Final = 300
"""Characters of why a batch is invalid."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is.

    Attributes:
        tally: what is known so far.
        games: games to play in all, at the most.
        played: games played since this process took it up.
        seconds: since the first of them began.
        workers: processes at work.
        stage: `compiling`, before the first game, `waiting` for workers of a cluster, `playing`, or `locked` while
            another process keeps the games from being written.
    """

    tally: Tally
    games: int
    played: int
    seconds: float
    workers: int
    stage: str = "playing"

    @property
    def rate(self) -> float:
        """Games a second."""
        return per_second(self.played, self.seconds)

    @property
    def seconds_left(self) -> float | None:
        """Until all games are played, at this rate; None while there is none."""
        return (self.games - self.tally.games) / self.rate if self.played else None


Show = Callable[[Progress], None]


def play_run(
    record: Record,
    workers: int | None = None,
    show: Show | None = None,
    stop: Stop | None = None,
    cluster: "Cluster | None" = None,
) -> Tally:
    """Play what is missing from a record, to the end or until `stop` says so.

    Args:
        record: open for writing.
        workers: processes to use; by default one for each core.
        show: told of progress, a few times a second.
        stop: asked as often whether to end early; everything finished is kept.
        cluster: whose workers to use in place of processes.

    Raises:
        InputError: an agent is not what it was when the run began, or this process may not start others.
        RunAborted: workers die or fail one after the other or cannot be used, the cluster is gone, an agent fails in
            one game after the other, or the record cannot be written.
        KeyboardInterrupt: on Ctrl-C; everything finished is written.
    """
    check_may_start()
    runner = _Runner(record, workers, show, stop, cluster)
    if not record.is_finished:
        texts = check_agent_files(record)
        if runner.tally.is_complete or runner.play(texts):
            _finish(record, runner.tally.decided_at)
            if runner.tally.decided_at is not None:
                return _tally(record)  # without the pairs that were played meanwhile
    return runner.tally


def _tally(record: Record) -> Tally:
    tally = Tally(record.plan, record.clusters())
    for result in record.winners():
        tally.add(*result)
    return tally


def _finish(record: Record, pairs: int | None) -> None:
    with written(record):
        record.finish(_now(), pairs)


class _Runner:
    """The state of one `play_run`."""

    def __init__(
        self,
        record: Record,
        workers: int | None,
        show: Show | None,
        stop: Stop | None,
        cluster: "Cluster | None",
    ) -> None:
        self.record, self.plan = record, record.plan
        self.show, self.stop, self.cluster = show, stop, cluster
        self.tally = _tally(record)
        self.cores = usable_cores()
        most = len(self.cores) if self.plan.is_timed else MOST_WORKERS
        self.count = max(1, min(workers or usual_workers(), most))
        encounters = len(self.plan.encounters)
        self.schedule = Schedule(encounters, self.plan.pairs, self._is_done)
        self.streaks = FailureStreaks(self.plan, self._is_done)
        self.given: dict[str, dict[int, Span | Check[Span]]] = {}  # to each worker, by number
        self.failures: dict[Span, list[str]] = {}
        self.batches = 0
        self.speeds: Mapping[str, float] = {}
        share = 0.0 if cluster is None or self.plan.is_timed else cluster.checked
        self.checking = Checking(record, share, self._play_here, self._play_again)
        self.played_before = self.tally.games
        self.began: float | None = None
        self.shown = float("-inf")

    def _is_done(self, encounter: int, pair: int) -> bool:
        return self.tally.is_done(encounter, pair)

    def play(self, texts: Mapping[str, bytes]) -> bool:
        """Play everything that is missing, with agents made from these files; False if `stop` ended it first."""
        if self.cluster is not None:
            return self._play_on(self.cluster, texts)
        with written(self.record):
            self._note_circumstances()
        with self._local(self.count, self.cores if self.plan.is_timed else None) as workers:
            return self._compile() and self._feed(workers)

    def _play_on(self, cluster: "Cluster", texts: Mapping[str, bytes]) -> bool:
        try:
            self.count = cluster.count()
            with written(self.record):
                self._note_circumstances(cluster=cluster.name)
            cargo = pack(texts, set(self.plan.files()))
            workers = cluster.workers(self.plan, cargo, self._patience)
            self.speeds = workers.speeds
            try:
                return self._feed(workers)
            finally:
                workers.stop()
        except ClusterGone as error:
            raise RunAborted(str(error)) from None

    @contextmanager
    def _local(self, count: int, own_cores: list[int] | None) -> Iterator[LocalWorkers]:
        """Processes of this machine, within the block."""
        log = self.record.folder.resolve() / LOG_NAME
        if log.is_symlink():  # a folder from somebody else would have us write anywhere
            log.unlink()
        remove_live(log.parent)
        get_them_ready = partial(get_ready, self.plan.players)  # while this process compiles
        workers = LocalWorkers(count, own_cores, log, play_batch, get_them_ready)
        try:
            yield workers
        finally:
            workers.stop()
            drop_log_if_empty(log)
            remove_live(log.parent)

    def _compile(self) -> bool:
        """Compile what the run needs, so that its workers find it done; False if `stop` ended it first."""
        board = parse_board(self.plan.board)
        for spec in dict.fromkeys(self.plan.players):
            self._look("compiling")
            if self._is_stopped():
                return False
            with suppress(AgentFailure):  # it will fail again where it counts
                warm_up(spec, board)
        return True

    def _feed(self, workers: Workers) -> bool:
        """Keep every worker busy until nothing is left; False if `stop` ended it first."""
        while not self._is_over():
            if self.tally.is_complete:
                self.checking.check_the_rest(self.given)
            for worker in list(self.given):
                self._fill(workers, worker)
            for event in workers.hear(LOOK_S):
                self._heed(event)
            self.checking.check_anybody(bool(self.given or workers.coming))
            self._look("playing" if self.given else "waiting")
            if self._is_stopped():
                return False
        self._look("playing", at_once=True)
        return True

    def _is_over(self) -> bool:
        """Whether nothing is left to play, nor to check."""
        return self.tally.is_complete and not self.checking.is_waiting and not self._checks_given()

    def _checks_given(self) -> bool:
        tasks = (task for given in self.given.values() for task in given.values())
        return any(isinstance(task, Check) for task in tasks)

    def _fill(self, workers: Workers, worker: str) -> None:
        """Give a worker as much as it should have ahead."""
        given = self.given[worker]
        while len(given) < AHEAD:
            task = self.checking.next_for(worker) or self._next()
            if task is None:
                return
            given[self.batches] = task
            workers.submit(worker, self.batches, self._batch(_span(task)))
            self.batches += 1

    def _patience(self, worker: str, number: int) -> float:
        """How many seconds a worker may be at a batch; more where another was given up over it."""
        task = self.given.get(worker, {}).get(number)
        if task is None:  # of no use any more
            return inf
        span = _span(task)
        return self.schedule.time_limit_s(span) * PATIENCE ** len(self.failures.get(span, ()))

    def _next(self) -> Span | None:
        return None if self.tally.is_complete else self.schedule.next()

    def _heed(self, event: Event) -> None:
        match event:
            case Came(worker):
                if worker not in self.checking.distrusted:
                    self.given[worker] = {}
            case Went(worker):
                self._count_death(self._dismiss(worker))
            case Refused(_, why):
                self.checking.turn_away(why)
            case Failed(worker, number, why):
                self._count_failure(self.given.get(worker, {}).get(number), why)
                self.schedule.requeue(self._dismiss(worker))
            case Invalid(worker, _, why):
                self.checking.reject(worker, why)
            case Played(worker, number, played):
                self._heed_played(worker, number, played)
        self.schedule.workers = len(self.given)

    def _heed_played(self, worker: str, number: int, played: PlayedBatch) -> None:
        task = self.given.get(worker, {}).get(number)
        if task is None:  # of no use any more
            return
        if self.cluster is not None:
            try:
                self.checking.check(_span(task), played.games)
            except ValueError as error:
                why = shortened(printable(str(error)), MOST_WHY)
                self.checking.reject(worker, f"worker at {worker}: its games are invalid: {why}")
                return
        del self.given[worker][number]
        if isinstance(task, Span):
            self._take(task, played, worker)
        elif task.worker not in self.checking.distrusted:
            self.checking.compare(task, played.games, worker)

    def _dismiss(self, worker: str) -> list[Span]:
        """Give a worker nothing more; what it was to play, its checks being left to others."""
        left = self.given.pop(worker, {}).values()
        self.checking.leave(task for task in left if isinstance(task, Check))
        return [task for task in left if isinstance(task, Span)]

    def _count_failure(self, task: Span | Check[Span] | None, why: str) -> None:
        """Note of a worker that it failed.

        Raises:
            RunAborted: so did another at the same batch, which is to blame then.
        """
        self.checking.turn_away(why)
        if task is not None:
            failures = self.failures.setdefault(_span(task), [])
            failures.append(why)
            if len(failures) == MOST_FAILING:
                raise RunAborted(f"{self._named(_span(task))}: {'; '.join(failures)}")

    def _named(self, span: Span) -> str:
        met = self.plan.encounters[span.encounter]
        names = f"{self.plan.players[met.first]} against {self.plan.players[met.second]}"
        return f"pairs {span.first + 1} to {span.end} of {names}"

    def _play_here(self, spans: list[Span]) -> list[str]:
        """Batches as this machine plays them; none if there are none, or `stop` ended it first."""
        found = dict[int, str]()
        if not spans:
            return []
        with self._local(1, None) as judge:
            while len(found) < len(spans) and not self._is_stopped():
                for event in judge.hear(LOOK_S):
                    if isinstance(event, Played):
                        found[event.number] = comparable(event.played.games)
                    elif isinstance(event, Came):
                        for number, span in enumerate(spans):
                            judge.submit(event.worker, number, self._batch(span))
        return [found[number] for number in range(len(spans))] if len(found) == len(spans) else []

    def _play_again(self, worker: str, spans: list[Span]) -> None:
        """Have others play what a worker played and was to play; it is given nothing more."""
        self.schedule.requeue([*spans, *self._dismiss(worker)])
        self.tally = _tally(self.record)
        self.streaks = FailureStreaks(self.plan, self._is_done)

    def _count_death(self, lost: list[Span]) -> None:
        if not lost:
            return
        deaths = self.schedule.requeue_lost(lost)
        if deaths >= MOST_DEATHS:
            raise RunAborted(f"{deaths} workers died over {self._named(lost[0])}")

    def _take(self, span: Span, played: PlayedBatch, worker: str) -> None:
        """Write a batch's games, and count them."""
        if self.began is None:
            self.began = time.monotonic() - played.seconds
        try:
            check_span(span, played.games)
            with written(self.record):
                origin = self._origin(span, worker)
                self.record.add(played.games, played.troubles, origin, self._waits_no_longer)
        except ValueError as error:
            told = f"{self._named(span)}: a worker returned {error}"
            raise RunAborted(f"{told}; this is a bug in Isolarium, please report it") from None
        for game in played.games:
            self.tally.add(game.encounter, game.pair, game.leg, game.winner)
        self.schedule.note_time(span, played.seconds)
        self._check_streaks(played)
        self.checking.draw(span, worker, played.games)

    def _waits_no_longer(self) -> bool:
        """Show that another process locks the results database; return whether to give up."""
        self._look("locked")
        return self._is_stopped()

    def _origin(self, span: Span, worker: str) -> tuple[str, str] | None:
        """The fact that says who has played a span, where that was not this machine."""
        if self.cluster is None:
            return None
        return self.checking.origin(worker, span, self.speeds.get(worker))

    def _check_streaks(self, played: PlayedBatch) -> None:
        """See that no agent fails all the time.

        Raises:
            RunAborted: one does, and no test had ended the run before.
        """
        streak, decided = self.streaks.add(played.games), self.tally.decided_at
        if streak is not None and (decided is None or decided > streak.pairs):
            told = f"{self.plan.players[streak.player]} failed in {MOST_FAILURES} games in a row"
            raise RunAborted(f"{told}: {streak.note}")

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
            openings=tuple(self.record.opening_moves(span.first, span.end)),
        )

    def _is_stopped(self) -> bool:
        return self.stop is not None and self.stop()

    def _look(self, stage: str, *, at_once: bool = False) -> None:
        """Show how far it is, if that was not done just now."""
        now = time.monotonic()
        if self.show is None or (now - self.shown < LOOK_S and not at_once):
            return
        self.shown = now
        seconds = 0.0 if self.began is None else now - self.began
        played = self.tally.games - self.played_before
        self.show(Progress(self.tally, self.plan.games, played, seconds, self.count, stage))

    def _note_circumstances(self, **more: str) -> None:
        """Write down where and with what the games are played, a note for every time the run is taken up."""
        if self.record.fact("started") is None:
            self.record.set_fact("started", _now())
        sittings = self.record.sittings()
        sittings.append(
            {
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
        )
        self.record.set_fact("circumstances", json.dumps(sittings))


def _span(task: Span | Check[Span]) -> Span:
    return task.task if isinstance(task, Check) else task


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
