"""Agents of the course that lie on their line: each loses its game for that, and no run is spoiled."""

import json
import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from io import StringIO
from pathlib import Path

import pytest

import isolarium
from isolarium.agents import Agent, AgentFailure, make_agent, parse_spec, read_spec
from isolarium.agents.agent import SpecAgent
from isolarium.arena.export import write_json
from isolarium.arena.referee import play_game
from isolarium.arena.run_db import Record
from isolarium.course.course_agent import CourseFile, load_course
from isolarium.errors import InputError
from isolarium.game.notation import parse_position
from isolarium.game.position import Player, Reason
from tests.course.few_positions import run_quickly
from tests.course.lies import LIES, TOOLS, write_liar, write_liar_of_all
from tests.playing import Wanderer
from tests.samples import sample

AGENTS = Path(__file__).parent / "agents"
HONEST = (f"course:{AGENTS / 'generation_2' / 'game_agent.py'}:AlphaBetaPlayer@calls=50", "greedy:improved")
START = parse_position("5/1A3/5/3B1/5 a")

pytestmark = pytest.mark.slow


@contextmanager
def guest(text: str) -> Iterator[SpecAgent]:
    with closing(make_agent(parse_spec(text))) as agent:
        yield agent


def agent_file(folder: Path, text: str) -> Path:
    file = folder / "game_agent.py"
    file.write_text(TOOLS + text)
    return file


@pytest.mark.parametrize("name", sample(LIES, 20))
def test_each_lie_loses_the_game_and_is_told(name: str, tmp_path: Path) -> None:
    expected = LIES[name]
    with guest(write_liar(name, tmp_path)) as agent:
        for seed, note in ((1, expected.note), (2, "")):  # it does no harm to the next game
            seats: dict[Player, Agent] = {Player.FIRST: agent, Player.SECOND: Wanderer()}
            game = play_game(seats, START, (), {Player.FIRST: seed, Player.SECOND: 2})
            assert note in game.note
            assert game.outcome.winner is Player.SECOND
            # A second answer of the first game may only be there by now.
            second = {Reason.CRASH} if seed == 2 else set()
            assert game.outcome.reason in second | {expected.reason}


