"""`isolarium play` in pipes: transcripts of games with people, and games between agents."""

import json
from pathlib import Path

import pytest

from isolarium.game.record import GameRecord, parse_game, read_game
from tests.command import run_isolarium

pytestmark = pytest.mark.slow

PEOPLE = ("play", "--first", "human", "--second", "human")


def record_in(shown: str) -> GameRecord:
    return parse_game(shown.rpartition("Record: ")[2])


def test_transcript_shows_the_answers_and_no_escape_codes() -> None:
    result = run_isolarium(*PEOPLE, "--board", "3x3", answers="b1\nc3\n")
    assert "(A) first> b1\n" in result.stdout
    assert "[B] second> c3\n" in result.stdout
    assert "\x1b" not in result.stdout
    assert result.stderr == ""
    assert result.returncode == 0
    assert str(record_in(result.stdout)) == "3x3: b1 c3"


def test_board_is_drawn_with_coordinates_players_choices_and_holes() -> None:
    result = run_isolarium(*PEOPLE, "--position", "A3/x3/x1B1/4 a")
    assert result.stdout.splitlines()[3:14] == [
        "      a   b   c   d",
        "    ┌───┬───┬───┬───┐",
        "  1 │(A)│   │   │   │ 1",
        "    └───┼───┼───┼───┤",
        "  2  ░░░│   │ 1 │   │ 2",
        "     ░░░├───┼───┼───┤",
        "  3  ░░░│ 2 │[B]│   │ 3",
        "    ┌───┼───┼───┼───┤",
        "  4 │   │   │   │   │ 4",
        "    └───┴───┴───┴───┘",
        "      a   b   c   d",
    ]


def test_only_ascii_if_stdout_has_no_more() -> None:
    result = run_isolarium(*PEOPLE, "--position", "A3/x3/x1B1/4 a", PYTHONIOENCODING="ascii")
    assert result.stdout.isascii()
    assert result.stdout.splitlines()[5:8] == [
        "  1 |(A)|   |   |   | 1",
        "    +---+---+---+---+",
        "  2  ###|   | 1 |   | 2",
    ]


def test_moves_by_number_and_by_name_are_the_same() -> None:
    by_name = run_isolarium(*PEOPLE, "--board", "3x4", answers="a1\nb1\nb3\n")
    by_number = run_isolarium(*PEOPLE, "--board", "3x4", answers="1\n1\n2\n")
    assert record_in(by_name.stdout) == record_in(by_number.stdout)
    assert len(record_in(by_name.stdout).moves) == 3


@pytest.mark.parametrize(
    ("answer", "reply"),
    [
        ("", "expected a1 to g7 on 7x7, a number, or a command such as help"),
        ("z9", "square 'z9': expected a1 to g7"),
        ("0", "number '0': expected 1 to 49"),
        ("٣", "number '٣': expected 1 to 49"),
        ("9" * 5000, "expected 1 to 49"),
        ("\x00", "square '\\x00'"),
        ("undo", "undo: you have not moved yet"),
        ("save", "save: no file; expected a name such as game.txt"),
        ("save game.png", "ends in .txt, .json or .svg"),
        ("save no/such/folder.txt", "No such file or directory"),
    ],
)
def test_invalid_input_is_explained_and_the_game_continues(answer: str, reply: str) -> None:
    result = run_isolarium(*PEOPLE, answers=f"{answer}\nd4\n")
    assert reply in result.stdout
    assert "square ''" not in result.stdout
    assert str(record_in(result.stdout)) == "7x7: d4"
    assert result.returncode == 0


def test_help_names_every_command() -> None:
    shown = run_isolarium(*PEOPLE, answers="help\n").stdout
    for command in ["undo", "hint", "moves", "save FILE", "save! FILE", "quit", "help"]:
        assert f"{command} " in shown


@pytest.mark.parametrize("name", ["game", "game.txt", "game.json"])
def test_a_saved_game_loads_again(tmp_path: Path, name: str) -> None:
    run_isolarium(*PEOPLE, answers=f"d4\nb3\ne6\nsave {tmp_path / name}\n")
    assert str(read_game((tmp_path / name).read_text())) == "7x7: d4 b3 e6"


def test_a_saved_picture_is_svg(tmp_path: Path) -> None:
    run_isolarium(*PEOPLE, answers=f"d4\nsave {tmp_path / 'game.SVG'}\n")
    assert (tmp_path / "game.SVG").read_text().startswith("<svg")


def test_only_save_with_an_exclamation_mark_overwrites_a_file(tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    file.write_text("precious")
    refused = run_isolarium(*PEOPLE, answers=f"d4\nsave {file}\n")
    assert "it exists; save! " in refused.stdout
    assert file.read_text() == "precious"
    run_isolarium(*PEOPLE, answers=f"d4\nsave! {file}\n")
    assert file.read_text() == "7x7: d4\n"


def test_a_level_sets_the_player_not_given() -> None:
    as_second = run_isolarium("play", "--level", "1", "--seed", "1", answers="d4\n").stdout
    assert as_second.startswith("Level 1, first steps: any legal move.\n(A) you vs [B] random")
    as_first = run_isolarium("play", "--level", "1", "--second", "human", "--seed", "1").stdout
    assert "\n(A) random vs [B] you" in as_first
    assert len(record_in(as_first).moves) == 1


def test_two_agents_are_shown_move_by_move_to_the_end() -> None:
    shown = run_isolarium("play", "--first", "greedy:open", "--second", "random", "--seed", "1").stdout
    record = record_in(shown)
    rows = [line.split() for line in shown.splitlines() if line[:3].strip().isdigit() and "│" not in line]
    assert [row[0] for row in rows] == [str(ply) for ply in range(1, len(record.moves) + 1)]
    assert [row[3] for row in rows] == [str(move) for move in record.moves]
    assert record.outcome() is not None
    assert "has no move left" in shown


def test_two_agents_as_json_are_a_record_with_their_names_and_reports() -> None:
    agents = ("play", "--first", "greedy:open", "--second", "random", "--seed", "1")
    game = json.loads(run_isolarium(*agents, "--json").stdout)
    record = read_game(json.dumps(game))
    assert record == record_in(run_isolarium(*agents).stdout)
    assert game["players"] == ["greedy:open", "random"]
    assert game["seed"] == 1
    assert len(game["reports"]) == len(record.moves)


def test_the_same_seed_reproduces_the_game_and_another_does_not() -> None:
    agents = ("play", "--first", "random", "--second", "random", "--json")
    one, again, other = (run_isolarium(*agents, "--seed", seed).stdout for seed in ("1", "1", "2"))
    assert json.loads(one)["moves"] == json.loads(again)["moves"]
    assert json.loads(one)["moves"] != json.loads(other)["moves"]


def test_a_random_seed_is_printed_and_reproduces_the_game() -> None:
    agents = ("play", "--first", "random", "--second", "random")
    shown = run_isolarium(*agents).stdout
    seed = shown.splitlines()[0].rpartition("seed ")[2]
    assert record_in(run_isolarium(*agents, "--seed", seed).stdout) == record_in(shown)


def test_a_finished_game_prints_the_winner() -> None:
    shown = run_isolarium(*PEOPLE, "--position", "Axx/xxx/xxB b").stdout
    assert "(A) first won in 0 plies: [B] second has no move left." in shown
