"""Heuristics of other people: from their files and their packages, compiled or not."""

import json
import os
import random
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from isolarium.agents import parse_agent, read_spec
from isolarium.agents.search_agent import SearchingAgent
from isolarium.errors import InputError
from isolarium.game.board import Board, parse_square
from isolarium.game.position import Position
from isolarium.heuristics import PlainView, seen
from isolarium.heuristics.bound_heuristic import Bound, parse_heuristic
from isolarium.heuristics.compiler import Callback, HeuristicWarning, ThirdParty, evaluator_of, value_of
from isolarium.limits import Limit
from isolarium.processes.code_description import failure_line
from isolarium.search.alphabeta import AlphaBeta
from isolarium.search.protocol import Choice
from isolarium.spec.spec import load_spec
from tests.agents.foreign import COMPILED, EARLY, FILES, IN_PYTHON, LATE, hosted

pytestmark = pytest.mark.slow


def facts(choice: Choice) -> tuple[object, ...]:
    report = choice.report
    return choice.move, report.score, report.depth, report.nodes, report.pv, report.proven


# Files


@pytest.mark.parametrize("search", ["greedy", "alphabeta", "strong", "minmax_approximation"])
def test_ones_own_plays_as_the_same_of_the_catalogue(search: str) -> None:
    ours = parse_agent(f"{search}:improved")
    with hosted(f"{search}:{COMPILED}:improved") as own:
        for seed in range(5):
            for agent in (ours, own):
                agent.new_game(seed)
            assert facts(own.choose(EARLY)) == facts(ours.choose(EARLY))


def test_parameters_of_every_kind_reach_the_heuristic() -> None:
    move = parse_square("e2", EARLY.board)

    def value(arguments: str) -> float:
        with hosted(f"greedy:{COMPILED}:weighted{arguments}") as agent:
            return agent.values(EARLY)[move]

    own, opp = 4, 8  # moves from e2, and from e5
    assert value("") == own - 2 * opp
    assert value("(weight=0.5)") == own - 0.5 * opp
    assert value("(0.5, 3, true, part=both)") == -2 * 3 * (own - 0.5 * opp)


def test_a_file_beside_it_can_be_imported() -> None:
    with hosted(f"greedy:{COMPILED}:along_the_edge") as agent:
        values = agent.values(EARLY)
    for square in EARLY.legal_moves():
        assert values[square] == (square.row in (0, 6)) + (square.col in (0, 6))


def test_each_folder_has_its_own_helpers() -> None:
    both = f"staged(first={FILES}/left/mine.py:mine, then={FILES}/right/mine.py:mine, at=0.5)"
    with hosted(f"greedy:{both}") as agent:
        assert set(agent.values(EARLY).values()) == {1.0}
        assert set(agent.values(LATE).values()) == {2.0}


HELPER = """
from isolarium.heuristics import helper

@helper
def constant(view):
    return {constant}
"""


