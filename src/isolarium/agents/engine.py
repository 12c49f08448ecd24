"""Third-party engines as agents: programs that speak UGI, or UCI with `joust`.

The engine runs under a supervisor with limited memory, and ends when our process ends. It loses its game if it exits,
does not answer in time, or answers with anything but a legal move; the failure quotes its last line. It is started for
its first game and restarted after a failure.
"""

import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp
from typing import Final, NoReturn

from isolarium.agents.agent import AgentFailure
from isolarium.agents.engine_protocol import NO_MOVE, NO_REPORT, Dialect, Uci, Ugi, parse_info
from isolarium.errors import InputError, located, quoted
from isolarium.game.board import Board, Square
from isolarium.game.position import Position, Reason
from isolarium.limits import Limit, Stop, read_seed
from isolarium.processes.supervised_process import STOP_S, ProgramProcess
from isolarium.processes.worker import finalize
from isolarium.removal import remove_tree
from isolarium.search.protocol import Choice, Report, check_unfinished
from isolarium.spec.parser import command_of
from isolarium.spec.spec import AgentSpec
from isolarium.text import did_you_mean

STARTING_S: Final = 60.0
"""The time limit, in seconds, for an engine to get ready."""
INTRODUCTION_S: Final = 20.0
"""The time limit, in seconds, for an engine to identify itself."""
UGI_S: Final = 10.0
"""The time, in seconds, to wait for an answer to `ugi` before trying UCI."""
SILENCE_S: Final = 60.0
"""The time, in seconds, that an engine without a time limit may be silent."""
GRACE_S: Final = 1.0
"""The time, in seconds, by which an engine may exceed its time limit."""
QUITTING_S: Final = 1.0
"""The time limit, in seconds, for an engine to quit."""
MOST_OPTIONS: Final = 1000
"""The maximum number of options that an engine may declare."""
MOST_SEED: Final = 2**31 - 1
"""The maximum seed of an engine that does not declare a maximum."""


