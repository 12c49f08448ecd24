"""The files of labelled positions: reproducible bytes, and invalid files are refused."""

import json
import os
import re
import signal
import zipfile
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isolarium
from isolarium.analysis.label_pipeline import make_labels, make_plan
from isolarium.analysis.label_store import BoardJournal, read_labels
from isolarium.analysis.labeller import ROW, LabelledGame, Reach
from isolarium.errors import InputError
from isolarium.game.board import Board
from tests.analysis.label_sets import QUICK, made, plan_of
from tests.arena.processes import running, wait_until
from tests.command import PATIENCE_S, run_isolarium

pytestmark = pytest.mark.slow

MADE = ("4x5.npz", "5x5.npz", "labels.json")
PLAN = plan_of("4x5,5x5", 60, Reach(outcomes=True))
COMMAND = (
    *("label", "--boards", "4x5,5x5", "--games", "60", "--outcomes"),
    *(word for agent in QUICK for word in ("--agent", agent)),
)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("labels") / "undisturbed"
    made(folder, PLAN)
    return folder


def bytes_in(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in MADE}


def test_killed_and_resumed_with_other_workers_it_writes_the_same_bytes(undisturbed: Path, tmp_path: Path) -> None:
    folder = tmp_path / "killed"
    record = folder / "5x5.games"
    with running(*COMMAND, "--out", str(folder), "--workers", "2") as run:
        wait_until(lambda: record.is_file() and record.stat().st_size > 0, "a game")
        os.kill(run.pid, signal.SIGKILL)
        run.wait(PATIENCE_S)
    shown = run_isolarium(*COMMAND, "--out", str(folder), "--workers", "1")
    assert shown.returncode == 0
    assert bytes_in(folder) == bytes_in(undisturbed)


