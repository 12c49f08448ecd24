"""A conversation in UGI: each line that is heard is obeyed, and what there is to say is said in lines.

While the agent thinks, its search comes to us after every slice: then `isready` is answered, `stop` and `quit` are
heard, other lines are put aside, and now and then a line tells how far it is. A line that is wrong costs one
`info string` and changes nothing.
"""

import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Final

from isolarium import __version__
from isolarium.agents import Agent, AgentFailure, AgentSpec, make_agent, parse_spec, read_spec
from isolarium.agents.search_agent import SearchingAgent
from isolarium.agents.ugi import format_info
from isolarium.engine.go_command import UNBOUNDED, read_go
from isolarium.errors import InputError, quoted
from isolarium.game.board import Board
from isolarium.game.notation import parse_board, parse_position
from isolarium.game.outcome import Player
from isolarium.game.position import Position
from isolarium.limits import MOST_SEED, Limit
from isolarium.search.random import mixed_seed
from isolarium.text import did_you_mean, printable

Hear = Callable[[float | None], str | None]
"""Waits so long for the next line, None for as long as it takes; None if none came, EOFError if none will."""
Say = Callable[[str], None]

INFO_S: Final = 0.1
"""How often it is told how far a search is."""
MOST_WAITING: Final = 1_000
"""Lines that are kept until the agent has chosen."""


class Session:
    """What `isolarium engine` knows while it is talked to.

    Args:
        agent: who thinks, until another is set.
        board: of `position startpos`, until another is set.
        hear: where lines come from.
        say: where they go.
    """

    def __init__(self, agent: AgentSpec, board: Board, hear: Hear, say: Say) -> None:
        self._hear, self._say = hear, say
        self._spec, self._board = agent, board
        self._position = Position.empty(board)
        self._seed = self._games = 0
        self._made: Agent | None = None
        self._waiting = deque[str]()
        self._is_over = False

    def run(self) -> None:
        """Obey line after line until `quit`, or until there are no more."""
        try:
            while not self._is_over:
                line = self._waiting.popleft() if self._waiting else self._hear(None)
                if line is not None:
                    self.obey(line)
        except EOFError:
            return
        finally:
            self._forget_agent()

    def obey(self, line: str) -> None:
        """Do what a line says."""
        word, *rest = line.split() or [""]
        if not word:
            return
        try:
            if word not in COMMANDS:
                hint = did_you_mean(word, COMMANDS) or f"expected one of {', '.join(COMMANDS)}"
                raise InputError(f"{quoted(word)}: unknown ({hint})")
            COMMANDS[word](self, rest)
        except InputError as error:
            self._tell(error.without_commands)
        except AgentFailure as failure:
            self._tell(str(failure))

    def _tell(self, message: str) -> None:
        """Say something to people, in a line."""
        self._say(f"info string {printable(' '.join(message.split()))}")

    # Who we are, and what can be set

    def _introduce(self, words: Sequence[str]) -> None:
        self._say(f"id name Isolarium {__version__}")
        self._say("id author The Isolarium authors")
        self._say(f"option name agent type string default {self._spec}")
        self._say(f"option name board type string default {self._board}")
        self._say(f"option name seed type spin default {self._seed} min 0 max {MOST_SEED}")
        self._say("option name threads type spin default 1 min 1 max 1")
        self._say("ugiok")

    def _set_option(self, words: Sequence[str]) -> None:
        if "value" not in words or words[0] != "name":
            raise InputError("setoption: expected setoption name NAME value VALUE")
        at = words.index("value")
        name, value = " ".join(words[1:at]).lower(), " ".join(words[at + 1 :])
        if name not in OPTIONS:
            hint = did_you_mean(name, OPTIONS) or f"there are {', '.join(OPTIONS)}"
            raise InputError(f"setoption: no option {quoted(name)} ({hint})")
        OPTIONS[name](self, value)

    def _set_agent(self, value: str) -> None:
        """Take an agent of ours; who else may think here was said when we were started."""
        spec = parse_spec(value)
        if spec.is_third_party:
            told = "expected one of Isolarium's own; isolarium engine --agent takes any"
            raise InputError(f"{quoted(value)}: somebody's code; {told}")
        spec = read_spec(value)
        self._forget_agent()
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

    def _get_ready(self, words: Sequence[str]) -> None:
        """Compile what thinking needs, so that no move has to wait for it."""
        if not self._spec.is_third_party and self._position.outcome() is None:
            self._own_agent().prepare(self._position)
        self._say("readyok")

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
        self._say(f"response {QUERIES[question](self._position)}")

    # Thinking

    def _go(self, words: Sequence[str]) -> None:
        limit = read_go(words, self._position, self._spec)
        if self._position.outcome() is not None:
            self._tell("go: the game is over; expected a position with a legal move")
            self._say("bestmove none")
            return
        try:
            agent = self._agent(limit)
            agent.new_game(mixed_seed(self._seed, self._games))
            choice = agent.choose(self._position, _Watch(self, agent, limit).is_over)
        except (AgentFailure, InputError) as error:
            self._tell(str(error))
            self._say("bestmove none")
            return
        self._say(format_info(choice.report))
        self._say(f"bestmove {choice.move}")

    def _agent(self, limit: Limit) -> Agent:
        """The agent with this limit. One with code of others takes none anew: a clock is then watched by us alone."""
        if not self._spec.is_third_party:
            agent = self._own_agent()
            agent.limit = limit
            return agent
        if self._spec.program is None:
            bounded = Limit(limit.depth, limit.nodes)
            limit = UNBOUNDED if bounded == Limit() else bounded
        spec = self._spec.with_limit(limit)
        if self._made is None or self._made.name != str(spec):
            self._forget_agent()
            self._made = make_agent(spec)
        return self._made

    def _own_agent(self) -> SearchingAgent:
        self._made = self._made or make_agent(self._spec)
        assert isinstance(self._made, SearchingAgent)
        return self._made

    def _forget_agent(self) -> None:
        if self._made is not None:
            self._made.close()
            self._made = None

    def listen(self) -> bool:
        """Hear what is said while the agent thinks; whether it is to stop.

        Lines that may not be said then wait until it has chosen, so that what follows does not depend on its speed.
        """
        while True:
            try:
                line = self._hear(0.0)
            except EOFError:
                line = "quit"
            match line if line is None else line.split():
                case None:
                    return False
                case ["isready"]:
                    self._say("readyok")
                case ["stop"]:
                    return True
                case ["quit"]:
                    self._is_over = True
                    return True
                case [_, *_] if len(self._waiting) < MOST_WAITING:
                    self._waiting.append(str(line))
                case [_, *_]:
                    self._tell(f"{quoted(line)}: thinking; expected isready, stop or quit")

    def tell_progress(self, agent: Agent) -> None:
        """Say how far a search of ours is."""
        if isinstance(agent, SearchingAgent):
            report = agent.search.best().report
            if report.nodes > 0:
                self._say(format_info(report))

    def _stop(self, words: Sequence[str]) -> None:
        """Nothing to stop: whoever thinks is heard elsewhere."""

    def _quit(self, words: Sequence[str]) -> None:
        self._is_over = True


