"""Third-party engines play, and their failures are reported with the last line they wrote."""

import os
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from math import inf
from pathlib import Path
from select import select
from typing import Any

import pytest

import isolarium
from isolarium.agents import AgentFailure, make_agent, parse_agent, parse_spec
from isolarium.agents import engine as engine_module
from isolarium.agents.engine import EngineAgent, find_program
from isolarium.arena.results import read_results
from isolarium.arena.run_db import Record
from isolarium.errors import InputError
from isolarium.game.board import Board, Square
from isolarium.game.notation import parse_position
from isolarium.game.position import Position, Reason
from isolarium.limits import Limit, mixed_seed
from isolarium.processes.code_loader import FOLDERS
from isolarium.reporting.cells import text_of
from isolarium.reporting.run_tables import standings_table
from tests.agents.foreign import processes_of
from tests.command import COMMAND, PATIENCE_S

PROGRAMS = Path(__file__).parent / "programs"
UGI, JOUST = str(PROGRAMS / "ugi_program.py"), str(PROGRAMS / "joust_program.py")
START = parse_position("7/7/2A4/3x3/4B2/7/7 a")
SOON_S = 0.3
"""How long is waited for what never comes."""

pytestmark = pytest.mark.slow


@contextmanager
def engine(
    *command: str,
    options: dict[str, str] | None = None,
    limit: Limit = Limit(nodes=100),  # noqa: B008 # it never changes
    introduction_s: float = PATIENCE_S,
    starting_s: float = PATIENCE_S,
    silence_s: float = PATIENCE_S,
    grace_s: float = PATIENCE_S,
) -> Iterator[EngineAgent]:
    agent = EngineAgent(
        "engine:it",
        [sys.executable, *command],
        options or {},
        limit,
        introduction_s=introduction_s,
        starting_s=starting_s,
        silence_s=silence_s,
        grace_s=grace_s,
    )
    with closing(agent):
        yield agent


# Right


def test_it_returns_a_move_with_its_report() -> None:
    with engine(UGI) as agent:
        agent.new_game(1)
        choice = agent.choose(START)
    assert choice.move == START.legal_moves()[0]
    report = choice.report
    assert (report.score, report.depth, report.nodes) == (-1.5, 4, 321)
    assert report.pv == (choice.move,)  # as far as it can be played
    assert not report.proven


LIMITS = {
    "go depth 3": Limit(depth=3),
    "go nodes 500": Limit(nodes=500),
    "go movetime 20": Limit(time_ms=20),
    "go movetime 1": Limit(time_ms=0.2),
    "go depth 3 nodes 500 movetime 20": Limit(depth=3, nodes=500, time_ms=20),
}


@pytest.mark.parametrize(("words", "limit"), LIMITS.items())
def test_it_receives_its_limit(words: str, limit: Limit, capfd: pytest.CaptureFixture[str]) -> None:
    with engine(UGI, limit=limit) as agent:
        agent.new_game(1)
        agent.choose(START)
    assert words in capfd.readouterr().err.splitlines()


def test_a_whole_session_follows_ugi(capfd: pytest.CaptureFixture[str]) -> None:
    with engine(UGI, options={"Mood": "fine"}) as agent:
        agent.new_game(1234)
        agent.choose(START)
    assert capfd.readouterr().err.splitlines() == [
        "ugi",
        "isready",
        "setoption name Mood value fine",
        "isready",
        "setoption name seed value 34",  # of 0 to 99
        "uginewgame",
        "isready",
        "isready",  # with the board, where it has an option for that
        f"position fen {START}",
        "isready",
        "go nodes 100",
        "quit",
    ]


def test_stop_is_passed_on() -> None:
    with engine(UGI, "waits for stop") as agent:
        agent.new_game(1)
        assert START.is_legal(agent.choose(START, stop=lambda: True).move)


def test_it_has_no_heuristic_values() -> None:
    with engine(UGI) as agent:
        assert agent.values(START) == {}


def test_a_finished_game_is_refused() -> None:
    with engine(UGI) as agent, pytest.raises(InputError, match="the game is over"):
        agent.choose(parse_position("xAx/xxx/xBx a"))


# Wrong

WHILE_IT_THINKS = {
    "illegal": (Reason.ILLEGAL_MOVE, "c3: blocked; expected", "bestmove c3"),
    "off the board": (Reason.ILLEGAL_MOVE, "square 'z9'", "bestmove z9"),
    "garbled": (Reason.ILLEGAL_MOVE, "square ''", "bestmove"),
    "binary": (Reason.ILLEGAL_MOVE, "square", "bestmove"),
    "resigns": (Reason.RESIGNATION, "resigned", "bestmove none"),
    "dies": (Reason.CRASH, "its program ended (exit status 3)", "info string farewell"),
}


@pytest.mark.parametrize("mood", WHILE_IT_THINKS)
def test_an_invalid_answer_is_its_failure(mood: str) -> None:
    reason, message, last = WHILE_IT_THINKS[mood]
    with engine(UGI, mood) as agent:
        agent.new_game(1)
        with pytest.raises(AgentFailure) as caught:
            agent.choose(START)
    assert caught.value.reason is reason
    assert str(caught.value).startswith("engine:it: ")
    assert message in str(caught.value)
    assert f"its last line: '{last}" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("mood", ["mute", "chatters", "endless line"])