class EngineAgent:
    """An engine that chooses moves.

    Args:
        name: The spec.
        command: The program, a path or a name on PATH, and its arguments.
        options: The options to set, by name.
        limit: The limit sent with `go`.
        introduction_s: The time limit for identifying itself.
        starting_s: The time limit for getting ready.
        silence_s: The maximum time without a line while the engine thinks.
        grace_s: The time by which a move may exceed the limit.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        options: Mapping[str, str],
        limit: Limit,
        *,
        introduction_s: float = INTRODUCTION_S,
        starting_s: float = STARTING_S,
        silence_s: float = SILENCE_S,
        grace_s: float = GRACE_S,
    ) -> None:
        self.name = name
        self._command, self._options, self._limit = command, options, limit
        self._introduction_s, self._starting_s = introduction_s, starting_s
        self._silence_s, self._grace_s = silence_s, grace_s
        self._program: ProgramProcess | None = None
        self._dialect: Dialect = Ugi()
        self._declared = dict[str, str]()
        self._board: Board | None = None

    def new_game(self, seed: int) -> None:
        """Start the engine if it is not running, and start a game.

        Raises:
            AgentFailure: If the engine does not start or is not ready in time.
        """
        seed = read_seed(seed)
        self._start()
        if "seed" in self._declared and "seed" not in self._options:
            self._set("seed", str(seed % (_most(self._declared["seed"]) + 1)))
        self._send(self._dialect.new_game)
        self._synchronise()
        self._pause()

    def choose(self, position: Position, stop: Stop | None = None) -> Choice:
        """Ask the engine for a move.

        Raises:
            InputError: If the game is over.
            AgentFailure: If the engine exits, is silent or late, or does not send a legal move.
        """
        check_unfinished(position)
        self._start()
        try:
            self._set_board(position.board)
            self._send(f"position {self._dialect.position(position)}")
        except InputError as error:
            self._fail(Reason.CRASH, str(error))
        self._synchronise()
        began = time.monotonic()
        self._send(f"go {_go_arguments(self._limit)}")
        try:
            line, report = self._await_move(position, began, stop)
        except BaseException:  # A late answer would be mistaken for the next move.
            self._end()
            raise
        self._pause()
        move = self._read_best_move(line, position)
        pv = report.pv if report.pv[:1] == (move,) else (move,)
        return Choice(move, replace(report, pv=pv, time_ms=(time.monotonic() - began) * 1000))

    def prepare(self, position: Position) -> None:
        """Start the engine if it is not running, and set its board.

        Raises:
            InputError: If it cannot play on that board.
            AgentFailure: If it does not start.
        """
        self._start()
        with located(self.name):
            self._set_board(position.board)

    def values(self, position: Position) -> Mapping[Square, float]:
        """Return an empty mapping: an engine does not report its heuristic's values."""
        return {}

    def close(self) -> None:
        """Quit the engine."""
        if self._program is not None:
            until = time.monotonic() + QUITTING_S
            with suppress(EOFError):
                self._program.write("quit")
                while time.monotonic() < until:
                    self._program.read(QUITTING_S)
            self._end()

    def _set_board(self, board: Board) -> None:
        """Set the engine's board.

        Raises:
            InputError: If it cannot play on that board.
        """
        if board == self._board:
            return
        for name, value in self._dialect.board_options(board, self._declared).items():
            self._set(name, value)
        self._synchronise()
        self._board = board

    def _pause(self) -> None:
        """Suspend the engine until the next command, so that it cannot think on its opponent's time."""
        if self._program is not None:
            self._program.pause()

    def _end(self) -> None:
        if self._program is not None:
            self._program.end()
            self._program = self._board = None

    # Starting

    def _start(self) -> None:
        """Start the engine, have it identify itself and set its options."""
        if self._program is not None:
            return
        folder = Path(mkdtemp(prefix="isolarium-engine-"))
        try:
            command = [find_program(self._command[0]), *self._command[1:]]
            self._program = ProgramProcess(command, scratch=folder)
        except InputError as error:
            remove_tree(folder)
            raise AgentFailure(Reason.CRASH, f"{self.name}: {error}") from None
        finalize(self, self._program.end)
        self._dialect, self._declared = self._identify()
        for name, value in self._options.items():
            if name.lower() not in self._declared:
                hint = did_you_mean(name, self._declared) or f"it has {', '.join(self._declared)}"
                self._fail(Reason.CRASH, f"no option named {quoted(name)} ({hint})")
            self._set(name, value)
        self._synchronise()

    def _identify(self) -> tuple[Dialect, dict[str, str]]:
        """Return the engine's protocol, and its declared options by name.

        Every UCI engine answers `isready`, even after the unknown command `ugi`.
        """
        assert self._program is not None
        self._send("ugi")
        self._send("isready")
        declared, asked_in_uci = dict[str, str](), False
        until = time.monotonic() + self._introduction_s
        while True:
            patience_s = until - time.monotonic()
            if patience_s <= 0:
                self._fail(Reason.TIME, f"neither ugiok nor uciok in {self._introduction_s:g} s")
            line = self._read(patience_s if asked_in_uci else min(UGI_S, patience_s))
            words = [] if line is None else line.split()
            if words[:1] == ["option"]:
                name, _, rest = " ".join(words[2:]).partition(" type ")
                declared[name.lower()] = rest
                if len(declared) > MOST_OPTIONS:
                    self._fail(Reason.CRASH, f"declares more than {MOST_OPTIONS:,} options")
            elif words == ["ugiok"]:
                self._await_ready()
                return Ugi(), declared
            elif words == ["uciok"]:
                return Uci(self._program.scratch), declared
            elif (line is None or words == ["readyok"]) and not asked_in_uci:
                asked_in_uci = True
                self._send("uci")

    def _set(self, name: str, value: str) -> None:
        self._send(f"setoption name {name} value {value}")

    # Commands and answers

    def _synchronise(self) -> None:
        """Wait until the engine has executed all commands."""
        self._send("isready")
        self._await_ready()

    def _await_ready(self) -> None:
        until = time.monotonic() + self._starting_s
        while True:
            patience_s = until - time.monotonic()
            if patience_s <= 0:
                self._fail(Reason.TIME, f"no readyok in {self._starting_s:g} s")
            line = self._read(patience_s)
            if line is not None and line.split() == ["readyok"]:
                return

    def _await_move(self, position: Position, began: float, stop: Stop | None) -> tuple[str, Report]:
        """Return the line with the engine's move, and its last report.

        Once `stop` returns true, the engine is asked to stop.
        """
        report, stopped = NO_REPORT, False
        until = began + self._patience_s()
        while True:
            now = time.monotonic()
            if now >= until:
                self._fail(Reason.TIME, f"no bestmove {self._too_late(stopped)}")
            if stop is not None and not stopped and stop():
                stopped = True
                self._send("stop")
                until = now + self._silence_s
            is_polling = stop is not None and not stopped
            line = self._read(min(STOP_S, until - now) if is_polling else until - now)
            word = "" if line is None else line.partition(" ")[0]
            if line is not None and word == "bestmove":
                return line, report
            if line is not None and word == "info":
                report = parse_info(line, position, report, self._dialect.read_move)
                if self._limit.time_ms is None and not stopped:
                    until = time.monotonic() + self._silence_s

    def _patience_s(self) -> float:
        time_ms = self._limit.time_ms
        return self._silence_s if time_ms is None else time_ms / 1000 + self._grace_s

    def _too_late(self, stopped: bool) -> str:
        if stopped:
            return f"{self._silence_s:g} s after stop"
        if self._limit.time_ms is None:
            return f"and no info for {self._silence_s:g} s"
        return f"in {self._limit.time_ms:g} ms and {self._grace_s:g} s of grace"

    def _read_best_move(self, line: str, position: Position) -> Square:
        text = "".join(line.split()[1:2])
        if text in NO_MOVE:
            self._fail(Reason.RESIGNATION, "resigned")
        try:
            return self._dialect.read_move(text, position)
        except InputError as error:
            self._fail(Reason.ILLEGAL_MOVE, str(error))

    def _send(self, line: str) -> None:
        assert self._program is not None
        try:
            self._program.write(line)
        except EOFError:
            self._fail_dead()

    def _read(self, seconds: float) -> str | None:
        assert self._program is not None
        try:
            return self._program.read(seconds)
        except EOFError:
            self._fail_dead()

    # Failures

    def _fail_dead(self) -> NoReturn:
        assert self._program is not None
        with suppress(EOFError):  # Read the output that the engine wrote before it ended.
            while self._program.read(0.0) is not None:
                pass
        self._program.end()
        self._fail(Reason.CRASH, f"its program ended ({self._program.ending})")

    def _fail(self, reason: Reason, what: str) -> NoReturn:
        """Terminate the engine, whose state is unknown, and raise the failure."""
        last = None if self._program is None else self._program.last
        self._end()
        ending = "it printed nothing" if last is None else f"its last line: {quoted(last, 120)}"
        raise AgentFailure(reason, f"{self.name}: {what}; {ending}")


