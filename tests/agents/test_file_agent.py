"""Agents in Python from files, `agent:FILE.py:NAME`, and from installed packages, in sandboxed processes."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import isolarium
from isolarium.agents import AgentFailure, file_agent, parse_agent, parse_spec, read_spec
from isolarium.agents.file_agent import FileAgent
from isolarium.errors import InputError
from isolarium.game.position import Reason
from isolarium.processes.code_loader import load_file
from isolarium.spec.resolve import files_loaded_for
from tests.agents.foreign import EARLY, FILES, processes_of
from tests.command import environment

pytestmark = pytest.mark.slow
PLAYERS = f"{FILES}/players.py"


@contextmanager
def started(name: str) -> Iterator[FileAgent]:
    agent = parse_agent(f"agent:{PLAYERS}:{name}")
    assert isinstance(agent, FileAgent)
    try:
        agent.new_game(1)
        yield agent
    finally:
        agent.close()


def test_it_plays_as_the_same_object_of_a_program() -> None:
    players = load_file(PLAYERS)
    own = [isolarium.agent(players.Crowder, limit="nodes=30"), players.drawn, players.last]
    texts = [f"agent:{PLAYERS}:{name}" for name in ("Crowder@nodes=30", "drawn", "last")]
    games = []
    for agents in (own, texts):
        met = isolarium.tournament(agents, pairs=2, board="5x5", workers=1)
        games.append([game.line for game in met.games()])
        assert {game.reason for game in met.games()} == {Reason.NO_MOVES}
    assert games[0] == games[1]


def test_an_object_receives_its_board_and_limit() -> None:
    with started("Tells@ms=100") as agent:
        output = r"Tells@ms=100: ValueError: on 7x7 with ms=100 \(players.py, line \d+: raise Value"
        with pytest.raises(AgentFailure, match=output):
            agent.choose(EARLY)


def test_a_function_takes_no_limit() -> None:
    assert str(read_spec(f"agent:{PLAYERS}:drawn@nodes=5")) == f"agent:{PLAYERS}:drawn"
    assert str(read_spec(f"agent:{PLAYERS}:Crowder@nodes=5")).endswith("Crowder@nodes=5")


FAILURES = {
    "fails": (Reason.CRASH, r"IndexError: .* \(players.py, line \d+: return \[\]\[position"),
    "astray": (Reason.ILLEGAL_MOVE, r"astray: returned 'z9'; expected a square such as 'd4'"),
    "resigns": (Reason.RESIGNATION, "resigned"),
    "exits": (Reason.CRASH, "SystemExit: 3"),
}


@pytest.mark.parametrize(("name", "expected"), FAILURES.items(), ids=FAILURES.keys())
def test_each_failure_has_its_reason(name: str, expected: tuple[Reason, str]) -> None:
    with started(name) as agent:
        with pytest.raises(AgentFailure, match=expected[1]) as caught:
            agent.choose(EARLY)
        assert caught.value.reason is expected[0]
        agent.new_game(2)  # it can play another game


def test_an_endless_loop_is_terminated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_agent, "LONGEST_MOVE_S", 0.3)
    before = processes_of(os.getpid())
    with started("endless") as agent:
        with pytest.raises(AgentFailure, match=r"did not respond for 0\.3 s; terminated") as caught:
            agent.choose(EARLY)
        assert caught.value.reason is Reason.TIME
        assert processes_of(os.getpid()) == before
        agent.new_game(2)
        with pytest.raises(AgentFailure, match="did not"):
            agent.choose(EARLY, stop=lambda: True)


WRONG = {
    "Crwder": "no agent named 'Crwder' (did you mean 'Crowder'?)",
    "xyz": "no agent named 'xyz' (it has Crowder, drawn, last, ",
    "freer": "a function of view, own, opp is a heuristic; write alphabeta:",
    "of_two": "not a function of one position; expected f(position), or a class with choose",
    "Silent": "not an agent; expected f(position), or a class with choose(position, limit)",
    "NUMBER": "not an agent; expected",
    "Crowder(3)": "an agent in Python does not take values here",
    "Crowder@calls=3": "agent is not limited by calls=",
    "Crowder@book": "agent does not use a book",
}


@pytest.mark.parametrize(("name", "message"), WRONG.items(), ids=WRONG.keys())
def test_what_is_not_an_agent_is_one_line(name: str, message: str) -> None:
    spec = f"agent:{PLAYERS}:{name}"
    with pytest.raises(InputError) as caught:
        read_spec(spec)
    assert str(caught.value).startswith(f"{spec}: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("agent:", "agent needs a function or a class in a file"),
        ("agent:players.py", "players.py: expected the name of a function or a class, FILE.py:NAME"),
        ("agent:nowhere.py:f", "'nowhere.py': no such file"),
        ("agent:nobody", "no installed package has an agent named 'nobody' (for an agent in a file"),
        ("alphabeta:agent:a.py:f", "an agent plays without a search; write agent:a.py:f alone"),
    ],
)
def test_what_is_no_agent_s_spec_is_one_line(spec: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_spec(spec)
    assert message in str(caught.value)


def test_its_files_are_part_of_the_run() -> None:
    found = files_loaded_for([parse_spec(f"agent:{PLAYERS}:drawn")])
    assert {path.name for path in found} == {"players.py", "helpers.py"}


# Installed packages


@pytest.fixture
def package(tmp_path: Path) -> dict[str, str]:
    """An environment in which a package is installed that registers agents, some of them broken."""
    (tmp_path / "their_agents.py").write_text(
        "class First:\n    def choose(self, position, limit):\n        return position.legal_moves()[0]\n\n"
        "def last(position):\n    return position.legal_moves()[-1]\n\nNUMBER = 3\n"
    )
    about = tmp_path / "their_agents-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: their-agents\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[isolarium.agents]\nfirst = their_agents:First\nlast = their_agents:last\n"
        "number = their_agents:NUMBER\ngone = their_agents_are_gone:f\n"
    )
    return {"PYTHONPATH": str(tmp_path)}


PLAYING = """
import isolarium
played = isolarium.match("agent:first@nodes=9", "agent:last", pairs=2, board="5x5", workers=1)
print(*played.results.plan.agents, {game.reason.value for game in played.games()})
for name in ("fist", "number", "gone"):
    try:
        isolarium.agent(f"agent:{name}")
    except isolarium.InputError as error:
        print(error)
from isolarium.cli import main
print("\f")
assert main(["agents"]) == 0
"""


def test_a_package_registers_agents_that_are_listed(package: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PLAYING], env=environment(**package), capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    used, listed = done.stdout.split("\f\n")
    assert used.splitlines() == [
        "agent:first@nodes=9 agent:last {'no moves'}",
        "agent:fist: no installed package has an agent named 'fist' (did you mean 'first'?)",
        "agent:number: their_agents:NUMBER: not an agent; expected f(position), or a class with "
        "choose(position, limit)",
        "agent:gone: their_agents_are_gone:f: ModuleNotFoundError: No module named 'their_agents_are_gone'",
    ]
    assert "agent:first, agent:gone, agent:last, agent:number" in listed
