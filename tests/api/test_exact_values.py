"""Exact values from Python: solved positions and boards, heuristics evaluated on them, single games."""

from collections.abc import Callable
from pathlib import Path

import pytest

import isolarium
from isolarium.heuristics.catalogue.mobility import ratio
from isolarium.search.protocol import Choice, Report
from tests.solver.brute_force import BruteForce

START = "4/1A2/4/2B1 a"


def test_a_position_is_solved_with_its_winner_and_how_soon() -> None:
    position = isolarium.parse_position(START)
    solved = isolarium.solve(position, distance=True, workers=1)
    assert solved.wins == BruteForce(position.board).wins(position)
    assert solved.winner == (isolarium.Player.FIRST if solved.wins else isolarium.Player.SECOND)
    assert solved.plies is not None
    assert solved.to_json()["plies"] == solved.plies
    assert f"position     {START}" in repr(solved)
    assert "<table" in solved._repr_html_()
    assert solved._repr_markdown_().startswith(f"- position: {START}")


def test_a_limit_leaves_a_position_unknown() -> None:
    solved = isolarium.solve("9x9", nodes=100)
    assert (solved.wins, solved.winner, solved.move, solved.nodes) == (None, None, None, 100)


def test_a_survey_has_every_start_and_resumes_from_its_file(tmp_path: Path) -> None:
    found = isolarium.survey(isolarium.Board(3, 3), out=tmp_path / "starts.jsonl", workers=1)
    rows = found.records()
    assert len(rows) == found.found.starts == found.found.solved
    truth = BruteForce(isolarium.Board(3, 3))
    assert all(row["wins"] == truth.wins(isolarium.parse_position(row["position"])) for row in rows)
    broken = [row["position"] for row in rows if row["wins"] != row["law_says_win"]]
    assert broken == [str(position) for position in found.exceptions]
    assert [row["position"] for row in rows if row["exception"]] == broken
    again = isolarium.survey("3x3", out=tmp_path / "starts.jsonl", nodes=1)
    assert again.to_json() == found.to_json()


@pytest.mark.slow
def test_heuristics_are_evaluated_on_solved_positions() -> None:
    held = isolarium.calibrate([ratio, "open"], board="4x5", positions=5)
    names = {"ratio", "open", "a random move", "the colour law"}
    assert {row["name"] for row in held.records()} == names
    assert {row["name"] for row in held.records("signs")} == names
    assert held.records()[0]["right"] == pytest.approx(
        held.to_json()["heuristics"][0]["best_move_right"]["rate"], abs=1e-4
    )
    assert "How often the sign of the value predicts" in repr(held)


@pytest.mark.parametrize(
    ("svg", "output"),
    [
        ('<svg width="1"><g/></svg>', '<svg width="1" role="img"><title>a &lt; b</title><g/></svg>'),
        ('<svg role="img"><title>so</title></svg>', '<svg role="img"><title>so</title></svg>'),
    ],
)
def test_a_picture_has_a_description(svg: str, output: str) -> None:
    assert isolarium.Picture(svg, "a < b")._repr_svg_() == output


class Stubborn:
    """Always takes the first move, or the last; from any other place it fails."""

    name = "stubborn"

    def __init__(self, place: int) -> None:
        self.place = place

    def new_game(self, seed: int) -> None:
        pass

    def choose(self, position: isolarium.Position, stop: object = None) -> Choice:
        if self.place > 0:
            raise ValueError("no idea")
        return Choice(position.legal_moves()[self.place], Report(None, 0, 0, 0.0, ()))

    def close(self) -> None:
        pass


def test_a_game_is_played_between_ones_own_agents() -> None:
    moves = list[isolarium.Square]()
    game = isolarium.play(Stubborn(0), Stubborn(-1), start="3x3", on_move=moves.append)
    assert game.moves == tuple(moves)
    position = isolarium.parse_start("3x3")
    for number, move in enumerate(moves):
        assert move == position.legal_moves()[-(number % 2)]
        position = position.play(move)
    assert game.outcome() == position.outcome() is not None


def test_an_agent_that_fails_loses_with_a_warning() -> None:
    with pytest.warns(RuntimeWarning, match="stubborn: ValueError: no idea"):
        game = isolarium.play(Stubborn(0), Stubborn(1), start=isolarium.Board(3, 3))
    assert str(game.outcome()) == "first wins (crash)"


