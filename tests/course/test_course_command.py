"""`isolarium course`, from a folder with an agent to the report that is handed in."""

import html
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from isolarium.course.course_study import course_study
from isolarium.game.notation import parse_position
from isolarium.game.svg import draw_svg
from isolarium.studies.study_file import parse_study
from isolarium.studies.study_runner import begin_study, find_study_run, open_study
from tests.command import PATIENCE_S, assert_refused, run_isolarium
from tests.course.few_positions import run_quickly
from tests.course.flawed import flawed
from tests.course.student_files import AGENTS
from tests.shared_folders import made_once

pytestmark = pytest.mark.slow

QUICK = ("--pairs", "1", "--calls", "20")


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """What the command prints for the sample agents of generation 2, and the folder of the run."""

    def play(folder: Path) -> None:
        runs = ("--runs", str(folder / "runs"))
        done = run_quickly("course", str(AGENTS / "generation_2"), *QUICK, *runs)
        assert done.returncode == 0, done.stderr
        (folder / "output").write_text(done.stdout)

    folder = made_once(tmp_path_factory, "good-course", play)
    return (folder / "output").read_text(), next((folder / "runs").iterdir())


def test_every_agent_meets_every_opponent_of_the_course(good: tuple[str, Path]) -> None:
    output, _ = good
    for agent in ("MM_Custom", "MM_Custom_2", "MM_Custom_3", "AB_Custom", "AB_Custom_3"):
        assert agent in output
    for opponent in ("Random", "MM_Open", "MM_Center", "MM_Improved", "AB_Open", "AB_Improved"):
        assert opponent in output
    assert output.count("56 games") == 2


def test_the_file_s_own_agents_with_the_course_s_score_are_the_baseline(good: tuple[str, Path]) -> None:
    output, run = good
    assert "1 distinct opening cannot show whether any of your three heuristics" in output
    assert "vs your" in output
    study = open_study(run).study
    assert [part.baseline for part in study.parts] == ["your AB_Improved", "your MM_Improved"]
    baseline = "AlphaBetaPlayer(score_fn=sample_players.improved_score)"
    assert study.agents["your AB_Improved"].endswith(baseline)


def test_the_table_of_effort_and_early_losses_has_every_agent(good: tuple[str, Path]) -> None:
    output, _ = good
    head, _, rest = output.partition("Effort, time losses and forfeits\n")[2].partition("agent ")
    assert "games lost early" in head
    assert rest.splitlines()[0].split()[:4] == ["games", "early", "a", "move"]
    assert re.search(r"^AB_Custom_2 +14 +0 ", rest, re.MULTILINE)


def test_good_agents_pass_every_check(good: tuple[str, Path]) -> None:
    assert "All 18 checks passed." in good[0]


def test_the_scores_are_compared_with_exact_values_beside_the_course_s(good: tuple[str, Path]) -> None:
    table = good[0].partition("The scores on solved positions")[2]
    first_words = {line.split()[0] for line in table.splitlines() if line.split()}
    assert {"custom_score", "custom_score_2", "custom_score_3", "improved"} <= first_words


def test_one_page_has_every_section(good: tuple[str, Path]) -> None:
    page = (good[1] / "report.html").read_text()
    for title in ("The course&#x27;s tournament", ">Checks<", "on solved positions"):
        assert title in page
    assert "calls=20" in page


