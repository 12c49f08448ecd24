"""The results database: atomic writes by one writer at a time, which are read back unchanged."""

import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from isolarium.arena import Conditions
from isolarium.arena.game import ClockTroubles, Game, score_text
from isolarium.arena.plan import Plan, match_plan
from isolarium.arena.results import read_results
from isolarium.arena.run_db import FILE_NAME, Record
from isolarium.arena.sqlite_file import is_being_played
from isolarium.errors import InputError
from isolarium.game.board import parse_board
from isolarium.game.position import Player, Reason
from isolarium.search.protocol import Report
from tests.playing import made_up_row

UNTIMED = match_plan("random", "greedy:open", Conditions(pairs=4, board="5x5"))
TIMED = match_plan("random", "greedy:open", Conditions(pairs=4, board="5x5", move_ms=50))


OPENINGS = UNTIMED.draw_openings()


def row(pair: int = 0, leg: int = 0, winner: Player = Player.FIRST) -> Game:
    made_up = made_up_row(
        (0, pair, leg),
        OPENINGS[pair],
        UNTIMED.board,
        winner,
        Reason.RESIGNATION,
        said=((1.5, 2, 10, 0.25), (2, 3, 20, 1.0)),
    )
    busy_ms = [time_ms / 2 for time_ms in made_up.times_ms]
    return replace(made_up, note="greedy:open: résigné", busy_ms=busy_ms)


def create(folder: Path, plan: Plan = UNTIMED) -> Record:
    return Record.create(folder, plan)


def test_games_are_read_back_as_they_were(tmp_path: Path) -> None:
    games = [row(pair, leg, Player(leg)) for pair in range(3) for leg in (0, 1)]
    with closing(create(tmp_path, TIMED)) as record:
        record.add(reversed(games))
    with closing(Record(tmp_path)) as record:
        assert list(record.games()) == games
        assert list(record.games(encounter=1)) == []
        for skip in range(8):
            for most in (None, 0, 1, 4):
                end = None if most is None else skip + most
                assert list(record.games(skip=skip, most=most)) == games[skip:end]
        assert record.count() == 6
        assert list(record.winners()) == [(0, pair, leg, leg) for pair in range(3) for leg in (0, 1)]


@pytest.mark.parametrize("plies", [0, 1])
def test_a_game_has_its_opening_and_who_moved_first(tmp_path: Path, plies: int) -> None:
    plan = match_plan("random", "greedy:open", Conditions(pairs=2, board="5x5", plies=plies))
    openings = plan.draw_openings()
    made_up = [
        made_up_row((0, pair, leg), openings[pair], plan.board, Player(winner), Reason.RESIGNATION)
        for pair in range(2)
        for leg, winner in ((0, pair), (1, pair))
    ]
    with closing(create(tmp_path, plan)) as record:
        record.add(made_up)
    with closing(Record(tmp_path)) as record:
        games = list(record.games())
        figures = read_results(record).agents
    assert [game.players for game in games] == [(0, 1), (1, 0)] * 2
    assert [game.opening for game in games] == [tuple(map(str, openings[game.pair].moves)) for game in games]
    for game in games:
        record_of_game = game.record(parse_board(plan.board))
        seats = [position.to_move for position in record_of_game.positions()[len(game.opening) :]]
        assert seats[0] == Player(plies)
        assert [game.offset(seat) for seat in (seats[0], seats[0].other)] == [0, 1]
        assert game.text(parse_board(plan.board)) == str(record_of_game)
    movers = Counter(game.players[(plies + place) % 2] for game in games for place in range(len(game.moves)))
    assert [figure.moves for figure in figures] == [movers[player] for player in (0, 1)]


def test_untimed_games_have_no_waiting_times(tmp_path: Path) -> None:
    with closing(create(tmp_path)) as record:
        record.add([row()])
        (game,) = record.games()
        assert game.busy_ms == game.times_ms == row().times_ms


def test_plan_openings_and_facts_are_read_back(tmp_path: Path) -> None:
    with closing(create(tmp_path)) as record:
        record.set_fact("colour", "blue")
        record.set_fact("colour", "red")
    with closing(Record(tmp_path)) as record:
        assert record.plan == UNTIMED
        assert record.openings() == UNTIMED.draw_openings()
        assert (record.fact("colour"), record.fact("size")) == ("red", None)


