"""Which games of a run are worth a look: upsets, won starts that were given away, losses on time; in a worker."""

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from functools import lru_cache
from pathlib import Path

from isolab.analysis.games import board_of
from isolab.arena.game_row import GameRow
from isolab.arena.record import Record
from isolab.arena.results import movers
from isolab.game.notation import parse_square
from isolab.game.outcome import Reason
from isolab.game.position import Position
from isolab.solver.truth import looked_up


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
    board = board_of(record)
    position = Position.empty(board)
    for name in record.opening_lines(row.pair, row.pair + 1)[0].split():
        position = position.play(parse_square(name, board))
    wins = looked_up(position)
    return wins is not None and (position.to_move if wins else position.to_move.other) != row.winner
