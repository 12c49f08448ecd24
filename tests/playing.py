"""Runs whose games are played here, by agents in plain Python: quick to make, and known inside out."""

import random
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import replace
from functools import cache
from pathlib import Path

from isolarium.agents.agent import Agent
from isolarium.arena.game import Game
from isolarium.arena.game_checks import GameRules
from isolarium.arena.openings import Opening
from isolarium.arena.plan import Plan
from isolarium.arena.referee import play_game
from isolarium.arena.run_db import Record
from isolarium.arena.tally import Tally
from isolarium.game.board import Square, parse_board
from isolarium.game.position import Player, Position, Reason
from isolarium.limits import Stop
from isolarium.search.protocol import Choice, Report


class Wanderer:
    """Goes anywhere, with no lean to any side."""

    def __init__(self, name: str = "wanderer") -> None:
        self.name = name
        self._chance = random.Random(0)

    def new_game(self, seed: int) -> None:
        self._chance = random.Random(seed)

    def choose(self, position: Position, stop: Stop | None = None) -> Choice:
        move = self._prefer(position, list(position.legal_moves()))
        return Choice(move, Report(score=1.5, depth=2, nodes=40, time_ms=0.0, pv=()))

    def close(self) -> None:
        pass

    def _prefer(self, position: Position, moves: list[Square]) -> Square:
        return self._chance.choice(moves)


class Leaner(Wanderer):
    """Goes towards the top left corner."""

    def _prefer(self, position: Position, moves: list[Square]) -> Square:
        return min(moves, key=lambda square: (square.row + square.col, self._chance.random()))


class Careful(Wanderer):
    """Goes where it keeps the most squares to go to; stronger than the others, and without a lean."""

    def _prefer(self, position: Position, moves: list[Square]) -> Square:
        blank, board = position.blank, position.board
        return max(moves, key=lambda square: ((board.knight_mask(square) & blank).bit_count(), self._chance.random()))


def play_run_here(folder: Path, plan: Plan, agents: Sequence[Agent], *, games: int | None = None) -> Path:
    """Play a plan with these agents in place of its own; with `games`, only so many, and it stays unfinished."""
    with closing(Record.create(folder, plan)) as record:
        openings = record.openings()
        rows = [
            _game(plan, openings[pair], agents, number, pair, leg)
            for number in range(len(plan.encounters))
            for pair in range(plan.pairs)
            for leg in (0, 1)
        ]
        record.add(rows[:games])
        if games is None:
            record.finish("2026-11-15T12:00:00+00:00")
    return folder


def _game(plan: Plan, opening: Opening, agents: Sequence[Agent], number: int, pair: int, leg: int) -> Game:
    players = players_of(plan, number, leg)
    board = parse_board(plan.board)
    seed = hash((number, pair, leg))  # of numbers, so the same every time
    game = play_game(
        {player: agents[players[player]] for player in Player},
        opening.position(board),
        opening.moves,
        {player: 2 * seed + player for player in Player},
    )
    return replace(game, encounter=number, pair=pair, leg=leg, players=players)


def players_of(plan: Plan, encounter: int, leg: int) -> tuple[int, int]:
    """Who moves first and who second in a game of a plan."""
    return GameRules(plan).players(encounter, leg)


Said = tuple[float | str | None, int, int, float]
"""Score, depth, nodes and milliseconds of a move."""


def made_up_row(
    where: tuple[int, int, int],
    opening: Opening,
    board: str,
    winner: Player,
    reason: Reason = Reason.NO_MOVES,
    said: tuple[Said, Said] = ((None, 0, 0, 0.0), (None, 0, 0, 0.0)),
    players: tuple[int, int] | None = None,
) -> Game:
    """A game by the rules, at an encounter, pair and leg, that a player wins; the movers say `said` in turn.

    Without `players` it is one of a match, whose agents take turns in moving first.
    """
    moves = _line_won_by(opening, board, winner, reason)
    output = [said[number % 2] for number in range(len(moves))]
    scores, depths = [score for score, *_ in output], [depth for _, depth, *_ in output]
    nodes, times_ms = [nodes for _, _, nodes, _ in output], [time_ms for *_, time_ms in output]
    note = "" if reason is Reason.NO_MOVES else "did it"
    return Game(
        *where,
        players or ((0, 1) if where[2] == 0 else (1, 0)),
        tuple(map(str, opening.moves)),
        moves,
        winner,
        reason,
        note,
        scores,
        depths,
        nodes,
        times_ms,
        list(times_ms),
    )


@cache
def _line_won_by(opening: Opening, board: str, winner: Player, reason: Reason) -> tuple[str, ...]:
    """Moves after an opening at whose end the other player is to move, or cannot."""
    for seed in range(1_000):
        chance, moves = random.Random(seed), list[Square]()
        position = opening.position(parse_board(board))
        while position.outcome() is None:
            if reason is not Reason.NO_MOVES and position.to_move != winner:
                return tuple(map(str, moves))
            moves.append(chance.choice(position.legal_moves()))
            position = position.play(moves[-1])
        if reason is Reason.NO_MOVES and position.to_move != winner:
            return tuple(map(str, moves))
    assert reason is not Reason.NO_MOVES, f"{opening}: {winner} never wins there"
    return ()  # an agent may fail before its first move, in either turn


def add_results(tally: Tally, results: Iterable[tuple[int, int, int, bool]]) -> None:
    """Add games to a tally: encounter, pair, leg, and whether the encounter's first agent won."""
    for encounter, pair, leg, won in results:
        tally.add(encounter, pair, leg, Player(leg if won else 1 - leg))
