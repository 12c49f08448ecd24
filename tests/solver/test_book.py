"""The opening book agrees with the solver in every symmetry."""

import json
import random
import struct
import zlib
from contextlib import closing
from functools import partial
from hashlib import sha256
from pathlib import Path

import pytest

from isolarium.agents import parse_agent
from isolarium.arena import Conditions
from isolarium.arena.plan import match_plan
from isolarium.arena.run_db import Record
from isolarium.arena.runner import play_run
from isolarium.errors import InputError
from isolarium.game.board import Board
from isolarium.game.notation import parse_position
from isolarium.game.position import Player, Position
from isolarium.game.symmetry import symmetries
from isolarium.processes.code_loader import FOLDERS
from isolarium.solver.book import Book, BookBuilder, BookEntry, book_for, book_path, packed_book, read_book, survey_book
from isolarium.solver.solution import solution_json
from isolarium.solver.solver import Solver
from isolarium.solver.start_map import starts
from isolarium.solver.survey import read_survey, solve_many
from tests.command import run_isolarium

SMALL = Board(4, 4)
EIGHT = Path(__file__).parents[2] / "docs" / "evidence" / "starts-8x8.jsonl"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("book") / "small.bin"
    path.write_bytes(BookBuilder(SMALL, 1, partial(solve_many, workers=1)).build())
    return path


@pytest.fixture(scope="module")
def shipped() -> Book:
    book = book_for(Board(7, 7))
    assert book is not None
    return book


def test_every_entry_of_a_small_book_agrees_with_the_solver(built: Path) -> None:
    solver, entries = Solver(), list(read_book(built).entries())
    assert len(entries) > 200
    for position, entry in entries:
        assert solver.solve(position).wins is entry.wins
        if entry.wins:
            assert entry.move is not None
            assert solver.solve(position.play(entry.move)).wins is False


def test_every_start_and_the_ply_after_has_a_move(built: Path) -> None:
    book = read_book(built)
    for start in starts(SMALL):
        for position in [start, *map(start.play, start.legal_moves())]:
            entry = book.entry(position)
            assert entry is not None
            assert (entry.move is not None) or not position.legal_moves()


def test_a_lost_position_leaves_fewest_winning_replies(built: Path) -> None:
    solver = Solver()

    def asks(position: Position) -> int:
        replies = map(position.play, position.legal_moves())
        return sum(solver.solve(reply).wins is False for reply in replies)

    lost = [item for item in read_book(built).entries() if not item[1].wins and item[1].move]
    assert lost
    for position, entry in lost:
        assert entry.move is not None
        fewest = min(asks(position.play(move)) for move in position.legal_moves())
        assert asks(position.play(entry.move)) == fewest


def test_symmetries_and_swapped_players_have_the_same_entry(shipped: Book) -> None:
    position = parse_position("7/1A5/7/7/4B2/7/7 a")
    entry = shipped.entry(position)
    assert entry is not None
    assert entry.move is not None
    for symmetry in symmetries(position.board):
        turned = symmetry.position(position)
        other = Position(turned.board, turned.blank, turned.second, turned.first, Player.SECOND)
        for same in (turned, other):
            found = shipped.entry(same)
            assert found is not None
            assert found.wins == entry.wins
            assert found.move is not None
            assert same.is_legal(found.move)
            moved, first = (shipped.entry(one) for one in (same.play(found.move), position.play(entry.move)))
            assert moved == first or (moved and first and moved.wins == first.wins)


def test_a_sample_of_the_shipped_book_agrees_with_the_solver(shipped: Book) -> None:
    solver, chance = Solver(), random.Random(1)
    for position, entry in chance.sample(list(shipped.entries()), 12):
        assert solver.solve(position).wins is entry.wins
        if entry.move is not None and entry.wins:
            assert solver.solve(position.play(entry.move)).wins is False


def test_the_shipped_book_holds_every_start_and_its_theory(shipped: Book) -> None:
    entries = [shipped.entry(start) for start in starts(Board(7, 7))]
    assert len(entries) == 315
    assert sum(entry is not None and entry.wins for entry in entries) == 160
    assert all(entry is not None and entry.move is not None for entry in entries)
    assert book_path(Board(7, 7)).stat().st_size < 2_000_000


def test_holes_and_other_boards_are_not_in_it(shipped: Book) -> None:
    assert shipped.entry(parse_position("7/1A5/2x4/7/4B2/7/7 a")) is None
    assert shipped.entry(parse_position("5/1A3/5/3B1/5 a")) is None
    assert shipped.entry(Position.empty(Board(7, 7))) is None
    assert book_for(Board(9, 11)) is None


