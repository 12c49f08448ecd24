"""`isolarium solve` and `isolarium verify` from the command line."""

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import AbstractContextManager
from pathlib import Path

import pexpect
import pytest

from isolarium.game.board import Board
from isolarium.game.notation import parse_position
from isolarium.solver.start_map import start_wins, starts
from tests.arena.processes import wait_until
from tests.command import COMMAND, PATIENCE_S, assert_refused, complaints, environment, run_isolarium, started_isolarium
from tests.command_server import Started

pytestmark = pytest.mark.slow

START = "5/1A3/5/3B1/5 a"
LOST = "5/1A3/3B1/5/5 a"
HARD = "9/9/2A6/9/9/9/9/6B2/9 a"


def lines_of(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


def test_json_has_the_answer() -> None:
    (facts,) = lines_of(run_isolarium("solve", START, "--json").stdout)
    assert list(facts) == ["position", "wins", "move", "nodes"]
    assert (facts["position"], facts["wins"], facts["move"]) == (START, True, "d3")


def test_distance_adds_the_plies() -> None:
    (facts,) = lines_of(run_isolarium("solve", START, "--json", "--distance").stdout)
    assert list(facts) == ["position", "wins", "move", "nodes", "plies"]
    assert isinstance(facts["plies"], int)
    assert facts["plies"] % 2 == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([START], "first (A), to move, wins with d3"),
        ([LOST], "first (A), to move, loses"),
        (["5x5"], "first (A), to move, loses"),
        (["6x10", "--nodes", "1"], "none (looked up: all starts of this board are solved)"),
        ([HARD, "--nodes", "1000"], "unknown within the limit"),
        ([HARD, "--ms", "20"], "unknown within the limit"),
        ([LOST, "--distance"], "delays longest"),
    ],
)
def test_text_has_the_answer(arguments: list[str], said: str) -> None:
    result = run_isolarium("solve", *arguments)
    assert result.returncode == 0
    assert said in result.stdout


@pytest.mark.parametrize("limit", [["--nodes", "1000"], ["--ms", "20"]])
def test_unknown_is_null(limit: list[str]) -> None:
    (facts,) = lines_of(run_isolarium("solve", HARD, "--json", *limit).stdout)
    assert (facts["wins"], facts["move"]) == (None, None)


def test_a_file_is_answered_line_by_line_in_order(tmp_path: Path) -> None:
    texts = [START, LOST, "3/3/3 a", "Axx/xx1/xxB a", *map(str, starts(Board(4, 4)))]
    file = tmp_path / "positions"
    file.write_text("\n".join(texts[:2]) + "\n\n" + "\n".join(texts[2:]))
    result = run_isolarium("solve", "--file", str(file), "--json", "--workers", "3")
    assert [facts["position"] for facts in lines_of(result.stdout)] == texts
    alone = [lines_of(run_isolarium("solve", text, "--json").stdout)[0] for text in texts[:4]]
    assert lines_of(result.stdout)[:4] == alone


