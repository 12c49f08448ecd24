"""Runs whose workers fail or lie, played by workers of this process that a test controls."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from isolarium.arena import Conditions
from isolarium.arena.game import Game
from isolarium.arena.local_workers import Failed, Invalid, Joined, Returned, WorkerEvent
from isolarium.arena.plan import match_plan
from isolarium.arena.provenance import read_verdicts
from isolarium.arena.referee import Batch, play_batch
from isolarium.arena.run_db import Record
from isolarium.errors import RunAborted
from isolarium.game.position import Reason
from tests.arena.players import with_games
from tests.arena.playing import play

PLAN = match_plan("random", "random", Conditions(pairs=8, board="3x3"))

Act = Callable[[str, int, Batch], WorkerEvent]


def honest(worker: str, number: int, batch: Batch) -> WorkerEvent:
    return Returned(worker, number, play_batch(batch))


def lying(worker: str, number: int, batch: Batch) -> WorkerEvent:
    def change(games: list[Game]) -> list[Game]:
        return [replace(games[0], nodes=[7 for _ in games[0].nodes]), *games[1:]]

    return Returned(worker, number, with_games(batch, change))


def changing(change: Callable[[list[Game]], list[Game]]) -> Act:
    """Return a worker that plays its first batch honestly, and changes the games of the others."""
    seen = list[int]()

    def act(worker: str, number: int, batch: Batch) -> WorkerEvent:
        seen.append(number)
        is_honest = len(seen) == 1
        played = play_batch(batch) if is_honest else with_games(batch, change)
        return Returned(worker, number, played)

    return act


def invalid(worker: str, number: int, _: Batch) -> WorkerEvent:
    return Invalid(worker, number, f"{worker} is invalid")


def failing(worker: str, number: int, batch: Batch) -> WorkerEvent:
    """Fail at the first pair, whoever it is."""
    if batch.first_pair == 0:
        return Failed(worker, number, f"{worker} failed")
    return honest(worker, number, batch)


@dataclass
class Double:
    """A cluster, and its workers: what each does, by name, and what it was given."""

    acts: dict[str, Act]
    checked: float = 1.0
    name: str = "double"
    speeds: dict[str, float] = field(default_factory=dict)
    starting: int = 0
    given: dict[str, list[int]] = field(default_factory=dict)

    def count(self) -> int:
        return len(self.acts)

    def workers(self, *_: object) -> "Double":
        self._events: list[WorkerEvent] = [Joined(worker) for worker in self.acts]
        return self

    def submit(self, worker: str, number: int, batch: Batch) -> None:
        pairs = range(batch.first_pair, batch.first_pair + len(batch.openings))
        self.given.setdefault(worker, []).extend(pairs)
        self._events.append(self.acts[worker](worker, number, batch))

    def poll(self, _: float) -> list[WorkerEvent]:
        output, self._events = self._events, []
        return output

    def stop(self) -> None:
        pass


def played_on(folder: Path, double: Double) -> str:
    return play(folder, PLAN, cluster=double)  # type: ignore[arg-type] # what a run asks of a cluster


def test_a_second_worker_checks_batches(tmp_path: Path) -> None:
    double = Double({"one": honest, "other": honest})
    here = play(tmp_path / "here", PLAN, workers=1)
    assert played_on(tmp_path / "there", double) == here
    with closing(Record(tmp_path / "there")) as record:
        assert read_verdicts(record).checked > 0
    assert sorted(double.given["one"]) == sorted(double.given["other"]) == list(range(8))


def test_without_a_second_worker_this_machine_checks(tmp_path: Path) -> None:
    output = "no worker is left to play: the games of one differ from those of this machine"
    with pytest.raises(RunAborted, match=output):
        played_on(tmp_path, Double({"one": lying}))
    with closing(Record(tmp_path)) as record:
        assert record.count() == 0
        assert read_verdicts(record).differed == {"one": 16}


def test_a_batch_at_which_two_workers_fail_aborts_the_run(tmp_path: Path) -> None:
    output = r"pairs 1 to 1 of random against random: one failed; other failed"
    with pytest.raises(RunAborted, match=output):
        played_on(tmp_path, Double(dict.fromkeys(("one", "other", "third"), failing)))
    with closing(Record(tmp_path)) as record:
        assert read_verdicts(record).refused == ("one failed", "other failed")


def without_last_move(game: Game) -> Game:
    names = ("scores", "depths", "nodes", "times_ms", "busy_ms")
    values = {name: getattr(game, name)[:-1] for name in names}
    return replace(game, moves=game.moves[:-1], **values)


@pytest.mark.parametrize(
    "change",
    [
        lambda games: list(map(without_last_move, games)),
        lambda games: [replace(game, winner=game.winner.other) for game in games],
        lambda games: [replace(game, pair=(game.pair + 1) % 8) for game in games],
        lambda games: [replace(game, encounter=1) for game in games],
        lambda games: [games[0]] * len(games),
        lambda games: games[:-1],
        lambda games: [*games, games[0]],
        lambda games: [],
        lambda games: [replace(game, reason=Reason.CRASH) for game in games],
        lambda games: [replace(game, moves=("a1", *game.moves[1:])) for game in games],
    ],
)
def test_a_worker_whose_games_are_invalid_is_named_and_they_are_played_by_others(
    change: Callable[[list[Game]], list[Game]], tmp_path: Path
) -> None:
    double = Double({"one": changing(change), "other": honest}, checked=0.0)
    assert played_on(tmp_path / "there", double) == play(tmp_path / "here", PLAN, workers=1)
    with closing(Record(tmp_path / "there")) as record:
        (output,) = read_verdicts(record).refused
    assert output.startswith("worker at one: its games are invalid: ")
    assert output.endswith("; its 2 games were played again by others")


def test_a_lying_workers_check_is_made_by_another(tmp_path: Path) -> None:
    lies = changing(lambda games: games[:-1])
    double = Double({"one": lies, "other": honest, "third": honest})
    assert played_on(tmp_path / "there", double) == play(tmp_path / "here", PLAN, workers=1)
    with closing(Record(tmp_path / "there")) as record:
        assert read_verdicts(record).checked > 0
        assert "worker at one: " in read_verdicts(record).refused[0]


def test_a_run_whose_workers_all_lie_ends_with_one_line(tmp_path: Path) -> None:
    with pytest.raises(RunAborted, match="no worker is left to play: one is invalid"):
        played_on(tmp_path, Double({"one": invalid}))
