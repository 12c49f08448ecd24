"""`isolarium analyze`: positions, games, files; for people and for programs; and what Ctrl-C does."""

import json
import re
from pathlib import Path

import pytest

from isolarium.agents import parse_agent
from isolarium.cli.commands.analyze import _read_target
from isolarium.game.notation import parse_position
from isolarium.game.record import read_game
from tests.agents.foreign import COMPILED, IN_PYTHON
from tests.command import complaints, run_isolarium
from tests.terminal import Terminal

pytestmark = pytest.mark.slow

POSITION = "7/7/2A4/3x3/4B2/7/7 a"
LATE = "4/4/A3/3B a"
GAME = "5x5: c3 c2 b1 e3 d2 c4"


# A position


def test_a_position_shows_board_move_score_line_and_values() -> None:
    shown = run_isolarium("analyze", POSITION).stdout
    agent = parse_agent("alphabeta:improved")
    choice = agent.choose(parse_position(POSITION))
    assert "  3 │   │   │(A)│" in shown
    assert "(A) the first player is to move, with 8 legal moves" in shown
    assert f"\nalphabeta:improved@nodes=8000\nmove         {choice.move}\n" in shown
    assert f"\nscore        {choice.report.score:+g}\n" in shown
    assert f"\nsearch       depth {choice.report.depth} · {choice.report.nodes:,} nodes · " in shown
    assert f"\nline         {' '.join(map(str, choice.report.pv))}\n" in shown
    table = shown.rpartition("\nmove  improved\n")[2]
    assert [line.split() for line in table.splitlines()[1:]] == [
        ["e4", "-1"],
        ["d5", "-1"],
        ["e2", "-4"],
        ["b5", "-4"],
        ["d1", "-5"],
        ["a4", "-5"],
        ["b1", "-6"],
        ["a2", "-6"],
    ]


def test_a_proven_result_says_in_how_many_plies() -> None:
    shown = run_isolarium("analyze", LATE, "--agent", "strong:null").stdout
    assert re.search(r"\nscore        proven (win|loss) in [0-9]+ plies\n", shown)


def test_a_move_that_wins_at_once_needs_no_value() -> None:
    shown = run_isolarium("analyze", "xA1/xx1/1xB a", "--agent", "greedy:improved").stdout
    assert "\nscore        proven win in 1 ply\n" in shown
    assert "\na3        wins\n" in shown


def test_several_agents_are_asked_and_each_heuristic_has_its_column() -> None:
    agents = ["strong:improved", "alphabeta:improved@depth=2", "greedy:open", "mcts@nodes=500"]
    asked = [word for agent in agents for word in ("--agent", agent)]
    shown = run_isolarium("analyze", POSITION, *asked).stdout
    for agent in agents:
        assert f"\n{agent}" in shown
    assert "\nmove  improved  open\n" in shown


def test_a_position_as_json() -> None:
    found = json.loads(run_isolarium("analyze", POSITION, "--agent", "alphabeta:improved", "--json").stdout)
    (opinion,) = found["opinions"]
    choice = parse_agent("alphabeta:improved").choose(parse_position(POSITION))
    assert found["position"] == POSITION
    assert found["agents"] == ["alphabeta:improved@nodes=8000"]
    assert found["interrupted"] is False
    assert opinion["move"] == str(choice.move)
    assert opinion["pv"] == [str(square) for square in choice.report.pv]
    for name in ("score", "depth", "nodes", "proven", "plies"):
        assert opinion[name] == getattr(choice.report, name)
    assert opinion["values"]["e4"] == -1
    assert len(opinion["values"]) == 8


def test_infinite_scores_are_strings_in_json() -> None:
    printed = run_isolarium("analyze", LATE, "--agent", "strong:null", "--json").stdout
    (opinion,) = json.loads(printed, parse_constant=pytest.fail)["opinions"]
    assert opinion["score"] in ("inf", "-inf")
    assert opinion["proven"] is True


def test_before_the_placements_there_are_no_values() -> None:
    (opinion,) = json.loads(run_isolarium("analyze", "7x7", "--json").stdout)["opinions"]
    assert opinion["values"] == {}
    assert "heuristic alone" not in run_isolarium("analyze", "7x7").stdout


def test_moves_without_a_board_are_a_game_on_7x7_unless_they_name_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert str(_read_target("d4, B3 c6")) == "7x7: d4 b3 c6"
    (tmp_path / "d4").write_text("5x5: a1")
    assert str(_read_target("d4")) == "5x5: a1"


def test_a_finished_game_has_nothing_to_analyze() -> None:
    result = run_isolarium("analyze", "xAx/xxx/xBx a")
    assert "(A) the first player has no legal move: [B] the second player has won." in result.stdout
    assert result.returncode == 0
    found = json.loads(run_isolarium("analyze", "xAx/xxx/xBx a", "--json").stdout)
    assert found["outcome"] == {"winner": "second", "reason": "no moves"}
    assert found["opinions"] == []


def test_the_seed_decides_between_equal_moves() -> None:
    def move(seed: int) -> str:
        shown = run_isolarium("analyze", "7x7", "--agent", "random", "--seed", str(seed), "--json")
        return str(json.loads(shown.stdout)["opinions"][0]["move"])

    assert move(1) == move(1) != move(2)


# A game


