"""Code of others runs in a process of its own, which may fail, hang or die without doing us harm."""

import json
import os
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from itertools import count, takewhile
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from select import select
from threading import Thread

import pytest

from isolarium.agents import AgentFailure, parse_spec, subprocess_agent_main
from isolarium.agents import subprocess_agent as hosted_module
from isolarium.agents.subprocess_agent import SubprocessAgent
from isolarium.game.position import Reason
from isolarium.processes import sandboxed_process
from isolarium.processes.rpc import BadAnswer, CallServer
from isolarium.processes.sandboxed_process import SandboxedProcess
from tests.agents.foreign import COMPILED, EARLY, IN_PYTHON, LATE, after_calls, hosted, processes_of
from tests.command import PATIENCE_S

ROOT = Path(__file__).parents[2]

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::isolarium.heuristics.compiler.HeuristicWarning")]


FAILURES = {
    "compiled": (f"{COMPILED}:fails_late", "ValueError: too few squares"),
    "in Python": (f"{IN_PYTHON}:fails_late", "ZeroDivisionError: "),
    "leaving": (f"{IN_PYTHON}:leaves", "SystemExit: 1"),
}


@pytest.mark.parametrize(("heuristic", "output"), FAILURES.values(), ids=FAILURES.keys())
def test_what_a_heuristic_raises_is_a_crash_that_names_it(heuristic: str, output: str) -> None:
    with hosted(f"alphabeta:{heuristic}@nodes=2000") as agent:
        agent.new_game(1)
        with pytest.raises(AgentFailure) as caught:
            agent.choose(LATE)
    assert caught.value.reason is Reason.CRASH
    assert str(caught.value).startswith(f"alphabeta:{heuristic}@nodes=2000: {output}")
    assert "\n" not in str(caught.value)


def test_the_place_is_named_where_python_knows_it() -> None:
    named = pytest.raises(AgentFailure, match=r"division by zero \(in_python.py, line 20: return")
    with hosted(f"alphabeta:{IN_PYTHON}:fails_late") as agent, named:
        agent.choose(LATE)


def test_an_agent_that_cannot_be_made_is_told_why_in_the_words_of_its_spec() -> None:
    output = r"^greedy:/nowhere\.py:f: '/nowhere\.py': no such file; expected a Python file$"
    with hosted("greedy:/nowhere.py:f") as agent, pytest.raises(AgentFailure, match=output):
        agent.new_game(1)


def test_an_agent_that_failed_can_play_the_next_game() -> None:
    with hosted(f"alphabeta:{IN_PYTHON}:fails_late@nodes=50") as agent:
        for seed in (1, 2):
            agent.new_game(seed)
            assert EARLY.is_legal(agent.choose(EARLY).move)
            with pytest.raises(AgentFailure):
                agent.choose(LATE)


@pytest.mark.parametrize("file", [COMPILED, IN_PYTHON], ids=["compiled", "in Python"])
def test_a_heuristic_that_never_returns_runs_out_of_time(file: str) -> None:
    before = processes_of(os.getpid())
    with hosted(f"alphabeta:{file}:endless@nodes=100", patience_s=0.5) as agent:
        agent.new_game(1)
        assert processes_of(os.getpid()) != before
        with pytest.raises(AgentFailure) as caught:
            agent.choose(EARLY)
        assert caught.value.reason is Reason.TIME
        assert "did not respond for 0.5 s" in str(caught.value)
        assert processes_of(os.getpid()) == before


def test_a_heuristic_that_does_not_stop_when_it_is_told_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosted_module, "GRACE_S", 0.5)
    with hosted(f"alphabeta:{IN_PYTHON}:endless@nodes=100", patience_s=1e6) as agent:
        agent.prepare(EARLY)
        with pytest.raises(AgentFailure, match="did not stop when asked; terminated") as caught:
            agent.choose(EARLY, stop=lambda: True)
        assert caught.value.reason is Reason.TIME