@pytest.mark.slow
def test_an_edited_helper_counts_at_once(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text((FILES / "left" / "mine.py").read_text())
    helper = tmp_path / "helpers.py"
    for constant in (3.0, 4.0):  # the same length, within the same second
        helper.write_text(HELPER.format(constant=constant))
        with hosted(f"greedy:{tmp_path}/mine.py:mine") as agent:
            assert set(agent.values(EARLY).values()) == {constant}
        plain = parse_heuristic(f"{tmp_path}/mine.py:mine").plain
        assert plain(PlainView(EARLY.board, frozenset(), True), 0, 1) == constant


GOOD = """
from isolarium.heuristics import heuristic

@heuristic
def flat(view, own, opp, z=0.0):
    return z

def bare(view, own, opp):
    return 0
"""

WRONG_FILES = {
    "a syntax error": ("x = 1\ndef f(:\n", "flat", "line 2: SyntaxError: "),
    "a null byte": ("x = '\0'", "flat", "null bytes"),
    "another encoding": (b"x = '\xff'", "flat", "SyntaxError: "),
    "an import error": ("\nimport nothing_at_all", "flat", "line 2: ModuleNotFoundError: No module"),
    "an error while it runs": ("\n\n1 / 0", "flat", "line 3: ZeroDivisionError: division by zero"),
    "an exit": ("raise SystemExit(3)", "flat", "line 1: SystemExit: 3"),
    "an error of several lines": ("raise ValueError('a\\nb')", "flat", "ValueError: a b"),
    "no such function": (GOOD, "flot", "no heuristic named 'flot' (did you mean 'flat'?)"),
    "nothing like it": (GOOD, "xyz", "no heuristic named 'xyz' (it has flat)"),
    "no heuristic at all": ("x = 1", "x", "no heuristic named 'x' (it has none)"),
    "not decorated": (GOOD, "bare", "'bare' is not a heuristic; decorate it with @heuristic"),
    "no function named": (GOOD, "", "no heuristic named '' (it has flat)"),
    "an unknown parameter": (GOOD, "flat(zz=1)", "no parameter named 'zz' (did you mean 'z'?)"),
    "an argument missing": (
        "from isolarium.heuristics import heuristic\n@heuristic\ndef flat(view): ...",
        "flat",
        "mine.py:flat: line 2: expected at least the arguments view, own, opp",
    ),
    "a parameter without a default": (
        "from isolarium.heuristics import heuristic\n@heuristic\ndef flat(view, own, opp, z): ...",
        "flat",
        "parameter 'z' needs a default, such as z=1.0",
    ),
    "an error in its neighbour": ("import neighbour", "flat", "neighbour.py, line 1: SyntaxError"),
    "a failure in its neighbour": ("\nimport failing", "flat", "line 2: ZeroDivisionError"),
}


@pytest.mark.parametrize(("text", "name", "output"), WRONG_FILES.values(), ids=WRONG_FILES.keys())
def test_what_is_wrong_with_a_file_is_one_line(tmp_path: Path, text: str | bytes, name: str, output: str) -> None:
    file = tmp_path / "mine.py"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    (tmp_path / "neighbour.py").write_text("def f(:")
    (tmp_path / "failing.py").write_text("1 / 0")
    with pytest.raises(InputError) as caught:
        load_spec(f"alphabeta:{file}:{name}@nodes=100")
    assert f"alphabeta:{file}:{name}@nodes=100: " in str(caught.value)
    assert output in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_wrong_heuristic_leaves_the_others_of_its_file_alone(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(f"{GOOD}\n@heuristic\ndef few(view):\n    return 0\n")
    assert str(load_spec(f"greedy:{file}:flat(1)")) == f"greedy:{file}:flat(z=1)"
    with pytest.raises(InputError, match=r"mine\.py:few: line 11: expected at least the arg"):
        load_spec(f"greedy:{file}:few")


def test_what_a_file_prints_goes_to_stderr(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.py"
    file.write_text(f"print('hello')\n{GOOD}")
    read_spec(f"alphabeta:{file}:flat")
    assert capfd.readouterr() == ("", "hello\n")


# Values that are none


@pytest.mark.filterwarnings("ignore::isolarium.heuristics.compiler.HeuristicWarning")
@pytest.mark.parametrize(
    ("search", "name"),
    [
        ("alphabeta", "infinite"),
        ("strong", "infinite"),
        ("minmax_approximation", "infinite"),
        ("alphabeta", "not_a_number"),
        ("alphabeta", "huge"),
    ],
)
def test_no_value_of_a_heuristic_counts_as_proven(search: str, name: str) -> None:
    with hosted(f"{search}:{COMPILED}:{name}@nodes=500") as agent:
        agent.new_game(1)
        choice = agent.choose(EARLY)
    assert EARLY.is_legal(choice.move)
    assert not choice.report.proven
    assert choice.report.score in (float("inf"), float("-inf"))


# Mirror images


SYMMETRIC = {
    "improved": True,
    "along_the_edge": True,
    "row_by_row": True,
    "row_by_arithmetic": False,
    "row_late_by_arithmetic": False,
    "infinite": True,
    "not_a_number": True,
    "fails_late": False,
}


@pytest.mark.filterwarnings("ignore::isolarium.heuristics.compiler.HeuristicWarning")
@pytest.mark.parametrize(("name", "symmetric"), SYMMETRIC.items())
def test_a_heuristic_that_computes_with_square_numbers_is_not_symmetric(name: str, symmetric: bool) -> None:
    evaluator = evaluator_of(parse_heuristic(f"{COMPILED}:{name}"))
    assert isinstance(evaluator, ThirdParty)
    assert evaluator.is_symmetric(Board(7, 7)) == symmetric


def test_computing_with_square_numbers_keeps_its_true_values() -> None:
    lowest = max(EARLY.legal_moves(), key=lambda square: square.row)
    with hosted(f"greedy:{COMPILED}:row_by_arithmetic") as agent:
        for seed in range(8):
            agent.new_game(seed)
            choice = agent.choose(EARLY)
            assert choice.move.row == lowest.row
            assert choice.report.score == lowest.row


# Heuristics that Numba cannot compile


def play_three_games_in_two_processes(heuristic: str) -> None:
    with hosted(f"greedy:{heuristic}") as agent:
        for seed in range(3):
            agent.new_game(seed)
            agent.choose(EARLY)
            if seed == 1:
                agent.close()


def test_one_warning_says_why_and_what_it_costs() -> None:
    with pytest.warns(HeuristicWarning) as caught:
        play_three_games_in_two_processes(f"{IN_PYTHON}:improved")
    (warning,) = caught
    output = str(warning.message)
    assert output.startswith(f"{IN_PYTHON}:improved: Numba cannot compile it")
    assert "runs in Python, hundreds of times slower" in output
    assert "line 15: " in output
    assert "Scale" in output
    assert "\n" not in output


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (
            "max([square for square in legal_moves(view, own)])",
            "line 5: a set of squares cannot be iterated; use squares(...) of it",
        ),
        ("len(list(legal_moves(view, own)))", "line 5: list() cannot be compiled for such arguments"),
        ("view.blnk", "line 5: view has no attribute 'blnk' (did you mean 'blank'?)"),
        (
            "mobility(own)",
            "line 5: a helper function is called with the wrong arguments: missing a required argument: 'square'",
        ),
        ("1j", "it does not return a single real number"),
        ("'good' if own else 1", "line 5: a value may be a number or a string; expected one kind"),
    ],
)
def test_common_mistakes_are_described_in_plain_words(tmp_path: Path, body: str, reason: str) -> None:
    file = tmp_path / "mistaken.py"
    file.write_text(
        "from isolarium.heuristics import heuristic, legal_moves, mobility\n\n"
        f"@heuristic\ndef mine(view, own, opp):\n    return {body}\n",
        encoding="utf-8",
    )
    with pytest.warns(HeuristicWarning) as caught:
        evaluator_of(parse_heuristic(f"{file}:mine"))
    assert str(caught[0].message).endswith(f"hundreds of times slower: {reason}")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("misspelt", "line 30: name 'mobilty' is not defined (did you mean 'mobility'?)"),
        ("without_return", "line 35: it returns None; is a return missing?"),
    ],
)
def test_a_heuristic_that_cannot_run_is_refused(name: str, reason: str) -> None:
    bound = parse_heuristic(f"{IN_PYTHON}:{name}")
    message = f"{IN_PYTHON}:{name}: it cannot run: in_python.py, {reason}"
    with pytest.raises(InputError) as caught:
        evaluator_of(bound)
    assert str(caught.value) == message
    with pytest.raises(InputError) as caught:  # before any game
        read_spec(f"greedy:{IN_PYTHON}:{name}")
    assert str(caught.value) == f"greedy:{IN_PYTHON}:{name}: {message}"
    with pytest.raises(InputError, match="it cannot run"):
        read_spec(f"greedy:staged(first={IN_PYTHON}:{name})")
    view = PlainView(Board(3, 3), frozenset(range(2, 9)), own_to_move=True)
    with pytest.raises((NameError, TypeError), match=r"'mobilty' is not|it returned None"):
        bound.plain(view, 0, 1)