def engine_of(spec: AgentSpec) -> EngineAgent:
    """Return the agent of a spec such as `engine:./program(option=value)@ms=100`."""
    assert spec.program is not None
    options = {name: str(value) for name, value in spec.program.arguments}
    return EngineAgent(str(spec), command_of(spec.program.word), options, spec.limit)


OTHER_NAMES: Final = {"fairy-stockfish": "stockfish"}
"""The file names of some programs when built from source, by usual name."""


def find_program(name: str) -> str:
    """Return the path of a program: the path itself, or the program on PATH or beside this Python.

    Raises:
        InputError: If there is no such program.
    """
    is_path = "/" in name
    found = shutil.which(str(Path(name).expanduser()) if is_path else name)
    if found is None and not is_path:
        found = shutil.which(name, path=str(Path(sys.executable).parent))
    if found is None and name in OTHER_NAMES:
        found = shutil.which(OTHER_NAMES[name])
    if found is None:
        raise InputError(f"{quoted(name)}: no such program{'' if is_path else ' on PATH'}")
    return str(Path(found).absolute())


def _go_arguments(limit: Limit) -> str:
    words = []
    if limit.depth is not None:
        words.append(f"depth {limit.depth}")
    if limit.nodes is not None:
        words.append(f"nodes {limit.nodes}")
    if limit.time_ms is not None:
        words.append(f"movetime {max(1, round(limit.time_ms))}")
    return " ".join(words)


def _most(declared: str) -> int:
    """Return the largest value that an option declares."""
    words = declared.split()
    after = words[words.index("max") + 1 :] if "max" in words else []
    return int(after[0]) if after and after[0].isdecimal() and len(after[0]) <= 19 else MOST_SEED
