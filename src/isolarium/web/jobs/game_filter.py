"""Which games of a run are worth a look: upsets, mistakes, won starts given away, losses on time; in a worker."""

from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import closing
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

from isolarium.analysis.accuracy import Marker
from isolarium.arena.game import Game
from isolarium.arena.run_db import Record
from isolarium.game.board import Board
from isolarium.game.outcome import Reason
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
        found = list(record.games())[:games]
        shares = _shares(found)
        return [
            number
            for number, game in enumerate(found, 1)
            if agent in (None, *game.players) and _is_one(game, show, shares, record.board)
        ]


def with_mistakes(folder: Path, file: int, agent: int | None, stop: Stop) -> list[int]:
    """The numbers of the games among a run's last in which somebody, or that agent, gave a win away.

    Not all are there if `stop` says that nobody waits for them any more.
    """
    found = list[int]()
    with closing(Record(folder)) as record:
        last = record.count()
        for number in range(max(0, last - MOST_SOLVED) + 1, last + 1):
            if stop():
                break
            erred = _who_erred(folder, file, number)
            if agent in erred or (agent is None and erred):
                found.append(number)
    return found


@lru_cache(maxsize=20 * MOST_SOLVED)
def _who_erred(folder: Path, file: int, number: int) -> frozenset[int]:
    """Return the places of the players that gave a win away in a game, which never changes."""
    with closing(Record(folder)) as record:
        game = next(record.games(skip=number - 1, most=1))
        seats = _marker().who_erred(game.record(record.board), len(game.opening) + 1)
    return frozenset(game.players[seat] for seat in seats)


@cache
def _marker() -> Marker:
    return Marker()


def _is_one(game: Game, show: str, shares: Mapping[int, float], board: Board) -> bool:
    """Return whether a game is of the kind to show."""
    match show:
        case "upsets":
            return shares[game.winning_player] < shares[game.losing_player]
        case "time":
            return game.reason is Reason.TIME
        case "given away":
            return _is_given_away(game, board)
    return True


def _shares(games: Iterable[Game]) -> dict[int, float]:
    """Return the share of its games that each player won."""
    played, won = Counter[int](), Counter[int]()
    for game in games:
        played.update(game.players)
        won[game.winning_player] += 1
    return {player: won[player] / played[player] for player in played}


def _is_given_away(game: Game, board: Board) -> bool:
    """Return whether the player lost who wins by perfect play from the opening on, if no search is needed to know."""
    position = game.start(board)
    wins = looked_up(position)
    return (
        wins is not None and (position.to_move if wins else position.to_move.other) != game.winner
    )