def written(folder: Path, *body: str, arguments: str = "view, own, opp") -> Bound:
    """Write a heuristic with this body, from line 9 on, and return it."""
    file = folder / "mine.py"
    heads = ("import random", "import numpy as np", "from isolarium.heuristics import heuristic, legal_moves, mobility")
    file.write_text("\n".join([*heads, "", "", "@heuristic", f"def mine({arguments}):", '    """Say."""', *body, ""]))
    return parse_heuristic(f"{file}:mine")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (["    return 'good'"], "line 9: it returns a string; expected a number"),
        (["    a = mobility(view, own)", "    return [a, 1]"], "line 10: it returns a list; expected a number"),
        (["    return legal_moves(view, own)"], "line 9: it returns a set of squares; expected a number"),
        (
            ["    if own:", "        return 1, 2", "    return 3, 4"],
            "line 10 or 11: it returns a tuple; expected a number",
        ),
        (["    raise ValueError('boom')"], "line 9: it raises an exception in every case"),
        (["    pass"], "line 9: it returns None; is a return missing?"),
    ],
)
def test_a_heuristic_that_never_returns_a_number_is_refused(tmp_path: Path, body: list[str], reason: str) -> None:
    with pytest.raises(InputError) as caught:
        evaluator_of(written(tmp_path, *body))
    assert str(caught.value) == f"{tmp_path}/mine.py:mine: it cannot run: mine.py, {reason}"