@pytest.mark.parametrize("data", [b"", b"ISOLABBK", b"ISOLABBK\x01\x07\x07\x00abc", b"x" * 100])
def test_other_files_are_refused_in_one_line(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "bad.bin"
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"bad\.bin: .*expected an opening book"):
        read_book(path)


def test_a_damaged_book_is_refused_or_is_another_with_legal_moves(built: Path, tmp_path: Path) -> None:
    data, path = bytearray(built.read_bytes()), tmp_path / "bad.bin"
    for place in range(len(data)):
        data[place] ^= 0xFF
        path.write_bytes(data)
        data[place] ^= 0xFF
        if place == 11:  # which says nothing
            continue
        with pytest.raises(InputError, match=r"^[^\n]*bad\.bin: .*expected an opening book$"):
            read_book(path)


@pytest.mark.parametrize(("path", "kind"), [("/dev/zero", "a device"), ("/", "a folder")])
def test_devices_and_folders_are_not_read(path: str, kind: str) -> None:
    with pytest.raises(InputError, match=f"^{path}: {kind}; expected an opening book$"):
        read_book(Path(path))


def packed(board: Board, *entries: tuple[int, int]) -> bytes:
    """A book's file with these keys and values."""
    keys = struct.pack(f"<I{len(entries)}Q", len(entries), *(key for key, _ in entries))
    values = bytes(value for _, value in entries)
    return b"ISOLABBK" + bytes([1, board.rows, board.cols, 0]) + zlib.compress(keys + values)


START = (0b1111_1111_1111_1110 & ~(1 << 6), 0 | 6 << 55)
"""On 4x4, the blanks and the key's rest of a position with the players on a1 and c2."""
MADE_UP = {
    "twice": ([(START[0] | START[1], 9)] * 2, "the positions are not in order"),
    "off the board": ([(1 << 20 | START[1], 63)], "a position of another board"),
    "one square": ([(START[0], 63)], "a position of another board"),
    "on a blank": ([(START[0] | 1 | START[1], 63)], "a player on a blank square"),
    "no knight": ([(START[0] | START[1], 1)], "an illegal move"),
    "not blank": ([(START[0] & ~(1 << 9) | START[1], 9)], "an illegal move"),
    "stuck": ([(START[1], 64 | 63)], "won by a player with no legal move"),
}


@pytest.mark.parametrize(("entries", "output"), MADE_UP.values(), ids=MADE_UP.keys())
def test_an_impossible_book_is_refused(entries: list[tuple[int, int]], output: str, tmp_path: Path) -> None:
    path = tmp_path / "made_up.bin"
    path.write_bytes(packed(SMALL, (START[0] | START[1], 9)))
    assert len(list(read_book(path).entries())) == 1
    path.write_bytes(packed(SMALL, *entries))
    with pytest.raises(InputError, match=f"{output}; expected an opening book$"):
        read_book(path)


@pytest.mark.parametrize("search", ["alphabeta:null@nodes=10", "oracle@nodes=1000"])
def test_an_agent_plays_from_the_book_that_its_spec_names(built: Path, search: str) -> None:
    agent, book = parse_agent(f"{search},book={built}"), read_book(built)
    assert agent.name == f"{search},book={built}"
    for start in starts(SMALL):
        entry, choice = book.entry(start), agent.choose(start)
        assert entry is not None
        assert (choice.move, choice.report.nodes) == (entry.move, 0)
    with pytest.raises(InputError, match=r"small\.bin: a book for 4x4; expected one for 5x5"):
        agent.choose(next(iter(starts(Board(5, 5)))))


