"""What a worker process does: it plays the batches of pairs that it is handed."""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from isolarium.agents import Agent, AgentSpec, make_agent, parse_spec, read_spec
from isolarium.arena.game import ClockTroubles, Game
from isolarium.arena.live_game import followed
from isolarium.arena.local_workers import shorten_log
from isolarium.arena.openings import position_after
from isolarium.arena.referee import LateMove, play_game
from isolarium.errors import InputError
from isolarium.game.board import Square
from isolarium.game.notation import parse_board, parse_square
from isolarium.game.outcome import Player
from isolarium.game.position import Position
from isolarium.search.random import mixed_seed

MOST_AGENTS: Final = 12
MOST_REPLAYS: Final = 2
"""How often a pair is played again for moves that came too late; then they are the agent's own."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Pairs of one encounter: a task of its own, whose rerun does no harm.

    Attributes:
        encounter: which one.
        specs: the encounter's two agents.
        players: The places of the two among the plan's players.
        board: ROWSxCOLS.
        seed: the run's.
        move_ms: what a move may take.
        watch: whether to see what of its time each agent was at work.
        first_pair: the number of the first pair.
        openings: one a pair, from the first on, each its moves as text.
    """

    encounter: int
    specs: tuple[str, str]
    players: tuple[int, int]
    board: str
    seed: int
    move_ms: float | None
    watch: bool
    first_pair: int
    openings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlayedBatch:
    """The games of a batch, how long they took, and what the machine did to them."""

    games: list[Game]
    seconds: float
    troubles: ClockTroubles


def get_ready(specs: tuple[str, ...]) -> None:
    """Import everything that these agents need; nothing is compiled yet, and no code of others loaded."""
    for spec in specs:
        with suppress(InputError):  # the game will tell
            if not parse_spec(spec).is_foreign:
                read_spec(spec)


def play_batch(batch: Batch) -> PlayedBatch:
    """Play every pair of the batch, both legs."""
    board = parse_board(batch.board)
    lines = [tuple(parse_square(text, board) for text in line.split()) for line in batch.openings]
    starts = [position_after(board, moves) for moves in lines]
    agents = [_agent(spec, seat, starts[0]) for seat, spec in enumerate(batch.specs)]
    games, troubles = list[Game](), ClockTroubles()
    started = time.perf_counter()
    for place, (moves, start) in enumerate(zip(lines, starts, strict=True)):
        pair = batch.first_pair + place
        legs, befell = _play_pair(batch, pair, agents, start, moves)
        games += legs
        troubles += befell
    shorten_log()
    return PlayedBatch(games, time.perf_counter() - started, troubles)


def _play_pair(
    batch: Batch, pair: int, agents: list[Agent], start: Position, opening: tuple[Square, ...]
) -> tuple[list[Game], ClockTroubles]:
    """Both legs of a pair; all of it again, a few times, where a move may have come too late by the machine's doing."""
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
    with followed(batch.specs[leg], batch.specs[1 - leg], opening) as on_move:
        game = play_game(seats, start, opening, seeds, batch.move_ms, batch.watch, on_move, on_late)
    players = batch.players if leg == 0 else batch.players[::-1]
    return replace(game, encounter=batch.encounter, pair=pair, leg=leg, players=players)


def game_seed(seed: int, encounter: int, pair: int, leg: int, player: Player) -> int:
    """What a player's chances are drawn from in one game."""
    return mixed_seed(mixed_seed(mixed_seed(seed, encounter), pair), 2 * leg + player)


_agents: dict[tuple[str, int], Agent] = {}  # the one used last at the end


def _agent(spec: str, seat: int, start: Position) -> Agent:
    """The agent of that spec, made once; an agent that plays itself is made twice."""
    agent = _agents.pop((spec, seat), None) or _loaded(parse_spec(spec), start)
    _agents[spec, seat] = agent
    while len(_agents) > MOST_AGENTS:
        _agents.pop(next(iter(_agents))).close()
    return agent


def _loaded(spec: AgentSpec, start: Position) -> Agent:
    """The agent after one choice for nothing, so that no move on the clock has to wait for its code to load."""
    agent = make_agent(spec)
    with suppress(Exception):  # it will fail again where it counts
        agent.new_game(0)
        agent.prepare(start)
        if spec.program is None:  # programs see to it themselves
            agent.choose(start, stop=lambda: True)
    return agent
