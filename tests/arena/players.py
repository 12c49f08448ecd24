"""Agents that a test controls."""

from collections.abc import Callable
from dataclasses import replace

from isolarium.arena.batch_codec import to_bytes
from isolarium.arena.game import Game
from isolarium.arena.game_batch import GameBatch
from isolarium.arena.referee import Batch, PlayedBatch, play_batch
from isolarium.game.board import Square, parse_board
from isolarium.game.position import Position
from isolarium.limits import Stop
from isolarium.search.protocol import Choice, Report

Action = Callable[[Position], Square | None]


def least_move(position: Position) -> Square:
    """The legal move that comes first."""
    return position.legal_moves()[0]


class Puppet:
    """An agent that does `action` on its move number `at`, counted from 0, and else makes the least legal move."""

    def __init__(self, name: str = "puppet", action: Action | None = None, at: int = 0) -> None:
        self.name = name
        self.seeds: list[int] = []
        self.stopped = False
        self._action = action
        self._at = at
        self._moves = 0

    def new_game(self, seed: int) -> None:
        self.seeds.append(seed)
        self._moves = 0

    def choose(self, position: Position, stop: Stop | None = None) -> Choice:
        move: Square | None = least_move(position)
        if self._action is not None and self._moves == self._at:
            move = self._action(position)
        self._moves += 1
        report = Report(score=1.5, depth=3, nodes=17, time_ms=0.0, pv=())
        return Choice(move, report)  # type: ignore[arg-type] # foreign agents may have none

    def close(self) -> None:
        pass


def miscount(batch: Batch) -> PlayedBatch:
    """Play a batch, and return its games with every winner changed."""
    return changed(batch, lambda game: replace(game, winner=game.winner.other))


def play_others(batch: Batch) -> PlayedBatch:
    """Play a batch, and return its games as those of the next pair."""
    return changed(batch, lambda game: replace(game, pair=game.pair + 1))


def changed(batch: Batch, change: Callable[[Game], Game]) -> PlayedBatch:
    """Play a batch, and return its games changed."""
    return with_games(batch, lambda games: list(map(change, games)))


def with_games(batch: Batch, change: Callable[[list[Game]], list[Game]]) -> PlayedBatch:
    """Play a batch, and return other games in place of its own."""
    played = play_batch(batch)
    games = change(list(batch.read(played.games)))
    return replace(played, games=to_bytes(GameBatch.from_games(parse_board(batch.board), games)))
