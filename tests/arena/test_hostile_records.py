"""Results databases from untrusted sources: what is read is intact and valid, or one line names the file."""

import json
import sqlite3
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from copy import deepcopy
from dataclasses import replace
from io import StringIO
from pathlib import Path
from shutil import copytree
from typing import Any

import numpy as np
import pytest

from isolarium.arena import Conditions, checksummed_db, sqlite_file
from isolarium.arena.batch_codec import DIGEST_BYTES, HEADER, digest, from_bytes, to_bytes
from isolarium.arena.checksummed_db import checksum_of, open_db
from isolarium.arena.column_tables import block_row
from isolarium.arena.export import WRITERS
from isolarium.arena.lines import Lines
from isolarium.arena.plan import match_plan
from isolarium.arena.results import read_results
from isolarium.arena.run_db import FILE_NAME, LAYOUTS, Record
from isolarium.arena.run_store import find_run, list_runs
from isolarium.arena.sqlite_file import LOCK_NAME
from isolarium.errors import InputError
from isolarium.game.board import parse_board
from isolarium.game.position import Player
from tests.playing import Wanderer, made_up_row, play_run_here

PLAN = match_plan("random", "greedy:open", Conditions(pairs=6, board="5x5", name="a run"))


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return play_run_here(tmp_path_factory.mktemp("runs") / "run", PLAN, [Wanderer(), Wanderer()])


@pytest.fixture
def run(written: Path, tmp_path: Path) -> Path:
    return Path(copytree(written, tmp_path / "runs" / "run"))


def alter(run: Path, *statements: str) -> None:
    with closing(sqlite3.connect(run / FILE_NAME)) as base, base:
        for statement in statements:
            base.execute(statement)


def everything(run: Path) -> str:
    """All that a record says."""
    text = StringIO()
    with closing(Record(run)) as record:
        for write in WRITERS.values():
            write(record, text, True)
        text.write(repr(read_results(record).encounters))
        text.write(repr((record.fact("started"), record.is_finished, record.count())))
    return text.getvalue()


# Tables must be tables


@pytest.mark.parametrize(
    "statements",
    [
        ("ALTER TABLE facts RENAME TO others", "CREATE VIEW facts AS SELECT * FROM others"),
        ("DROP TABLE games",),
        ("CREATE TABLE more (name TEXT)",),
        ("CREATE INDEX more ON games (games)",),
        ("CREATE TRIGGER more AFTER INSERT ON games BEGIN DELETE FROM facts; END",),
        ("ALTER TABLE games ADD COLUMN more INTEGER AS (games + 1)",),
        ("ALTER TABLE games ADD COLUMN more TEXT",),
        ("CREATE VIRTUAL TABLE more USING fts5(name)",),
    ],
)
@pytest.mark.parametrize("writes", [False, True])
def test_a_schema_that_is_not_ours_is_refused(run: Path, statements: tuple[str, ...], writes: bool) -> None:
    alter(run, *statements)
    with pytest.raises(InputError, match=r"run\.sqlite: its tables are not those of a run"):
        Record(run, writes=writes)