def test_openings_that_are_played_alike_have_one_cluster(tmp_path: Path) -> None:
    file = tmp_path / "openings"
    file.write_text("5x5: a1 c3\n5x5: b1 c3\n5x5: e5 c3\n5x5: a1 c3\n", encoding="utf-8")
    plan = match_plan("random", "random", Conditions(board="5x5", openings=str(file)))
    with closing(create(tmp_path / "run", plan)) as record:
        assert list(record.clusters()) == [0, 1, 0, 0]


def test_a_game_that_is_already_there_stays_as_it_is(tmp_path: Path) -> None:
    with closing(create(tmp_path)) as record:
        record.add([row(winner=Player.FIRST)])
        record.add([row(winner=Player.SECOND), row(pair=1)])
        assert [game.winner for game in record.games()] == [Player.FIRST, Player.FIRST]


def test_games_are_written_all_or_none(tmp_path: Path) -> None:
    def broken_off() -> Iterator[Game]:
        yield row(pair=1)
        raise RuntimeError

    with closing(create(tmp_path)) as record:
        with pytest.raises(RuntimeError):
            record.add(broken_off())
        assert record.count() == 0


def test_finishing_removes_games_after_the_decision(tmp_path: Path) -> None:
    with closing(create(tmp_path)) as record:
        record.add(row(pair, leg) for pair in range(4) for leg in (0, 1))
        record.finish("now", pairs=3)
        assert record.is_finished
        assert {game.pair for game in record.games()} == {0, 1, 2}


def test_a_record_can_be_read_while_it_is_written(tmp_path: Path) -> None:
    with closing(create(tmp_path)) as writer, closing(Record(tmp_path)) as reader:
        writer.add([row()])
        assert reader.count() == 1


def test_a_run_that_is_being_played_has_one_writer(tmp_path: Path) -> None:
    with closing(create(tmp_path)):
        assert is_being_played(tmp_path)
        with pytest.raises(InputError, match="another process is playing this run"):
            Record(tmp_path, writes=True)
    assert not is_being_played(tmp_path)
    Record(tmp_path, writes=True).close()


def test_another_process_is_refused_too(tmp_path: Path) -> None:
    ask = (
        "import sys; from pathlib import Path; "
        "from isolarium.arena.run_db import *; from isolarium.arena.sqlite_file import *; "
        "folder = Path(sys.argv[1]); print(is_being_played(folder)); Record(folder, writes=True)"
    )
    with closing(create(tmp_path)):
        asked = subprocess.run([sys.executable, "-c", ask, str(tmp_path)], capture_output=True, text=True, check=False)
    assert asked.stdout == "True\n"
    assert "another process is playing this run" in asked.stderr


def test_a_process_that_died_while_creating_left_no_run(tmp_path: Path) -> None:
    (tmp_path / f"{FILE_NAME}.part").write_bytes(b"half a file")
    with pytest.raises(InputError, match="not the folder of a run"):
        Record(tmp_path)
    create(tmp_path).close()
    assert not (tmp_path / f"{FILE_NAME}.part").exists()