def test_what_was_not_written_to_its_end_or_has_changed_is_labelled_again(undisturbed: Path, tmp_path: Path) -> None:
    made(tmp_path, PLAN)
    record = tmp_path / "4x5.games"
    whole = record.read_bytes()
    changed = bytearray(whole)
    changed[len(whole) // 2] ^= 4
    for left in (whole[:-1], whole[: len(whole) // 3], b"", bytes(changed), whole + b"game", b"no"):
        record.write_bytes(left)
        (tmp_path / "4x5.npz").unlink()
        made(tmp_path, PLAN)
        assert bytes_in(tmp_path) == bytes_in(undisturbed)
        assert record.read_bytes() == whole


def test_more_games_are_added_to_those_there_are(undisturbed: Path, tmp_path: Path) -> None:
    made(tmp_path, plan_of("4x5,5x5", 25, Reach(outcomes=True)))
    first = (tmp_path / "5x5.games").read_bytes()
    made(tmp_path, PLAN)
    assert (tmp_path / "5x5.games").read_bytes().startswith(first)
    assert bytes_in(tmp_path) == bytes_in(undisturbed)


def test_stopped_it_says_so_and_is_refused_until_it_is_finished(undisturbed: Path, tmp_path: Path) -> None:
    asked = iter([False] * 20 + [True])
    assert make_labels(PLAN, tmp_path, 1, stop=lambda: next(asked)) is None
    with pytest.raises(InputError, match="not finished"):
        read_labels(tmp_path)
    made(tmp_path, PLAN)
    assert bytes_in(tmp_path) == bytes_in(undisturbed)


def test_the_facts_say_what_is_in_the_files(undisturbed: Path) -> None:
    facts = json.loads((undisturbed / "labels.json").read_text())
    assert facts["command"].startswith("isolarium label --boards 4x5,5x5 --games 60 --seed 1 --agent")
    assert facts["agents"] == list(QUICK)
    for labels in read_labels(undisturbed):
        entry = facts["labels"][str(labels.board)]
        data = (undisturbed / entry["file"]).read_bytes()
        assert entry["sha256"] == sha256(data).hexdigest()
        assert entry["positions"] == len(labels) == sum(entry["splits"].values())
        assert len(labels) == sum(entry["blanks"].values())
        with np.load(BytesIO(data), allow_pickle=False) as stored:
            assert all(np.array_equal(stored[name], labels[name]) for name in stored.files)
        decisive = (labels["wins"] != 0) & (labels["wins"] != labels["legal"])
        assert entry["decisive"] == decisive.sum()
        shares = [
            int(wins).bit_count() / int(legal).bit_count()
            for wins, legal in zip(labels["wins"][decisive], labels["legal"][decisive], strict=True)
        ]
        assert entry["chance"] == pytest.approx(sum(shares) / len(shares), abs=1e-4)


def test_of_equal_positions_the_first_exact_one_is_kept(tmp_path: Path) -> None:
    rows = np.zeros(6, dtype=ROW)
    rows["mover"] = [1, 1, 2, 1, 2, 3]
    rows["exact"] = [False, True, True, True, True, False]
    rows["game"] = range(6)
    with closing(BoardJournal(tmp_path / "4x4.games")) as record:
        for row in rows:
            record.add(LabelledGame(np.array([row], dtype=ROW), 0))
        assert record.rows()["game"].tolist() == [1, 2, 5]


@pytest.mark.parametrize(
    ("plan", "named"),
    [
        (plan_of("4x5,5x5", 60), "made by"),
        (plan_of("4x5,5x5", 60, Reach(outcomes=True), seed=2), "made by"),
        (plan_of("4x5", 60, Reach(outcomes=True)), "made by"),
        (plan_of("4x5,5x5", 59, Reach(outcomes=True)), "60 games"),
    ],
)
def test_another_plan_is_refused_and_changes_nothing(plan: Any, named: str, undisturbed: Path) -> None:
    before = bytes_in(undisturbed)
    with pytest.raises(InputError, match=named):
        make_labels(plan, undisturbed, 1)
    assert bytes_in(undisturbed) == before


@pytest.mark.parametrize(
    ("agent", "most_nodes", "message"),
    [
        ("champion(threads=2)@nodes=500", 1000, "games with several threads are not reproducible; use one"),
        ("champion@ms=3", 1000, "timed games are not reproducible"),
        ("random", 10**9 + 1, "most_nodes=1000000001: expected from 1 to 1,000,000,000"),
    ],
)
def test_irreproducible_or_endless_plans_are_refused(agent: str, most_nodes: int, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        make_plan([Board(5, 5)], 1, 1, [agent], Reach(most_nodes))


def test_labels_are_read_by_board(undisturbed: Path) -> None:
    labels = isolarium.read_labels(undisturbed)
    assert list(labels) == list(labels.boards) == ["4x5", "5x5"]
    assert len(labels) == 2
    assert "5x5" in labels
    assert "6x6" not in labels


# Invalid files


Arrays = dict[str, Any]


def _with(name: str, value: object, row: int = 0) -> Callable[[Arrays], None]:
    def change(arrays: Arrays) -> None:
        arrays[name] = arrays[name].copy()
        arrays[name][row] = value

    return change


def _in_place_of(name: str, make: Callable[[Any], Any]) -> Callable[[Arrays], None]:
    def change(arrays: Arrays) -> None:
        arrays[name] = make(arrays[name])

    return change


def _twice(arrays: Arrays) -> None:
    for name, array in arrays.items():
        arrays[name] = np.concatenate([array, array[:1]])


WRONG: dict[str, tuple[Callable[[Arrays], Any], str]] = {
    "another kind": (_in_place_of("wins", lambda one: one.astype(np.int16)), "wins: int16"),
    "words for objects": (_in_place_of("wins", lambda one: one.astype(object)), "object"),
    "another shape": (_in_place_of("plies", lambda one: one[:, :7]), "plies"),
    "one dimension more": (_in_place_of("mover", lambda one: one[:, None]), "mover"),
    "no dimension": (_in_place_of("mover", lambda one: one[0]), "mover"),
    "columns first": (_in_place_of("plies", np.asfortranarray), "plies"),
    "another length": (_in_place_of("ply", lambda one: one[1:]), "lengths"),
    "none missing": (lambda arrays: arrays.pop("split"), "each once"),
    "none more": (lambda arrays: arrays.update(more=arrays["wins"]), "each once"),
    "a blank off the board": (_with("blank", [1 << 60, 0, 0]), "on the board"),
    "a player off the board": (_with("other", 200), "on the board"),
    "one square for both": (_with("other", 0), "two players"),
    "a player on a blank": (_with("blank", [(1 << 20) - 1, 0, 0]), "not blank"),
    "another ply": (_with("ply", 19), "ply"),
    "moves that are not legal": (_with("legal", 255), "legal"),
    "wins that are not legal": (_with("wins", 255), "winning"),
    "plies of no move": (_with("plies", [255] * 8), "plies"),
    "an outcome of what is exact": (_with("outcome", 1, -1), "outcome"),
    "neither true nor false": (_in_place_of("exact", lambda one: (one.view(np.uint8) * 2).view(bool)), "exact"),
    "a game that was not played": (_with("game", 60), "game"),
    "another split": (_in_place_of("split", lambda one: (one + 1) % 3), "split"),
    "a position twice": (_twice, "twice"),
}


@pytest.mark.parametrize(("change", "named"), WRONG.values(), ids=WRONG.keys())
def test_invalid_arrays_are_named(
    change: Callable[[Arrays], Any], named: str, undisturbed: Path, tmp_path: Path
) -> None:
    with np.load(undisturbed / "4x5.npz") as stored:
        arrays = dict(stored)
    change(arrays)
    data = BytesIO()
    np.savez(data, **arrays)
    _put(tmp_path, undisturbed, data.getvalue())
    with pytest.raises(InputError) as caught:
        read_labels(tmp_path)
    assert str(caught.value).startswith(f"{tmp_path / '4x5.npz'}: ")
    assert named in str(caught.value)


def test_a_journal_with_impossible_rows_is_refused(tmp_path: Path) -> None:
    plan = plan_of("4x4", 2)
    made(tmp_path, plan)
    (tmp_path / "4x4.npz").unlink()
    (tmp_path / "4x4.games").unlink()
    with closing(BoardJournal(tmp_path / "4x4.games")) as record:
        for _ in range(2):
            record.add(LabelledGame(np.zeros(1, dtype=ROW), 0))
    with pytest.raises(InputError, match=r"4x4\.games: position 0: expected two players"):
        make_labels(plan, tmp_path, 1)


def _put(folder: Path, source: Path, data: bytes) -> None:
    """Write a folder whose file of 4x5 has this content."""
    facts = json.loads((source / "labels.json").read_text())
    facts["labels"]["4x5"]["sha256"] = sha256(data).hexdigest()
    (folder / "labels.json").write_text(json.dumps(facts))
    (folder / "4x5.npz").write_bytes(data)


def _compressed(source: bytes) -> bytes:
    data = BytesIO()
    with zipfile.ZipFile(BytesIO(source)) as given, zipfile.ZipFile(data, "w") as written:
        for name in given.namelist():
            written.writestr(name, given.read(name), zipfile.ZIP_DEFLATED)
    return data.getvalue()


@pytest.mark.parametrize(
    "change",
    [
        lambda data: b"",
        lambda data: b"no archive",
        lambda data: data[: len(data) // 2],
        lambda data: data.replace(b"'shape': (", b"'shape': 1(", 1),
        lambda data: data.replace(b"NUMPY", b"numpy"),
        _compressed,
    ],
)
def test_damaged_files_are_refused(change: Callable[[bytes], bytes], undisturbed: Path, tmp_path: Path) -> None:
    _put(tmp_path, undisturbed, change((undisturbed / "4x5.npz").read_bytes()))
    with pytest.raises(InputError, match=r"4x5\.npz: "):
        read_labels(tmp_path)


def test_a_file_that_has_changed_is_refused(undisturbed: Path, tmp_path: Path) -> None:
    data = (undisturbed / "4x5.npz").read_bytes()
    _put(tmp_path, undisturbed, data)
    (tmp_path / "4x5.npz").write_bytes(data[:-1] + b"\1")
    with pytest.raises(InputError, match="sha256"):
        read_labels(tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"format": 2}',
        '{"format": 1, "labels": 3}',
        '{"format": 1, "command": "", "games": 1, "seed": 1, "versions": {}, "labels": {"4x5": 1}}',
    ],
)
def test_invalid_facts_are_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "labels.json").write_text(text)
    with pytest.raises(InputError, match=r"labels\.json"):
        read_labels(tmp_path)
