"""Somebody's program as an agent: one that speaks UGI, or UCI as Fairy-Stockfish does.

It runs under a supervisor, in limited memory, and ends with us. All that it does wrong is charged to it, with the last
line that it said: to end, to be silent when it has to answer, to answer with what is no move. It is started with its
first game, and again after it has failed.
"""

import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp
from typing import Final, NoReturn, Protocol

from isolarium.agents import fairy_stockfish
from isolarium.agents.agent import AgentFailure
from isolarium.agents.ugi import NO_MOVE, NOTHING_SAID, hear_info
from isolarium.errors import InputError, quoted
from isolarium.game.board import Board, Square
from isolarium.game.notation import parse_square
from isolarium.game.outcome import Reason
from isolarium.game.position import Position
from isolarium.limits import Limit, Stop, read_seed
from isolarium.processes.supervised_process import STOP_S, ProgramProcess
from isolarium.processes.worker import when_gone
from isolarium.removal import remove_tree
from isolarium.search.protocol import Choice, Report, check_unfinished
from isolarium.spec.parser import command_of
from isolarium.spec.spec import AgentSpec
from isolarium.text import did_you_mean

STARTING_S: Final = 60.0
"""How long a program may take to be ready."""
INTRODUCTION_S: Final = 20.0
"""How long it may take to say who it is."""
UGI_S: Final = 10.0
"""After which silence it is asked in UCI."""
SILENCE_S: Final = 60.0
"""How long it may think without a word, where no clock limits it."""
GRACE_S: Final = 1.0
"""How late its move may be, by the clock that limits it."""
QUITTING_S: Final = 1.0
"""How long it may take to end when it is asked to."""
MOST_OPTIONS: Final = 1000
"""Options that it may declare."""
MOST_SEED: Final = 2**31 - 1
"""Where a program does not say how large its seed may be."""


class Dialect(Protocol):
    """How a program is told of games."""

    new_game: str
    """The word that a game begins with."""

    def board_options(self, board: Board, declared: Mapping[str, str]) -> dict[str, str]:
        """What to set for a board.

        Raises:
            InputError: the program cannot play on it.
        """

    def position(self, position: Position) -> str:
        """The words that name a position.

        Raises:
            InputError: they cannot.
        """

    def read_move(self, text: str, position: Position) -> Square:
        """The move that a text means.

        Raises:
            InputError: none that can be made.
        """


class Ugi:
    """The game as Isolarium writes it."""

    new_game = "uginewgame"

    def board_options(self, board: Board, declared: Mapping[str, str]) -> dict[str, str]:
        """See `Dialect`; the position says it too."""
        return {"board": str(board)} if "board" in declared else {}

    def position(self, position: Position) -> str:
        """See `Dialect`."""
        return f"fen {position}"

    def read_move(self, text: str, position: Position) -> Square:
        """See `Dialect`."""
        square = parse_square(text, position.board)
        why_not = position.why_illegal(square)
        if why_not is not None:
            raise InputError(f"{square}: {why_not}")
        return square


class Uci:
    """The game as Fairy-Stockfish's variant joust; see `isolarium.agents.fairy_stockfish`.

    Args:
        folder: for files that the program reads.
    """

    new_game = "ucinewgame"

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def board_options(self, board: Board, declared: Mapping[str, str]) -> dict[str, str]:
        """See `Dialect`."""
        if fairy_stockfish.VARIANT not in declared.get("uci_variant", "").split():
            raise InputError(f"speaks UCI, and knows no variant {fairy_stockfish.VARIANT}")
        variant = fairy_stockfish.variant_of(board)
        if variant == fairy_stockfish.VARIANT:
            return {"UCI_Variant": variant}
        if "variantpath" not in declared:
            raise InputError(f"board {board}: expected 8x8 for a program that reads no variants")
        path = fairy_stockfish.write_variant(board, self._folder)
        return {"VariantPath": str(path), "UCI_Variant": variant}

    def position(self, position: Position) -> str:
        """See `Dialect`."""
        return f"fen {fairy_stockfish.format_fen(position)}"

    def read_move(self, text: str, position: Position) -> Square:
        """See `Dialect`."""
        return fairy_stockfish.read_move(text, position)