@pytest.fixture(scope="module")
def bad(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The JSON for agents with two flaws, one of which loses games early."""

    def play(folder: Path) -> None:
        path = flawed(
            folder / "project",
            ("(row - (game.height - 1) / 2)", "(row - game.height / 2)"),
            ("return self.minimax(game, self.search_depth)", "return (0, 0)"),
        )
        done = run_quickly("course", path, *QUICK, "--runs", str(folder / "runs"), "--json")
        assert done.returncode == 0, done.stderr
        (folder / "output").write_text(done.stdout)

    return json.loads((made_once(tmp_path_factory, "bad-course", play) / "output").read_text())


def test_early_losses_have_their_position(bad: Any) -> None:
    _, early = bad["early_losses"]  # the first is the baseline of the same class
    assert {one["agent"] for one in bad["early_losses"]} == {"MM_Custom", "your MM_Improved"}
    assert (early["agent"], early["reason"]) == ("MM_Custom", "illegal move")
    assert run_isolarium("analyze", early["position"], "--agent", "random").returncode == 0


def test_failed_checks_have_their_positions(bad: Any) -> None:
    (found,) = bad["lessons"].values()
    wrong = {(one["topic"], one["whose"]): one for one in found["lessons"] if one["wrong"]}
    assert set(wrong) == {("mirror", "custom_score"), ("win", "MinimaxPlayer"), ("play on", "MinimaxPlayer")}
    mirror = wrong["mirror", "custom_score"]
    assert mirror["tried"] == 40
    assert run_isolarium("analyze", mirror["examples"][0]["position"]).returncode == 0


def test_the_page_warns_of_failed_checks(bad: Any) -> None:
    page = Path(bad["report"]).read_text()
    assert "3 of 12 checks failed: symmetric, wins at once and plays on." in page
    assert "MM_Custom lost 14 of 14 games by an illegal move." in page


def test_the_tournament_s_page_has_the_course_s_names(bad: Any) -> None:
    folder = Path(bad["report"]).parent
    for part, name in (("tournament", "AB_Custom"), ("tournament-2", "MM_Custom")):
        page = (folder / part / "report.html").read_text()
        assert name in page
        assert "AB_Improved" in page


def test_the_page_shows_the_board_of_every_failed_check_and_early_loss(bad: Any) -> None:
    page = Path(bad["report"]).read_text()
    (found,) = bad["lessons"].values()
    shown = [one["position"] for lesson in found["lessons"] for one in lesson["examples"]]
    boards = [draw_svg(parse_position(position)) for position in shown]
    assert all(f"{board}\n<figcaption>" in page for board in boards)
    assert page.count("<code>isolarium course ") == 3
    commands = page.count("<code>isolarium analyze &#x27;")
    assert commands == len(boards) + len(bad["early_losses"]) > 3


def test_a_failed_check_has_a_command_that_repeats_its_number(bad: Any) -> None:
    page = html.unescape((Path(bad["report"])).read_text())
    (command,) = re.findall("<code>(isolarium course .*symmetric.*)</code>", page)
    done = run_isolarium(*shlex.split(command)[1:], COLUMNS="60")
    assert "symmetric  37 of 40 failed  custom_score" in done.stdout
    lines = [line for line in done.stdout.splitlines() if not line.startswith("  isolarium ")]
    assert max(map(len, lines)) <= 60


def test_failed_checks_come_first(bad: Any) -> None:
    rows = (Path(bad["report"]).parent / "tables" / "lessons.csv").read_text().splitlines()
    failed = ["failed" in row for row in rows[1:]]
    assert any(failed)
    assert failed == sorted(failed, reverse=True)


@pytest.fixture(scope="module")
def later(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The JSON of `isolarium resume` for a run of the later project that was only begun."""

    def play(folder: Path) -> None:
        path = str(AGENTS / "later" / "my_custom_player.py")
        begin_study(course_study(path, calls=50, ms=None, pairs=1, seed=1), folder / "runs")
        where = ("--runs", str(folder / "runs"))
        done = run_quickly("resume", "course-my_custom_player", *where, "--json")
        assert done.returncode == 0, done.stderr
        (folder / "output").write_text(done.stdout)

    return json.loads((made_once(tmp_path_factory, "later-course", play) / "output").read_text())


def test_the_later_project_is_played_on_its_own_board(later: Any) -> None:
    (part,) = later["parts"]
    assert part["settings"].startswith("9x11 · calls=50")
    assert list(part["agents"]) == ["CustomPlayer", "Isolarium's AB_Improved"]
    assert later["answer"].startswith("1 distinct opening cannot show whether CustomPlayer is ")


def test_a_run_that_was_killed_resumes_to_the_report(later: Any) -> None:
    assert later["finished"]
    (found,) = later["lessons"].values()
    assert [one["wrong"] for one in found["lessons"]] == [0, 0]
    assert Path(later["report"]).is_file()


def test_a_run_resumes_from_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    elsewhere.mkdir()
    shutil.copytree(AGENTS / "later", project)
    monkeypatch.chdir(project)
    study = course_study("my_custom_player.py", calls=20, ms=None, pairs=1, seed=1)
    begin_study(study, Path("runs"))
    monkeypatch.chdir(elsewhere)
    for name in ("course-my_custom_player", "last"):  # to play it, and to show it again
        done = run_quickly("resume", name, "--runs", "../project/runs", "--json")
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout)
        assert found["finished"]
        assert Path(found["report"]).is_file()


def test_last_is_the_study_and_not_only_its_part(later: Any) -> None:
    folder = Path(later["run"])
    assert find_study_run("last", folder.parent) == folder


def test_by_the_clock_there_is_a_limit_in_milliseconds() -> None:
    path = str(AGENTS / "generation_2" / "game_agent.py")
    study = course_study(path, calls=None, ms=150, pairs=5, seed=1)
    plan = study.plan(study.parts[0])
    assert plan.is_timed
    assert all(agent.endswith("@ms=150") for agent in plan.agents)
    assert plan.opponents[-1] == "alphabeta:improved@nodes=8000"


def test_its_text_is_read_as_the_same_study() -> None:
    path = str(AGENTS / "generation_2" / "game_agent.py")
    study = course_study(path, calls=50, ms=None, pairs=3, seed=7)
    assert parse_study(study.text, study.name, Path(), "study.toml") == study
    assert study.is_graded
    assert "That is less than the 8,000 nodes of the opponents' alpha-beta." in study.about


CRASHES = """
def custom_score(game, player):
    return 1 / 0

def custom_score_2(game, player):
    return 0.0

class AlphaBetaPlayer:
    def __init__(self, search_depth=3, score_fn=custom_score, timeout=10.0):
        self.score = score_fn

    def get_move(self, game, time_left):
        raise KeyError("data")
"""


