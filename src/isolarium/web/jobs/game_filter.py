"""Which games of a run are worth a look: upsets, mistakes, won starts given away, losses on time; in a worker."""

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from functools import cache, lru_cache
from itertools import count
from pathlib import Path
from typing import Final

from isolarium.analysis.accuracy import Marker
from isolarium.analysis.run_games import board_of, seated_game
from isolarium.arena.game_row import GameRow
from isolarium.arena.openings import position_after
from isolarium.arena.results import movers
from isolarium.arena.run_db import Record
from isolarium.game.outcome import Player, Reason
from isolarium.limits import Stop
from isolarium.solver.exact_value import looked_up

MOST_SOLVED: Final = 200
"""Of a run's games, as many as are looked into for mistakes: the last."""


@lru_cache(maxsize=16)
def matching(folder: Path, file: int, games: int, show: str, agent: int | None) -> list[int]:
    """The numbers, from 1, of a run's games of a kind; `file` and `games` tell one state of its record from others.

    Args:
        folder: the run's.
        file: the number of its record's file.
        games: how many there are in it.
        show: `all`, `upsets`, `given away` or `time`.
        agent: the place of who has to play in them; None: anybody.
    """
    with closing(Record(folder)) as record:
        rows = list(record.games())[:games]
        kept = {number for number, row in enumerate(rows, 1) if _plays(record, row, agent)}
        return [number for number in _of_kind(record, rows, show) if number in kept]


def with_mistakes(folder: Path, file: int, agent: int | None, stop: Stop) -> list[int]:
    """The numbers of the games among a run's last in which somebody, or that agent, gave a win away.

    Not all are there if `stop` says that nobody waits for them any more.
    """
    found = list[int]()
    with closing(Record(folder)) as record:
        first = max(0, record.count() - MOST_SOLVED)
        for number, row in zip(count(first + 1), record.games(skip=first), strict=False):
            if stop():
                break
            seats = movers(record.plan, row)
            erred = {seats[player] for player in _who_erred(folder, file, number)}
            if agent in erred or (agent is None and erred):
                found.append(number)
    return found


@lru_cache(maxsize=20 * MOST_SOLVED)
def _who_erred(folder: Path, file: int, number: int) -> frozenset[Player]:
    """Who gave a win away in a game, which never changes."""
    with closing(Record(folder)) as record:
        seated = seated_game(record, next(record.games(skip=number - 1, most=1)))
        first_ply = len(seated.opening.moves) + 1
        return _marker().who_erred(seated.game(board_of(record)), first_ply)


@cache
def _marker() -> Marker:
    return Marker()


def _plays(record: Record, row: GameRow, agent: int | None) -> bool:
    return agent is None or agent in movers(record.plan, row)


def _of_kind(record: Record, rows: list[GameRow], show: str) -> Iterator[int]:
    shares = _shares(record, rows)
    for number, row in enumerate(rows, 1):
        seats = movers(record.plan, row)
        match show:
            case "upsets":
                is_one = shares[seats[row.winner]] < shares[seats[row.winner.other]]
            case "time":
                is_one = row.reason is Reason.TIME
            case "given away":
                is_one = _is_given_away(record, row)
            case _:
                is_one = True
        if is_one:
            yield number


def _shares(record: Record, rows: list[GameRow]) -> dict[int, float]:
    """What share of its games each player won."""
    played, won = Counter[int](), Counter[int]()
    for row in rows:
        seats = movers(record.plan, row)
        played.update(seats)
        won[seats[row.winner]] += 1
    return {player: won[player] / played[player] for player in played}


def _is_given_away(record: Record, row: GameRow) -> bool:
    """Whether the player lost who wins by perfect play from the opening on, which must be known without a search."""
    position = position_after(board_of(record), seated_game(record, row).opening.moves)
    wins = looked_up(position)
    return wins is not None and (position.to_move if wins else position.to_move.other) != row.winner
