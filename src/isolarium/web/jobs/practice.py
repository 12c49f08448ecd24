"""Agents' choices in the games of the local runs: moves in a position, and starts that they lost."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from isolarium.arena.openings import position_after
from isolarium.arena.run_db import FILE_NAME, Record
from isolarium.arena.run_store import folders_in, names_of
from isolarium.errors import InputError
from isolarium.game.board import Board, Square, parse_board, parse_square
from isolarium.game.position import Player, Position
from isolarium.game.symmetry import canonical
from isolarium.limits import Stop
from isolarium.solver.start_map import start_wins
from isolarium.web.schema import read_any

MOST_GAMES: Final = 4_000
"""The maximum number of games to consider, from the newest runs."""
MOST_RUNS: Final = 200
MOST_AGENTS: Final = 12
MOST_STARTS: Final = 5
LEAST_GAMES: Final = 4
"""The minimum number of games for a start to be listed as tricky."""
PLACED: Final = 2


@dataclass(frozen=True, slots=True)
class Played:
    """A game: all its moves, the winner, and the names of the first and the second agent."""

    line: tuple[str, ...]
    winner: Player
    agents: tuple[str, str]


def explore(request: Mapping[str, Any], stop: Stop) -> dict[str, Any]:
    """Count the moves that agents chose in the last position of `game`, up to symmetry."""
    record = read_any(request["game"])
    position = record.position
    agents: dict[str, Counter[str]] = defaultdict(Counter)
    games = 0
    if record.start.blank_count == record.start.board.size and len(record.moves) >= PLACED:
        target, symmetry = canonical(position)
        back = symmetry.inverse
        for played in _at_start(Path(request["runs"]), position_after(position.board, record.moves[:2])):
            move = _move_in(played, position.board, target, len(record.moves))
            if move is not None:
                games += 1
                name = played.agents[len(record.moves) % 2]
                agents[name][str(back.square(move, target.board))] += 1
    most = sorted(agents, key=lambda name: (-agents[name].total(), name))[:MOST_AGENTS]
    return {"games": games, "agents": [{"agent": name, "moves": dict(agents[name])} for name in most]}


def _move_in(played: Played, board: Board, target: Position, ply: int) -> Square | None:
    """Return the game's move in a canonical position after `ply` moves; None if the position did not occur."""
    if len(played.line) <= ply:
        return None
    line = [parse_square(text, board) for text in played.line[: ply + 1]]
    found, symmetry = canonical(position_after(board, line[:ply]))
    return symmetry.square(line[ply], board) if found == target else None


def trickiest(request: Mapping[str, Any], stop: Stop) -> dict[str, Any]:
    """Return the starts of `board` that agents who should have won lost most often."""
    board = str(parse_board(request["board"]))
    starts = _starts(Path(request["runs"]), board)
    found = list[dict[str, Any]]()
    for start, games in starts.items():
        wins = start_wins(start)
        if wins is None or len(games) < LEAST_GAMES:
            continue
        winner = start.to_move if wins else start.to_move.other
        lost = sum(game.winner != winner for game in games)
        assert start.first is not None
        assert start.second is not None
        found.append(
            {
                "first": str(start.first),
                "second": str(start.second),
                "winner": str(winner),
                "games": len(games),
                "lost": lost,
            }
        )
    # By the lower end of the interval, so that a start with few games does not come first by chance.
    found = [one for one in found if one["lost"]]
    found.sort(key=lambda one: -_least_share(one["lost"], one["games"]))
    return {"starts": found[:MOST_STARTS], "games": sum(map(len, starts.values()))}


def _least_share(lost: int, games: int) -> float:
    """Return the lower end of Wilson's 95% interval of a share."""
    z = 1.96
    share, spread = lost / games, z * z / games
    middle = share + spread / 2
    width: float = z * ((share * (1 - share) + spread / 4) / games) ** 0.5
    return (middle - width) / (1 + spread)


def _at_start(runs: Path, start: Position) -> list[Played]:
    return _starts(runs, str(start.board)).get(canonical(start)[0], [])


def _starts(runs: Path, board: str) -> dict[Position, list[Played]]:
    """Return the games of the newest runs on a board by canonical start."""
    known = []
    for folder in folders_in(runs):
        status = (folder / FILE_NAME).stat()
        known.append((status.st_mtime_ns, folder, status.st_ino))
    newest = tuple(sorted(known, reverse=True)[:MOST_RUNS])
    return _indexed(newest, board)


@lru_cache(maxsize=4)
def _indexed(runs: tuple[tuple[int, Path, int], ...], board: str) -> dict[Position, list[Played]]:
    found: dict[Position, list[Played]] = defaultdict(list)
    left = MOST_GAMES
    for _, folder, _ in runs:
        if left <= 0:
            break
        for start, played in _games(folder, board, left):
            found[start].append(played)
            left -= 1
    return dict(found)


@lru_cache(maxsize=30_000)
def _start(board: Board, first: str, second: str) -> Position:
    """Return the canonical position after two placements."""
    placed = (parse_square(text, board) for text in (first, second))
    return canonical(position_after(board, placed))[0]


def _games(folder: Path, board: str, most: int) -> Iterator[tuple[Position, Played]]:
    """Yield the games of a run on a board, each with its canonical start."""
    try:
        with closing(Record(folder)) as record:
            if record.plan.board != board:
                return
            names = names_of(record.plan).short
            for game in record.games(most=most):
                first, second = game.players
                line = game.line
                start = _start(record.board, *line[:PLACED])
                yield start, Played(line, game.winner, (names[first], names[second]))
    except InputError:  # Damaged: its other games are skipped
        return
