"""The answers of a UGI session to each command."""

import re

import pytest

from isolarium.agents import make_agent, parse_spec
from isolarium.agents import ugi_session as session_module
from isolarium.agents.engine_protocol import format_info
from isolarium.agents.ugi_session import MOST_WAITING
from isolarium.game.board import Board
from isolarium.game.notation import parse_position
from isolarium.game.position import Position
from isolarium.limits import mixed_seed
from tests.engine.talking import Talk

OVER = "xAx/xxx/xBx a"
DECIDED = "3/2x/A1B a"


def test_it_introduces_itself_with_its_options() -> None:
    name, author, *options, last = Talk().say("ugi")
    assert name.startswith("id name Isolarium")
    assert author.startswith("id author ")
    assert [line.split()[2] for line in options] == ["agent", "board", "seed", "threads"]
    assert "option name agent type string default alphabeta:improved@nodes=200" in options
    assert last == "ugiok"


def test_it_is_ready_once_everything_is_compiled() -> None:
    assert Talk().say("isready") == ["readyok"]


def test_it_is_ready_even_after_the_end_of_the_game() -> None:
    assert Talk().say(f"position fen {OVER}", "isready") == ["readyok"]


@pytest.mark.parametrize(
    ("position", "answers"),
    [
        ("startpos", ["false", "true", "none"]),
        ("startpos moves c3", ["false", "false", "none"]),
        (f"fen {OVER}", ["true", "true", "p2win"]),
        ("fen xBx/xxx/xAx b", ["true", "false", "p1win"]),
        ("fen A2/3/2B a moves b3", ["false", "false", "none"]),
        ("fen A2/3/2B a moves b3 a2 c1", ["true", "false", "p1win"]),
    ],
)
def test_it_knows_the_rules(position: str, answers: list[str]) -> None:
    queries = [f"query {question}" for question in ("gameover", "p1turn", "result")]
    heard = Talk().say(f"position {position}", *queries)
    assert heard == [f"response {answer}" for answer in answers]


LIMITS = {
    "nodes 300": "nodes=300",
    "depth 2": "depth=2",
    "depth 0": "depth=1",
    "depth 3 nodes 100": "depth=3,nodes=100",
    "": "nodes=200",
}


@pytest.mark.parametrize(("asked", "limit"), LIMITS.items())
def test_it_plays_the_move_of_the_agent_with_that_limit(asked: str, limit: str) -> None:
    position = Position.empty(Board(5, 5)).play("c3").play("a1")
    agent = make_agent(parse_spec(f"alphabeta:improved@{limit}"))
    agent.new_game(mixed_seed(7, 1))
    expected = agent.choose(position)
    lines = Talk().say("setoption name seed value 7", "uginewgame", "position startpos moves c3 a1", f"go {asked}")
    info, best = lines[-2:]
    assert best == f"bestmove {expected.move}"
    assert without_clock(info) == without_clock(format_info(expected.report))


def without_clock(line: str) -> str:
    return re.sub(r"(nps|time) \d+", r"\1", line)


@pytest.mark.parametrize("asked", ["movetime 1", "p1time 20 p2time 20 p1inc 0 p2inc 0"])
def test_a_clock_ends_it(asked: str) -> None:
    assert Talk().say(f"go {asked}")[-1].startswith("bestmove ")


@pytest.mark.parametrize("agent", ["random", "greedy:open", "mcts@nodes=100", "oracle@nodes=100"])
@pytest.mark.parametrize("asked", ["depth 1", "nodes 50", "infinite"])
def test_every_agent_ends_and_moves(agent: str, asked: str) -> None:
    talk = Talk(agent, "3x4", meanwhile=[None, "stop"])
    assert talk.say(f"go {asked}")[-1].startswith("bestmove ")


def test_a_proven_end_is_a_mate_in_plies() -> None:
    info = Talk().say(f"position fen {DECIDED}", "go depth 9")[-2]
    assert re.search(r" score mate -?\d+ ", info)


def test_the_principal_variation_is_legal() -> None:
    info = Talk().say("position startpos moves c3 a1", "go nodes 200")[-2]
    position = parse_position("B4/5/2A2/5/5 a")
    for move in info.partition(" pv ")[2].split():
        position = position.play(move)


def test_options_change_the_agent_and_the_board() -> None:
    talk = Talk()
    lines = talk.say(
        "setoption name Agent value strong:staged(first=improved, then=open, at=0.4)@depth=2",
        "setoption name board value 3x4",
        "setoption name threads value 1",
        "ugi",
    )
    assert any(line.endswith("then=open, at=0.4)@depth=2") for line in lines)
    assert "option name board type string default 3x4" in lines