def test_a_record_of_another_version_is_refused(tmp_path: Path) -> None:
    create(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as base:
        base.execute("PRAGMA user_version = 99")
    with pytest.raises(InputError, match="version 99 of the results database; expected 3"):
        Record(tmp_path)


def test_an_empty_file_is_not_a_record(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).touch()
    with pytest.raises(InputError, match=r"run\.sqlite: it is empty, or not a results database$"):
        Record(tmp_path)


def test_other_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text("not a database, but long enough to look like one" * 9)
    with pytest.raises(InputError, match="the results database is damaged"):
        Record(tmp_path)
    with pytest.raises(InputError, match="the results database is damaged"):
        Record(tmp_path, writes=True)
    assert not is_being_played(tmp_path)


def test_a_folder_may_have_any_name(tmp_path: Path) -> None:
    folder = tmp_path / "50% ? #1 &mode=rw"
    create(folder).close()
    with closing(Record(folder)) as record:
        assert record.plan == UNTIMED


@pytest.mark.parametrize(
    ("score", "proven", "plies", "kept"),
    [
        (1.25, False, None, 1.25),
        (None, False, None, None),
        (float("nan"), False, None, None),
        (float("inf"), False, None, "inf"),
        (float("-inf"), False, None, "-inf"),
        (float("inf"), True, 5, "win 5"),
        (float("-inf"), True, 4, "loss 4"),
        (float("inf"), True, None, "win"),
    ],
)
def test_scores_as_the_record_keeps_them(score: float | None, proven: bool, plies: int | None, kept: object) -> None:
    report = Report(score, depth=1, nodes=1, time_ms=0, pv=(), proven=proven, plies=plies)
    assert score_text(report) == kept


# One check for writing and for reading: a game that could not be read is not written


def finished_row() -> Game:
    """A game that ended where its loser had no moves."""
    return made_up_row((0, 0, 0), OPENINGS[0], UNTIMED.board, Player.FIRST)


WRONG_GAMES = {
    "an encounter of another plan": {"encounter": 1},
    "a pair of another plan": {"pair": 4},
    "a third leg": {"leg": 2},
    "a leg that is true": {"leg": True},
    "a pair that is a text": {"pair": "0"},
    "a pair that is a fraction": {"pair": 0.0},
    "another winner": {"winner": Player.SECOND},
    "a winner that is a number": {"winner": 0},
    "moves that are a list": {"moves": [*finished_row().moves]},
    "a note that is not a text": {"note": b"note"},
    "players of another game": {"players": (1, 0)},
    "players that the plan does not have": {"players": (0, 2)},
    "an opening of another game": {"opening": tuple(map(str, OPENINGS[1].moves))},
    "an opening without placements": {"opening": ()},
    "a reason that is a text": {"reason": "no moves"},
    "an end by a reason that the board contradicts": {"reason": Reason.CRASH},
    "a score that is not a number": {"scores": [float("nan")] * len(finished_row().moves)},
    "a score that is true": {"scores": [True] * len(finished_row().moves)},
    "a score of other words": {"scores": ["win by far"] * len(finished_row().moves)},
    "an infinite score that is not a word": {"scores": [float("inf")] * len(finished_row().moves)},
    "depths that are fractions": {"depths": [1.5] * len(finished_row().moves)},
    "nodes without number": {"nodes": [1 << 63] * len(finished_row().moves)},
    "a time that is not a number among others": {
        "times_ms": [*([1.0] * (len(finished_row().moves) - 1)), float("nan")]
    },
    "a time without end": {"times_ms": [float("inf")] * len(finished_row().moves)},
    "fewer times than moves": {"busy_ms": []},
    "times that are not a list": {"times_ms": None},
    "an unfinished game without moves": {
        **{key: [] for key in ("scores", "depths", "nodes", "times_ms", "busy_ms")},
        "moves": (),
    },
}


@pytest.mark.parametrize("fields", WRONG_GAMES.values(), ids=WRONG_GAMES.keys())
def test_a_game_that_could_not_be_read_is_not_written(tmp_path: Path, fields: dict[str, Any]) -> None:
    sound, wrong = row(pair=1), replace(finished_row(), **fields)
    with closing(create(tmp_path)) as record:
        with pytest.raises(ValueError, match=r"game|moves|values|score|depth"):
            record.add([sound, wrong])
        assert record.count() == 0
        record.add([sound])
    with closing(Record(tmp_path)) as record:
        assert list(record.games()) == [replace(sound, busy_ms=sound.times_ms)]


def test_a_move_against_the_rules_is_not_written(tmp_path: Path) -> None:
    sound = finished_row()
    with closing(create(tmp_path)) as record:
        for wrong in ("a1 b3", "z9", "", sound.moves[1]):
            with pytest.raises(ValueError, match="against the rules"):
                record.add([replace(sound, moves=(wrong, *sound.moves[1:]))])
        assert record.count() == 0


def test_invalid_delays_are_not_written(tmp_path: Path) -> None:
    with closing(create(tmp_path, TIMED)) as record:
        for count in (-1, 1 << 63, True, 1.5, "1"):
            with pytest.raises(ValueError, match="not counts"):
                record.add([row()], ClockTroubles(pairs_replayed=count))  # type: ignore[arg-type]
        record.add([row()], ClockTroubles(pairs_replayed=(1 << 63) - 1))
        with pytest.raises(ValueError, match="not counts"):
            record.add([row(pair=1)], ClockTroubles(pairs_replayed=1))
        assert record.count() == 1
        assert record.troubles() == ClockTroubles(pairs_replayed=(1 << 63) - 1)


@pytest.mark.parametrize("note", ["\ud800", "\x1b[2J\n", "a" * 1_000_000, "\N{SNOWMAN}" * 30_000])
def test_any_note_can_be_written_and_read(tmp_path: Path, note: str) -> None:
    with closing(create(tmp_path)) as record:
        record.add([replace(row(), note=note)])
        (game,) = record.games()
        assert game.note.isprintable()
        assert 0 < len(game.note) <= 10_000