BAD: dict[str, Callable[[], object]] = {
    "a number to solve": lambda: isolarium.solve(3),  # type: ignore[arg-type]
    "a game to solve": lambda: isolarium.solve("3x3: a1"),
    "a text for nodes": lambda: isolarium.solve("3x3", nodes="x"),  # type: ignore[arg-type]
    "no nodes": lambda: isolarium.solve("3x3", nodes=0),
    "a time below 0": lambda: isolarium.solve("3x3", ms=-1),
    "a text for distance": lambda: isolarium.solve("3x3", distance="yes"),  # type: ignore[arg-type]
    "no workers": lambda: isolarium.solve("3x3", workers=0),
    "a text for progress": lambda: isolarium.solve("3x3", progress="yes"),  # type: ignore[arg-type]
    "a board that is none": lambda: isolarium.survey("2x2"),
    "a number for a file": lambda: isolarium.survey("3x3", out=3),  # type: ignore[arg-type]
    "an unknown heuristic": lambda: isolarium.calibrate("improvde"),
    "a number among heuristics": lambda: isolarium.calibrate([3]),  # type: ignore[list-item]
    "a number for heuristics": lambda: isolarium.calibrate(3),  # type: ignore[arg-type]
    "no positions": lambda: isolarium.calibrate("open", positions=0),
    "more positions than can be drawn": lambda: isolarium.calibrate("open", positions=2**70),
    "a seed below 0": lambda: isolarium.calibrate("open", seed=-1),
    "a text for a game's seed": lambda: isolarium.agent("random").new_game("x"),  # type: ignore[arg-type]
    "a game's seed in part": lambda: isolarium.agent("greedy:open").new_game(1.5),  # type: ignore[arg-type]
    "no seed for a game": lambda: isolarium.agent("oracle").new_game(None),  # type: ignore[arg-type]
    "rows that are numbers": lambda: isolarium.Records([1, 2]),  # type: ignore[list-item]
    "rows that are none": lambda: isolarium.Records(3),  # type: ignore[arg-type]
    "rows with other keys": lambda: isolarium.Records([{"a": 1}, {"b": 2}]),
    "a link to itself": lambda: isolarium.survey("3x3", out="loop"),
    "an unknown agent": lambda: isolarium.agent("rndom"),
    "a text to choose in": lambda: isolarium.agent("random").choose("3x3"),  # type: ignore[arg-type]
    "a text to value": lambda: isolarium.agent("greedy:open").values("3x3"),  # type: ignore[arg-type]
    "a number for an agent": lambda: isolarium.play("random", 3),  # type: ignore[arg-type]
    "a number for a start": lambda: isolarium.play("random", "random", start=3),  # type: ignore[arg-type]
    "a seed that another stands for": lambda: isolarium.play("random", "random", seed=2**64),
    "no time for a move": lambda: isolarium.play("random", "random", move_ms=0),
    "a number as a callback": lambda: isolarium.play("random", "random", on_move=3),  # type: ignore[arg-type]
    "a number to draw": lambda: isolarium.draw(3),  # type: ignore[arg-type]
    "nonsense to draw": lambda: isolarium.draw("nonsense"),
    "tints of no squares": lambda: isolarium.draw("3x3", tints={"a1": "red"}),  # type: ignore[dict-item]
    "a tint that is not a colour": lambda: isolarium.draw("3x3", tints={isolarium.Square(0, 0): "\0"}),
    "tints that are none": lambda: isolarium.draw("3x3", tints=3),  # type: ignore[arg-type]
    "a picture of a number": lambda: isolarium.draw("3x3").save(3),  # type: ignore[arg-type]
    "two lines for a picture": lambda: isolarium.draw("3x3").save("a\nb"),
    "another kind of picture": lambda: isolarium.draw("3x3").save("picture.gif"),
    "a picture nowhere": lambda: isolarium.draw("3x3").save("/nowhere/picture.svg"),
    "no such run": lambda: isolarium.read_run("nothing", runs="/nowhere"),
    "a number for a run": lambda: isolarium.read_run(3),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("call", BAD.values(), ids=BAD.keys())
def test_bad_input_is_reported_in_one_line(
    call: Callable[[], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("loop").symlink_to("loop")
    with pytest.raises(isolarium.InputError) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_a_drawing_has_its_tints_and_goes_to_a_file(tmp_path: Path) -> None:
    square, other = isolarium.Square(0, 0), isolarium.Square(2, 2)
    tints = {square: "#a9cdf1", other: "red"}
    drawn = isolarium.draw("3x3: b1", tints=tints, legal=False)
    assert drawn.svg.count('fill="#a9cdf1"') == 1
    assert drawn.svg.count('fill="red"') == 1
    assert drawn.save(tmp_path / "board.svg").read_text() == drawn.svg == drawn._repr_svg_()
    assert isolarium.draw("3x3").svg == isolarium.parse_start("3x3")._repr_svg_()