def test_random_choices_depend_on_the_seed_and_the_number_of_the_game() -> None:
    def moves(seed: int) -> list[str]:
        lines = [line for _ in range(12) for line in ("uginewgame", "go")]
        return Talk("random").say(f"setoption name seed value {seed}", *lines)

    assert moves(1) == moves(1)
    assert moves(1) != moves(2)
    assert len({line for line in moves(1) if line.startswith("bestmove")}) > 1


# While it thinks


def test_it_answers_during_a_search_and_obeys_stop() -> None:
    talk = Talk(board="9x11", meanwhile=[None, "isready", None, "stop"])
    lines = talk.say("go infinite")
    assert lines[0] == "readyok"
    assert lines[-1].startswith("bestmove ")


def test_it_reports_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_module, "INFO_S", 0.0)
    talk = Talk(board="9x11", meanwhile=[None, None, None, "stop"])
    *infos, best = talk.say("go infinite")
    assert len(infos) > 2
    assert all(re.match(r"info depth \d+ .*nodes \d+ nps \d+ time \d+ pv ", line) for line in infos)
    assert best.split()[1] == infos[-1].partition(" pv ")[2].split()[0]


def test_quit_ends_it_with_its_move() -> None:
    talk = Talk(board="9x11", meanwhile=["quit"])
    lines = talk.say("go infinite", "isready")
    assert lines[-1].startswith("bestmove ")
    assert "readyok" not in lines


def test_other_commands_are_queued_until_the_search_ends() -> None:
    talk = Talk(board="9x11", meanwhile=["position startpos", "query p1turn", "stop"])
    lines = talk.say("position startpos moves a1", "go infinite")
    assert lines[-1] == "response true"
    assert lines[-2].startswith("bestmove ")


def test_the_queue_of_commands_is_bounded() -> None:
    talk = Talk(board="9x11", meanwhile=[*["query p1turn"] * (MOST_WAITING + 1), "stop"])
    lines = talk.say("go infinite")
    assert lines.count("response true") == MOST_WAITING
    assert sum(line.startswith("info string 'query p1turn': searching") for line in lines) == 1


# What is wrong

WRONG = {
    "no such command": ("uig", "'ugi'"),
    "nothing like it": ("e2e4 please", "expected one of ugi"),
    "option without a value": ("setoption name board", "name NAME value VALUE"),
    "option without a name": ("setoption value 3", "name NAME value VALUE"),
    "nothing to set": ("setoption", "name NAME value VALUE"),
    "no such option": ("setoption name bord value 3x3", "'board'"),
    "no such board": ("setoption name board value 2x2", "3 to 13"),
    "no such agent": ("setoption name agent value alphabeta:opne", "'open'"),
    "an agent in a file": ("setoption name agent value greedy:/no.py:f", "Isolarium's own"),
    "threads": ("setoption name threads value 2", "threads '2'; expected 1"),
    "seed": ("setoption name seed value -1", "seed '-1'"),
    "seed in other digits": ("setoption name seed value ٣", "seed"),
    "no position": ("position", "startpos or fen"),
    "another position": ("position start", "startpos or fen"),
    "a wrong fen": ("position fen 8/8 w", "position '8/8 w'"),
    "an illegal move": ("position startpos moves a1 a1", "a1: blocked"),
    "a move off the board": ("position startpos moves z9", "'z9'"),
    "no question": ("query", "gameover, p1turn, result"),
    "no such question": ("query winner", "'winner'"),
    "go where": ("go home", "'home'"),
    "go without a number": ("go depth", "depth ''"),
    "go no nodes": ("go nodes 0", "nodes=0"),
    "go twice": ("go depth 1 depth 2", "twice"),
    "go with the other's clock": ("go p2time 100 p2inc 0", "p1time"),
    "a number past everything": (f"go nodes {'9' * 5000}", "nodes"),
}


@pytest.mark.parametrize(("line", "message"), WRONG.values(), ids=WRONG.keys())
def test_an_invalid_command_prints_one_line_and_changes_nothing(line: str, message: str) -> None:
    talk = Talk()
    (answer,) = talk.say(line)
    assert answer.startswith("info string ")
    assert message in answer
    assert len(answer) < 300
    assert talk.say("ugi") == Talk().say("ugi")


def test_there_is_no_move_after_the_end_of_the_game() -> None:
    lines = Talk().say(f"position fen {OVER}", "go depth 3")
    assert lines[0].startswith("info string go: the game is over")
    assert lines[1:] == ["bestmove none"]


@pytest.mark.parametrize("line", ["", "   ", "stop"])
def test_empty_lines_have_no_answer(line: str) -> None:
    assert Talk().say(line) == []
