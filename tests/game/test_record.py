import json
import pickle
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isolarium.errors import InputError
from isolarium.game import (
    Board,
    GameRecord,
    Outcome,
    Player,
    Position,
    Reason,
    Square,
    format_game,
    format_game_json,
    format_replay,
    parse_game,
    parse_game_json,
    parse_position,
    parse_replay,
    read_game,
)
from tests.strategies import ended_games, games

FINISHED = "3x3: a1 b2 c2"  # the second player stands in the middle, where no knight can move
RESIGNED = Outcome(Player.FIRST, Reason.RESIGNATION)


@given(games())
def test_a_record_replays_its_moves(game: GameRecord) -> None:
    positions = game.positions()
    assert positions[0] == game.start
    assert positions[-1] == game.position
    assert len(positions) == len(game.moves) + 1
    for before, move, after in zip(positions, game.moves, positions[1:], strict=False):
        assert before.play(move) == after
    assert game.outcome() == game.position.outcome()


@given(games())
def test_every_game_comes_back_from_its_text(game: GameRecord) -> None:
    text = format_game(game)
    assert parse_game(text) == read_game(text) == game
    assert str(game) == text


@given(ended_games())
def test_every_game_comes_back_from_its_json(game: GameRecord) -> None:
    text = format_game_json(game)
    assert parse_game_json(text) == read_game(text) == game
    assert parse_game_json(text).outcome() == game.outcome()
    assert format_game_json(parse_game_json(text)) == text


@given(ended_games())
def test_every_game_comes_back_from_its_repr(game: GameRecord) -> None:
    assert eval(repr(game), {"read_game": read_game}) == game


@given(games())
def test_every_game_from_an_empty_board_comes_back_from_its_replay(game: GameRecord) -> None:
    board = game.start.board
    if game.start == Position.empty(board):
        text = format_replay(game)
        assert parse_replay(text, board) == read_game(text, board) == game
    else:
        with pytest.raises(InputError, match="expected an empty board"):
            format_replay(game)


@given(ended_games())
def test_a_record_survives_pickling(game: GameRecord) -> None:
    copy = pickle.loads(pickle.dumps(game))
    assert copy == game
    assert hash(copy) == hash(game)
    assert copy.position == game.position


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["7x7", "d4", "x"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["board", "position", "moves", "outcome", "winner", "reason"]), inner)
    ),
)


@given(JSON.map(json.dumps) | st.text())
def test_any_text_is_a_game_or_an_error_of_one_line(text: str) -> None:
    for parse in (read_game, parse_game, parse_game_json, parse_replay_on_7x7):
        result = game_or_error(parse, text)
        if isinstance(result, GameRecord):
            assert parse_game(format_game(result)).moves == result.moves
        else:
            assert len(result.splitlines()) == 1


def game_or_error(parse: Callable[[str], GameRecord], text: str) -> GameRecord | str:
    try:
        return parse(text)
    except InputError as error:
        return str(error)


def parse_replay_on_7x7(text: str) -> GameRecord:
    return parse_replay(text, Board(7, 7))


def test_the_three_ways_are_written_as_documented() -> None:
    game = parse_game(FINISHED)
    assert format_game(game) == FINISHED
    assert json.loads(format_game_json(game)) == {
        "board": "3x3",
        "moves": ["a1", "b2", "c2"],
        "outcome": {"winner": "first", "reason": "no moves"},
    }
    assert format_replay(game) == "[[0, 0], [1, 1], [1, 2]]"


def test_a_game_from_a_position_names_it() -> None:
    text = "A2/3/1Bx a: c2"
    game = parse_game(text)
    assert game.start == parse_position("A2/3/1Bx a")
    assert format_game(game) == text
    assert json.loads(format_game_json(game)) == {"position": "A2/3/1Bx a", "moves": ["c2"]}


def test_a_game_without_moves_is_a_game() -> None:
    empty = GameRecord(Position.empty(Board(7, 7)))
    assert format_game(empty) == "7x7:"
    assert parse_game("7x7:") == parse_game_json('{"board": "7x7", "moves": []}') == empty
    assert read_game(" [] ") == empty


def test_moves_may_be_spread_over_lines() -> None:
    assert read_game("\n3x3:\n  a1 b2\n  c2\n") == parse_game(FINISHED)


def test_a_replay_is_on_7x7_by_default() -> None:
    assert read_game("[[6, 6]]").start.board == Board(7, 7)
    assert read_game("[[8, 10]]", Board(9, 11)).start.board == Board(9, 11)


def test_a_game_on_another_board_than_asked_for_is_refused() -> None:
    assert read_game(FINISHED, Board(3, 3)) == parse_game(FINISHED)
    with pytest.raises(InputError, match="on 3x3; expected 7x7"):
        read_game(FINISHED, Board(7, 7))


def test_other_keys_and_a_null_outcome_are_ignored() -> None:
    text = '{"board": "3x3", "moves": ["a1"], "outcome": null, "agents": {"first": "random"}}'
    assert parse_game_json(text) == parse_game("3x3: a1")