def test_a_tournament_with_a_liar_is_finished_and_can_be_read(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    liar = write_liar_of_all(tmp_path)
    played = isolarium.tournament([liar, *HONEST], pairs=3, board="5x5", runs=runs, progress=False)
    before = exported(played.folder)
    with closing(Record(played.folder)) as record:
        games, plan = list(record.games()), record.plan
        assert record.is_finished
    assert len(games) == 18
    for game in games:
        met = plan.encounters[game.encounter]
        if met.first == 0:  # the liar
            assert game.reason is not Reason.NO_MOVES
            assert not game.first_won
            assert game.note.startswith("course:")
        else:
            assert game.reason is Reason.NO_MOVES
    for command, *options in (["resume"], ["report"], ["export", "--csv"]):
        done = run_quickly(command, str(played.folder), *options, "--runs", str(runs))
        assert done.returncode == 0, done.stderr
    assert exported(played.folder) == before


def exported(folder: Path) -> str:
    text = StringIO()
    with closing(Record(folder)) as record:
        write_json(record, text, times=False)
    return text.getvalue()


# Descriptions of what is loaded


def described(**fields: object) -> str:
    description = {"name": "CustomPlayer", "modules": "first", "files": [], **fields}
    return f"send({json.dumps(json.dumps({'number': 1, 'done': description}))}.encode())\n"


DESCRIPTIONS = {
    "a name of two lines": (described(name="A\nB"), "which is not the name of a class"),
    "a name that a terminal obeys": (described(name="A\x1b[2J"), "not the name of a class"),
    "a name without end": (described(name="A" * 101), "at most 100 characters"),
    "a name that is a spec": (described(name="A@ms=9"), "not the name of a class"),
    "other modules": (described(modules="second"), "expected one of 'first' or 'later'"),
    "files that are no list": (described(files="game_agent.py"), "expected a list"),
    "files that are no texts": (described(files=[1]), "files.0: 1: expected text"),
    "a file that a terminal obeys": (described(files=["\x07.py"]), "with control characters"),
    "too many files": (described(files=["a.py"] * 1001), "at most 1000 of them"),
    "a name of any length": (described(files=["a" * 5000]), "at most 4096 characters"),
    "more than is asked": (described(age=7), "no key named 'age'"),
}


@pytest.mark.parametrize("name", sample(DESCRIPTIONS, 5))
def test_a_forged_description_is_refused_in_one_line(name: str, tmp_path: Path) -> None:
    text, note = DESCRIPTIONS[name]
    file = agent_file(tmp_path, text)
    with pytest.raises(InputError) as caught:
        read_spec(f"course:{file}")
    assert note in str(caught.value)
    assert str(caught.value).isprintable()
    with pytest.raises(InputError) as caught:
        CourseFile(str(file))
    assert note in str(caught.value)


def test_of_the_files_that_an_agent_names_its_own_alone_are_read(tmp_path: Path) -> None:
    own, other = tmp_path / "own", tmp_path / "other"
    for folder in (own, other, own / "folder.py", own / "below"):
        folder.mkdir()
    for file in (own / "helper.py", own / "below" / "deep.py", own / "data.txt", other / "key.py"):
        file.write_text("KEY = 1\n")
    os.mkfifo(own / "pipe.py")
    (own / "link.py").symlink_to(other / "key.py")
    (own / "zero.py").symlink_to("/dev/zero")
    (own / "inside.py").symlink_to(own / "helper.py")
    named = [
        *map(str, (own / "helper.py", own / "below" / "deep.py", own / "data.txt")),
        *map(str, (own / "pipe.py", own / "link.py", own / "zero.py", own / "inside.py")),
        *map(str, (own / "folder.py", own / "missing.py", own / ("a" * 300 + ".py"))),
        *map(str, (other / "key.py", own / ".." / "other" / "key.py", "/etc/passwd", "/dev/zero")),
        *("", ".", "relative.py"),
    ]
    file = agent_file(own, described(files=named))
    loaded = load_course(parse_spec(f"course:{file}"))
    assert set(loaded.files) == {file, own / "helper.py", own / "below" / "deep.py"}


NAMED_OTHERWISE = """
def method(self, game, time_left):
    return game.get_legal_moves()[0]

def made(name):
    return type(name, (), {"get_move": method, "__module__": __name__})

"""


@pytest.mark.parametrize("name", sample(["A\nB", "\x1b[2J", "a b", "", "A@ms=9", "class"], 2))
def test_a_class_is_named_as_its_file_names_it(name: str, tmp_path: Path) -> None:
    file = agent_file(tmp_path, f"{NAMED_OTHERWISE}CustomPlayer = made({name!r})\n")
    assert str(read_spec(f"course:{file}")) == f"course:{file}:CustomPlayer@ms=150"
    played = isolarium.match(f"course:{file}@calls=9", "random", pairs=1, board="5x5", runs=tmp_path, progress=False)
    assert {game.reason for game in played.games()} == {Reason.NO_MOVES}


@pytest.mark.parametrize("name", sample(["A\nB", "\x1b[2J", "a b", "", "1A"], 2))
def test_a_class_whose_name_cannot_be_typed_is_not_there(name: str, tmp_path: Path) -> None:
    file = agent_file(tmp_path, f"{NAMED_OTHERWISE}globals()[{name!r}] = made('A')\nglobals()[{name!r}+'f'] = method\n")
    with pytest.raises(InputError, match=r"expected one class with get_move \(it has none\)"):
        read_spec(f"course:{file}")
    contents = CourseFile(str(file)).contents
    assert not contents.classes
    assert {one for one in contents.functions if not one.isidentifier()} == set()


# Scores

SCORES = {
    "NaN": "float('nan')",
    "true": "True",
    "a text": "'1e5'",
    "bytes": "b'1'",
    "nothing": "None",
    "NumPy's true": "__import__('numpy').bool_(True)",
    "NumPy's NaN": "__import__('numpy').float64('nan')",
    "a complex number": "1j",
    "a list": "[1.0]",
    "a number past all": "10 ** 400",
    "a number that cannot be written": "10 ** 5000",
}


@pytest.mark.parametrize("name", sample(SCORES, 5))
def test_what_is_not_a_number_is_not_a_score(name: str, tmp_path: Path) -> None:
    file = agent_file(tmp_path, f"def score(game, player):\n    return {SCORES[name]}\n")
    with guest(f"greedy:course:{file}:score") as agent:
        agent.new_game(1)
        with pytest.raises(AgentFailure, match=r"returned .*; expected a number") as caught:
            agent.choose(START)
    assert caught.value.reason is Reason.ILLEGAL_MOVE


NUMBERS = {
    "a whole number": "moves",
    "a fraction": "__import__('fractions').Fraction(moves, 3)",
    "a decimal": "__import__('decimal').Decimal(moves)",
    "NumPy's float": "__import__('numpy').float32(moves)",
    "NumPy's whole number": "__import__('numpy').int64(moves)",
    "an array of one": "__import__('numpy').array(moves)",
    "without bound": "float('inf') if moves > 1 else float('-inf')",
}


@pytest.mark.parametrize("name", sample(NUMBERS, 4))
def test_any_number_is_a_score(name: str, tmp_path: Path) -> None:
    score = f"def score(game, player):\n    moves = len(game.get_legal_moves(player))\n    return {NUMBERS[name]}\n"
    file = agent_file(tmp_path, score)
    with guest(f"greedy:course:{file}:score") as agent:
        agent.new_game(1)
        assert agent.choose(START).move in START.legal_moves()
        assert {type(value) for value in agent.values(START).values()} == {float}


FORGED_SCORES = {
    "a bare number": ("1.5", "1.5: expected a table"),
    "NaN": ("{'value': float('nan')}", "NaN is not a number"),
    "infinity as a number": ("{'value': float('inf')}", "Infinity is not a number"),
    "true": ("{'value': True}", "True: expected a number"),
    "a text": ("{'value': '1e5'}", "'1e5': expected"),
    "a number past all": ("{'value': 10 ** 400}", "expected a number"),
}


@pytest.mark.parametrize("name", sample(FORGED_SCORES, 3))
def test_a_forged_score_is_a_crash(name: str, tmp_path: Path) -> None:
    forged, note = FORGED_SCORES[name]
    file = agent_file(tmp_path, f"def score(game, player):\n    answer(done={forged})\n    return 1\n")
    with guest(f"greedy:course:{file}:score") as agent:
        agent.new_game(1)
        with pytest.raises(AgentFailure) as caught:
            agent.choose(START)
    assert note in str(caught.value)
    assert caught.value.reason is Reason.CRASH
