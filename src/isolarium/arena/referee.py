"""Plays games: batches of pairs in a worker process, and single games.

If a game ends early, the agent that caused this loses.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from time import perf_counter, perf_counter_ns, thread_time_ns
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from isolarium.agents import Agent, AgentFailure, AgentSpec, make_agent, parse_spec, read_spec, warm_up
from isolarium.agents.python_agent import PythonAgent, TooLate, ended_after
from isolarium.agents.search_agent import SearchingAgent
from isolarium.arena.batch_codec import from_bytes, to_bytes
from isolarium.arena.game import ClockTroubles, Game, is_held_up, report_fault, score_text
from isolarium.arena.game_batch import Codes, GameBatch
from isolarium.arena.lines import Lines, Numbers
from isolarium.arena.live_game import published, thinking
from isolarium.arena.local_workers import shorten_log
from isolarium.arena.openings import position_after
from isolarium.compat import processor_clock
from isolarium.errors import InputError, quoted
from isolarium.game.board import Board, Square, parse_board
from isolarium.game.position import FORFEITS, Outcome, Player, Position, Reason
from isolarium.limits import longest_ms, mixed_seed
from isolarium.processes.code_description import failure_line
from isolarium.processes.own_code import Packed, install
from isolarium.search.protocol import Choice, Report


@dataclass(frozen=True, slots=True)
class LateMove:
    """A move that was not made in time.

    Attributes:
        held_up: Whether the machine kept the agent waiting during the move.
        is_doubtful: Whether the machine may have caused the delay, since no clock shows that the
            agent worked for longer than the time limit.
    """

    held_up: bool
    is_doubtful: bool


class Move(NamedTuple):
    """A legal move that was made in time.

    Attributes:
        square: The square.
        report: The agent's report.
        time_ms: The time on the clock.
        busy_ms: The time at work; the same as `time_ms` if it was not or cannot be measured.
    """

    square: Square
    report: Report
    time_ms: float
    busy_ms: float


class MoveClock:
    """A clock for one move, which measures clock time and the agent's time at work.

    Attributes:
        time_ms: The time on the clock at the last reading.
        busy_ms: The time at work at the last reading.
    """

    def __init__(self, agent: Agent, move_ms: float | None, watch: bool) -> None:
        self.move_ms = move_ms
        self.time_ms = self.busy_ms = 0.0
        work_ns = _work_clock(agent) if watch else None
        self._measures_work, self._work_ns = work_ns is not None, work_ns or perf_counter_ns
        self._started_ns, self._worked_ns = perf_counter_ns(), self._work_ns()

    def read(self) -> None:
        """Update both times.

        If the agent's process has ended, its last known time at work is kept.
        """
        busy_ms = (self._work_ns() - self._worked_ns) / 1e6
        self.time_ms = (perf_counter_ns() - self._started_ns) / 1e6
        self.busy_ms = min(max(busy_ms, self.busy_ms), self.time_ms)

    def is_late(self) -> bool:
        """Return whether the time limit is exceeded."""
        self.read()
        return self.move_ms is not None and self.time_ms > self.move_ms

    def overrun_ms(self) -> float | None:
        """Return the time of a move that exceeds its limit, otherwise None.

        Waiting time counts only if the time on the clock exceeds `longest_ms`.
        """
        if self.move_ms is None:
            return None
        if self.busy_ms > self.move_ms:
            return self.busy_ms
        return self.time_ms if self.time_ms > longest_ms(self.move_ms) else None

    def late_move(self) -> LateMove | None:
        """Describe a move that was not made in time; None without a time limit."""
        if self.move_ms is None:
            return None
        at_work = self._measures_work and self.busy_ms > self.move_ms
        return LateMove(is_held_up(self.time_ms, self.busy_ms), is_doubtful=not at_work)


def timed_move(agent: Agent, position: Position, clock: MoveClock) -> Move:
    """Request a move from an agent and check the move.

    Raises:
        AgentFailure: If the agent does not make a legal move in time.
    """
    choice = _choice(agent, position, clock)
    if not isinstance(choice, Choice):
        raise AgentFailure(Reason.CRASH, f"{agent.name}: chose {quoted(choice)}; expected a Choice")
    if choice.move is None:
        raise AgentFailure(Reason.RESIGNATION, f"{agent.name}: resigned")
    spent_ms = clock.overrun_ms()
    if spent_ms is not None:
        problem = f"{spent_ms:.0f} ms where {clock.move_ms:g} were allowed"
        raise AgentFailure(Reason.TIME, f"{agent.name}: {problem}")
    why_not = position.why_illegal(choice.move)
    if why_not is not None:
        raise AgentFailure(Reason.ILLEGAL_MOVE, f"{agent.name}: {choice.move}: {why_not}")
    fault = report_fault(choice.report)
    if fault is not None:
        raise AgentFailure(Reason.CRASH, f"{agent.name}: {fault}")
    move = position.board.square(position.board.index(choice.move))  # (0.0, 0.0) is also a1
    return Move(move, choice.report, clock.time_ms, clock.busy_ms)


def _choice(agent: Agent, position: Position, clock: MoveClock) -> object:
    """Return the agent's choice, unchecked.

    An agent that exceeds its time is stopped, so that it loses instead of hanging.
    """
    move_ms = clock.move_ms
    longest_s = longest_ms(move_ms) / 1000 if move_ms and isinstance(agent, PythonAgent) else None
    try:
        with charged(agent), noted(agent), ended_after(longest_s):
            return agent.choose(position, None if move_ms is None else clock.is_late)
    except TooLate:
        problem = f"no move after {longest_s:.1f} s, where {move_ms:g} ms were allowed"
        raise AgentFailure(Reason.TIME, f"{agent.name}: {problem}") from None
    finally:
        clock.read()


def noted(agent: Agent) -> AbstractContextManager[None]:
    """Record that an agent is thinking while the block runs, unless it is a built-in search."""
    return nullcontext() if isinstance(agent, SearchingAgent) else thinking(agent.name)


@contextmanager
def charged(agent: Agent) -> Iterator[None]:
    """Turn any exception within the block into the agent's failure.

    Raises:
        AgentFailure: If the block raises an exception.
    """
    try:
        yield
    except AgentFailure as failure:
        if type(failure.reason) is Reason and failure.reason in FORFEITS:
            raise
        problem = f"reported the reason {quoted(failure.reason)}, by which no agent can lose: {failure}"
        raise AgentFailure(Reason.CRASH, f"{agent.name}: {problem}") from None
    except MemoryError:
        raise AgentFailure(Reason.MEMORY, f"{agent.name}: out of memory") from None
    except Exception as error:
        problem = failure_line(error)
        raise AgentFailure(Reason.CRASH, f"{agent.name}: {problem}") from error


def _work_clock(agent: Agent) -> Callable[[], int] | None:
    """Return a clock of an agent's time at work in nanoseconds, or None.

    Built-in searches and the user's Python objects run in this thread. For an agent with its own
    process, the clock of the process `process_id` is read.
    """
    if isinstance(agent, SearchingAgent | PythonAgent):
        return thread_time_ns
    return processor_clock(getattr(agent, "process_id", None))


MOST_AGENTS: Final = 12
"""The number of agents that a worker keeps ready."""
MANY_GAMES: Final = 1000
MOST_REPLAYS: Final = 2
"""How often late moves cause a replay; after that the agent loses on time."""


# Batches of pairs


@dataclass(frozen=True, slots=True)
class Batch:
    """Pairs of one encounter, as a worker receives them.

    Playing a batch twice is harmless.

    Attributes:
        encounter: The number of the encounter.
        specs: The encounter's two agents.
        players: The indices of the two agents in the plan's players.
        board: ROWSxCOLS.
        seed: The run's seed.
        move_ms: The time limit of a move.
        watch: Whether to measure how long each agent is at work.
        first_pair: The number of the first pair.
        openings: The opening of each pair, in order.
        compiled: Whether compiled code may play the games.
    """

    encounter: int
    specs: tuple[str, str]
    players: tuple[int, int]
    board: str
    seed: int
    move_ms: float | None
    watch: bool
    first_pair: int
    openings: Lines
    compiled: bool = True

    @property
    def end_pair(self) -> int:
        """The number after the last pair."""
        return self.first_pair + len(self.openings)

    def read(self, data: bytes) -> GameBatch:
        """Decode the games of this batch.

        Raises:
            ValueError: If the bytes are not games of these pairs.
        """
        most = 2 * len(self.openings)
        return from_bytes(data, parse_board(self.board), self._fill, most)

    def _fill(self, encounters: Numbers, pairs: Numbers, legs: Codes) -> tuple[NDArray[np.int32], Lines]:
        is_ours = (encounters == self.encounter) & (pairs >= self.first_pair) & (pairs < self.end_pair)
        if not is_ours.all():
            raise ValueError("games of other pairs")
        seats = np.array([self.players, self.players[::-1]], dtype=np.int32)
        return seats[legs], self.openings.take(pairs - self.first_pair)


@dataclass(frozen=True, slots=True)
class PlayedBatch:
    """The games of a batch, their duration, and the machine's delays in them.

    Attributes:
        games: A `GameBatch` as bytes: both legs of each pair, in order. The coordinator stores the bytes unchanged.
        seconds: How long the games took.
        troubles: The machine's delays.
    """

    games: bytes
    seconds: float
    troubles: ClockTroubles


def plays_compiled(players: Sequence[str], games: int) -> bool:
    """Return whether it pays to play in compiled code, apart from agents that need Python.

    Loading the compiler takes as long as a thousand games of random players.
    """
    searches = [spec for spec in map(parse_spec, players) if spec.program is None]
    return games >= MANY_GAMES or any(spec.kind.name != "random" for spec in searches)


def get_ready(specs: tuple[str, ...], own: tuple[Packed, ...] = (), *, compiled: bool = False) -> None:
    """Import the modules that agents need.

    Nothing is compiled, and third-party code is not loaded.

    Args:
        specs: The agents.
        own: The objects of the user's program that the agents use.
        compiled: Whether compiled code may play the games.
    """
    for packed in own:
        install(packed)
    for spec in specs:
        with suppress(InputError):  # The game will report it.
            if not parse_spec(spec).is_third_party:
                read_spec(spec)
                if compiled:
                    import isolarium.arena.compiled_games  # noqa: F401 # Loads the compiler


def compile_agent(spec: str, players: Sequence[str], board: Board, compiled: bool) -> None:
    """Compile what an agent needs to play on a board.

    Args:
        spec: The agent.
        players: All agents of the run.
        board: The board.
        compiled: Whether compiled code may play the games.

    Raises:
        AgentFailure: If the agent cannot start.
    """
    if compiled:
        from isolarium.arena.compiled_games import compile_games, needs_python

        if compile_games(spec, board) and not any(map(needs_python, players)):
            return
    warm_up(spec, board)


def play_batch(batch: Batch) -> PlayedBatch:
    """Play both games of every pair of a batch, in compiled code if that is possible."""
    started, games, troubles = perf_counter(), None, ClockTroubles()
    if batch.compiled and not batch.watch and batch.move_ms is None:
        # Imported here, because games in Python may not need the compiler.
        from isolarium.arena import compiled_games

        games = compiled_games.play_compiled(batch)
    if games is None:
        games, troubles = play_in_python(batch)
    shorten_log()
    return PlayedBatch(to_bytes(games), perf_counter() - started, troubles)


def play_in_python(batch: Batch) -> tuple[GameBatch, ClockTroubles]:
    """Play both games of every pair of a batch, move by move; return the machine's delays too."""
    board = parse_board(batch.board)
    lines = [tuple(board.squares[number] for number in line) for line in batch.openings]
    starts = [position_after(board, moves) for moves in lines]
    agents = [_agent(spec, seat, starts[0]) for seat, spec in enumerate(batch.specs)]
    games, troubles = list[Game](), ClockTroubles()
    for pair, (moves, start) in enumerate(zip(lines, starts, strict=True), batch.first_pair):
        legs, delays = _play_pair(batch, pair, agents, start, moves)
        games += legs
        troubles += delays
    columns = GameBatch.from_games(board, games)
    return columns if batch.watch else replace(columns, busy_ms=None), troubles


