"""`isolarium course FOLDER` for a class: twelve submissions, four of which cannot play."""

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from isolarium.arena.runner import Progress
from isolarium.arena.session import Listener
from isolarium.course.class_run import begin_class, open_class, play_class
from isolarium.course.roster import submission_folders
from tests.command import assert_refused, run_isolarium
from tests.course.few_positions import run_quickly
from tests.shared_folders import made_once

pytestmark = pytest.mark.slow

PLAYER = """
class AlphaBetaPlayer:
    def get_move(self, game, time_left):
        moves = sorted(game.get_legal_moves())
        {body}
"""
GREEDY = """return max(
            moves,
            key=lambda move: {score} * len(game.forecast_move(move).get_legal_moves(game.inactive_player)),
            default=(-1, -1),
        )"""
SUBMISSIONS = {
    "Anna Berg": PLAYER.format(body="return moves[0] if moves else (-1, -1)"),
    "Bo, Chen (2)": PLAYER.format(body="return moves[-1] if moves else (-1, -1)"),
    "carla": PLAYER.format(body="return moves[len(moves) // 2] if moves else (-1, -1)"),
    "Dmitri": PLAYER.format(body=GREEDY.format(score=1)),
    "Émile": PLAYER.format(body=GREEDY.format(score=-1)),
    "fatima": PLAYER.format(body="import random; return random.choice(moves)"),
    "gus": PLAYER.format(body="return min(moves, key=lambda move: abs(move[0] - 3))"),
    "hana": PLAYER.format(body="return max(moves, key=lambda move: abs(move[0] - 3))"),
    "ivan": "def (:\n",
    "jo": PLAYER.format(body="return (9, 9)"),
    "kim": PLAYER.format(body="return moves[100]"),
    "lee": None,
}
BAD = {
    "ivan": "game_agent.py: SyntaxError: invalid syntax",
    "jo": "lost 4 of 4 games by an illegal move: j10: off the 7x7 board",
    "kim": "lost 4 of 4 games by a crash: IndexError",
    "lee": "no game_agent.py and no my_custom_player.py in it",
}
QUICK = ("--pairs", "1", "--calls", "50")


