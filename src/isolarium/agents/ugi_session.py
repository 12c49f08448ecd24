"""A UGI session: reads commands, one per line, and writes the answers.

After every slice of a search, the session reads its input: it answers `isready`, obeys `stop` and
`quit`, and queues other commands until the search ends. From time to time it reports progress. An
invalid command is answered with one `info string` and changes nothing.
"""

import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from isolarium import __version__
from isolarium.agents import Agent, AgentFailure, AgentSpec, make_agent, parse_spec, read_spec
from isolarium.agents.engine_protocol import format_info
from isolarium.agents.search_agent import SearchingAgent
from isolarium.errors import InputError, quoted
from isolarium.game.board import Board, parse_board
from isolarium.game.notation import parse_position
from isolarium.game.position import Player, Position
from isolarium.limits import MOST_SEED, Limit, mixed_seed
from isolarium.text import did_you_mean, printable

Read = Callable[[float | None], str | None]
"""Returns the next line, or None after this many seconds; raises EOFError."""
Write = Callable[[str], None]

INFO_S: Final = 0.1
"""The interval between progress reports of a search."""
MOST_WAITING: Final = 1_000
"""The maximum number of commands queued during a search."""


class Session:
    """The state of `isolarium engine`.

    Args:
        agent: the agent until `setoption` sets another.
        board: the board of `position startpos`, until `setoption` sets another.
        read: reads a line.
        write: writes a line.
    """

    def __init__(self, agent: AgentSpec, board: Board, read: Read, write: Write) -> None:
        self._read, self._write = read, write
        self._spec, self._board = agent, board
        self._position = Position.empty(board)
        self._seed = self._games = 0
        self._made: Agent | None = None
        self._waiting = deque[str]()
        self._is_over = False

    def run(self) -> None:
        """Execute commands until `quit` or the end of the input."""
        try:
            while not self._is_over:
                line = self._waiting.popleft() if self._waiting else self._read(None)
                if line is not None:
                    self.execute(line)
        except EOFError:
            return
        finally:
            self._close_agent()

    def execute(self, line: str) -> None:
        """Execute a command."""
        word, *rest = line.split() or [""]
        if not word:
            return
        try:
            if word not in COMMANDS:
                hint = did_you_mean(word, COMMANDS) or f"expected one of {', '.join(COMMANDS)}"
                raise InputError(f"{quoted(word)}: unknown ({hint})")
            COMMANDS[word](self, rest)
        except InputError as error:
            self._inform(error.without_commands)
        except AgentFailure as failure:
            self._inform(str(failure))

    def _inform(self, message: str) -> None:
        """Write a message for users as one line."""
        self._write(f"info string {printable(' '.join(message.split()))}")

    # The engine and its options

    def _introduce(self, words: Sequence[str]) -> None:
        self._write(f"id name Isolarium {__version__}")
        self._write("id author The Isolarium authors")
        self._write(f"option name agent type string default {self._spec}")
        self._write(f"option name board type string default {self._board}")
        self._write(f"option name seed type spin default {self._seed} min 0 max {MOST_SEED}")
        self._write("option name threads type spin default 1 min 1 max 1")
        self._write("ugiok")

    def _set_option(self, words: Sequence[str]) -> None:
        if "value" not in words or words[0] != "name":
            raise InputError("setoption: expected setoption name NAME value VALUE")
        at = words.index("value")
        name, value = " ".join(words[1:at]).lower(), " ".join(words[at + 1 :])
        if name not in OPTIONS:
            hint = did_you_mean(name, OPTIONS) or f"there are {', '.join(OPTIONS)}"
            raise InputError(f"setoption: no option named {quoted(name)} ({hint})")
        OPTIONS[name](self, value)

    def _set_agent(self, value: str) -> None:
        """Select one of Isolarium's own agents; only the command line may name third-party code."""
        spec = parse_spec(value)
        if spec.is_third_party:
            expected = "expected one of Isolarium's own; isolarium engine --agent takes any"
            raise InputError(f"{quoted(value)}: third-party code; {expected}")
        spec = read_spec(value)
        self._close_agent()
        self._spec = spec

    def _set_board(self, value: str) -> None:
        self._board = parse_board(value)
        self._position = Position.empty(self._board)

    def _set_seed(self, value: str) -> None:
        self._seed = _whole_number("seed", value, 0, MOST_SEED)
        self._games = 0

    def _set_threads(self, value: str) -> None:
        _whole_number("threads", value, 1, 1)

    # The game

    def _begin_game(self, words: Sequence[str]) -> None:
        self._games += 1
        self._position = Position.empty(self._board)

    def _prepare(self, words: Sequence[str]) -> None:
        """Compile the search, so that no move has to wait for it."""
        if not self._spec.is_third_party and self._position.outcome() is None:
            self._own_agent().prepare(self._position)
        self._write("readyok")

    def _set_position(self, words: Sequence[str]) -> None:
        at = words.index("moves") if "moves" in words else len(words)
        kind, start = (words[0] if words else ""), " ".join(words[1:at])
        if kind == "startpos" and not start:
            position = Position.empty(self._board)
        elif kind == "fen":
            position = parse_position(start)
        else:
            raise InputError("position: expected startpos or fen POSITION, then moves MOVE ...")
        for move in words[at + 1 :]:
            position = position.play(move)
        self._position = position

    def _answer_query(self, words: Sequence[str]) -> None:
        question = " ".join(words)
        if question not in QUERIES:
            raise InputError(f"query {quoted(question)}: expected one of {', '.join(QUERIES)}")
        self._write(f"response {QUERIES[question](self._position)}")

    # Searching

    def _go(self, words: Sequence[str]) -> None:
        limit = read_go(words, self._position, self._spec)
        if self._position.outcome() is not None:
            self._inform("go: the game is over; expected a position with a legal move")
            self._write("bestmove none")
            return
        try:
            agent = self._agent(limit)
            agent.new_game(mixed_seed(self._seed, self._games))
            choice = agent.choose(self._position, _Watch(self, agent, limit).is_over)
        except (AgentFailure, InputError) as error:
            self._inform(str(error))
            self._write("bestmove none")
            return
        self._write(format_info(choice.report))
        self._write(f"bestmove {choice.move}")

    def _agent(self, limit: Limit) -> Agent:
        """Return the agent with this limit.

        An agent with third-party code cannot change its limit and is therefore created again. The
        new agent has no time limit for a search; `_Watch` enforces the limit.
        """
        if not self._spec.is_third_party:
            agent = self._own_agent()
            agent.limit = limit
            return agent
        if self._spec.program is None:
            bounded = Limit(limit.depth, limit.nodes)
            limit = UNBOUNDED if bounded == Limit() else bounded
        spec = self._spec.with_limit(limit)
        if self._made is None or self._made.name != str(spec):
            self._close_agent()
            self._made = make_agent(spec)
        return self._made

    def _own_agent(self) -> SearchingAgent:
        self._made = self._made or make_agent(self._spec)
        assert isinstance(self._made, SearchingAgent)
        return self._made

    def _close_agent(self) -> None:
        if self._made is not None:
            self._made.close()
            self._made = None

    def read_commands(self) -> bool:
        """Read the commands that arrived during a search; return whether to stop it.

        Commands not allowed during a search are queued, so that the result does not depend on the
        agent's speed.
        """
        while True:
            try:
                line = self._read(0.0)
            except EOFError:
                line = "quit"
            match line if line is None else line.split():
                case None:
                    return False
                case ["isready"]:
                    self._write("readyok")
                case ["stop"]:
                    return True
                case ["quit"]:
                    self._is_over = True
                    return True
                case [_, *_] if len(self._waiting) < MOST_WAITING:
                    self._waiting.append(str(line))
                case [_, *_]:
                    self._inform(f"{quoted(line)}: searching; expected isready, stop or quit")

    def report_progress(self, agent: Agent) -> None:
        """Report the progress of a search, if the agent supports this."""
        if isinstance(agent, SearchingAgent):
            report = agent.search.best().report
            if report.nodes > 0:
                self._write(format_info(report))

    def _stop(self, words: Sequence[str]) -> None:
        """Do nothing: no search is running."""

    def _quit(self, words: Sequence[str]) -> None:
        self._is_over = True