def _play_pair(
    batch: Batch, pair: int, agents: list[Agent], start: Position, opening: tuple[Square, ...]
) -> tuple[list[Game], ClockTroubles]:
    """Play both legs of a pair.

    If the machine may have made a move late, replay the pair, up to `MOST_REPLAYS` times.
    """
    replays = 0
    while True:
        late = list[LateMove]()
        legs = [_play_leg(batch, pair, leg, agents, start, opening, late.append) for leg in (0, 1)]
        if replays == MOST_REPLAYS or not any(move.is_doubtful for move in late):
            held_up = sum(move.held_up and not move.is_doubtful for move in late)
            return legs, ClockTroubles(replays, held_up)
        replays += 1


def _play_leg(
    batch: Batch,
    pair: int,
    leg: int,
    agents: list[Agent],
    start: Position,
    opening: tuple[Square, ...],
    on_late: Callable[[LateMove], None],
) -> Game:
    seats = {Player.FIRST: agents[leg], Player.SECOND: agents[1 - leg]}
    seeds = {player: game_seed(batch.seed, batch.encounter, pair, leg, player) for player in Player}
    with published(batch.specs[leg], batch.specs[1 - leg], opening) as on_move:
        game = play_game(seats, start, opening, seeds, batch.move_ms, batch.watch, on_move, on_late)
    players = batch.players if leg == 0 else batch.players[::-1]
    return replace(game, encounter=batch.encounter, pair=pair, leg=leg, players=players)