def test_an_early_ending_is_the_outcome_of_an_unfinished_game() -> None:
    game = GameRecord(Position.empty(Board(3, 3)), (Square(0, 0),), RESIGNED)
    assert game.outcome() == RESIGNED
    assert game.position.outcome() is None


def test_an_ending_that_follows_from_the_rules_is_dropped() -> None:
    game = parse_game(FINISHED)
    same = GameRecord(game.start, game.moves, Outcome(Player.FIRST, Reason.NO_MOVES))
    assert same == game
    assert same.ending is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("3x3: a1 a1", "move 2 (a1): blocked; expected a blank square"),
        ("3x3: a1 c3 b2", "move 3 (b2): not a knight's move from a1; expected one of c2, b3"),
        ("3x3: a1 c3 a1", "move 3 (a1): blocked; expected one of c2, b3"),
        ("3x3: a1 b2 c2 a3", "move 4 (a3): the game is over, first wins (no moves)"),
        ("3x3: a1 c4", "move 2: square 'c4': expected a1 to c3 on 3x3"),
        ("3x3: a1, b2", "move 1: square 'a1,': expected a1 to c3 on 3x3"),
        ("A2/3/2B a: a1", "move 1 (a1): blocked; expected one of c2, b3"),
    ],
)
def test_a_bad_move_is_named_by_its_number(text: str, message: str) -> None:
    assert refusal(parse_game, text) == message


@pytest.mark.parametrize(
    ("text", "place", "expected"),
    [
        ("", "game '': no colon", "START: MOVES such as 7x7: d4 b3"),
        ("7x7", "game '7x7': no colon", "START: MOVES"),
        ("d4 b3", "no colon", "START: MOVES"),
        (": d4", "start ''", "a board such as 7x7"),
        ("2x2: a1", "start '2x2'", "sides from 3 to 13"),
        ("500x500: a1", "start '500x500'", "sides from 3 to 13"),
        ("3/4/3 a: a1", "row 2: 4 squares", "where the board has 3"),
        ("7x7: d4: b3", "move 1: square 'd4:'", "a1 to g7"),
        ("7x7: d\u0664", "move 1: square 'd\u0664'", "a1 to g7"),
    ],
)
def test_bad_text(text: str, place: str, expected: str) -> None:
    check(refusal(parse_game, text), place, expected)


@pytest.mark.parametrize(
    ("text", "place", "expected"),
    [
        ("", "line 1 column 1", "not JSON"),
        ("{", "line 1 column 2", "not JSON"),
        ('{"board": "7x7",\n "moves": [}', "line 2 column 12", "not JSON"),
        ("null", "game: None", '{"board": "7x7", "moves": [...]}'),
        ("[]", "game: []", '{"board": "7x7", "moves": [...]}'),
        ("true", "game: True", '{"board": "7x7", "moves": [...]}'),
        ("7", "game: 7", '{"board": "7x7", "moves": [...]}'),
        ('"7x7: d4"', "game: '7x7: d4'", '{"board": "7x7", "moves": [...]}'),
        ("{}", "board and position: neither", "give one of them"),
        ('{"moves": []}', "board and position: neither", "give one of them"),
        ('{"board": "3x3", "position": "3/3/3 a"}', "both", "give one of them"),
        ('{"board": 7, "moves": []}', "board: 7", 'text such as "7x7"'),
        ('{"board": null, "moves": []}', "board: None", 'text such as "7x7"'),
        ('{"board": [7, 7], "moves": []}', "board: [7, 7]", 'text such as "7x7"'),
        ('{"board": "2x2", "moves": []}', "board '2x2'", "sides from 3 to 13"),
        ('{"board": "3/3/3 a", "moves": []}', "board '3/3/3 a'", "ROWSxCOLS"),
        ('{"position": 1e999, "moves": []}', "position: inf", "text such as"),
        ('{"position": "3x3", "moves": []}', "position '3x3'", "no side to move"),
        ('{"position": "3/3/3 b", "moves": []}', "position '3/3/3 b'", "first to move"),
        ('{"board": "3x3"}', "moves: missing", "a list of squares"),
        ('{"board": "3x3", "moves": null}', "moves: None", "a list of squares"),
        ('{"board": "3x3", "moves": "a1 b2"}', "moves: 'a1 b2'", "a list of squares"),
        ('{"board": "3x3", "moves": {"a1": 1}}', "moves: {'a1': 1}", "a list of squares"),
        ('{"board": "3x3", "moves": ["a1", 7]}', "move 2: 7", 'text such as "d4"'),
        ('{"board": "3x3", "moves": [true]}', "move 1: True", 'text such as "d4"'),
        ('{"board": "3x3", "moves": [[0, 0]]}', "move 1: [0, 0]", 'text such as "d4"'),
        ('{"board": "3x3", "moves": ["a9"]}', "move 1: square 'a9'", "a1 to c3"),
        ('{"board": "3x3", "moves": ["a1", "a1"]}', "move 2 (a1): blocked", "a blank square"),
        ('{"board": "3x3", "moves": [1' + "0" * 5000 + "]}", "game: JSON", "expected a game"),
        ('{"board": "3x3", "moves": [1' + "0" * 500 + "]}", "move 1: 1000", 'such as "d4"'),
        ('{"a":' * 100_000, "game: JSON", "expected a game"),
        ("[" * 100_000, "game: JSON", "expected a game"),
        ("[" * 900 + "]" * 900, "game: [[[", '{"board": "7x7", "moves": [...]}'),
    ],
)
def test_bad_json(text: str, place: str, expected: str) -> None:
    check(refusal(parse_game_json, text), place, expected)