def test_every_line_of_a_pipe_is_answered_before_the_next_is_sent() -> None:
    with subprocess.Popen(
        [COMMAND, "solve", "--file", "-", "--json"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment(),
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for text in (START, LOST, START):
            process.stdin.write(text + "\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["position"] == text
        process.stdin.close()
    assert process.returncode == 0


def test_a_bad_line_is_named_after_the_answers_before_it() -> None:
    result = run_isolarium("solve", "--file", "-", "--json", answers=f"{START}\n5/5/9 a\n{LOST}\n")
    assert [facts["position"] for facts in lines_of(result.stdout)] == [START]
    assert result.returncode == 2
    (complaint,) = complaints(result.stderr)
    assert complaint.startswith("isolarium: stdin: line 2: position '5/5/9 a': ")


def test_all_starts_end_in_the_table() -> None:
    result = run_isolarium("solve", "--board", "5x5", "--all")
    rows = [line.split() for line in result.stdout.splitlines()]
    assert rows[2] == ["5x5", "85", "85", "44", "1", "1", "0"]
    assert "(mirror position)" in result.stdout
    assert "exceptions to the colour law" in result.stdout
    (facts,) = lines_of(run_isolarium("solve", "--board", "6x6", "--all", "--json").stdout)
    assert (facts["starts"], facts["solved"], facts["wins"]) == (165, 165, 78)
    exceptions = facts["exceptions"]
    assert isinstance(exceptions, list)
    assert [each["mirror"] for each in exceptions] == [True] * 6


def _survey(board: str, out: Path) -> AbstractContextManager[Started]:
    return started_isolarium("solve", "--board", board, "--all", "--out", str(out), "--workers", "2")


def _lines_in(file: Path) -> int:
    return file.read_bytes().count(b"\n") if file.exists() else 0


@pytest.mark.slow
def test_a_killed_survey_continues_where_it_stopped(tmp_path: Path) -> None:
    out = tmp_path / "starts.jsonl"
    for enough in (20, 200):
        with _survey("6x7", out) as process:
            wait_until(lambda enough=enough: _lines_in(out) >= enough, f"{enough} starts")  # type: ignore[misc]
            process.kill()
    kept = out.read_bytes()
    whole = kept[: kept.rfind(b"\n") + 1]
    assert len(set(whole.splitlines())) >= 200
    out.write_bytes(whole + b'{"position": "6/6/')  # as if it had been torn
    with _survey("6x7", out) as process:
        printed, _ = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0
    assert printed.splitlines()[2].split() == ["6x7", "438", "438", "213", "0", "0", "0"]
    assert out.read_bytes().startswith(whole)
    solved = [parse_position(str(facts["position"])) for facts in lines_of(out.read_text())]
    assert len(solved) == 438
    assert set(solved) == set(starts(Board(6, 7)))


def test_ctrl_c_ends_a_survey_and_keeps_what_it_has(tmp_path: Path) -> None:
    out = tmp_path / "starts.jsonl"
    with _survey("7x8", out) as process:  # whose other starts take minutes
        wait_until(lambda: _lines_in(out) >= 1, "a start")
        os.kill(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert re.search(rf"\d+ starts? in {re.escape(str(out))}; the same command continues", said)
    assert "Traceback" not in said
    assert _lines_in(out) >= 1


PARTLY = "2A5/8/8/8/4B3/8/8 a"
"""A start that is solved in some forty parts, in a second."""
SLOWLY = "B7/8/8/3A4/8/8/8/8 a"
"""A start that is solved in ten parts, in several seconds."""


def _in_parts(position: str, out: Path) -> AbstractContextManager[Started]:
    return started_isolarium("solve", position, "--out", str(out), "--workers", "2", "--json")


def _kill_halfway(out: Path) -> None:
    """Kill a search after its first parts; start it again if it finished before the kill."""
    while not 2 <= _lines_in(out) < 20:
        out.unlink(missing_ok=True)
        with _in_parts(PARTLY, out) as process:
            wait_until(lambda: _lines_in(out) >= 2, "parts")
            process.kill()


def test_a_killed_search_of_one_position_continues_where_it_stopped(tmp_path: Path) -> None:
    out = tmp_path / "parts.jsonl"
    _kill_halfway(out)
    kept = out.read_bytes()
    whole = kept[: kept.rfind(b"\n") + 1]
    spent = sum(int(str(facts["nodes"])) for facts in lines_of(whole.decode()))
    with _in_parts(PARTLY, out) as process:
        printed, _ = process.communicate(timeout=PATIENCE_S)
    (facts,) = lines_of(printed)
    assert start_wins(parse_position(PARTLY))
    assert facts["wins"] is True
    assert int(str(facts["nodes"])) > spent
    assert out.read_bytes().startswith(whole)
    again = lines_of(run_isolarium("solve", PARTLY, "--out", str(out), "--json", "--nodes", "1").stdout)
    assert again == [facts]


def test_ctrl_c_ends_a_search_of_one_position_and_keeps_its_parts(tmp_path: Path) -> None:
    out = tmp_path / "parts.jsonl"
    with _in_parts(SLOWLY, out) as process:
        wait_until(lambda: _lines_in(out) >= 1, "a part")
        os.kill(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert f"in {out}; the same command continues" in said
    assert "Traceback" not in said


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # pexpect forks
@pytest.mark.parametrize("workers", ["1", "2"])
def test_ctrl_c_ends_a_hard_position_at_once(workers: str) -> None:
    terminal = pexpect.spawn(
        COMMAND,
        ["solve", HARD, "--workers", workers],
        env=environment(TERM="xterm-256color"),
        encoding="utf-8",
        timeout=PATIENCE_S,
    )
    terminal.expect("solving · .* · Ctrl-C stops it")
    terminal.sendintr()
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 130
    assert "Traceback" not in terminal.before


def test_a_certificate_is_written_and_verified(tmp_path: Path) -> None:
    file = tmp_path / "proof"
    written = run_isolarium("solve", START, "--certificate", str(file))
    assert written.returncode == 0
    assert re.search(r"^certificate .* · 390 replies · .* bytes · [0-9.]+ m?s$", written.stdout, re.M)
    (facts,) = lines_of(run_isolarium("verify", str(file), "--json").stdout)
    assert (facts["position"], facts["wins"], facts["winner"]) == (START, True, "first")
    assert "first (A) wins against every defence" in run_isolarium("verify", str(file)).stdout
    file.write_bytes(file.read_bytes()[:-3])
    refused = run_isolarium("verify", str(file))
    assert refused.returncode == 2
    assert refused.stderr.startswith(f"isolarium: {file}: ")
    assert list(tmp_path.iterdir()) == [file]


def test_verifying_loads_neither_the_solver_nor_a_compiler(tmp_path: Path) -> None:
    file = tmp_path / "proof"
    run_isolarium("solve", START, "--certificate", str(file))

    trace = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "isolarium", "verify", str(file)],
        capture_output=True,
        text=True,
        check=True,
    ).stderr
    loaded = {line.rpartition("|")[2].strip() for line in trace.splitlines()}
    assert "isolarium.solver.certificate" in loaded
    foreign = {"numba", "numpy", "isolarium.solver.solver", "isolarium.solver.winloss", "isolarium.native"}
    assert loaded.isdisjoint(foreign)


def test_an_existing_certificate_is_kept_without_force(tmp_path: Path) -> None:
    file = tmp_path / "proof"
    file.write_text("mine")
    assert_refused(run_isolarium("solve", START, "--certificate", str(file)), "--force")
    assert file.read_text() == "mine"
    assert run_isolarium("solve", START, "--certificate", str(file), "--force").returncode == 0
    assert file.read_bytes() != b"mine"