class FastClock:
    """A clock that goes on by a second whenever somebody looks at it."""

    def __init__(self) -> None:
        self._now = count()

    def monotonic(self) -> float:
        return next(self._now)


def test_a_slow_search_reports_that_it_is_at_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subprocess_agent_main, "time", FastClock())  # every slice is slow
    ours, theirs = Pipe()
    serving = Thread(target=serve_until_gone, args=[theirs, f"alphabeta:{COMPILED}:improved"])
    serving.start()
    with ours:
        names_until_done(ours)
        ask(ours, number=1, do="prepare", position=str(EARLY))
        names_until_done(ours)
        ask(ours, number=2, do="choose", seed=1, position=str(EARLY))
        signs = names_until_done(ours)
    serving.join()
    assert len(signs) > 1
    assert set(signs) == {"alive"}


def serve_until_gone(line: Connection, spec: str) -> None:
    """What the process of an agent does, in a thread."""
    with line, suppress(EOFError, OSError):
        server = CallServer(line, alive_s=0.5)
        subprocess_agent_main.AgentServer(server, parse_spec(spec)).serve()


def ask(line: Connection, **request: object) -> None:
    line.send_bytes(json.dumps(request).encode())


def names_until_done(line: Connection) -> list[str]:
    """What all events before the last one report."""
    events = iter(lambda: json.loads(line.recv_bytes()), None)
    return [*takewhile(lambda name: name != "done", (list(event)[1] for event in events))]


class Scripted(SandboxedProcess):
    """A process that sends these events, each with the number of the call; None is silence."""

    def __init__(self, *events: dict[str, object] | None) -> None:
        self._events = deque(events)
        self._numbers = count(1)

    def send(self, request: Mapping[str, object], *, interrupts: bool = False) -> None: ...

    def receive(self, seconds: float) -> dict[str, object] | None:
        event = self._events.popleft()
        return event and {"number": 1, **event}

    def pause(self) -> None: ...


@pytest.mark.parametrize("patience_s", [1.5, 20.0])
def test_progress_is_waited_for_and_silence_is_not(patience_s: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandboxed_process, "time", FastClock())
    slow: list[dict[str, object] | None] = [None, {"alive": True}] * 100
    assert Scripted(*slow, {"done": 7}).call({}, patience_s=patience_s).done == 7
    silent = [None] * int(patience_s + 1)
    with pytest.raises(TimeoutError):
        Scripted(*slow, *silent, {"done": 7}).call({}, patience_s=patience_s)


def test_progress_does_not_extend_the_whole_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandboxed_process, "time", FastClock())
    alive: list[dict[str, object] | None] = [{"alive": True}]
    with pytest.raises(TimeoutError):
        Scripted(*alive * 100).call({}, patience_s=20.0, most_s=50.0)


NOT_ANSWERS: dict[str, dict[str, object]] = {
    "nothing": {"nothing": 1},
    "alive as a number": {"alive": 1},
    "another reason": {"failed": "no moves"},
    "too long": {"failed": "crash", "message": "x" * 10_000},
    "more": {"done": 1, "sandbox": {}},
}


@pytest.mark.parametrize("message", NOT_ANSWERS.values(), ids=NOT_ANSWERS.keys())
def test_what_is_not_an_answer_ends_the_process(message: dict[str, object]) -> None:
    with pytest.raises(BadAnswer):
        Scripted(message).call({}, most_s=1.0)


def test_a_process_that_is_killed_is_a_crash_and_starts_again() -> None:
    before = processes_of(os.getpid())
    with hosted(f"alphabeta:{COMPILED}:improved@nodes=1e12") as agent:
        agent.new_game(1)
        (process,) = set(processes_of(os.getpid())) - set(before)

        def kill() -> bool:
            with suppress(ProcessLookupError):  # it is asked again before the end is seen
                os.kill(process, signal.SIGKILL)
            return False

        with pytest.raises(AgentFailure) as caught:
            agent.choose(EARLY, stop=kill)
        assert caught.value.reason is Reason.CRASH
        assert "its process ended (SIGKILL)" in str(caught.value)
        assert EARLY.is_legal(agent.choose(EARLY, stop=lambda: True).move)


