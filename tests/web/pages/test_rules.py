"""The game's rules and notation in JavaScript are those in Python."""

import random
from typing import Any

import pytest

from isolarium.errors import InputError
from isolarium.game.board import Board
from isolarium.game.notation import format_position, parse_position
from isolarium.game.position import Position
from isolarium.game.record import format_game, parse_game
from tests.web.pages.javascript import RunJs

pytestmark = pytest.mark.slow

BOARDS = [(3, 3), (3, 13), (13, 3), (5, 5), (4, 7), (7, 7), (9, 11), (13, 13)]
RULES = """
    import { parsePosition, formatPosition, formatSquare, parseSquare } from "/pages/game/notation.js";
"""


def random_start(board: Board, chance: random.Random) -> Position:
    """An empty board, or one with holes."""
    holes = chance.choice([0, 0, 3])
    taken = board.mask_of(chance.sample(board.squares, holes))
    return Position(board, board.full & ~taken, None, None, Position.empty(board).to_move)


def random_game(start: Position, chance: random.Random) -> list[dict[str, Any]]:
    """Every position of a random game, with what Python says of it."""
    steps: list[dict[str, Any]] = []
    position = start
    while True:
        legal = position.legal_moves()
        outcome = position.outcome()
        move = chance.choice(legal) if legal else None
        steps.append(
            {
                "text": str(position),
                "legal": [str(square) for square in legal],
                "winner": None if outcome is None else int(outcome.winner),
                "move": None if move is None else str(move),
            }
        )
        if move is None:
            return steps
        position = position.play(move)


def test_random_games_go_as_in_python(run_js: RunJs) -> None:
    chance = random.Random(1)
    games = [random_game(random_start(Board(*sides), chance), chance) for sides in BOARDS for _ in range(12)]
    differences = run_js(
        RULES,
        """
        const different = [];
        const check = (what, found, expected) => {
          if (JSON.stringify(found) !== JSON.stringify(expected)) different.push([what, found, expected]);
        };
        for (const game of argument) {
          let position = parsePosition(game[0].text);
          for (const step of game) {
            const { rows, cols } = position;
            check("position", formatPosition(position), step.text);
            check("legal", position.legalMoves().map((square) => formatSquare(square, cols)), step.legal);
            check("winner", position.winner(), step.winner);
            if (step.move) position = position.play(parseSquare(step.move, rows, cols));
          }
        }
        return different.slice(0, 5);
        """,
        games,
    )
    assert differences == []
    assert sum(len(game) for game in games) > 1000


def test_an_illegal_move_is_refused(run_js: RunJs) -> None:
    tries = ["d4", "d5", "b3", "a1"]  # its own square, not a knight's move, a blocked square, far away
    refused = run_js(
        RULES,
        """
        const position = parsePosition("7/7/1x5/3A3/5B1/7/7 a");
        return argument.filter((name) => {
          try { position.play(parseSquare(name, 7, 7)); } catch (error) { return error instanceof RangeError; }
          return false;
        });
        """,
        tries,
    )
    assert refused == tries


def mutated(text: str, chance: random.Random) -> str:
    """A text with a few characters changed."""
    letters = list(text)
    for _ in range(chance.randrange(4)):
        place = chance.randrange(len(letters))
        change = chance.choice(["put", "drop", "double"])
        if change == "put":
            letters[place] = chance.choice("0123456789/xABabc ")
        elif change == "drop" and len(letters) > 1:
            del letters[place]
        else:
            letters.insert(place, letters[place])
    return "".join(letters)


def python_reads(text: str) -> str | None:
    """The position that Python reads, written again; None where it refuses."""
    try:
        return format_position(parse_position(text))
    except InputError:
        return None


def test_the_same_texts_are_positions(run_js: RunJs) -> None:
    chance = random.Random(2)
    sound = ["7/7/2A4/3x3/4B2/7/7 a", "3/3/3 a", "A2/3/2B b", "13/13/6A6 b", "x1x/3/A1B a", "11/9/3 a"]
    texts = sound + [mutated(chance.choice(sound), chance) for _ in range(3000)]
    read = run_js(
        RULES + 'import { NotationError } from "/pages/game/notation.js";',
        """
        return argument.map((text) => {
          try { return formatPosition(parsePosition(text)); }
          catch (error) { if (error instanceof NotationError) return null; throw error; }
        });
        """,
        texts,
    )
    expected = [python_reads(text) for text in texts]
    assert [pair for pair in zip(texts, read, expected, strict=True) if pair[1] != pair[2]] == []
    assert 500 < sum(text is not None for text in expected) < 2500


GAMES = ["7x7: d4 b3 f5", "3x3: a1 b2", "7/7/2A4/3x3/4B2/7/7 b: d3", "9x11:"]


@pytest.mark.parametrize("text", GAMES)
def test_games_are_read_and_written_alike(run_js: RunJs, text: str) -> None:
    written = run_js(
        'import { formatGame, parseGame } from "/pages/game/notation.js";',
        "const { start, moves } = parseGame(argument); return formatGame(start, moves);",
        text,
    )
    assert written == format_game(parse_game(text))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("7x7 d4", "no colon"),
        ("7x7: d4 d4", "move 2 (d4): not a blank square"),
        ("7x7: d4 b3 d5", "move 3 (d5): not a legal move; expected one of c2, e2, f3, b5, f5, c6, e6"),
        ("2x7: a1", "expected ROWSxCOLS such as 7x7"),
        ("7x7: z9", "expected a1 to g7"),
    ],
)
def test_a_bad_game_is_refused_in_one_line(run_js: RunJs, text: str, complaint: str) -> None:
    said = run_js(
        'import { parseGame } from "/pages/game/notation.js";',
        "try { parseGame(argument); return ''; } catch (error) { return error.message; }",
        text,
    )
    assert complaint in said
    assert "\n" not in said