def test_a_truth_value_is_a_number(tmp_path: Path) -> None:
    bound = written(tmp_path, "    return mobility(view, own) >= mobility(view, opp)")
    assert isinstance(evaluator_of(bound), ThirdParty)  # without a warning
    assert value_of(bound, EARLY, EARLY.to_move) == bound.plain(*seen(EARLY)) == 1.0


@pytest.mark.filterwarnings("ignore::isolarium.heuristics.compiler.HeuristicWarning")
@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (["    return 'good'"], "it returned 'good'; expected a number (mine.py, line 9)"),
        (["    if own > 99:", "        return 1"], "it returned None; is a return missing? (mine.py, line 9)"),
    ],
)
def test_a_result_that_is_not_a_number_names_the_line_of_its_return(
    tmp_path: Path, body: list[str], problem: str
) -> None:
    with pytest.raises(TypeError) as caught:
        written(tmp_path, *body).plain(*seen(EARLY))
    assert str(caught.value) == problem
    assert "<string>" not in failure_line(caught.value)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (
            ["    if own:", "        return 'good'", "    return 1"],
            "line 10 or 11: it returns a number or a string; expected a ",
        ),
        (["    if own:", "        return 1"], "line 9: it may return None here; is a return missing?"),
        (["    if own:", "        return", "    return 1"], "line 10: it may return None here; is a return missing?"),
    ],
)
def test_a_heuristic_that_may_not_return_a_number_names_the_line(tmp_path: Path, body: list[str], reason: str) -> None:
    with pytest.warns(HeuristicWarning, match="hundreds of times slower: ") as caught:
        evaluator_of(written(tmp_path, *body))
    assert reason in str(caught[0].message)


def test_arguments_in_another_order_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"line 6: its arguments are own, opp, view; expected this order: view, own, "):
        written(tmp_path, "    return 1", arguments="own, opp, view")


def test_a_heuristic_that_is_always_nan_warns_before_it_plays(tmp_path: Path) -> None:
    bound = written(tmp_path, "    return float('nan')")
    with hosted(f"greedy:{bound}") as agent:
        with pytest.warns(HeuristicWarning) as caught:
            agent.prepare(EARLY)
        agent.prepare(EARLY)  # without a second warning
    assert [str(warning.message) for warning in caught] == [
        f"{bound}: it is NaN in every position tried, and NaN counts as -inf"
    ]


@pytest.mark.filterwarnings("ignore::isolarium.heuristics.compiler.HeuristicWarning")
@pytest.mark.parametrize(
    "value", ["random.random()", "np.random.rand()", "eval('random.random()')", "eval('np.random.rand()')"]
)
def test_random_numbers_of_a_heuristic_depend_on_the_seed_of_the_game_alone(tmp_path: Path, value: str) -> None:
    bound = written(tmp_path, f"    return {value}")

    def scores() -> list[float | None]:
        agent = SearchingAgent(load_spec(f"greedy:{bound}"))
        found = []
        for seed in (1, 1, 2):
            agent.new_game(seed)
            found.append(agent.choose(EARLY).report.score)
        return found

    state = random.getstate()
    first = scores()
    assert random.getstate() == state
    assert first == scores()
    assert first[0] == first[1] != first[2]


