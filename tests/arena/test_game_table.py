"""Batches in a results database: adding and removing any games is as if each had a row of its own."""

import random
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from isolarium.arena.batch_codec import to_bytes
from isolarium.arena.game import Game
from isolarium.arena.game_batch import GameBatch
from isolarium.arena.plan import Format, Plan
from isolarium.arena.run_db import Record
from isolarium.arena.schedule import Span
from isolarium.game.position import Player, Reason
from tests.playing import made_up_row, players_of

PLAN = Plan(Format.ROUND_ROBIN, ("random", "greedy:open", "greedy:improved"), pairs=4, board="5x5")
OPENINGS = PLAN.draw_openings()
SAID = ((1.5, 2, 10, 0.25), (2, 3, 20, 1.0))


def game(encounter: int, pair: int, leg: int, winner: Player) -> Game:
    where, players = (encounter, pair, leg), players_of(PLAN, encounter, leg)
    reason = Reason.RESIGNATION
    return made_up_row(where, OPENINGS[pair], PLAN.board, winner, reason, SAID, players)


@pytest.mark.parametrize("seed", range(5))
def test_games_are_added_once_and_removed_in_any_order(tmp_path: Path, seed: int) -> None:
    chance, expected = random.Random(seed), dict[tuple[int, ...], Game]()
    every = [(met, pair, leg) for met in range(3) for pair in range(4) for leg in (0, 1)]
    with closing(Record.create(tmp_path, PLAN)) as record:
        for _ in range(25):
            if chance.random() < 0.3:
                met, first = chance.randrange(3), chance.randrange(4)
                end = chance.randrange(first, 5)
                record.remove([(met, first, end)], [])
                for pair in range(first, end):
                    for leg in (0, 1):
                        expected.pop((met, pair, leg), None)
                continue
            chosen = chance.sample(every, chance.randrange(8))
            games = [game(*where, chance.choice([*Player])) for where in chosen]
            record.add(games)
            for where, one in zip(chosen, games, strict=True):
                expected.setdefault(where, one)
    with closing(Record(tmp_path)) as record:
        assert list(record.games()) == [expected[where] for where in sorted(expected)]
        assert record.count() == len(expected)
        whole = list(record.games())
        for met in range(3):
            own = [one for one in whole if one.encounter == met]
            assert list(record.games(met)) == own
            assert list(record.games(met, skip=1, most=3)) == own[1:4]
        complete = {where[:2] for where in expected if {(*where[:2], 0), (*where[:2], 1)} <= expected.keys()}
        assert [divmod(pair, 4) for pair in record.complete_pairs().tolist()] == sorted(complete)


def test_games_keep_their_times_when_others_of_their_batch_are_removed(tmp_path: Path) -> None:
    games = [game(1, pair, leg, Player(leg)) for pair in range(4) for leg in (0, 1)]
    with closing(Record.create(tmp_path, PLAN)) as record:
        columns = GameBatch.from_games(record.board, games)
        data = to_bytes(replace(columns, times_ms=None, busy_ms=None, seconds=(0.123, 4.567)))
        record.add_batch(record.read_batch(data, Span(1, 0, 4)), data)
        whole = list(record.games())
        record.add(games[2:5])
        assert list(record.games()) == whole
        record.remove([(1, 1, 3)], [])
        record.add(games[3:5])
        found = list(record.games())
    assert [one for one in found if one.pair in (0, 3)] == [whole[place] for place in (0, 1, 6, 7)]
    assert [(one.pair, one.leg) for one in found if one.pair in (1, 2)] == [(1, 1), (2, 0)]
