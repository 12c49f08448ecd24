"""`isolarium tune`: killed and resumed, on games and on exact values, and invalid folders."""

import json
import os
import re
import shutil
import signal
from collections.abc import Iterator
from contextlib import closing
from errno import ENOSPC
from pathlib import Path

import pytest

from isolarium.arena.run_db import FILE_NAME, Record
from isolarium.arena.session import Listener
from isolarium.errors import InputError
from isolarium.reporting import chart
from isolarium.reporting.html import write_page
from isolarium.reporting.terminal import plain_text
from isolarium.reporting.tuning_report import tuning_document
from isolarium.reporting.tuning_tables import answer_words, tuning_blocks, tuning_json
from isolarium.studies import tuning_runner
from isolarium.studies.tuning_config import Objective, Tuning
from isolarium.studies.tuning_runner import (
    CONFIRMATION,
    TuningRun,
    begin_tuning,
    open_tuning,
    play_tuning,
    rows_of_round,
    untrusted_files,
)
from tests.arena.playing import exported
from tests.arena.processes import running, wait_until
from tests.command import PATIENCE_S, run_isolarium
from tests.in_process import run_here

pytestmark = pytest.mark.slow

TUNE = (
    *("tune", "greedy:aggressive(weight={0..4})", "--against", "random", "--board", "5x5"),
    *("--trials", "6", "--round", "3", "--pairs", "20", "--confirm", "20", "--workers", "1"),
)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of a tuning run that nothing disturbed; what it printed lies beside it."""
    runs = tmp_path_factory.mktemp("undisturbed")
    result = run_isolarium(*TUNE, "--runs", str(runs))
    assert result.returncode == 0, result.stderr
    folder = _folder(runs)
    (folder / "printed.txt").write_text(result.stdout, encoding="utf-8")
    yield folder
    shutil.rmtree(runs)


def _folder(runs: Path) -> Path:
    (folder,) = runs.iterdir()
    return folder


def _games(folder: Path) -> dict[str, str]:
    """By run, everything that does not differ between two equal ones."""
    parts = sorted(path.parent for path in folder.glob(f"*/{FILE_NAME}"))
    return {part.name: exported(part) for part in parts}


def test_killed_and_resumed_it_has_the_same_trials(tmp_path: Path, undisturbed: Path) -> None:
    def has_games() -> bool:
        found = list(tmp_path.glob(f"*/round-2/{FILE_NAME}"))
        if not found:
            return False
        with closing(Record(found[0].parent)) as record:
            return record.count() > 0

    with running(*TUNE, "--runs", str(tmp_path)) as run:
        wait_until(has_games, "games of the second round")
        os.killpg(run.pid, signal.SIGKILL)
        run.communicate(timeout=PATIENCE_S)
    assert play_tuning(open_tuning(_folder(tmp_path)), workers=1).finished
    assert _games(_folder(tmp_path)) == _games(undisturbed)


def test_it_prints_the_chosen_values_and_the_confirmed_interval(undisturbed: Path) -> None:
    printed = (undisturbed / "printed.txt").read_text(encoding="utf-8")
    labels = [line[:13].strip() for line in printed.splitlines()]
    for label in ("tried", "chosen", "untuned", "confirmed", "answer", "run", "report"):
        assert label in labels
    assert "6 trials of 6 in 2 rounds" in printed
    assert re.search(r"^untuned +greedy:aggressive +weight=2$", printed, re.MULTILINE)


def test_a_finished_one_is_shown_again_with_its_report(undisturbed: Path) -> None:
    shown = run_here("resume", "last", "--runs", str(undisturbed.parent), "--json")
    found = json.loads(shown.stdout)
    assert [trial["round"] for trial in found["trials"]] == [1, 1, 1, 2, 2, 2]
    assert found["chosen"] in [trial["values"] for trial in found["trials"]]
    assert found["tuned"] == f"greedy:aggressive(weight={found['chosen'][0]})"
    assert found["score"]["low"] <= found["score"]["rate"] <= found["score"]["high"]
    page = (undisturbed / "report.html").read_text(encoding="utf-8")
    assert "Response to weight" in page
    assert (undisturbed / "confirmation" / "report.html").is_file()
    rows = (undisturbed / "tables" / "trials.csv").read_text(encoding="utf-8").splitlines()
    assert len(rows) == 7


def test_its_report_is_the_last_one(undisturbed: Path) -> None:
    last = ("report", "last", "--runs", str(undisturbed.parent))
    assert run_isolarium(*last).stdout == f"{undisturbed / 'report.html'}\n"
    assert json.loads(run_isolarium(*last, "--json").stdout) == {"report": str(undisturbed / "report.html")}
    one = run_here("report", f"{undisturbed.name}/round-1", *last[2:], "--no-accuracy")
    assert one.stdout.endswith(f"{undisturbed / 'round-1' / 'report.html'}\n")


def _on_truth(agent: str, trials: int, runs: Path) -> TuningRun:
    tuning = Tuning(agent, on=Objective.TRUTH, board="5x5", trials=trials, positions=4, confirm=5)
    return begin_tuning(tuning, runs)


def test_several_parameters_on_truth_have_slices_and_importances(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chart, "VALIDATES", True)
    several = "greedy:distance(f={arctan|sigmoid}, z={0..4 by 1}, scale={1..3})"
    found = play_tuning(_on_truth(several, 6, tmp_path), workers=1)
    assert tuning_json(found)["parameters"] == ["f", "z", "scale"]
    assert found.answer is not None
    document = tuning_document(found)
    assert document.first is not None
    for label in ("arctan", "sigmoid", "f", "z", "scale"):
        assert f">{label}</text>" in document.first.svg
    page = write_page(document)
    assert "Response to each parameter" in page
    assert "Importance of each parameter" in page


class Stopping(Listener):
    def is_stopped(self) -> bool:
        return True


def test_interrupted_on_exact_values_it_can_be_resumed(tmp_path: Path) -> None:
    begun = _on_truth("greedy:distance(scale={1|-1})", 2, tmp_path)
    found = play_tuning(begun, Stopping())
    assert (found.trials, found.finished) == ((), False)
    text = plain_text(tuning_blocks(found, begun.folder))
    assert f"isolarium resume {begun.folder} continues it" in " ".join(text.split())
    assert play_tuning(open_tuning(begun.folder)).finished


def test_if_the_defaults_are_best_there_is_no_confirmation(tmp_path: Path) -> None:
    begun = _on_truth("greedy:distance(scale={1|-1})", 2, tmp_path)
    found = play_tuning(begun)
    assert found.finished
    assert answer_words(found) == "no better values than the untuned ones were found"
    assert not (begun.folder / CONFIRMATION).exists()


@pytest.mark.parametrize(
    "settings",
    [
        "",
        "[]",
        '{"agent": 3}',
        '{"agent": 3, "on": "games"}',
        '{"agent": "greedy:aggressive(weight={0..4})", "on": "games", "round": 0}',
        '{"agent": "greedy:aggressive(weight={0..4})", "on": "games", "gain": NaN}',
    ],
)
def test_invalid_settings_are_reported_in_one_line(settings: str, tmp_path: Path) -> None:
    (tmp_path / "tuning.json").write_text(settings, encoding="utf-8")
    with pytest.raises(InputError, match=r"^[^\n]*tuning\.json: [^\n]*expected[^\n]*$"):
        open_tuning(tmp_path)


@pytest.mark.parametrize(
    "settings",
    [
        *(b"", b'{"agent": "x"', b"\xff", b"[" * 200_000, b'{"seed": %s}' % (b"9" * 5000)),
        *(b'{"name": "\\ud800"}', b" " * (1 << 21)),
    ],
)
def test_damaged_settings_are_reported_in_one_line(settings: bytes, tmp_path: Path) -> None:
    (tmp_path / "tuning.json").write_bytes(settings)
    for look in (open_tuning, untrusted_files):
        with pytest.raises(InputError, match=r"^[^\n]*tuning\.json: [^\n]*expected[^\n]*$"):
            look(tmp_path)


def test_a_run_is_created_completely_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tuning = Tuning("greedy:aggressive(weight={0..4})", trials=2, round=2, pairs=2, confirm=2)
    begun = begin_tuning(tuning, tmp_path)
    assert sorted(path.name for path in begun.folder.iterdir()) == ["signature", "tuning.json"]
    assert open_tuning(begun.folder) == begun

    def full(handle: int) -> None:
        raise OSError(ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        begin_tuning(tuning, tmp_path / "full")
    assert not list((tmp_path / "full").glob("*/tuning.json"))


def test_rounds_of_another_tuning_run_are_refused(tmp_path: Path, undisturbed: Path) -> None:
    folder = shutil.copytree(undisturbed, tmp_path / "copy")
    path = folder / "tuning.json"
    path.write_text(path.read_text("utf-8").replace('"seed": 1', '"seed": 2'), encoding="utf-8")
    with pytest.raises(InputError, match="games of another tuning run"):
        play_tuning(open_tuning(folder))


def test_without_optuna_it_says_how_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tuning = Tuning("greedy:aggressive(weight={0..4})")
    monkeypatch.setattr(tuning_runner, "OPTUNA", "no_such_module")
    with pytest.raises(InputError, match=r"pip install '\.\[tune\]'"):
        begin_tuning(tuning, tmp_path)
    assert not list(tmp_path.iterdir())
    with pytest.raises(InputError, match=r"pip install '\.\[tune\]'"):
        rows_of_round(tuning, 2, [])  # of a run that was begun where it is