def test_a_page_is_written_if_all_agents_crash(tmp_path: Path) -> None:
    file, runs = tmp_path / "game_agent.py", tmp_path / "runs"
    file.write_text(CRASHES)
    done = run_quickly("course", str(file), *QUICK, "--runs", str(runs))
    assert done.returncode == 1
    assert "failed in 10 games in a row: KeyError: 'data'" in done.stderr
    (page,) = runs.glob("*/report.html")
    text = page.read_text()
    assert "The tournament ended early: " in text
    assert "AlphaBetaPlayer cannot play (KeyError: &#x27;data&#x27;" in text
    assert "Not measured: custom_score fails in " in text
    assert "ZeroDivisionError" in text
    assert ">Checks<" in text


# Wrong input


def refused(tmp_path: Path, text: str | None, named: str, *options: str) -> None:
    path = tmp_path / "game_agent.py"
    if text is not None:
        path.write_text(text)
    runs = tmp_path / "runs"
    assert_refused(run_isolarium("course", str(path), "--runs", str(runs), *options), named)
    assert not runs.exists()


WRONG = {
    "no file": (None, "no such file; expected a Python file"),
    "no classes": ("x = 1", "no class with get_move; expected MinimaxPlayer"),
    "no classes of the later project": (
        "from isolation import Isolation",
        "no class with get_action; expected CustomPlayer",
    ),
    "no Python": ("def", "SyntaxError"),
    "a crash": ("1 / 0", "ZeroDivisionError: division by zero (game_agent.py, line 1)"),
    "an exit": ("raise SystemExit('bye')", "SystemExit: bye"),
    "a module that is not there": ("import no_such_module", "no_such_module"),
    "a class that cannot be made": (
        "class CustomPlayer:\n    def __init__(self, needed): pass\n    def get_move(self, g, t): pass",
        "CustomPlayer: TypeError",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_cannot_be_played_is_one_line(what: str, tmp_path: Path) -> None:
    refused(tmp_path, *WRONG[what])


def test_a_folder_without_an_agent_is_one_line(tmp_path: Path) -> None:
    message = "no game_agent.py and no my_custom_player.py in it"
    assert_refused(run_isolarium("course", str(tmp_path)), message)


USES = {
    "an unknown check": (["x.py", "--check", "prune"], "no check named 'prune' (did you mean 'prunes'?)"),
    "nothing": ([], "expected the path of a game_agent.py, or --shim FOLDER"),
    "both limits": (["x.py", "--calls", "5", "--ms", "5"], "--calls and --ms"),
    "force alone": (["x.py", "--force"], "--force: needs --shim FOLDER"),
    "shim and a path": (["x.py", "--shim", "folder"], "--shim and x.py"),
}


@pytest.mark.parametrize("what", USES)
def test_wrong_uses_are_one_line(what: str) -> None:
    arguments, named = USES[what]
    assert_refused(run_isolarium("course", *arguments), named)


# The modules for a course's own scripts


SCRIPT = """
import isolation, sample_players
from game_agent import AlphaBetaPlayer
winner, _, reason = isolation.Board(AlphaBetaPlayer(), sample_players.RandomPlayer()).play(time_limit=100000)
print(isolation.__doc__.partition(":")[0], "/", reason)
"""


def test_a_project_s_own_scripts_run_on_the_modules_with_no_edit(tmp_path: Path) -> None:
    project, modules = tmp_path / "project", tmp_path / "modules"
    shutil.copytree(AGENTS / "generation_2", project)
    (project / "isolation").mkdir()
    (project / "isolation" / "__init__.py").write_text("raise ImportError('the course\\'s own')")
    (project / "tournament.py").write_text(SCRIPT.replace("AlphaBetaPlayer()", "AlphaBetaPlayer(timeout=99990)"))
    written = run_isolarium("course", "--shim", str(modules)).stdout
    assert str(modules / "isolation" / "isolation.py") in written
    command = written.splitlines()[-1].split()
    assert command[-2:] == ["python", "tournament.py"]
    settings = dict(setting.split("=", 1) for setting in command[:-2])
    done = subprocess.run(
        [sys.executable, "tournament.py"],
        cwd=project,
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert (done.stderr, done.stdout.split(" / ")[1]) == ("", "illegal move\n")


def test_the_later_modules_can_be_written_too(tmp_path: Path) -> None:
    run_isolarium("course", "--shim", str(tmp_path), "--later")
    assert "fork_get_action" in (tmp_path / "isolation" / "__init__.py").read_text()


def test_a_student_s_own_modules_are_kept_unless_forced(tmp_path: Path) -> None:
    theirs = tmp_path / "sample_players.py"
    theirs.write_text("mine")
    assert_refused(run_isolarium("course", "--shim", str(tmp_path)), "not Isolarium's; use --force")
    assert theirs.read_text() == "mine"
    assert run_isolarium("course", "--shim", str(tmp_path), "--force").returncode == 0
    assert theirs.read_text() != "mine"
