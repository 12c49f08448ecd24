from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isolarium.errors import InputError
from isolarium.game import (
    Board,
    Player,
    Position,
    Square,
    format_board,
    format_position,
    format_square,
    parse_board,
    parse_position,
    parse_square,
    parse_start,
)
from tests.strategies import boards, positions


@given(boards())
def test_every_square_comes_back_from_its_text(board: Board) -> None:
    texts = [format_square(square) for square in board.squares]
    assert [parse_square(text, board) for text in texts] == list(board.squares)
    assert len(set(texts)) == board.size


@given(boards())
def test_every_board_comes_back_from_its_text(board: Board) -> None:
    assert parse_board(format_board(board)) == board


@given(positions())
def test_every_position_comes_back_from_its_text(position: Position) -> None:
    text = format_position(position)
    assert parse_position(text) == position
    assert parse_start(text) == position
    assert str(position) == text


@given(st.text(alphabet="0123456789xAB/ ab", max_size=40) | st.text())
def test_any_text_is_a_position_with_one_spelling_or_bad_input(text: str) -> None:
    result = position_or_error(text)
    if isinstance(result, Position):
        assert format_position(result) == text.strip()
    else:
        assert len(result.splitlines()) == 1


def position_or_error(text: str) -> Position | str:
    try:
        return parse_position(text)
    except InputError as error:
        return str(error)


@given(boards())
def test_a_board_as_a_start_is_empty(board: Board) -> None:
    assert parse_start(format_board(board)) == Position.empty(board)


def test_a_square_is_its_column_letter_and_its_row_number_from_the_top() -> None:
    assert parse_square("d1", Board(7, 7)) == Square(row=0, col=3)
    assert parse_square("m13", Board(13, 13)) == Square(row=12, col=12)


def test_a_board_is_rows_then_columns() -> None:
    assert parse_board("9x11") == Board(rows=9, cols=11)


def test_a_position_reads_as_drawn() -> None:
    position = parse_position("4/2A1/x1xx/B2x b")
    assert position.board == Board(4, 4)
    assert (position.first, position.second) == (Square(1, 2), Square(3, 0))
    assert position.to_move is Player.SECOND
    blocked = [square for square in position.board.squares if not position.is_blank(square)]
    assert [str(square) for square in blocked] == ["c2", "a3", "c3", "d3", "a4", "d4"]


def test_runs_of_two_digits_are_one_run() -> None:
    text = "/".join(["13"] * 12 + ["x12"]) + " a"
    assert parse_position(text).blank_count == 168
    assert format_position(parse_position(text)) == text


def test_spaces_and_line_ends_around_are_ignored() -> None:
    assert parse_square(" d4\n", Board(7, 7)) == Square(3, 3)
    assert parse_board("7x7\n") == parse_board("7X7") == Board(7, 7)
    assert parse_position(" 3/3/3 a\r\n") == parse_start("3x3 ") == Position.empty(Board(3, 3))


ARABIC_INDIC_3, SUPERSCRIPT_3, FULLWIDTH_3 = "\u0663", "\u00b3", "\uff13"

SQUARES_OF_7X7 = "expected a1 to g7 on 7x7"


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "d", "4", "d0", "d8", "h1", "d04", "D4", "4d", "d4d4", "d-4", "d4.0", "d 4"),
        *(f"d{ARABIC_INDIC_3}", f"d{SUPERSCRIPT_3}", f"d{FULLWIDTH_3}", "\uff444", "\u00e94"),
        *("(3, 3)", "d4\nb3", "d4\0", "\0", "d" + "9" * 5000),
    ],
)
def test_bad_squares(text: str) -> None:
    check_refused(lambda: parse_square(text, Board(7, 7)), "square", SQUARES_OF_7X7)


SIDES = "sides from 3 to 13"


@pytest.mark.parametrize(
    "text",
    [
        *("", "7", "x", "7x", "x7", "7x7x7", "7 x 7", "7*7", "7.0x7", "-7x7", "07x7"),
        *("2x2", "2x7", "7x2", "0x0", "14x14", "13x14", "500x500", "9" * 5000 + "x7"),
        *(f"{ARABIC_INDIC_3}x3", f"3x{SUPERSCRIPT_3}", f"{FULLWIDTH_3}x3", "3\u00d73"),
    ],
)
def test_bad_boards(text: str) -> None:
    check_refused(lambda: parse_board(text), "board", SIDES)
    check_refused(lambda: parse_start(text), "start", SIDES)


