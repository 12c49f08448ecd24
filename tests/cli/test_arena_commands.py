"""Matches, tournaments, sweeps, and what can be done with their runs, from the command line."""

import csv
import json
import re
from io import StringIO
from pathlib import Path
from typing import NoReturn

import pytest

from isolarium.arena import Conditions
from isolarium.arena.plan import match_plan
from isolarium.arena.run_db import FILE_NAME, Record
from isolarium.cli.app import main
from tests.arena.playing import fill_disk
from tests.command import complaints, run_isolarium
from tests.playing import Wanderer, play_run_here

pytestmark = pytest.mark.slow

QUICK = ("--board", "5x5", "--workers", "1")
MATCH = ("match", "--no-accuracy")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one finished match."""
    folder = tmp_path_factory.mktemp("runs")
    result = run_isolarium(
        *MATCH, "random", "random", "--pairs", "20", *QUICK, "--name", "chance", "--runs", str(folder)
    )
    assert result.returncode == 0
    return folder


ANSWER = ["verdict", "score", "pairs", "run"]


def labels(printed: str) -> list[str]:
    """Return the labels of the facts below the title."""
    return [label for line in printed.splitlines()[1:] if (label := line[:13].strip())]


def test_match_prints_the_verdict_in_five_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # a long path would wrap
    asked = ("match", "greedy:open", "random", "--pairs", "10", *QUICK)
    result = run_isolarium(*asked)
    assert labels(result.stdout) == ANSWER
    assert len(result.stdout.splitlines()) == 5
    assert "\x1b" not in result.stdout + result.stderr
    whole = run_isolarium(*asked, "--details", "--no-accuracy")
    more = ["played", "significance", "first mover", "mean depth", "losses"]
    assert labels(whole.stdout) == [*ANSWER, *more]
    solved = run_isolarium("resume", "last", "--accuracy")
    assert labels(solved.stdout)[:5] == [*ANSWER, "accuracy"]


@pytest.mark.parametrize(("columns", "width"), [("", 80), ("0", 80), ("wide", 80), ("60", 60), ("140", 140)])
def test_the_width_in_a_pipe_is_80_or_columns(
    runs: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, columns: str, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert main(["resume", "chance", "--runs", str(runs), "--details"]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if str(runs) not in line]
    assert max(map(len, lines)) <= width
    assert (max(map(len, lines)) > 80) == (width > 80)


def test_the_verdict_is_printed_before_anything_is_solved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    printed: list[str] = []

    def solve(*_: object, **__: object) -> NoReturn:
        printed.extend(labels(capsys.readouterr().out))
        raise KeyboardInterrupt

    monkeypatch.setattr("isolarium.analysis.run_accuracy.run_accuracy", solve)
    asked = ["random", "random", "--pairs", "5", *QUICK, "--runs", str(tmp_path), "--details"]
    assert main(["match", *asked]) == 0
    assert printed == ANSWER
    assert "played" in labels(capsys.readouterr().out.join("\n\n"))


def test_match_json(tmp_path: Path) -> None:
    result = run_isolarium(*MATCH, "random", "random", "--pairs", "5", *QUICK, "--runs", str(tmp_path), "--json")
    found = json.loads(result.stdout)
    assert found["agents"] == ["random", "random #2"]
    assert sum(found["pairs"].values()) == 5
    assert found["finished"]


def test_match_with_a_test_prints_the_decision(tmp_path: Path) -> None:
    result = run_isolarium(
        *MATCH, "greedy:improved", "random", "--test", "0,200", *QUICK, "--runs", str(tmp_path), "--details"
    )
    assert "accepts H1" in result.stdout
    assert "corrected for early stopping" in result.stdout
    assert "the test accepts +200 over 0 Elo" in result.stdout


def test_tournament_and_gauntlet(tmp_path: Path) -> None:
    agents = ("random", "greedy:open", "greedy:improved")
    where = (*QUICK, "--pairs", "6", "--runs", str(tmp_path))
    everybody = run_isolarium("tournament", *agents, *where).stdout
    assert "round robin of 3 agents" in everybody
    assert "win rate against" in everybody
    assert "\n* the best\n" in everybody
    field = run_isolarium("tournament", *agents, "--against", "random", *where).stdout
    assert "3 agents against 1 opponent" in field
    assert "won   lost" in field


def test_tournament_json(tmp_path: Path) -> None:
    result = run_isolarium(
        "tournament", "random", "greedy:open", "--self", *QUICK, "--pairs", "3", "--runs", str(tmp_path), "--json"
    )
    found = json.loads(result.stdout)
    assert found["format"] == "round robin"
    assert [met["first"] for met in found["encounters"]] == ["random", "random", "greedy:open"]
    assert found["games"] == 18


def test_sweep(tmp_path: Path) -> None:
    where = (*QUICK, "--pairs", "3", "--runs", str(tmp_path))
    result = run_isolarium("sweep", "mcts(c={})@nodes=20", "--values", "1,2", "--against", "random", *where)
    assert result.returncode == 0
    assert "sweep of mcts(c={})@nodes=20 against random" in result.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        [*MATCH, "alphabeta:open@ms=5", "minimax:open"],
        ["tournament", "alphabeta:open", "alphabeta:improved"],
        ["sweep", "alphabeta:balanced(weight={})", "--values", "0,1", "--against", "minimax:open"],
    ],
    ids=["match", "tournament", "sweep"],
)
@pytest.mark.parametrize("limit", ["depth=1", "nodes=20"])
def test_one_limit_for_all(arguments: list[str], limit: str, tmp_path: Path) -> None:
    where = (*QUICK, "--pairs", "2", "--runs", str(tmp_path))
    assert run_isolarium(*arguments, "--limit", limit, *where).returncode == 0
    exported = json.loads(run_isolarium("export", "last", "--json", "--runs", str(tmp_path)).stdout)
    players = [*exported["plan"]["agents"], *exported["plan"]["opponents"]]
    assert {player.partition("@")[2] for player in players} == {limit}


def test_runs(runs: Path) -> None:
    heading, _, line = run_isolarium("runs", "--runs", str(runs)).stdout.splitlines()
    assert heading.split("  ")[0] == "run"
    assert re.search(r"chance  finished +40  chance: random vs random #2$", line)
    (found,) = json.loads(run_isolarium("runs", "--runs", str(runs), "--json").stdout)
    assert (found["games"], found["state"]) == (40, "finished")


def test_without_runs_the_list_says_how_to_start_one(tmp_path: Path) -> None:
    assert "Start one with isolarium match." in run_isolarium("runs", "--runs", str(tmp_path)).stdout


def test_resume_of_a_finished_run_shows_its_table(runs: Path) -> None:
    result = run_isolarium("resume", "last", "--runs", str(runs), "--details")
    assert result.returncode == 0
    assert "20 pairs" in result.stdout


def test_exports(runs: Path, tmp_path: Path) -> None:
    rows = list(csv.DictReader(StringIO(run_isolarium("export", "last", "--csv", "--runs", str(runs)).stdout)))
    assert len(rows) == 40
    file = tmp_path / "games.json"
    exported = run_isolarium("export", "last", "--json", "--runs", str(runs), "--out", str(file))
    assert exported.stdout == ""
    assert len(json.loads(file.read_text())["games"]) == 40


def test_two_runs_with_one_seed_give_the_same_bytes(tmp_path: Path) -> None:
    texts = []
    for workers in ("1", "2"):
        folder = str(tmp_path / workers)
        agents = ("alphabeta:improved@nodes=50", "greedy:open")
        run_isolarium(*MATCH, *agents, "--pairs", "30", "--workers", workers, "--runs", folder)
        exported = run_isolarium("export", "last", "--json", "--no-times", "--runs", folder)
        texts.append(exported.stdout)
    assert texts[0] == texts[1]
    assert len(json.loads(texts[0])["games"]) == 60


def test_openings_from_a_file_are_played_once_each(tmp_path: Path) -> None:
    file = tmp_path / "openings.txt"
    file.write_text("5x5: a1 c3\n5x5: b2 e5\n")
    where = (*QUICK, "--runs", str(tmp_path / "runs"))
    result = run_isolarium(*MATCH, "random", "random", "--openings", str(file), *where)
    assert "2 distinct openings" in result.stdout


def test_a_full_disk_at_the_start_prints_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fill_disk(monkeypatch)
    asked = ["match", "random", "random", "--pairs", "2", "--runs", str(tmp_path), *QUICK]
    assert main(asked) == 1
    (line,) = complaints(capsys.readouterr().err)
    assert line.startswith(f"isolarium: {tmp_path}")
    assert line.endswith("No space left on device")


def test_runs_are_listed_with_their_agents_and_without_control_characters(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = match_plan("random", "greedy:open", Conditions(pairs=2, name="\x1b[2Jmine"))
    play_run_here(tmp_path / "run", plan, [Wanderer(), Wanderer()])
    assert main(["runs", "--runs", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "mine: random vs greedy:open" in out
    assert "\x1b" not in out


def test_a_damaged_run_is_listed_in_few_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / FILE_NAME).write_bytes(b"SQLite format 3\0" + bytes(5000))
    assert main(["runs", "--runs", str(tmp_path)]) == 0
    *_, line = capsys.readouterr().out.splitlines()
    assert re.match(r"run +damaged +\w", line)
    assert str(tmp_path) not in line


def test_the_run_is_named_if_several_have_the_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = match_plan("random", "greedy:open", Conditions(pairs=1, name="mine"))
    for number in (1, 2):
        play_run_here(tmp_path / f"2026-01-0{number}-mine", plan, [Wanderer(), Wanderer()])
    chosen = "isolarium: 2 runs are named mine: using 2026-01-0"
    assert main(["export", "mine", "--text", "--runs", str(tmp_path)]) == 0
    assert complaints(capsys.readouterr().err)[0].startswith(chosen)
    assert main(["export", "2026-01-02-mine", "--text", "--runs", str(tmp_path)]) == 0
    assert chosen not in capsys.readouterr().err


def test_a_run_started_without_accuracy_is_resumed_without_it(tmp_path: Path) -> None:
    match = ("random", "random", "--pairs", "4", *QUICK, "--runs", str(tmp_path))
    assert run_isolarium(*MATCH, *match).returncode == 0
    asked = ("resume", "last", "--runs", str(tmp_path), "--json")
    assert "solved" not in run_isolarium(*asked, "--details").stdout
    assert "solved" in run_isolarium(*asked, "--accuracy").stdout


def test_a_record_without_checksums_prints_a_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = match_plan("random", "random", Conditions(pairs=1, board="5x5"))
    play_run_here(tmp_path / "run", plan, [Wanderer(), Wanderer()])
    monkeypatch.setattr(Record, "has_checksums", False)
    assert main(["export", "run", "--text", "--runs", str(tmp_path)]) == 0
    assert "no checksums" in capsys.readouterr().err


BROKEN = """
from isolarium.heuristics import heuristic, mobility


@heuristic
def mine(view, own, opp):
    if mobility(view, own) < 9:
        raise ValueError("to be written")
    return mobility(view, own)
"""


def test_a_failing_file_is_to_be_corrected_and_played_again(tmp_path: Path) -> None:
    """Resuming refuses changed files, so it cannot be the advice."""
    file, runs = tmp_path / "broken.py", tmp_path / "runs"
    file.write_text(BROKEN, encoding="utf-8")
    match = ("match", f"greedy:{file}:mine", "random", "--pairs", "50", *QUICK)
    failed = run_isolarium(*match, "--runs", str(runs))
    assert failed.returncode == 1
    assert failed.stderr.endswith(f"; correct {file} and run the command again\n")
    file.write_text(BROKEN.replace("< 9", "> 8"), encoding="utf-8")
    resumed = run_isolarium("resume", "last", "--runs", str(runs))
    assert resumed.returncode == 2
    assert resumed.stderr.endswith(", or begin a new run\n")