def test_silence_ends_at_a_timeout(mood: str) -> None:
    with engine(UGI, mood, silence_s=SOON_S) as agent:
        agent.new_game(1)
        with pytest.raises(AgentFailure, match=r"no bestmove and no info for 0\.3 s") as caught:
            agent.choose(START)
    assert caught.value.reason is Reason.TIME


@pytest.mark.parametrize("mood", ["mute", "floods"])
def test_a_time_limit_holds_whatever_it_writes(mood: str) -> None:
    with engine(UGI, mood, limit=Limit(time_ms=10), grace_s=SOON_S) as agent:
        agent.new_game(1)
        with pytest.raises(AgentFailure, match=r"no bestmove in 10 ms and 0\.3 s") as caught:
            agent.choose(START)
    assert caught.value.reason is Reason.TIME


def test_an_engine_that_does_not_stop_is_ended_at_a_timeout() -> None:
    with engine(UGI, "floods", silence_s=SOON_S) as agent:
        agent.new_game(1)
        with pytest.raises(AgentFailure, match=r"no bestmove 0\.3 s after stop") as caught:
            agent.choose(START, stop=lambda: True)
    assert caught.value.reason is Reason.TIME


AT_THE_START: dict[str, tuple[dict[str, Any], Reason, str]] = {
    "silent": ({"introduction_s": SOON_S}, Reason.TIME, "neither ugiok nor uciok in 0.3 s; it printed nothing"),
    "never ready": ({"starting_s": SOON_S}, Reason.TIME, "no readyok in 0.3 s; its last line: 'ugiok'"),
    "ends": ({}, Reason.CRASH, "its program ended (exit status 5); it printed nothing"),
    "has many options": (
        {},
        Reason.CRASH,
        "declares more than 1,000 options; its last line: 'option name more998 type string'",
    ),
}


@pytest.mark.parametrize("mood", AT_THE_START)
def test_an_engine_that_does_not_start_loses(mood: str) -> None:
    patience, reason, message = AT_THE_START[mood]
    with engine(UGI, mood, **patience) as agent, pytest.raises(AgentFailure) as caught:
        agent.new_game(1)
    assert (caught.value.reason, str(caught.value)) == (reason, f"engine:it: {message}")


def test_an_unknown_option_is_named() -> None:
    message = r"no option named 'mod' \(did you mean 'mood'\?\)"
    with engine(UGI, options={"mod": "x"}) as agent, pytest.raises(AgentFailure, match=message):
        agent.new_game(1)


def test_a_file_that_is_not_a_program_loses(tmp_path: Path) -> None:
    file = tmp_path / "program"
    file.write_bytes(b"\0no program")
    file.chmod(0o755)
    agent = EngineAgent("engine:it", [str(file)], {}, Limit(nodes=1))
    with pytest.raises(AgentFailure, match=r"its program ended \(exit status 126\)"):
        agent.new_game(1)


def test_an_engine_that_failed_can_play_the_next_game() -> None:
    with engine(UGI, "dies") as agent:
        for seed in (1, 2):
            agent.new_game(seed)
            with pytest.raises(AgentFailure):
                agent.choose(START)


def test_an_interrupt_leaves_no_move_behind() -> None:
    def interrupt() -> bool:
        raise KeyboardInterrupt

    with engine(UGI, "waits for stop") as agent:
        agent.new_game(1)
        with pytest.raises(KeyboardInterrupt):
            agent.choose(START, stop=interrupt)
        assert START.is_legal(agent.choose(START, stop=lambda: True).move)


# Its process


def test_its_child_processes_end_with_it() -> None:
    before = processes_of(os.getpid())
    with engine(UGI, "has a child") as agent:
        agent.new_game(1)
        (supervisor,) = set(processes_of(os.getpid())) - set(before)
        (program,) = processes_of(supervisor)
        (child,) = processes_of(program)
        its_end = os.pidfd_open(child)
    ended, _, _ = select([its_end], [], [], PATIENCE_S)
    os.close(its_end)
    assert ended
    assert processes_of(os.getpid()) == before


def test_it_is_ended_if_it_does_not_quit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_module, "QUITTING_S", 0.1)
    before = processes_of(os.getpid())
    with engine(UGI, "stays") as agent:
        agent.new_game(1)
    assert processes_of(os.getpid()) == before


def test_a_garbage_collected_agent_ends_its_program() -> None:
    before = processes_of(os.getpid())
    agent = EngineAgent("engine:it", [sys.executable, UGI], {}, Limit(nodes=1))
    agent.new_game(1)
    assert processes_of(os.getpid()) != before
    del agent
    assert processes_of(os.getpid()) == before


def test_its_folder_must_be_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDERS, "[]")
    with engine(UGI) as agent, pytest.raises(AgentFailure, match="not in a folder"):
        agent.new_game(1)


# As a spec