class _Watch:
    """Decides after every slice of a search whether to stop it."""

    def __init__(self, session: Session, agent: Agent, limit: Limit) -> None:
        self._session, self._agent = session, agent
        self._most_s = None if limit.time_ms is None else limit.time_ms / 1000
        self._began: float | None = None
        self._next_s = INFO_S
        self._stopped = False

    def is_over(self) -> bool:
        now = time.monotonic()
        if self._began is None:  # The clock starts after compiling.
            self._began = now
        elapsed_s = now - self._began
        if elapsed_s >= self._next_s:
            self._next_s = elapsed_s + INFO_S
            self._session.report_progress(self._agent)
        self._stopped = self._stopped or self._session.read_commands()
        return self._stopped or (self._most_s is not None and elapsed_s >= self._most_s)


def _whole_number(name: str, text: str, least: int, most: int) -> int:
    digits = text if text.isascii() and text.isdigit() and len(text) <= 19 else ""
    if not digits or not least <= int(digits) <= most:
        expected = f"{least}" if least == most else f"a whole number from {least} to {most}"
        raise InputError(f"setoption: {name} {quoted(text)}; expected {expected}")
    return int(digits)


def _result(position: Position) -> str:
    outcome = position.outcome()
    return "none" if outcome is None else f"p{outcome.winner + 1}win"


