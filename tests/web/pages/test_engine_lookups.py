"""What the engine in the browser knows without a search is what Python knows."""

import base64
import random
from collections.abc import Iterator

import pytest

from isolarium.game.board import Board
from isolarium.game.position import Position
from isolarium.game.symmetry import canonical, is_mirror, symmetries
from isolarium.limits import mixed_seed
from isolarium.solver.book import book_entry, book_for, book_path
from isolarium.solver.start_map import FILE, start_wins
from tests.web.pages.javascript import RunJs

pytestmark = pytest.mark.slow

BOARDS = ["3x3", "3x4", "4x3", "5x5", "5x7", "7x5", "6x6", "7x7", "8x8"]


def walk(board: Board, plies: int, source: random.Random) -> Iterator[Position]:
    """Yield the positions of a random game."""
    position = Position.empty(board)
    for _ in range(plies):
        moves = position.legal_moves()
        if not moves:
            return
        position = position.play(source.choice(moves))
        yield position


def test_seeds_are_mixed_as_in_python(run_js: RunJs) -> None:
    seeds = [0, 1, 12345, 2**53 - 1]
    found = run_js(
        'import { mixedSeed } from "/pages/engine/searches.js";',
        "return argument.map((seed) => [0, 1, 2, 3, 44].map((stream) => String(mixedSeed(seed, stream))));",
        seeds,
    )
    assert found == [[str(mixed_seed(seed, one)) for one in (0, 1, 2, 3, 44)] for seed in seeds]


def test_canonical_images_are_those_of_python(run_js: RunJs) -> None:
    source = random.Random(1)
    positions = [
        one for board in ("4x4", "5x7", "7x7", "8x8") for one in walk(Board(*map(int, board.split("x"))), 9, source)
    ]
    found = run_js(
        """import { formatPosition, parsePosition } from "/pages/game/notation.js";
        import { toCanonical } from "/pages/game/symmetry.js";""",
        """return argument.map((text) => {
          const position = parsePosition(text);
          return formatPosition(toCanonical(position).position(position));
        });""",
        [str(one) for one in positions],
    )
    assert found == [str(canonical(one)[0]) for one in positions]


def test_starts_and_mirrors_are_known_as_in_python(run_js: RunJs) -> None:
    source = random.Random(2)
    positions = [Position.empty(Board(*map(int, name.split("x")))) for name in BOARDS]
    for start in positions[:]:
        for _ in range(12):
            positions += walk(start.board, 3, source)
        for symmetry in symmetries(start.board)[1:]:  # placed on images of each other
            first = source.choice(start.board.squares)
            second = symmetry.square(first, start.board)
            if second != first:
                positions.append(start.play(first).play(second))
    found = run_js(
        """import { parsePosition } from "/pages/game/notation.js";
        import { isMirror } from "/pages/game/symmetry.js";
        import { KnownStarts } from "/pages/engine/known_positions.js";""",
        """const starts = new KnownStarts(argument.lines);
        return argument.positions.map((text) => [starts.wins(parsePosition(text)), isMirror(parsePosition(text))]);""",
        {"lines": FILE.read_text(encoding="utf-8"), "positions": [str(one) for one in positions]},
    )
    assert found == [[start_wins(one), is_mirror(one)] for one in positions]
    assert {wins for wins, _ in found} == {True, False, None}
    assert {mirror for _, mirror in found} == {True, False}


@pytest.mark.parametrize("name", ["7x7", "8x8"])
def test_books_are_read_as_in_python(run_js: RunJs, name: str) -> None:
    board = Board(*map(int, name.split("x")))
    source = random.Random(3)
    book = book_for(board)
    assert book is not None
    known = [position for position, _ in source.sample(list(book.entries()), 150)]
    turned = [source.choice(symmetries(board)).position(one) for one in known]
    positions = [*turned, *(one for _ in range(10) for one in walk(board, 6, source))]
    found = run_js(
        """import { formatSquare, parsePosition } from "/pages/game/notation.js";
        import { OpeningBook } from "/pages/engine/known_positions.js";""",
        """const book = await OpeningBook.read(Uint8Array.from(atob(argument.book), (one) => one.charCodeAt(0)));
        return argument.positions.map((text) => {
          const position = parsePosition(text);
          const entry = book.entry(position);
          return entry && [entry.wins, entry.move === null ? null : formatSquare(entry.move, position.cols)];
        });""",
        {
            "book": base64.b64encode(book_path(board).read_bytes()).decode(),
            "positions": [str(one) for one in positions],
        },
    )
    entries = [book_entry(one) for one in positions]
    assert found == [
        None if one is None else [one.wins, None if one.move is None else str(one.move)] for one in entries
    ]
    assert len(entries) - entries.count(None) >= len(known)
