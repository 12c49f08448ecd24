"""The opening book says what the solver says, whichever way the board is turned."""

import random
from functools import partial
from pathlib import Path

import pytest

from isolab.agents import parse_agent
from isolab.errors import InputError
from isolab.game.board import Board
from isolab.game.notation import parse_position
from isolab.game.outcome import Player
from isolab.game.position import Position
from isolab.game.symmetry import symmetries
from isolab.solver.book import Book, BookBuilder, book_for, book_path, packed_book, read_book
from isolab.solver.parallel import solve_many
from isolab.solver.solver import Solver
from isolab.solver.starts import starts
from tests.command import run_isolab

SMALL = Board(4, 4)


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


def test_every_entry_of_a_small_book_is_what_the_solver_says(built: Path) -> None:
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


def test_images_and_swapped_players_have_the_same_entry(shipped: Book) -> None:
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
            moved, first = (
                shipped.entry(one) for one in (same.play(found.move), position.play(entry.move))
            )
            assert moved == first or (moved and first and moved.wins == first.wins)


def test_a_sample_of_the_shipped_book_is_what_the_solver_says(shipped: Book) -> None:
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
def test_what_is_no_book_is_refused_in_one_line(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "bad.bin"
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"bad\.bin: .*expected an opening book"):
        read_book(path)


def test_a_board_too_large_for_the_keys_is_refused() -> None:
    with pytest.raises(InputError, match="at most 49 squares"):
        packed_book(Board(8, 8), {})


def test_the_first_placement_leaves_fewest_winning_answers_and_the_second_wins(
    shipped: Book,
) -> None:
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


def test_any_agent_can_have_it_in_front_and_plays_on_where_it_ends() -> None:
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
    shown = run_isolab("book", "show", "7/1A5/7/7/4B2/7/7 a")
    assert shown.returncode == 0
    assert "for the player to move; play " in shown.stdout
    whole = run_isolab("book", "show")
    assert "\n  0     160     155          315\n" in whole.stdout
    assert run_isolab("book", "show", "--board", "9x11").stdout == "no book of 9x11\n"


def test_the_command_builds_the_same_book(built: Path, tmp_path: Path) -> None:
    out = tmp_path / "again.bin"
    done = run_isolab("book", "build", "--board", "4x4", "--out", str(out), "--workers", "2")
    assert done.returncode == 0, done.stderr
    assert out.read_bytes() == built.read_bytes()
