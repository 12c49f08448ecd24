"""The truth from Python: positions and boards solved, heuristics held against them, single games."""

from collections.abc import Callable
from pathlib import Path

import pytest

import isolab
from isolab.heuristics.catalogue.moves import ratio
from isolab.search.protocol import Choice, Report
from tests.solver.brute_force import BruteForce

START = "4/1A2/4/2B1 a"


def test_a_position_is_solved_with_its_winner_and_how_soon() -> None:
    position = isolab.parse_position(START)
    solved = isolab.solve(position, distance=True, workers=1)
    assert solved.wins == BruteForce(position.board).wins(position)
    assert solved.winner == (isolab.Player.FIRST if solved.wins else isolab.Player.SECOND)
    assert solved.plies is not None
    assert solved.to_json()["plies"] == solved.plies
    assert f"position     {START}" in repr(solved)
    assert "<table" in solved._repr_html_()
    assert solved._repr_markdown_().startswith(f"- position: {START}")


def test_a_limit_leaves_it_unknown() -> None:
    solved = isolab.solve("9x9", nodes=100)
    assert (solved.wins, solved.winner, solved.move, solved.nodes) == (None, None, None, 100)


def test_a_survey_has_every_start_and_goes_on_from_its_file(tmp_path: Path) -> None:
    found = isolab.survey(isolab.Board(3, 3), out=tmp_path / "starts.jsonl", workers=1)
    rows = found.records()
    assert len(rows) == found.found.starts == found.found.solved
    truth = BruteForce(isolab.Board(3, 3))
    assert all(row["wins"] == truth.wins(isolab.parse_position(row["position"])) for row in rows)
    broken = [row["position"] for row in rows if row["wins"] != row["law_says_win"]]
    assert broken == [str(position) for position in found.exceptions]
    assert [row["position"] for row in rows if row["exception"]] == broken
    again = isolab.survey("3x3", out=tmp_path / "starts.jsonl", nodes=1)
    assert again.to_json() == found.to_json()


@pytest.mark.slow
def test_heuristics_are_held_against_solved_positions() -> None:
    held = isolab.calibrate([ratio, "open"], board="4x5", positions=5)
    names = {"ratio", "open", "a random move", "the colour law"}
    assert {row["name"] for row in held.records()} == names
    assert {row["name"] for row in held.records("signs")} == names
    assert held.records()[0]["right"] == pytest.approx(
        held.to_json()["heuristics"][0]["best_move_right"]["rate"], abs=1e-4
    )
    assert "How often its sign tells the winner" in repr(held)


@pytest.mark.parametrize(
    ("svg", "told"),
    [
        (
            '<svg width="1"><g/></svg>',
            '<svg width="1" role="img"><title>a &lt; b</title><g/></svg>',
        ),
        ('<svg role="img"><title>so</title></svg>', '<svg role="img"><title>so</title></svg>'),
    ],
)
def test_a_picture_says_what_is_on_it(svg: str, told: str) -> None:
    assert isolab.Picture(svg, "a < b")._repr_svg_() == told


class Stubborn:
    """Always takes the first move, or the last; from any other place it fails."""

    name = "stubborn"

    def __init__(self, place: int) -> None:
        self.place = place

    def new_game(self, seed: int) -> None:
        pass

    def choose(self, position: isolab.Position, stop: object = None) -> Choice:
        if self.place > 0:
            raise ValueError("no idea")
        return Choice(position.legal_moves()[self.place], Report(None, 0, 0, 0.0, ()))

    def close(self) -> None:
        pass


def test_a_game_is_played_between_agents_of_ones_own() -> None:
    moves = list[isolab.Square]()
    game = isolab.play(Stubborn(0), Stubborn(-1), start="3x3", on_move=moves.append)
    assert game.moves == tuple(moves)
    position = isolab.parse_start("3x3")
    for number, move in enumerate(moves):
        assert move == position.legal_moves()[-(number % 2)]
        position = position.play(move)
    assert game.outcome() == position.outcome() is not None


def test_an_agent_that_fails_has_lost_and_is_told_of() -> None:
    with pytest.warns(RuntimeWarning, match="stubborn: ValueError: no idea"):
        game = isolab.play(Stubborn(0), Stubborn(1), start=isolab.Board(3, 3))
    assert str(game.outcome()) == "first wins (crash)"


