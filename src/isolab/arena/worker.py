"""What a worker process does: it plays the batches of pairs that it is handed."""

import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from isolab.agents import Agent, AgentSpec, make_agent, parse_spec, read_spec
from isolab.arena.game import play_game
from isolab.arena.game_row import GameRow, row_of
from isolab.arena.openings import position_after
from isolab.arena.workers import shorten_log
from isolab.errors import InputError
from isolab.game.notation import parse_board, parse_square
from isolab.game.outcome import Player
from isolab.game.position import Position
from isolab.search.random import mixed_seed

MOST_AGENTS: Final = 12


@dataclass(frozen=True, slots=True)
class Batch:
    """Pairs of one encounter: a task of its own, whose rerun does no harm.

    Attributes:
        encounter: which one.
        specs: the encounter's two agents.
        board: ROWSxCOLS.
        seed: the run's.
        move_ms: what a move may take.
        watch: whether to see what of its time each agent was at work.
        first_pair: the number of the first pair.
        openings: one a pair, from the first on, each its moves as text.
    """

    encounter: int
    specs: tuple[str, str]
    board: str
    seed: int
    move_ms: float | None
    watch: bool
    first_pair: int
    openings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlayedBatch:
    """The games of a batch, and how long they took."""

    games: list[GameRow]
    seconds: float


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
    games = []
    started = time.perf_counter()
    for place, (moves, start) in enumerate(zip(lines, starts, strict=True)):
        pair = batch.first_pair + place
        for leg in (0, 1):
            seats = {Player.FIRST: agents[leg], Player.SECOND: agents[1 - leg]}
            seeds = {
                player: game_seed(batch.seed, batch.encounter, pair, leg, player)
                for player in Player
            }
            game = play_game(seats, start, moves, seeds, batch.move_ms, batch.watch)
            games.append(row_of(batch.encounter, pair, leg, game))
    shorten_log()
    return PlayedBatch(games, time.perf_counter() - started)


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