@pytest.mark.parametrize(
    ("text", "place", "expected"),
    [
        ("", "no side to move", "expected rows, a space, then a or b"),
        ("3/3/3", "no side to move", "expected rows, a space, then a or b"),
        ("3/3/3a", "no side to move", "expected rows, a space, then a or b"),
        ("3/3/3\ta", "no side to move", "expected rows, a space, then a or b"),
        ("3/3/3 c", "side to move 'c'", "expected a or b"),
        ("3/3/3 A", "side to move 'A'", "expected a or b"),
        ("3/3/3  a", "side to move ' a'", "expected a or b after one space"),
        ("3/3/3 a b", "side to move 'a b'", "expected a or b"),
        ("3/3/3 b", "second to move", "expected first to move"),
        ("A2/3/3 a", "first to move", "expected second to move"),
        ("B2/3/3 a", "second player is placed, the first is not", "place the first"),
        ("B2/3/3 b", "second player is placed, the first is not", "place the first"),
        ("A2/3/2A b", "row 3: a second A on c3", "expected at most one"),
        ("AA1/3/3 b", "row 1: a second A on b1", "expected at most one"),
        ("A2/B2/2B b", "row 3: a second B on c3", "expected at most one"),
        ("7/7/8/7/7/7/7 a", "row 3: 8 squares", "where the board has 7"),
        ("7/7/2A3/3x3/4B2/7/7 a", "row 3: 6 squares", "where the board has 7"),
        ("3//3 a", "row 2: 0 squares", "where the board has 3"),
        ("3/3/3/ a", "row 4: 0 squares", "where the board has 3"),
        ("/3/3/3 a", "row 1: 0 squares", "expected 3 to 13"),
        ("2/2/2 a", "row 1: 2 squares", "expected 3 to 13"),
        ("2/2 a", "2 rows", "expected 3 to 13"),
        ("13x/13x/13x a", "row 1: 14 squares", "expected 3 to 13"),
        ("14/14/14 a", "row 1: '14' blanks", "expected a run from 1 to 13"),
        ("500/500/500 a", "row 1: '500' blanks", "expected a run from 1 to 13"),
        ("/".join(["13"] * 14) + " a", "14 rows", "expected 3 to 13"),
        ("/".join(["500"] * 500) + " a", "500 rows", "expected 3 to 13"),
        ("3/x0xx/3 a", "row 2: '0' blanks", "expected a run from 1 to 13"),
        ("3/03/3 a", "row 2: '03' blanks", "expected a run from 1 to 13"),
        ("3/" + "9" * 5000 + "/3 a", "row 2: '99", "expected a run from 1 to 13"),
        (f"3/3/{ARABIC_INDIC_3} a", f"row 3: '{ARABIC_INDIC_3}'", "expected numbers, x, A or B"),
        (f"3/{SUPERSCRIPT_3}/3 a", f"row 2: '{SUPERSCRIPT_3}'", "expected numbers, x, A or B"),
        (f"3/{FULLWIDTH_3}/3 a", f"row 2: '{FULLWIDTH_3}'", "expected numbers, x, A or B"),
        ("3/x.x/3 a", "row 2: '.'", "expected numbers, x, A or B"),
        ("3/xXx/3 a", "row 2: 'X'", "expected numbers, x, A or B"),
        ("3/\n3/3 a", r"row 2: '\n'", "expected numbers, x, A or B"),
        ("3/\u2028/3 a", r"row 2: '\u2028'", "expected numbers, x, A or B"),
        ("3/-3/3 a", "row 2: '-'", "expected numbers, x, A or B"),
    ],
)
def test_bad_positions(text: str, place: str, expected: str) -> None:
    message = check_refused(lambda: parse_position(text), "position", expected)
    assert place in message
    if "/" in text:
        assert check_refused(lambda: parse_start(text), "position", expected) == message


def test_bad_starts_show_both_forms_of_a_start() -> None:
    message = check_refused(lambda: parse_start("seven"), "start", "such as 7x7")
    assert "a position such as 7/7/2A4/3x3/4B2/7/7 a" in message


def check_refused(parse: Callable[[], object], what: str, expected: str) -> str:
    with pytest.raises(InputError) as refused:
        parse()
    message = str(refused.value)
    assert len(message.splitlines()) == 1
    assert len(message) < 250
    assert message.startswith(f"{what} ")
    assert expected in message
    return message