BAD: dict[str, Callable[[], object]] = {
    "a number to solve": lambda: isolab.solve(3),  # type: ignore[arg-type]
    "a game to solve": lambda: isolab.solve("3x3: a1"),
    "a text for nodes": lambda: isolab.solve("3x3", nodes="x"),  # type: ignore[arg-type]
    "no nodes": lambda: isolab.solve("3x3", nodes=0),
    "a time below 0": lambda: isolab.solve("3x3", ms=-1),
    "a text for distance": lambda: isolab.solve("3x3", distance="yes"),  # type: ignore[arg-type]
    "no workers": lambda: isolab.solve("3x3", workers=0),
    "a text for progress": lambda: isolab.solve("3x3", progress="yes"),  # type: ignore[arg-type]
    "a board that is none": lambda: isolab.survey("2x2"),
    "a number for a file": lambda: isolab.survey("3x3", out=3),  # type: ignore[arg-type]
    "an unknown heuristic": lambda: isolab.calibrate("improvde"),
    "a number among heuristics": lambda: isolab.calibrate([3]),  # type: ignore[list-item]
    "a number for heuristics": lambda: isolab.calibrate(3),  # type: ignore[arg-type]
    "no positions": lambda: isolab.calibrate("open", positions=0),
    "more positions than can be drawn": lambda: isolab.calibrate("open", positions=2**70),
    "a seed below 0": lambda: isolab.calibrate("open", seed=-1),
    "a text for a game's seed": lambda: isolab.agent("random").new_game("x"),  # type: ignore[arg-type]
    "a game's seed in part": lambda: isolab.agent("greedy:open").new_game(1.5),  # type: ignore[arg-type]
    "no seed for a game": lambda: isolab.agent("oracle").new_game(None),  # type: ignore[arg-type]
    "rows that are numbers": lambda: isolab.Records([1, 2]),  # type: ignore[list-item]
    "rows that are none": lambda: isolab.Records(3),  # type: ignore[arg-type]
    "rows with other keys": lambda: isolab.Records([{"a": 1}, {"b": 2}]),
    "a link to itself": lambda: isolab.survey("3x3", out="loop"),
    "an unknown agent": lambda: isolab.agent("rndom"),
    "a text to choose in": lambda: isolab.agent("random").choose("3x3"),  # type: ignore[arg-type]
    "a text to value": lambda: isolab.agent("greedy:open").values("3x3"),  # type: ignore[arg-type]
    "a number for an agent": lambda: isolab.play("random", 3),  # type: ignore[arg-type]
    "a number for a start": lambda: isolab.play("random", "random", start=3),  # type: ignore[arg-type]
    "a seed that another stands for": lambda: isolab.play("random", "random", seed=2**64),
    "no time for a move": lambda: isolab.play("random", "random", move_ms=0),
    "a number to be told": lambda: isolab.play("random", "random", on_move=3),  # type: ignore[arg-type]
    "a number to draw": lambda: isolab.draw(3),  # type: ignore[arg-type]
    "nonsense to draw": lambda: isolab.draw("nonsense"),
    "tints of no squares": lambda: isolab.draw("3x3", tints={"a1": "red"}),  # type: ignore[dict-item]
    "a tint that is no colour": lambda: isolab.draw("3x3", tints={isolab.Square(0, 0): "\0"}),
    "tints that are none": lambda: isolab.draw("3x3", tints=3),  # type: ignore[arg-type]
    "a picture of a number": lambda: isolab.draw("3x3").save(3),  # type: ignore[arg-type]
    "two lines for a picture": lambda: isolab.draw("3x3").save("a\nb"),
    "another kind of picture": lambda: isolab.draw("3x3").save("picture.gif"),
    "a picture nowhere": lambda: isolab.draw("3x3").save("/nowhere/picture.svg"),
    "no such run": lambda: isolab.read_run("nothing", runs="/nowhere"),
    "a number for a run": lambda: isolab.read_run(3),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("call", BAD.values(), ids=BAD.keys())
def test_bad_input_is_told_in_one_line(
    call: Callable[[], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("loop").symlink_to("loop")
    with pytest.raises(isolab.InputError) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_a_drawing_has_its_tints_and_goes_to_a_file(tmp_path: Path) -> None:
    square, other = isolab.Square(0, 0), isolab.Square(2, 2)
    tints = {square: "#a9cdf1", other: "red"}
    drawn = isolab.draw("3x3: b1", tints=tints, legal=False)
    assert drawn.svg.count('fill="#a9cdf1"') == 1
    assert drawn.svg.count('fill="red"') == 1
    assert drawn.save(tmp_path / "board.svg").read_text() == drawn.svg == drawn._repr_svg_()
    assert isolab.draw("3x3").svg == isolab.parse_start("3x3")._repr_svg_()