def submit(folder: Path) -> Path:
    """Write the submissions of the class; some lie deeper in their folders."""
    for name, text in SUBMISSIONS.items():
        place = folder / name / ("AIND-Isolation" if name in ("carla", "gus") else "")
        place.mkdir(parents=True)
        (place / "README.md").write_text("Isolation")
        if text is not None:
            (place / "game_agent.py").write_text(text)
    return folder


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The JSON of a class that was stopped in its tournament, and resumed after its submissions were deleted."""

    def play(folder: Path) -> None:
        runs, submissions = folder / "runs", submit(folder / "spring")
        run = begin_class(
            "spring", submission_folders(str(submissions)), runs, calls=50, pairs=1, seed=1, pseudonyms=True
        )
        texts = list[str]()
        stopped = play_class(run, StopsAfter(60), workers=2, announce=texts.append)
        assert not stopped.is_finished
        assert stopped.results is not None
        assert 0 < stopped.results.games < 210
        shutil.rmtree(submissions)
        done = run_quickly("resume", "class-spring", "--runs", str(runs), "--json")
        assert done.returncode == 0, done.stderr
        (folder / "estimate").write_text("\n".join(texts))
        (folder / "output").write_text(done.stdout)

    folder = made_once(tmp_path_factory, "class", play)
    found = json.loads((folder / "output").read_text())
    return {**found, "estimate": (folder / "estimate").read_text()}


class StopsAfter(Listener):
    """Stops the tournament after a number of its games."""

    def __init__(self, games: int) -> None:
        self.games, self.played, self.label = games, 0, ""

    def begin(self, label: str, names: Any = ()) -> None:
        self.label = label

    def show(self, progress: Progress) -> None:
        if self.label.endswith("tournament"):
            self.played = progress.tally.games

    def is_stopped(self) -> bool:
        return self.played >= self.games


def rows(path: Path) -> list[dict[str, str]]:
    with path.open() as file:
        return list(csv.DictReader(file))


def test_bad_submissions_are_named_and_the_rest_plays(graded: Any) -> None:
    found = {one["folder"]: one for one in graded["submissions"]}
    assert set(found) == set(SUBMISSIONS)
    assert {name for name, one in found.items() if not one["qualified"]} == set(BAD)
    for name, why in BAD.items():
        assert found[name]["problem"].startswith(why)
        assert "win_rate" not in found[name]
    for name in set(SUBMISSIONS) - set(BAD):
        assert found[name]["games"] == 2 * (8 + 7 - 1)
    assert graded["games"] == 15 * 14
    assert len(graded["opponents"]) == 7
    assert graded["finished"]


def test_an_estimate_comes_before_the_tournament(graded: Any) -> None:
    assert "8 of 12 submissions qualified; the tournament has 210 games" in graded["estimate"]
    assert "take about" in graded["estimate"]


def test_pages_show_pseudonyms_and_only_the_teacher_s_list_has_names(graded: Any) -> None:
    folder = Path(graded["run"])
    names = {row["folder"]: row for row in rows(folder / "names.csv")}
    assert set(names) == set(SUBMISSIONS)
    pages = [*folder.glob("*.html"), *folder.glob("*.md"), *folder.glob("tables/*")]
    pages += [path for path in folder.glob("students/**/*") if path.suffix in (".html", ".json", ".md", ".csv")]
    assert len(pages) > 30
    for path in pages:
        text = path.read_text()
        assert not [name for name in SUBMISSIONS if name.istitle() and name in text], path
        assert "submissions" not in str(path.relative_to(folder))
    assert all(names[name]["name"] in (folder / "report.html").read_text() for name in SUBMISSIONS)


def test_the_leaderboard_has_places_and_intervals(graded: Any) -> None:
    found = rows(Path(graded["run"]) / "tables" / "leaderboard.csv")
    assert len(found) == 15
    assert [row["place"] for row in found].count("course") == 7
    for row in found:
        assert float(row["rate_low"]) < float(row["rate"]) < float(row["rate_high"])


def test_every_student_has_a_page_and_results_for_gradescope(graded: Any) -> None:
    for one in graded["submissions"]:
        page = Path(graded["run"]) / one["page"]
        assert one["name"] in page.read_text()
        grades = json.loads(page.with_name("results.json").read_text())
        qualified, *checks = grades["tests"]
        assert (qualified["score"], qualified["max_score"]) == (float(one["qualified"]), 1.0)
        scored = [check for check in checks if "score" in check]
        assert sum(check["score"] for check in scored) == one["checks_passed"]
        assert len(scored) == one["checks_passed"] + one["checks_failed"]
        assert {check["status"] for check in scored} <= {"passed", "failed"}
        assert ("leaderboard" in grades) == one["qualified"]
    jo = next(one for one in graded["submissions"] if one["folder"] == "jo")
    assert jo["checks_failed"] > 0


def test_a_class_without_pseudonyms_is_listed_by_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    for name in ("Anna Berg", "lee", "Émile"):
        (tmp_path / "autumn" / name).mkdir(parents=True)
        if SUBMISSIONS[name]:
            (tmp_path / "autumn" / name / "game_agent.py").write_text(str(SUBMISSIONS[name]))
    done = run_quickly("course", str(tmp_path / "autumn"), *QUICK, "--runs", str(tmp_path / "runs"))
    assert done.returncode == 0, done.stderr
    assert "class: 2 of 3 submissions qualified" in done.stderr
    assert "1 of 3 submissions did not qualify: lee." in done.stdout
    for name in ("Anna Berg", "Émile", "AB_Improved"):
        assert name in done.stdout
    table = done.stdout.partition("Leaderboard")[2].partition("place: ")[0]
    assert max(map(len, table.splitlines())) <= 60
    (folder,) = (tmp_path / "runs").iterdir()
    assert open_class(folder).roster.name == "autumn"


# Wrong input


def test_a_folder_with_its_own_agent_is_not_a_class(tmp_path: Path) -> None:
    submit(tmp_path)
    assert len(submission_folders(str(tmp_path))) == 12
    (tmp_path / "game_agent.py").write_text("")
    assert submission_folders(str(tmp_path)) == []
    assert submission_folders(str(tmp_path / "carla")) == []


def test_two_agents_in_a_submission_are_a_problem(tmp_path: Path) -> None:
    for name in ("a/one", "a/two", "b"):
        (tmp_path / "class" / name).mkdir(parents=True)
        (tmp_path / "class" / name / "game_agent.py").write_text("def (:")
    done = run_isolarium("course", str(tmp_path / "class"), "--runs", str(tmp_path / "runs"))
    assert_refused(done, "no submission can be loaded; the first: more than one agent: one/game_agent.py and two/")
    assert not list((tmp_path / "runs").iterdir())


USES = {
    "a check": (["--check", "prunes"], "--check: expected one submission, not a class"),
    "both limits": (["--calls", "5", "--ms", "5"], "--calls and --ms"),
}


@pytest.mark.parametrize("what", USES)
def test_wrong_uses_are_one_line(what: str, tmp_path: Path) -> None:
    options, named = USES[what]
    assert_refused(run_isolarium("course", str(submit(tmp_path)), *options), named)


def test_pseudonyms_are_for_classes(tmp_path: Path) -> None:
    (tmp_path / "game_agent.py").write_text(str(SUBMISSIONS["carla"]))
    assert_refused(run_isolarium("course", str(tmp_path), "--pseudonyms"), "--pseudonyms: expected a folder")


def test_a_changed_roster_is_one_line(graded: Any, tmp_path: Path) -> None:
    folder = tmp_path / "class"
    folder.mkdir()
    (folder / "class.json").write_text('{"name": "x"}')
    assert_refused(run_isolarium("resume", str(folder)), "expected the roster of a class")