def game_seed(seed: int, encounter: int, pair: int, leg: int, player: Player) -> int:
    """Return the random seed of a player in one game."""
    return mixed_seed(mixed_seed(mixed_seed(seed, encounter), pair), 2 * leg + player)


_agents: dict[tuple[str, int], Agent] = {}  # Ordered by last use


def _agent(spec: str, seat: int, start: Position) -> Agent:
    """Return the agent for a spec and a player, created on first use."""
    agent = _agents.pop((spec, seat), None) or _loaded(parse_spec(spec), start)
    _agents[spec, seat] = agent
    while len(_agents) > MOST_AGENTS:
        _agents.pop(next(iter(_agents))).close()
    return agent


def _loaded(spec: AgentSpec, start: Position) -> Agent:
    """Create an agent and make it choose one move.

    This loads the agent's code, so that no timed move waits for it.
    """
    agent = make_agent(spec)
    with suppress(Exception):  # A real failure recurs in a game, where it counts.
        agent.new_game(0)
        agent.prepare(start)
        if spec.program is None:  # Programs warm themselves up.
            agent.choose(start, stop=lambda: True)
    return agent


# One game


def play_game(
    agents: Mapping[Player, Agent],
    start: Position,
    opening: tuple[Square, ...],
    seeds: Mapping[Player, int],
    move_ms: float | None = None,
    watch: bool = False,
    on_move: Callable[[Square], None] | None = None,
    on_late: Callable[[LateMove], None] | None = None,
) -> Game:
    """Play a game to its end, and return it as the first game of a run.

    An agent loses if it makes an illegal move, resigns by returning no move, raises an exception, runs out of memory,
    or takes longer than `move_ms` for a move.

    Args:
        agents: The agents.
        start: The position after the opening.
        opening: The moves made for the agents.
        seeds: The random seed of each agent.
        move_ms: The time limit of a move.
        watch: Whether to measure how long each agent is at work. If so, only this time counts, up to `longest_ms` on
            the clock, so that the machine's delays are not charged to the agent.
        on_move: Called after every move, while the clocks are stopped.
        on_late: Called with a move that exceeds `move_ms`.
    """
    position, moves = start, list[Move]()
    for player in Player:
        try:
            with charged(agents[player]), noted(agents[player]):
                agents[player].new_game(seeds[player])
        except AgentFailure as failure:
            return _game(opening, (), Outcome(player.other, failure.reason), str(failure))
    while True:
        outcome = position.outcome()
        if outcome is not None:
            return _game(opening, moves, outcome)
        player = position.to_move
        clock = MoveClock(agents[player], move_ms, watch)
        try:
            made = timed_move(agents[player], position, clock)
        except AgentFailure as failure:
            late = clock.late_move() if failure.reason is Reason.TIME else None
            if late is not None and on_late is not None:
                on_late(late)
            lost = Outcome(player.other, failure.reason)
            return _game(opening, moves, lost, str(failure))
        moves.append(made)
        position = position.play(made.square)
        if on_move is not None:
            on_move(made.square)


def _game(opening: tuple[Square, ...], moves: Sequence[Move], outcome: Outcome, note: str = "") -> Game:
    return Game(
        encounter=0,
        pair=0,
        leg=0,
        players=(0, 1),
        opening=tuple(map(str, opening)),
        moves=tuple(str(made.square) for made in moves),
        winner=outcome.winner,
        reason=outcome.reason,
        note=note,
        scores=[score_text(made.report) for made in moves],
        depths=[made.report.depth for made in moves],
        nodes=[made.report.nodes for made in moves],
        times_ms=[round(made.time_ms, 3) for made in moves],
        busy_ms=[round(made.busy_ms, 3) for made in moves],
    )