class EngineAgent:
    """A program that chooses moves.

    Args:
        name: the spec.
        command: the program, a path or a name to be found on PATH, and its arguments.
        options: what to set, by name.
        limit: what `go` says.
        introduction_s: how long it may take to say who it is.
        starting_s: how long to be ready.
        silence_s: how long it may be silent while it thinks.
        grace_s: how late its move may be.
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
        """Start the program if there is none, and tell it of a new game.

        Raises:
            AgentFailure: it does not start, or is not ready in time.
        """
        seed = read_seed(seed)
        self._start()
        if "seed" in self._declared and "seed" not in self._options:
            self._set("seed", str(seed % (_most(self._declared["seed"]) + 1)))
        self._say(self._dialect.new_game)
        self._synchronise()
        self._pause()

    def choose(self, position: Position, stop: Stop | None = None) -> Choice:
        """Have the program choose.

        Raises:
            InputError: the game is over.
            AgentFailure: it ends, is silent or late, or answers with no move that can be made.
        """
        check_unfinished(position)
        self.prepare(position)
        try:
            self._say(f"position {self._dialect.position(position)}")
        except InputError as error:
            self._fail(Reason.CRASH, str(error))
        self._synchronise()
        began = time.monotonic()
        self._say(f"go {_go_words(self._limit)}")
        try:
            line, report = self._await_move(position, began, stop)
        except BaseException:  # a move that nobody waits for would be taken for the next one
            self._end()
            raise
        self._pause()
        move = self._read_best_move(line, position)
        pv = report.pv if report.pv[:1] == (move,) else (move,)
        return Choice(move, replace(report, pv=pv, time_ms=(time.monotonic() - began) * 1000))

    def prepare(self, position: Position) -> None:
        """Start the program if there is none, and tell it of the board.

        Raises:
            AgentFailure: it does not start, or does not play there.
        """
        self._start()
        if position.board == self._board:
            return
        try:
            options = self._dialect.board_options(position.board, self._declared)
        except InputError as error:
            self._fail(Reason.CRASH, str(error))
        for name, value in options.items():
            self._set(name, value)
        self._synchronise()
        self._board = position.board

    def values(self, position: Position) -> Mapping[Square, float]:
        """None: a program has no heuristic that could be asked."""
        return {}

    def close(self) -> None:
        """End the program."""
        if self._program is not None:
            until = time.monotonic() + QUITTING_S
            with suppress(EOFError):
                self._program.write("quit")
                while time.monotonic() < until:
                    self._program.read(QUITTING_S)
            self._end()

    def _pause(self) -> None:
        """Stop the program until something is said to it: its opponent's time is not for it to think in."""
        if self._program is not None:
            self._program.pause()

    def _end(self) -> None:
        if self._program is not None:
            self._program.end()
            self._program = self._board = None

    # Starting

    def _start(self) -> None:
        """Start the program, hear who it is and set what is to be set."""
        if self._program is not None:
            return
        folder = Path(mkdtemp(prefix="isolarium-engine-"))
        try:
            command = [find_program(self._command[0]), *self._command[1:]]
            self._program = ProgramProcess(command, scratch=folder)
        except InputError as error:
            remove_tree(folder)
            raise AgentFailure(Reason.CRASH, f"{self.name}: {error}") from None
        when_gone(self, self._program.end)
        self._dialect, self._declared = self._introduced()
        for name, value in self._options.items():
            if name.lower() not in self._declared:
                hint = did_you_mean(name, self._declared) or f"it has {', '.join(self._declared)}"
                self._fail(Reason.CRASH, f"no option {quoted(name)} ({hint})")
            self._set(name, value)
        self._synchronise()

    def _introduced(self) -> tuple[Dialect, dict[str, str]]:
        """What the program speaks, and its options by name, as it declares them.

        Every one that speaks UCI answers `isready`, though it does not know the word `ugi` before it.
        """
        assert self._program is not None
        self._say("ugi")
        self._say("isready")
        declared, asked_in_uci = dict[str, str](), False
        until = time.monotonic() + self._introduction_s
        while True:
            patience_s = until - time.monotonic()
            if patience_s <= 0:
                self._fail(Reason.TIME, f"neither ugiok nor uciok in {self._introduction_s:g} s")
            line = self._hear(patience_s if asked_in_uci else min(UGI_S, patience_s))
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
                self._say("uci")

    def _set(self, name: str, value: str) -> None:
        self._say(f"setoption name {name} value {value}")

    # Talking

    def _synchronise(self) -> None:
        """Wait until the program has done what it was told."""
        self._say("isready")
        self._await_ready()

    def _await_ready(self) -> None:
        until = time.monotonic() + self._starting_s
        while True:
            patience_s = until - time.monotonic()
            if patience_s <= 0:
                self._fail(Reason.TIME, f"no readyok in {self._starting_s:g} s")
            line = self._hear(patience_s)
            if line is not None and line.split() == ["readyok"]:
                return

    def _await_move(
        self, position: Position, began: float, stop: Stop | None
    ) -> tuple[str, Report]:
        """The line with its move, and what it said before; `stop` is passed on."""
        report, stopped = NOTHING_SAID, False
        until = began + self._patience_s()
        while True:
            now = time.monotonic()
            if now >= until:
                self._fail(Reason.TIME, f"no bestmove {self._too_late(stopped)}")
            if stop is not None and not stopped and stop():
                stopped = True
                self._say("stop")
                until = now + self._silence_s
            asking = stop is not None and not stopped
            line = self._hear(min(STOP_S, until - now) if asking else until - now)
            word = "" if line is None else line.partition(" ")[0]
            if line is not None and word == "bestmove":
                return line, report
            if line is not None and word == "info":
                report = hear_info(line, position, report, self._dialect.read_move)
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

    def _say(self, line: str) -> None:
        assert self._program is not None
        try:
            self._program.write(line)
        except EOFError:
            self._fail_dead()

    def _hear(self, seconds: float) -> str | None:
        assert self._program is not None
        try:
            return self._program.read(seconds)
        except EOFError:
            self._fail_dead()

    # Failing

    def _fail_dead(self) -> NoReturn:
        assert self._program is not None
        with suppress(EOFError):  # what it said before it ended
            while self._program.read(0.0) is not None:
                pass
        self._program.end()
        self._fail(Reason.CRASH, f"its program ended ({self._program.ending})")

    def _fail(self, reason: Reason, what: str) -> NoReturn:
        """End the program, which cannot be trusted to be where we believe it, and charge it with that."""
        last = None if self._program is None else self._program.last
        self._end()
        said = "it said nothing" if last is None else f"its last line: {quoted(last, 120)}"
        raise AgentFailure(reason, f"{self.name}: {what}; {said}")