def test_a_spec_names_the_program_its_arguments_and_its_options() -> None:
    spec = f"engine:{sys.executable} {UGI} mute(Mood=fine)@nodes=50"
    with closing(parse_agent(spec)) as agent:
        agent.new_game(1)
        assert agent.name == spec
        assert START.is_legal(agent.choose(START).move)


def test_isolariums_engine_plays_like_its_agent() -> None:
    inner = make_agent(parse_spec("alphabeta:improved@nodes=300"))
    inner.new_game(mixed_seed(5, 1))  # the first game with that seed
    position = Position.empty(Board(4, 5))
    spec = f"engine:{COMMAND} engine(agent=alphabeta:improved)@nodes=300"
    with closing(parse_agent(spec)) as outer:
        outer.new_game(5)
        while position.outcome() is None:
            choice, expected = outer.choose(position), inner.choose(position)
            assert choice.move == expected.move
            assert choice.report.nodes == expected.report.nodes
            position = position.play(choice.move)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("engine:", "needs a program"),
        ("engine:no-such-program-here", "'no-such-program-here': no such program on PATH"),
        ("engine:./nothing here@ms=5", "'./nothing': no such program"),
        ("engine:cat(5)", "expected OPTION=VALUE"),
        ("engine:cat@calls=5", "calls"),
        ("engine:''", "expected a program"),
    ],
)
def test_an_invalid_spec_is_refused(spec: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_agent(spec)
    assert message in str(caught.value)


# Joust, in UCI


@pytest.mark.parametrize("board", [(8, 8), (7, 7), (3, 3), (10, 12), (9, 11)], ids=str)
def test_joust_is_played_on_every_board_it_supports(board: tuple[int, int]) -> None:
    rows, cols = board
    position = Position.empty(Board(rows, cols)).play(Square(rows - 1, 0)).play(Square(0, cols - 1))
    with engine(JOUST) as agent:
        agent.new_game(1)
        while position.outcome() is None:
            choice = agent.choose(position)
            assert choice.report.pv == (choice.move,)
            assert choice.report.nodes == len(position.legal_moves())
            assert choice.report.score == inf
            position = position.play(choice.move)


def test_one_program_plays_on_one_board_after_the_other() -> None:
    with engine(JOUST) as agent:
        for sides in (8, 6, 8):
            board = Board(sides, sides)
            position = Position.empty(board).play(Square(2, 2)).play(Square(4, 4))
            assert position.is_legal(agent.choose(position).move)


def test_joust_has_no_placements() -> None:
    with engine(JOUST) as agent:
        agent.prepare(Position.empty(Board(8, 8)))
        with pytest.raises(AgentFailure, match="start from a position with both players placed"):
            agent.choose(Position.empty(Board(8, 8)))


@pytest.mark.parametrize(
    ("arguments", "board", "message"),
    [
        ((), Board(13, 8), "board 13x8: expected at most 10 rows and 12 columns"),
        ((), Board(8, 13), "board 8x13: expected at most 10 rows and 12 columns"),
        (("--no-variants",), Board(7, 7), "board 7x7: expected 8x8, because the program cannot read"),
    ],
)
def test_an_unsupported_board_is_named(arguments: tuple[str, ...], board: Board, message: str) -> None:
    position = Position.empty(board).play(Square(2, 2)).play(Square(4, 4))
    with engine(JOUST, *arguments) as agent:
        with pytest.raises(InputError, match=f"^engine:it: {message}"):
            agent.prepare(position)
        with pytest.raises(AgentFailure, match=message):
            agent.choose(position)


def test_a_board_that_a_ugi_program_does_not_declare_is_named() -> None:
    with engine(UGI, "two boards") as agent:
        agent.prepare(START)
        with pytest.raises(InputError, match="board 5x5: the program plays only on 7x7, 8x8"):
            agent.prepare(Position.empty(Board(5, 5)))


def test_a_run_is_refused_before_its_first_game(tmp_path: Path) -> None:
    spec = f"engine:{sys.executable} {JOUST} --no-variants@nodes=5"
    with pytest.raises(InputError, match="board 7x7: expected 8x8"):
        isolarium.match(spec, "random", pairs=1, workers=1, runs=tmp_path, progress=False)
    (run,) = tmp_path.iterdir()
    with closing(Record(run)) as record:
        assert not list(record.games())


def test_fairy_stockfish_is_found_by_the_name_that_its_build_gives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError, match="'fairy-stockfish': no such program on PATH"):
        find_program("fairy-stockfish")
    for name in ("stockfish", "fairy-stockfish"):
        program = tmp_path / name
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
        assert find_program("fairy-stockfish") == str(program)


def test_depths_that_a_program_reports_are_marked_as_its_own(tmp_path: Path) -> None:
    spec = f"engine:{sys.executable} {JOUST}@nodes=5"
    run = isolarium.match(spec, "greedy:open", board="8x8", pairs=1, workers=1, runs=tmp_path, progress=False)
    with closing(Record(run.folder)) as record:
        results = read_results(record)
    table = standings_table(results)
    depths = [text_of(row["mean_depth"], ".1f") for row in table.rows]
    assert sorted(depths) == ["1.0", "3.0*"]
    assert "mean depth: * as the program itself reports" in table.notes