class _Watch:
    """Is asked after every slice of a search whether to stop."""

    def __init__(self, session: Session, agent: Agent, limit: Limit) -> None:
        self._session, self._agent = session, agent
        self._most_s = None if limit.time_ms is None else limit.time_ms / 1000
        self._began: float | None = None
        self._next_s = INFO_S
        self._stopped = False

    def is_over(self) -> bool:
        now = time.monotonic()
        if self._began is None:  # compiling is over
            self._began = now
        elapsed_s = now - self._began
        if elapsed_s >= self._next_s:
            self._next_s = elapsed_s + INFO_S
            self._session.tell_progress(self._agent)
        self._stopped = self._stopped or self._session.listen()
        return self._stopped or (self._most_s is not None and elapsed_s >= self._most_s)


def _whole_number(name: str, text: str, least: int, most: int) -> int:
    digits = text if text.isascii() and text.isdigit() and len(text) <= 19 else ""
    if not digits or not least <= int(digits) <= most:
        told = f"{least}" if least == most else f"a whole number from {least} to {most}"
        raise InputError(f"setoption: {name} {quoted(text)}; expected {told}")
    return int(digits)


def _result(position: Position) -> str:
    outcome = position.outcome()
    return "none" if outcome is None else f"p{outcome.winner + 1}win"


def _truth(value: bool) -> str:
    return "true" if value else "false"


COMMANDS: Final[dict[str, Callable[[Session, Sequence[str]], Any]]] = {
    "ugi": Session._introduce,
    "setoption": Session._set_option,
    "isready": Session._get_ready,
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
    "gameover": lambda position: _truth(position.outcome() is not None),
    "p1turn": lambda position: _truth(position.to_move is Player.FIRST),
    "result": _result,
}