def engine_of(spec: AgentSpec) -> EngineAgent:
    """The agent of a spec such as `engine:./program(option=value)@ms=100`."""
    assert spec.program is not None
    options = {name: str(value) for name, value in spec.program.arguments}
    return EngineAgent(str(spec), command_of(spec.program.word), options, spec.limit)


def find_program(name: str) -> str:
    """Where a program is: by its path, on PATH, or beside the Python that runs us, as `isolarium` is.

    Raises:
        InputError: there is none.
    """
    is_path = "/" in name
    found = shutil.which(str(Path(name).expanduser()) if is_path else name)
    if found is None and not is_path:
        found = shutil.which(name, path=str(Path(sys.executable).parent))
    if found is None:
        raise InputError(f"{quoted(name)}: no such program{'' if is_path else ' on PATH'}")
    return str(Path(found).absolute())


def _go_words(limit: Limit) -> str:
    words = []
    if limit.depth is not None:
        words.append(f"depth {limit.depth}")
    if limit.nodes is not None:
        words.append(f"nodes {limit.nodes}")
    if limit.time_ms is not None:
        words.append(f"movetime {max(1, round(limit.time_ms))}")
    return " ".join(words)


def _most(declared: str) -> int:
    """The largest value that an option may have."""
    words = declared.split()
    after = words[words.index("max") + 1 :] if "max" in words else []
    return int(after[0]) if after and after[0].isdecimal() and len(after[0]) <= 19 else MOST_SEED