def test_a_journal_that_could_name_any_file_is_refused(run: Path) -> None:
    (run / f"{FILE_NAME}-journal").write_bytes(b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7")
    with pytest.raises(InputError, match="Isolarium never creates this file"):
        Record(run)


@pytest.mark.parametrize("content", [b"not a database" * 100, b"SQLite format 3\0" + bytes(84)])
def test_a_lock_with_something_in_it_is_refused(run: Path, content: bytes) -> None:
    (run / LOCK_NAME).write_bytes(content)
    assert [facts.state for facts in list_runs(run.parent)] == ["finished"]
    with pytest.raises(InputError, match="which is an empty file"):
        Record(run, writes=True)


def test_reading_has_a_deadline(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checksummed_db, "STEPS", 1)
    with closing(Record(run)) as record:
        monkeypatch.setattr(sqlite_file, "READ_S", -1.0)
        with pytest.raises(InputError, match="not read after"):
            list(record.games())


def test_a_value_may_not_be_of_any_length(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alter(run, "UPDATE facts SET value = zeroblob(1000000) WHERE name = 'finished'")
    monkeypatch.setattr(sqlite_file, "LONGEST", 100_000)
    with pytest.raises(InputError, match="too big"):
        Record(run)


# Values must be what a run could have written


def put(run: Path, table: str, change: Callable[[list[Any]], None], number: int = 0) -> None:
    """Change a row, and seal it as if it had been so from the beginning."""
    base = open_db(run / FILE_NAME, LAYOUTS, writes=True)
    with closing(base):
        rows = [list(row) for row in base.all_rows(table)]
        change(rows[number])
        with base.changes():
            base.remove(table, "1", [])
            base.add(table, [tuple(row) for row in rows])


def batched(**fields: Callable[[Any], Any]) -> Callable[[list[Any]], None]:
    """Change columns of the games in a row."""

    def change(row: list[Any]) -> None:
        board, openings = parse_board(PLAN.board), PLAN.draw_openings()

        def fill(_: Any, pairs: Any, legs: Any) -> Any:
            lines = [[board.index(square) for square in openings[pair].moves] for pair in pairs]
            return np.array([[0, 1], [1, 0]], dtype=np.int32)[legs], Lines.of(lines)

        batch = from_bytes(row[2], board, fill)
        new = {name: value(deepcopy(getattr(batch, name))) for name, value in fields.items()}
        row[2] = to_bytes(replace(batch, **new))

    return change


def at(place: int, value: Any) -> Callable[[Any], Any]:
    """Change one value of a column."""

    def change(column: Any) -> Any:
        column[place] = value
        return column

    return change


def square(place: int, value: int) -> Callable[[Any], Any]:
    """Change one square of the lines of a batch."""

    def change(lines: Lines) -> Lines:
        squares = lines.squares.copy()
        squares[place] = value
        return Lines(squares, lines.starts)

    return change


def opened(*lines: tuple[int, ...], alike: int = 0) -> Callable[[list[Any]], None]:
    """Change the first openings."""

    def change(row: list[Any]) -> None:
        board, openings = parse_board(PLAN.board), PLAN.draw_openings()
        sound = [[board.index(square) for square in opening.moves] for opening in openings]
        clusters = np.array([alike, *range(1, len(sound))], dtype=np.int64)
        row[2] = block_row(0, (Lines.of([*lines, *sound[len(lines) :]]), clusters))[2]

    return change


def rewritten(text: bytes, by: bytes) -> Callable[[list[Any]], None]:
    """Change a text in the games of a row."""

    def change(row: list[Any]) -> None:
        size, body = HEADER.size, zlib.decompress(row[2][HEADER.size : -DIGEST_BYTES])
        head = list(HEADER.unpack(row[2][:size]))
        stored = zlib.compress(body.replace(text, by))
        head[-2] = len(stored)
        content = HEADER.pack(*head) + stored
        row[2] = content + digest(content)

    return change


def planned(**fields: Any) -> Callable[[list[Any]], None]:
    def change(row: list[Any]) -> None:
        row[1] = json.dumps({**json.loads(row[1]), **fields})

    return change


def valued(column: int, value: Any) -> Callable[[list[Any]], None]:
    def change(row: list[Any]) -> None:
        row[column] = value

    return change


@pytest.mark.parametrize(
    ("table", "change"),
    [
        ("facts", planned(pairs=10**12)),
        ("facts", planned(pairs=7)),
        ("facts", planned(pairs="6")),
        ("facts", planned(pairs=True)),
        ("facts", planned(board="99x99")),
        ("facts", planned(board="5X5")),
        ("facts", planned(agents=["random", 7])),
        ("facts", planned(agents=["random"])),
        ("facts", planned(agents=["random", "\x1b[2J"])),
        ("facts", planned(agents=["random", "a" * 3000])),
        ("facts", planned(format="war")),
        ("facts", planned(test={"elo0": -1e308, "elo1": 1e308, "alpha": 0.05, "beta": 0.05})),
        ("facts", planned(test={"elo0": "0"})),
        ("facts", planned(sweep={"template": "{}", "values": []})),
        ("facts", planned(move_ms=float("nan"))),
        ("facts", planned(more=1)),
        ("facts", valued(1, "[" * 100_000)),
        ("facts", valued(1, "no JSON")),
        ("openings", opened((0, 0))),
        ("openings", opened((0, 24, 1))),
        ("openings", opened((0, 25))),
        ("openings", opened((0,))),
        ("openings", opened((), (), (), (), ())),
        ("openings", opened(alike=1)),
        ("openings", valued(0, 1)),
        ("openings", valued(1, 5)),
        ("openings", valued(1, 1 << 40)),
        ("openings", valued(2, b"")),
        ("openings", valued(2, b"\xff" * 40)),
        ("games", valued(0, 1)),
        ("games", valued(0, -1)),
        ("games", valued(0, 1 << 40)),
        ("games", valued(1, 11)),
        ("games", valued(1, 13)),
        ("games", valued(1, 0)),
        ("games", valued(1, -(1 << 60))),
        ("games", valued(2, b"")),
        ("games", valued(2, "12 games")),
        ("games", batched(encounters=at(0, 1))),
        ("games", batched(pairs=at(0, 2_000))),
        ("games", batched(pairs=at(0, -1))),
        ("games", batched(pairs=at(0, 1))),
        ("games", batched(legs=at(0, 1))),
        ("games", batched(winners=at(0, 2))),
        ("games", batched(reasons=at(0, 4))),
        ("games", batched(reasons=at(0, 99))),
        ("games", batched(moves=square(0, 24))),
        ("games", batched(moves=square(0, 200))),
        ("games", batched(scores=at(0, float("nan")))),
        ("games", batched(kinds=at(0, 9))),
        ("games", batched(depths=at(0, -(1 << 63)))),
        ("games", batched(nodes=at(0, -(1 << 63)))),
        ("games", batched(times_ms=at(0, float("inf")))),
        *(("facts", planned(**{name: 10**4000})) for name in ("pairs", "seed", "move_ms")),
    ],
)
def test_values_that_no_run_writes_are_one_line(run: Path, table: str, change: Callable[[list[Any]], None]) -> None:
    put(run, table, change, number=1 if table == "facts" else 0)
    with pytest.raises(InputError, match=r"run\.sqlite") as caught:
        everything(run)
    assert len(str(caught.value)) < 600
    assert str(caught.value).isprintable()


def test_a_game_that_says_who_won_against_its_moves_is_refused(run: Path) -> None:
    put(run, "games", batched(winners=lambda winners: 1 - winners))
    with pytest.raises(InputError, match="a game that did not end this way"):
        everything(run)


def test_texts_are_read_without_what_a_terminal_would_obey(run: Path) -> None:
    put(run, "facts", planned(title="a\x1b]0;b\x07\u202ec"), number=1)
    put(run, "games", batched(notes=lambda notes: {0: "a" * 6}))
    put(run, "games", rewritten(b"a" * 6, b"\x9b2J\n=c"))
    [facts] = list_runs(run.parent)
    assert facts.title.isprintable()
    with closing(Record(run)) as record:
        assert next(record.games()).note.isprintable()


# What was damaged says so


def damages(data: bytes) -> Iterator[bytes]:
    """A record with bits flipped here and there, cut short, or with a hole."""
    for place in range(0, len(data), len(data) // 60):
        yield data[:place] + bytes([data[place] ^ 1 << place % 8]) + data[place + 1 :]
    for page in range(1, len(data) // 4096):
        yield data[: page * 4096]
        yield data[: page * 4096] + bytes(4096) + data[(page + 1) * 4096 :]


def test_a_damaged_record_is_one_line_or_says_the_same(run: Path) -> None:
    said, data, noticed = everything(run), (run / FILE_NAME).read_bytes(), 0
    for damaged in damages(data):
        (run / FILE_NAME).write_bytes(damaged)
        list_runs(run.parent)
        try:
            assert everything(run) == said
        except InputError as error:
            assert str(error).count(str(run)) == 1  # noqa: PT017 # whether it is raised is not the question
            noticed += 1
    assert noticed > 10


def test_missing_games_are_detected(run: Path) -> None:
    with closing(Record(run, writes=True)) as record:
        record.remove([(0, 3, 4)], [])
    alter(run, "DELETE FROM games WHERE first = 0")
    with pytest.raises(InputError, match="it has 4 games; 10 were written"):
        everything(run)


def test_missing_tables_of_games_are_detected(run: Path) -> None:
    alter(run, "DELETE FROM games")
    with pytest.raises(InputError, match="it has 0 games; 12 were written"):
        everything(run)


def test_other_runs_are_listed_beside_a_damaged_one(run: Path) -> None:
    play_run_here(run.parent / "second", PLAN, [Wanderer(), Wanderer()])
    (run / FILE_NAME).write_bytes(b"SQLite format 3\0" + bytes(5000))
    (run.parent / "third").mkdir()
    (run.parent / "third" / FILE_NAME).write_bytes(b"")
    states = {facts.name: facts.state for facts in list_runs(run.parent)}
    assert states["second"] == "finished"
    assert "the results database is damaged" in states["run"] + states["third"]
    assert find_run("last", run.parent).name == "second"


def test_checksums_hold_after_adding_and_removing(tmp_path: Path) -> None:
    openings = PLAN.draw_openings()
    rows = [
        made_up_row((0, pair, leg), openings[pair], PLAN.board, Player.FIRST) for pair in range(6) for leg in (0, 1)
    ]
    with closing(Record.create(tmp_path, PLAN)) as record:
        record.add(rows[:7])
        record.add(rows[5:9])
        record.add(rows[11:])
        record.add(rows[6:])
        record.finish("now", pairs=4)
        record.finish("later")
    with closing(Record(tmp_path)) as record:
        assert list(record.games()) == rows[:8]
        assert record.count() == 8


def test_a_checksum_covers_the_table_and_every_value() -> None:
    rows = [("a", "b"), ("ab", ""), ("a, b",), (1, "b"), ("1", "b")]
    seals = {checksum_of(table, row) for row in rows for table in ("facts", "games")}
    assert len(seals) == 10