def _boolean(value: bool) -> str:
    return "true" if value else "false"


COMMANDS: Final[dict[str, Callable[[Session, Sequence[str]], Any]]] = {
    "ugi": Session._introduce,
    "setoption": Session._set_option,
    "isready": Session._prepare,
    "uginewgame": Session._begin_game,
    "position": Session._set_position,
    "go": Session._go,
    "stop": Session._stop,
    "query": Session._answer_query,
    "quit": Session._quit,
}
OPTIONS: Final[dict[str, Callable[[Session, str], None]]] = {
    "agent": Session._set_agent,
    "board": Session._set_board,
    "seed": Session._set_seed,
    "threads": Session._set_threads,
}
QUERIES: Final[dict[str, Callable[[Position], str]]] = {
    "gameover": lambda position: _boolean(position.outcome() is not None),
    "p1turn": lambda position: _boolean(position.to_move is Player.FIRST),
    "result": _result,
}


# The limit of `go`

NUMBERS: Final = ("depth", "nodes", "movetime", "p1time", "p2time", "p1inc", "p2inc")
INFINITE: Final = "infinite"
UNBOUNDED: Final = Limit(nodes=10**15)
"""A limit so high that a search ends only on `stop` or with a solved position."""
LEAST_SHARES: Final = 4
OVERHEAD_MS: Final = 10.0
"""The time reserved for writing the answer."""
MOST_OF_CLOCK: Final = 0.8


class Clock(NamedTuple):
    """A player's clock, in milliseconds: the time left and the increment per move."""

    left_ms: float
    increment_ms: float


def read_go(words: Sequence[str], position: Position, spec: AgentSpec) -> Limit:
    """Return the limit in the words after `go`, or the agent's limit without words.

    Raises:
        InputError: If the words are not valid.
    """
    given = _read_words(words)
    if not spec.kind.takes_limit or not given:
        return spec.limit
    depth, nodes = given.get("depth"), given.get("nodes")
    time_ms: float | None = given.get("movetime")
    clock = _clock(given, position.to_move)
    if clock is not None:
        time_ms = min(time_ms or clock.left_ms, time_for_move(clock, position))
    if depth is None and nodes is None and time_ms is None:
        return UNBOUNDED
    if nodes is None and time_ms is None and not spec.kind.ends_at_depth:
        nodes = spec.limit.nodes or spec.kind.default_limit.nodes
    return Limit(None if depth is None else max(1, depth), nodes, time_ms)


def time_for_move(clock: Clock, position: Position) -> float:
    """Return the milliseconds for a move: an even share of the time left, and most of the increment.

    A player can visit at most half of the blank squares, and a game ends with about half of these still blank.
    """
    shares = max(LEAST_SHARES, position.blank_count / 4)
    wanted_ms = clock.left_ms / shares + 0.75 * clock.increment_ms
    return max(1.0, min(wanted_ms, MOST_OF_CLOCK * clock.left_ms) - OVERHEAD_MS)


def _clock(given: dict[str, int], player: Player) -> Clock | None:
    number = player + 1
    left_ms = given.get(f"p{number}time")
    if left_ms is None:
        if any(name in given for name in NUMBERS[3:]):
            raise InputError(f"go: expected p{number}time, because it is p{number}'s turn")
        return None
    return Clock(max(1, left_ms), given.get(f"p{number}inc", 0))


def _read_words(words: Sequence[str]) -> dict[str, int]:
    """Return the numbers after `go` by name; the value of `infinite` is 1."""
    given, rest = dict[str, int](), iter(words)
    for name in rest:
        if name in given:
            raise InputError(f"go: {name} is given twice; give it once")
        if name == INFINITE:
            given[name] = 1
        elif name in NUMBERS:
            given[name] = _read_number(name, next(rest, ""))
        else:
            known = ", ".join([*NUMBERS, INFINITE])
            raise InputError(f"go: {quoted(name)}; expected some of {known}")
    return given


def _read_number(name: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 16 and int(text) <= 10**15):
        raise InputError(f"go: {name} {quoted(text)}; expected a whole number up to 1e15")
    return int(text)
