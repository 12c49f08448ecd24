"""The folder of runs: their names, listing and finding them."""

from contextlib import closing
from pathlib import Path

import pytest

from isolarium.arena import Conditions
from isolarium.arena.plan import match_plan, sweep_plan, tournament_plan
from isolarium.arena.run_db import FILE_NAME, Record
from isolarium.arena.run_store import find_run, folders_called, list_runs, name_of, new_folder
from isolarium.arena.session import Session
from isolarium.errors import InputError
from tests.playing import Wanderer, play_run_here

PLAN = match_plan("random", "greedy:open", Conditions(pairs=2))
NAMED = match_plan("random", "greedy:open", Conditions(pairs=2, name="mine"))


def begin(runs: Path, started: str) -> Path:
    with closing(Session.begin(PLAN, runs).record) as record:
        record.set_fact("started", started)
        return record.folder


def test_runs_are_listed_in_the_order_in_which_they_began(tmp_path: Path) -> None:
    later, earlier = begin(tmp_path, "2026-02-02"), begin(tmp_path, "2026-01-01")
    with closing(Record(earlier, writes=True)) as record:
        record.finish("2026-01-02")
        found = list_runs(tmp_path)
    assert [run.folder for run in found] == [earlier, later]
    assert [run.state for run in found] == ["finished", "stopped"]
    assert [(run.games, run.games_planned) for run in found] == [(0, 4), (0, 4)]
    assert find_run("last", tmp_path) == later


def test_a_run_that_is_written_to_is_playing(tmp_path: Path) -> None:
    with closing(Session.begin(PLAN, tmp_path).record):
        assert [run.state for run in list_runs(tmp_path)] == ["playing"]


def test_a_record_that_cannot_be_read_does_not_hide_the_others(tmp_path: Path) -> None:
    begin(tmp_path, "2026-01-01")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / FILE_NAME).write_text("nothing that SQLite would know" * 40)
    states = {run.name: run.state for run in list_runs(tmp_path)}
    assert len(states) == 2
    assert "the results database is damaged" in states["broken"]


def test_a_run_is_found_by_name_and_by_path(tmp_path: Path) -> None:
    folder = begin(tmp_path, "")
    assert find_run(folder.name, tmp_path) == folder
    assert find_run(str(folder), Path("elsewhere")) == folder
    with pytest.raises(InputError, match=f"did you mean '{folder.name}'"):
        find_run(folder.name + "x", tmp_path)
    with pytest.raises(InputError, match="contains no runs yet"):
        find_run("last", tmp_path / "none")


def test_a_run_is_found_by_the_name_it_was_given(tmp_path: Path) -> None:
    plan = match_plan("random", "random", Conditions(pairs=1, name="My tour"))
    folders = []
    for started in ("2026-01-01", "2026-03-03", "2026-02-02"):
        with closing(Session.begin(plan, tmp_path).record) as record:
            record.set_fact("started", started)
            folders.append(record.folder)
    assert find_run("my-tour", tmp_path) == find_run("My tour", tmp_path) == folders[1]
    assert set(folders_called("My tour", tmp_path)) == set(folders)
    with closing(Record(folders[1], writes=True)) as record:
        record.finish("2026-03-04")
    assert find_run("my-tour", tmp_path) == folders[1]
    assert find_run("my-tour", tmp_path, resumes=True) == folders[2]
    with pytest.raises(InputError, match="did you mean 'my-tour'"):
        find_run("my-tuor", tmp_path)


def test_folders_never_collide(tmp_path: Path) -> None:
    names = [new_folder(tmp_path, "A b/../c").name for _ in range(3)]
    assert len(set(names)) == 3
    assert all(name[11:].startswith("a-b-c") for name in names)


def test_a_run_that_cannot_begin_leaves_nothing(tmp_path: Path) -> None:
    plan = match_plan("random", "random", Conditions(board="5x5", plies=40))
    with pytest.raises(InputError, match="plies=40"):
        Session.begin(plan, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_runs_cannot_be_kept_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(InputError, match="use a folder that you can write to"):
        new_folder(file, "run")


@pytest.mark.parametrize(
    ("plan", "name"),
    [
        (PLAN, "random-open"),
        (match_plan("mcts", "alphabeta:improved", Conditions()), "mcts-improved"),
        (match_plan("mcts", "mcts", Conditions(name="My run")), "My run"),
        (tournament_plan(["random"] * 3, Conditions()), "round robin-3"),
        (sweep_plan("mcts(c={})", ["1,2"], ["random"], Conditions()), "sweep"),
    ],
)
def test_names_say_what_is_played(plan: object, name: str) -> None:
    assert name_of(plan) == name  # type: ignore[arg-type] # parametrize has no types


def test_ctrl_c_just_after_the_record_was_written_leaves_a_run_that_can_be_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Record, "__init__", interrupted)
        with pytest.raises(KeyboardInterrupt):
            Session.begin(PLAN, tmp_path)
    with closing(Record(find_run("last", tmp_path), writes=True)) as record:
        assert record.plan == PLAN


def test_a_part_of_a_study_is_found_without_the_date(tmp_path: Path) -> None:
    part = tmp_path / "2026-01-02-course-2" / "first"
    play_run_here(part, NAMED, [Wanderer(), Wanderer()], games=2)
    assert find_run("course/first", tmp_path) == part
    assert find_run("2026-01-02-course-2/first", tmp_path) == part
    for wrong in ("course/second", "course-2-first", "other/first"):
        with pytest.raises(InputError, match="no run"):
            find_run(wrong, tmp_path)


def test_a_run_with_a_name_still_says_who_played(tmp_path: Path) -> None:
    play_run_here(tmp_path / "run", NAMED, [Wanderer(), Wanderer()], games=2)
    [facts] = list_runs(tmp_path)
    assert (facts.title, facts.played) == ("mine", "random vs greedy:open")
