"""Sessions: a run is begun, played, stopped, resumed and read in one way."""

from contextlib import closing
from pathlib import Path

import pytest

from isolarium.arena import Conditions
from isolarium.arena.plan import match_plan
from isolarium.arena.run_db import Record
from isolarium.arena.runner import Progress
from isolarium.arena.session import Listener, Session, play
from isolarium.errors import InputError

pytestmark = pytest.mark.slow

PLAN = match_plan("random", "greedy:open", Conditions(pairs=3, board="4x4"))


class Follower(Listener):
    """Notes what it is shown, and stops a run where it is to."""

    def __init__(self, stops: bool = False) -> None:
        self.stages = list[str]()
        self.games = 0
        self._stops = stops

    def show(self, progress: Progress) -> None:
        self.stages.append(progress.stage)
        self.games = progress.tally.games

    def is_stopped(self) -> bool:
        return self._stops


def test_a_plan_is_played_in_a_folder_of_its_own_and_read(tmp_path: Path) -> None:
    follower = Follower()
    results, folder = play(PLAN, follower, runs=tmp_path, workers=1)
    assert folder.parent == tmp_path
    assert (results.finished, results.games, follower.games) == (True, 6, 6)
    assert (follower.stages[0], follower.stages[-1]) == ("compiling", "playing")


def test_a_run_that_was_stopped_is_resumed_and_is_the_same_in_the_end(tmp_path: Path) -> None:
    whole, _ = play(PLAN, runs=tmp_path, workers=1)
    stopped, folder = play(PLAN, Follower(stops=True), runs=tmp_path, workers=1)
    assert not stopped.finished
    with Session.resume(folder) as session:
        session.play(workers=1)
        assert session.is_finished
        assert session.read().tally.summary(0) == whole.tally.summary(0)


def test_a_part_is_begun_once_and_a_finished_one_is_only_read(tmp_path: Path) -> None:
    folder = tmp_path / "part"
    with Session.begin_or_resume(PLAN, folder) as session:
        session.play(Follower(stops=True), workers=1)
        assert not session.is_finished
    with Session.begin_or_resume(PLAN, folder) as session:
        session.play(workers=1)
    with closing(Record(folder, writes=True)):  # which holds the lock
        with Session.begin_or_resume(PLAN, folder) as session:
            assert session.is_finished
            session.play(Follower(stops=True))
            assert session.read().games == 6
        with pytest.raises(InputError, match="another process is playing"):
            Session.resume(folder)


def test_leaving_a_session_lets_others_write(tmp_path: Path) -> None:
    with Session.begin(PLAN, tmp_path) as session:
        folder = session.folder
    with Session.resume(folder) as session:
        assert session.plan == PLAN