@pytest.mark.parametrize("heuristic", [f"{COMPILED}:improved", f"{IN_PYTHON}:improved"], ids=["compiled", "in Python"])
def test_stop_ends_a_long_search_with_the_best_move_so_far(heuristic: str) -> None:
    with hosted(f"alphabeta:{heuristic}@nodes=1e12") as agent:
        agent.new_game(1)
        choice = agent.choose(EARLY, stop=after_calls(5))
        assert EARLY.is_legal(choice.move)
        assert 0 < choice.report.nodes < 10**10
        assert choice.report.depth > 0


def test_stop_that_comes_too_late_does_no_harm() -> None:
    with hosted(f"greedy:{COMPILED}:improved") as agent:
        for seed in range(20):
            agent.new_game(seed)
            choice = agent.choose(EARLY, stop=lambda: True)
            assert choice.report.depth == 1


def test_an_interrupt_leaves_no_answer_behind() -> None:
    def interrupt() -> bool:
        raise KeyboardInterrupt

    with hosted(f"alphabeta:{COMPILED}:improved@nodes=1e12") as agent:
        agent.new_game(1)
        with pytest.raises(KeyboardInterrupt):
            agent.choose(EARLY, stop=interrupt)
        assert LATE.is_legal(agent.choose(LATE, stop=lambda: True).move)


def test_an_agent_that_is_forgotten_takes_its_process_along() -> None:
    before = processes_of(os.getpid())
    agent = SubprocessAgent(parse_spec(f"greedy:{COMPILED}:improved"))
    agent.new_game(1)
    assert processes_of(os.getpid()) != before
    del agent
    assert processes_of(os.getpid()) == before


def test_its_process_has_a_number_while_there_is_one() -> None:
    with hosted(f"greedy:{COMPILED}:improved") as agent:
        assert agent.process_id is None
        before = set(processes_of(os.getpid()))
        agent.new_game(1)
        (supervisor,) = set(processes_of(os.getpid())) - before
        assert processes_of(supervisor) == [agent.process_id]
        agent.close()
        assert agent.process_id is None


def test_what_a_heuristic_prints_goes_to_stderr(capfd: pytest.CaptureFixture[str]) -> None:
    with hosted(f"greedy:{IN_PYTHON}:talks") as agent:
        agent.choose(EARLY)
    printed = capfd.readouterr()
    assert printed.out == ""
    assert "talking 1\n" in printed.err


PARENT = """
import os, sys, warnings
from isolarium.agents import AgentFailure, parse_spec
from isolarium.agents.subprocess_agent import SubprocessAgent
from tests.agents.foreign import EARLY, after_calls, hosted, processes_of

def tell():
    if hangs():
        print(*processes_of(os.getpid()), flush=True)
    return False

warnings.simplefilter("ignore")
for patience_s in (0.5, 600):  # once for compiling, so that the second certainly hangs when it says so
    hangs = after_calls(60 if patience_s > 1 else 10**9)
    with hosted(sys.argv[1], patience_s) as agent:
        try:
            agent.choose(EARLY, stop=tell)
        except AgentFailure:
            pass
"""


@pytest.mark.parametrize("file", [COMPILED, IN_PYTHON], ids=["compiled", "in Python"])
def test_the_process_ends_with_its_parent_even_while_it_hangs(file: str) -> None:
    command = [sys.executable, "-c", PARENT, f"alphabeta:{file}:endless@nodes=100"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as parent:
        assert parent.stdout is not None
        (process,) = map(int, parent.stdout.readline().split())
        its_end = os.pidfd_open(process)
        parent.kill()
        ended, _, _ = select([its_end], [], [], PATIENCE_S)
    os.close(its_end)
    assert ended