def test_a_missing_book_or_one_of_another_board_is_reported_before_a_run(built: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere\.bin: No such file.*expected an opening book"):
        parse_agent("mcts@book=nowhere.bin")
    with pytest.raises(InputError, match=r"small\.bin: a book for 4x4; expected one for 7x7"):
        match_plan(f"mcts@book={built}", "random", Conditions(pairs=1))


def test_a_run_identifies_its_book_by_a_digest(built: Path, tmp_path: Path) -> None:
    book = tmp_path / "mine.bin"
    book.write_bytes(built.read_bytes())
    spec = f"alphabeta:null@nodes=10,book={book}"
    plan = match_plan(spec, "random", Conditions(pairs=1, board="4x4"))
    with closing(Record.create(tmp_path / "run", plan)) as record:
        play_run(record, 1, stop=lambda: True)
        assert record.files() == {str(book): sha256(built.read_bytes()).hexdigest()}
        assert record.fact("sources") == "{}"
        book.write_bytes(b"another")
        with pytest.raises(InputError, match=r"mine\.bin: it has changed"):
            play_run(record, 1)


def test_a_book_is_read_only_from_allowed_folders(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDERS, f'["{tmp_path}"]')
    with pytest.raises(InputError, match="not in a folder whose files may be loaded here"):
        parse_agent(f"mcts@book={built}")


def test_a_board_too_large_for_the_keys_is_refused() -> None:
    with pytest.raises(InputError, match="at most 64 squares"):
        packed_book(Board(8, 9), {})


def test_the_book_of_a_survey_agrees_with_the_solver(tmp_path: Path) -> None:
    solver, record, path = Solver(), tmp_path / "starts.jsonl", tmp_path / "small.bin"
    solved = [solver.solve(start) for start in starts(SMALL)[5:]]  # as far as it went
    record.write_text("".join(json.dumps(solution_json(one)) + "\n" for one in solved))
    done = run_isolarium("book", "build", "--board", "4x4", "--survey", str(record), "--out", str(path))
    assert done.returncode == 0, done.stderr
    book = read_book(path)
    entries = dict(book.entries())
    assert [book.entry(start) is None for start in starts(SMALL)[:6]] == [True] * 5 + [False]
    assert {entry.wins for entry in entries.values() if entry.move is None} == {True, False}
    for position, entry in entries.items():
        assert solver.solve(position).wins is entry.wins
        if entry.move is not None:
            assert solver.solve(position.play(entry.move)).wins is False


def test_a_book_of_64_squares_agrees_with_the_survey_in_every_symmetry(tmp_path: Path) -> None:
    board, path = Board(8, 8), tmp_path / "eight.bin"
    solved = read_survey(EIGHT, board)
    path.write_bytes(survey_book(board, solved))
    book = read_book(path)
    for one in solved[::9]:
        for symmetry in symmetries(board):
            turned = symmetry.position(one.position)
            entry = book.entry(turned)
            assert entry is not None
            assert entry.wins is one.wins
            if entry.wins:
                assert entry.move is not None
                assert book.entry(turned.play(entry.move)) == BookEntry(False, None)
            else:
                afters = map(turned.play, turned.legal_moves())
                assert {book.entry(after) for after in afters} == {BookEntry(True, None)}


def test_the_first_placement_leaves_fewest_winning_answers_and_the_second_wins(shipped: Book) -> None:
    agent = parse_agent("alphabeta:null@nodes=10,book")
    agent.new_game(1)
    empty = Position.empty(Board(7, 7))
    first = agent.choose(empty)
    assert str(first.move) == "d4"  # from everywhere else the other colour wins without exception
    second = agent.choose(empty.play(first.move))
    assert second.report.score == float("inf")
    assert second.report.nodes == 0
    entry = shipped.entry(empty.play(first.move).play(second.move))
    assert entry is not None
    assert not entry.wins


def test_any_agent_can_use_the_book_and_plays_on_after_it() -> None:
    plain, booked = (parse_agent(f"alphabeta:improved@nodes=300{end}") for end in ("", ",book"))
    start = parse_position("7/1A5/7/7/4B2/7/7 a")
    late = parse_position("7/1A5/2x4/7/4B2/7/7 a")
    elsewhere = parse_position("5/1A3/5/3B1/5 a")
    for agent in (plain, booked):
        agent.new_game(1)
    assert booked.choose(start).report.proven
    assert booked.choose(start).report.nodes == 0
    for position in (late, elsewhere):
        assert booked.choose(position).move == plain.choose(position).move


def test_the_command_shows_what_is_in_it() -> None:
    shown = run_isolarium("book", "show", "7/1A5/7/7/4B2/7/7 a")
    assert shown.returncode == 0
    assert "for the player to move; play " in shown.stdout
    whole = run_isolarium("book", "show")
    assert "\n  0     160     155          315\n" in whole.stdout
    assert run_isolarium("book", "show", "--board", "9x11").stdout == "no book of 9x11\n"


def test_the_command_builds_the_same_book(built: Path, tmp_path: Path) -> None:
    out = tmp_path / "again.bin"
    done = run_isolarium("book", "build", "--board", "4x4", "--out", str(out), "--workers", "2")
    assert done.returncode == 0, done.stderr
    assert out.read_bytes() == built.read_bytes()