@pytest.mark.parametrize(
    ("moves", "outcome", "place", "expected"),
    [
        ([], "1", "outcome: 1", '"winner": "first"'),
        ([], '"first"', "outcome: 'first'", '"winner": "first"'),
        ([], "false", "outcome: False", '"winner": "first"'),
        ([], "{}", "outcome: winner: missing", "first or second"),
        ([], '{"winner": 0, "reason": "crash"}', "winner: 0", "first or second"),
        ([], '{"winner": "FIRST", "reason": "crash"}', "winner: 'FIRST'", "first or second"),
        ([], '{"winner": ["first"], "reason": "crash"}', "winner: ['first']", "first or second"),
        ([], '{"winner": "first"}', "reason: missing", "no moves or illegal move or"),
        ([], '{"winner": "first", "reason": null}', "reason: None", "no moves or"),
        ([], '{"winner": "first", "reason": "luck"}', "reason: 'luck'", "or time over or"),
        (["a1"], '{"winner": "first", "reason": "no moves"}', "outcome", "second can still move"),
        (
            ["a1", "b2", "c2"],
            '{"winner": "second", "reason": "no moves"}',
            "outcome: second wins (no moves)",
            "expected first wins (no moves)",
        ),
        (
            ["a1", "b2", "c2"],
            '{"winner": "first", "reason": "crash"}',
            "outcome: first wins (crash)",
            "expected first wins (no moves)",
        ),
    ],
)
def test_bad_outcomes(moves: list[str], outcome: str, place: str, expected: str) -> None:
    text = f'{{"board": "3x3", "moves": {json.dumps(moves)}, "outcome": {outcome}}}'
    check(refusal(parse_game_json, text), place, expected)


PAIR = "expected [row, col], two whole numbers from [0, 0] to [6, 6] on 7x7"


@pytest.mark.parametrize(
    ("text", "place", "expected"),
    [
        ("", "replay: line 1 column 1", "not JSON"),
        ("[[3, 3]", "replay: line 1 column 8", "not JSON"),
        ("{}", "replay: {}", "a list of [row, col]"),
        ("null", "replay: None", "a list of [row, col]"),
        ("3", "replay: 3", "a list of [row, col]"),
        ("[3, 3]", "move 1: 3", PAIR),
        ("[[3, 3], [1.0, 2]]", "move 2: [1.0, 2]", PAIR),
        ("[[true, false]]", "move 1: [True, False]", PAIR),
        ("[[3, true]]", "move 1: [3, True]", PAIR),
        ('["d4"]', "move 1: 'd4'", PAIR),
        ('["34"]', "move 1: '34'", PAIR),
        ('[["3", "3"]]', "move 1: ['3', '3']", PAIR),
        ("[[]]", "move 1: []", PAIR),
        ("[[3]]", "move 1: [3]", PAIR),
        ("[[3, 3, 3]]", "move 1: [3, 3, 3]", PAIR),
        ("[[3, null]]", "move 1: [3, None]", PAIR),
        ("[null]", "move 1: None", PAIR),
        ('[{"row": 3, "col": 3}]', "move 1: {'row': 3", PAIR),
        ("[[7, 0]]", "move 1: [7, 0]", PAIR),
        ("[[-1, -1]]", "move 1: [-1, -1]", PAIR),
        ("[[NaN, 0]]", "move 1: [nan, 0]", PAIR),
        ("[[1e999, 0]]", "move 1: [inf, 0]", PAIR),
        ("[[1" + "0" * 500 + ", 0]]", "move 1: [1000", PAIR),
        ("[[1" + "0" * 5000 + ", 0]]", "replay: JSON", "expected a game"),
        ("[" * 100_000, "replay: JSON", "expected a game"),
        ("[[3, 3], [3, 3]]", "move 2 (d4): blocked", "a blank square"),
    ],
)
def test_bad_replays(text: str, place: str, expected: str) -> None:
    check(refusal(parse_replay_on_7x7, text), place, expected)


def refusal(parse: Callable[[str], GameRecord], text: str) -> str:
    with pytest.raises(InputError) as refused:
        parse(text)
    return str(refused.value)


def check(message: str, place: str, expected: str) -> None:
    assert len(message.splitlines()) == 1
    assert len(message) < 250
    assert place in message
    assert expected in message
