"""The game in the terminal, played through a pseudo-terminal."""

import re
from pathlib import Path

import pytest

from isolarium.agents.levels import HINT_AGENT, USUAL
from isolarium.game.position import Reason
from isolarium.game.record import format_game, parse_game, read_game
from tests.terminal import ESCAPE, Terminal

pytestmark = pytest.mark.slow

TURN = re.escape("(A) you> ")
TURN_OF_FIRST, TURN_OF_SECOND = re.escape("(A) first> "), re.escape("[B] second> ")
END = "Enter leaves; undo and save FILE still work> "


def playing(*arguments: str, folder: Path, **variables: str) -> Terminal:
    """Return a terminal with a game in it."""
    return Terminal("play", *arguments, folder=folder, **variables)


def record_in(shown: str) -> str:
    records: list[str] = re.findall(r"Record: (.*)\r", shown)
    return records[-1]


def test_a_game_from_the_first_move_to_the_end(tmp_path: Path) -> None:
    terminal = playing("--board", "5x5", "--second", "random", "--seed", "1", folder=tmp_path)

    assert "25" in terminal.until(TURN)
    terminal.type("c3")
    board = terminal.until(TURN)
    assert "(A)" in board
    assert "[B] random: " in board

    terminal.type("c3")
    assert "c3: blocked" in terminal.until(TURN)
    terminal.type("c4")
    assert re.search("c4: (blocked|not a knight's move from c3)", terminal.until(TURN))
    terminal.type("99")
    assert "number '99': expected 1 to " in terminal.until(TURN)

    terminal.type("1")
    terminal.until(TURN)
    terminal.type("moves")
    after_two_turns = record_in(terminal.until(TURN))
    terminal.type("undo")
    terminal.until(TURN)
    terminal.type("moves")
    after_undo = record_in(terminal.until(TURN))
    assert len(parse_game(after_two_turns).moves) == 4
    assert parse_game(after_undo).moves == parse_game(after_two_turns).moves[:2]

    terminal.type("save middle.json")
    assert "saved middle.json" in terminal.until(TURN)
    assert format_game(read_game((tmp_path / "middle.json").read_text())) == after_undo

    shown = ""
    while not shown.endswith(END):
        terminal.type("1")
        shown = terminal.until(TURN, END)
    final = record_in(shown)
    outcome = parse_game(final).outcome()
    assert outcome is not None
    assert outcome.reason is Reason.NO_MOVES
    winner, loser = ("(A) you", "[B] random") if outcome.winner == 0 else ("[B] random", "(A) you")
    assert re.search(f"{re.escape(winner)}.* won in .*{re.escape(loser)}.* has no move left", shown)

    terminal.type("save end.txt")
    terminal.until(END)
    assert (tmp_path / "end.txt").read_text() == f"{final}\n"
    terminal.type("")
    assert terminal.finish()[1] == 0


def test_hint_is_a_legal_move_and_changes_nothing(tmp_path: Path) -> None:
    terminal = playing("--position", "5/1A3/5/3B1/5 a", folder=tmp_path)
    terminal.until(TURN)
    terminal.type("hint")
    hint = re.search(f"{HINT_AGENT} would play ([a-e][1-5]) · proven ", terminal.until(TURN))
    assert hint
    terminal.type(hint[1])
    assert f"[B] {USUAL.agent}: " in terminal.until(TURN, END)


def test_undo_after_the_end_continues_the_game(tmp_path: Path) -> None:
    people = ("--first", "human", "--second", "human")
    terminal = playing("--position", "Axx/xx1/xxB a", *people, folder=tmp_path)
    terminal.until(TURN_OF_FIRST)
    terminal.type("c2")
    assert "Record: Axx/xx1/xxB a: c2\r" in terminal.until(END)
    terminal.type("a1")
    assert "the game is over" in terminal.until(END)
    terminal.type("undo")
    terminal.until(TURN_OF_FIRST)
    terminal.type("undo")
    assert "undo: you have not moved yet" in terminal.until(TURN_OF_FIRST)
    terminal.type("quit")
    shown, status = terminal.finish()
    assert "Not finished after 0 plies." in shown
    assert status == 0


def test_control_c_shows_the_record_and_leaves_with_130(tmp_path: Path) -> None:
    terminal = playing("--second", "human", folder=tmp_path)
    terminal.until(TURN_OF_FIRST)
    terminal.type("d4")
    terminal.until(TURN_OF_SECOND)
    terminal.control("c")
    shown, status = terminal.finish()
    assert record_in(shown) == "7x7: d4"
    assert "Traceback" not in shown
    assert status == 130


def test_end_of_input_shows_the_record_and_leaves_with_0(tmp_path: Path) -> None:
    terminal = playing("--second", "human", folder=tmp_path)
    terminal.until(TURN_OF_FIRST)
    terminal.control("d")
    shown, status = terminal.finish()
    assert record_in(shown) == "7x7:"
    assert status == 0


def shown_in_a_demonstration(folder: Path, **variables: str) -> str:
    agents = ("--first", "random", "--second", "random", "--seed", "1")
    return playing(*agents, folder=folder, **variables).finish()[0]


def test_colour_on_a_terminal_that_has_it(tmp_path: Path) -> None:
    assert ESCAPE in shown_in_a_demonstration(tmp_path)


@pytest.mark.parametrize("variables", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=str)
def test_plain_text_where_colour_is_unwanted(tmp_path: Path, variables: dict[str, str]) -> None:
    shown = shown_in_a_demonstration(tmp_path, **variables)
    assert "(A) random" in shown
    assert ESCAPE not in shown