def test_a_game_shows_the_agents_choice_beside_each_move() -> None:
    shown = run_isolarium("analyze", GAME).stdout
    agent = parse_agent("alphabeta:improved")
    game = read_game(GAME)
    lines = shown.splitlines()[2:8]
    agreed = 0
    for ply, (line, move) in enumerate(zip(lines, game.moves, strict=True)):
        choice = agent.choose(game.positions()[ply])
        differs = choice.move != move
        agreed += not differs
        badge = "[B]" if ply % 2 else "(A)"
        star = ["*"] if differs else []
        assert line.split()[: 4 + differs] == [str(ply + 1), badge, str(move), *star, str(choice.move)]
    assert f"alphabeta:improved@nodes=8000 would have played {agreed} of 6 moves" in shown
    assert f"Record: {GAME}" in shown


def test_a_game_as_json() -> None:
    agents = ["--agent", "alphabeta:improved", "--agent", "mcts@nodes=100"]
    found = json.loads(run_isolarium("analyze", GAME, *agents, "--json").stdout)
    game = read_game(GAME)
    assert [ply["played"] for ply in found["plies"]] == [str(move) for move in game.moves]
    assert [ply["position"] for ply in found["plies"]] == [str(p) for p in game.positions()[:-1]]
    assert found["agents"] == ["alphabeta:improved@nodes=8000", "mcts@nodes=100"]
    for ply in found["plies"]:
        first, second = ply["opinions"]
        assert first["nodes"] <= 8000
        assert second["nodes"] <= 100


@pytest.mark.parametrize("text", ['{"board": "5x5", "moves": ["c3", "c2"]}', "[[3, 3], [2, 1]]", f"{POSITION}\n"])
def test_files_and_stdin_may_hold_any_target(tmp_path: Path, text: str) -> None:
    file = tmp_path / "target.txt"
    file.write_text(text)

    def target_of(target: str, typed: str = "") -> object:
        result = run_isolarium("analyze", target, "--agent", "random", "--json", answers=typed)
        found = json.loads(result.stdout)
        return found.get("game") or found["position"]

    assert target_of(str(file)) == target_of(text) == target_of("-", typed=text)


# Heuristics of other people


def test_a_heuristic_from_a_file_is_evaluated() -> None:
    (opinion,) = json.loads(
        run_isolarium("analyze", POSITION, "--agent", f"greedy:{COMPILED}:improved", "--json").stdout
    )["opinions"]
    assert opinion["values"]["e4"] == -1


def test_a_heuristic_that_runs_in_python_prints_one_warning() -> None:
    result = run_isolarium("analyze", POSITION, "--agent", f"greedy:{IN_PYTHON}:talks", "--json")
    warning, *talk = complaints(result.stderr)
    assert warning.startswith(f"isolarium: {IN_PYTHON}:talks: Numba cannot compile it")
    assert set(talk) == {"talking 1"}
    assert json.loads(result.stdout)["opinions"][0]["score"] == 0


def test_an_agent_that_fails_is_named_and_the_others_answer() -> None:
    agents = ["--agent", f"alphabeta:{COMPILED}:fails_late@depth=9", "--agent", "greedy:open"]
    result = run_isolarium("analyze", POSITION, *agents)
    assert "\nfailed       ValueError: too few squares (compiled.py, line " in result.stdout
    assert "\ngreedy:open\nmove " in result.stdout
    assert result.returncode == 1


# Mistakes


def test_an_error_in_a_file_names_the_file(tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    file.write_text("7x7: d4 d4")
    assert f"isolarium: {file}: move 2 (d4): blocked" in run_isolarium("analyze", str(file)).stderr


# Ctrl-C


LONG = {
    "ours": ("alphabeta:improved@ms=1e9", "of 1e\\+06 s"),
    "with a table": ("strong:improved@nodes=1e14", "s"),
    "by rollouts": ("mcts@nodes=1e14", "s"),
    "compiled": (f"alphabeta:{COMPILED}:improved@nodes=1e14", "s"),
    "in Python": (f"alphabeta:{IN_PYTHON}:improved@nodes=1e14", "s"),
}


@pytest.mark.parametrize(("agent", "progress"), LONG.values(), ids=LONG.keys())
def test_control_c_stops_a_long_search_and_shows_the_best_so_far(agent: str, progress: str) -> None:
    terminal = Terminal("analyze", "9x11", "--agent", agent)
    terminal.until(f"{re.escape(agent.partition('@')[0])}.* · [0-9.]+ {progress} · Ctrl-C stops it")
    terminal.control("c")  # how soon that ends it, tools/benchmarks/latency.py measures
    shown = terminal.until("interrupted: best move so far")
    assert re.search(r"\nmove         [a-k][0-9]+\r", shown)
    assert re.search(r"\nline         [a-k][0-9]+", shown)
    assert terminal.finish()[1] == 130


def test_control_c_in_a_game_shows_the_moves_so_far() -> None:
    terminal = Terminal("analyze", GAME, "--agent", "mcts(c=100)@ms=1e9")
    terminal.until("move 1 of 6 · mcts.* · Ctrl-C stops it")
    terminal.control("c")
    shown, status = terminal.finish()
    assert re.search(r"\n  1  \(A\)  c3 ", shown)
    assert not re.search(r"\n  2  \[B\]", shown)
    assert "interrupted" in shown
    assert status == 130