@pytest.mark.filterwarnings("ignore::isolarium.heuristics.compiler.HeuristicWarning")
@pytest.mark.parametrize("board", [Board(7, 7), Board(9, 11), Board(13, 13)])
def test_a_callback_chooses_as_the_same_heuristic_compiled(board: Board) -> None:
    callback = evaluator_of(parse_heuristic(f"{IN_PYTHON}:improved"))
    assert isinstance(callback, Callback)
    called = AlphaBeta(callback)
    compiled = AlphaBeta(ThirdParty(parse_heuristic(f"{COMPILED}:improved")))
    position, limit = Position.empty(board), Limit(nodes=300)
    for seed in range(20):
        choice = called.choose(position, limit, seed)
        assert facts(choice) == facts(compiled.choose(position, limit, seed))
        position = position.play(choice.move)


# Installed packages


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an installed package that registers three heuristics, two of them broken."""
    folder = tmp_path_factory.mktemp("package")
    (folder / "their_package.py").write_text(GOOD)
    about = folder / "their_package-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: their-package\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[isolarium.heuristics]\ntheirs = their_package:flat\nbare = their_package:bare\n"
        "broken = their_package_is_gone:flat\n"
    )
    return folder


REGISTERED_WRONG = {
    "thears": "no heuristic named 'thears' (did you mean 'theirs'?)",
    "bare": "their_package:bare: registered as 'bare' but not a heuristic",
    "broken": "their_package_is_gone:flat: ModuleNotFoundError: No module named",
}


@dataclass(frozen=True)
class Printed:
    """What a program printed that uses a package with heuristics.

    Attributes:
        used: An agent's name, its values, and what is wrong with other agents, a line each.
        listed: The list of heuristics.
        as_json: The same as JSON.
        complaints: What the list said on stderr.
    """

    used: list[str]
    listed: str
    as_json: Any
    complaints: list[str]


@pytest.fixture(scope="module")
def printed(package: Path) -> Printed:
    code = f"""
import warnings
from isolarium.agents import parse_agent, read_spec
from isolarium.agents.search_agent import SearchingAgent
from isolarium.cli import main
from isolarium.game.notation import parse_position
agent = parse_agent("greedy:theirs(z=2.5)")
print(agent.name)
print(set(agent.values(parse_position({str(EARLY)!r})).values()))
for name in {list(REGISTERED_WRONG)}:
    try:
        read_spec(f"greedy:{{name}}")
    except ValueError as error:
        print(error)
warnings.simplefilter("default")
for options in ([], ["--json"]):
    print("\f")
    assert main(["heuristics", *options]) == 0
    warnings.simplefilter("ignore")
"""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env={**os.environ, "PYTHONPATH": str(package)},
        capture_output=True,
        text=True,
        check=True,
    )
    used, listed, as_json = done.stdout.split("\f\n")
    return Printed(used.splitlines(), listed, json.loads(as_json), done.stderr.splitlines())


def test_a_package_registers_a_heuristic_under_a_name(printed: Printed) -> None:
    assert printed.used[:2] == ["greedy:theirs(z=2.5)", "{2.5}"]


def test_what_is_wrong_with_a_package_is_one_line(printed: Printed) -> None:
    for line, output in zip(printed.used[2:], REGISTERED_WRONG.values(), strict=True):
        assert output in line


def test_what_packages_register_is_listed_and_what_cannot_be_costs_a_line_each(printed: Printed) -> None:
    assert "\ninstalled: " in printed.listed
    assert "\n  theirs  " in printed.listed
    bare, broken = printed.complaints
    assert bare.startswith("isolarium: heuristic 'bare': their_package:bare: registered")
    assert broken.startswith("isolarium: heuristic 'broken': their_package_is_gone:flat: Modul")
    assert [heuristic["name"] for heuristic in printed.as_json][-1] == "theirs"
    assert printed.as_json[-1]["parameters"] == [{"name": "z", "default": "0", "takes": "a number"}]
