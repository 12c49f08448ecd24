"""Which batches are checked by which workers, and which games are taken back."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from isolarium.arena import Conditions
from isolarium.arena.cluster.cluster_runner import BATCHES, CHECKED, Check, Origins, SpotChecks, secret_of
from isolarium.arena.game import Game
from isolarium.arena.game_batch import GameBatch
from isolarium.arena.plan import match_plan
from isolarium.arena.provenance import Verdicts, read_verdicts, write_verdicts
from isolarium.arena.run_db import Record
from isolarium.arena.schedule import Span
from isolarium.errors import InputError
from isolarium.game.position import Player
from tests.playing import made_up_row

PLAN = match_plan("random", "random", Conditions(pairs=4, board="3x4"))


@pytest.fixture
def record(tmp_path: Path) -> Iterator[Record]:
    with closing(Record.create(tmp_path, PLAN)) as made:
        yield made


def games_of(record: Record, pair: int) -> list[Game]:
    opening = record.openings()[pair]
    return [made_up_row((0, pair, leg), opening, PLAN.board, Player.FIRST) for leg in (0, 1)]


def test_times_are_no_difference_and_nodes_are(record: Record) -> None:
    games = games_of(record, 0)
    slower = [replace(game, times_ms=[9.0 for _ in game.times_ms]) for game in games]
    other = [replace(game, nodes=[9 for _ in game.nodes]) for game in games]
    digests = [GameBatch.from_games(record.board, some).digest() for some in (slower, games, other)]
    assert digests[0] == digests[1] != digests[2]


def test_no_worker_checks_its_own_games(record: Record) -> None:
    check = Check(Span(0, 0, 1), "one", "a digest")
    trust = SpotChecks[Span](1.0, "secret", [check])
    assert trust.next_for("one") is None
    assert trust.next_for("other") is check
    assert trust.next_for("other") is None


@pytest.mark.slow
def test_the_checked_share_is_right_and_reproducible() -> None:
    spans = [Span(number % 10, number, number + 1) for number in range(20_000)]

    def drawn(seed: int) -> list[Span]:
        checks = SpotChecks[Span](CHECKED, secret_of(seed))
        return [span for span in spans if checks.draws(span)]

    once = drawn(1)
    assert 150 <= len(once) <= 250  # of 200: 3.5 standard deviations
    assert once == drawn(1)
    assert once != drawn(2)
    alone = [span for span in spans[:2_000] if SpotChecks[Span](CHECKED, secret_of(1)).draws(span)]
    assert alone == [span for span in once if span in spans[:2_000]]


def test_only_one_workers_games_are_taken_back(record: Record) -> None:
    origins = Origins(record, 0)
    for pair, worker in enumerate(("liar", "other", "liar", "liar2")):
        fact = origins.fact(worker, Span(0, pair, pair + 1), None)
        record.add(games_of(record, pair), origin=fact)
    assert origins.take_back("liar") == [Span(0, 0, 1), Span(0, 2, 3)]
    assert [game.pair for game in record.games()] == [1, 1, 3, 3]
    assert origins.take_back("liar") == []


def test_a_fact_holds_a_limited_number_of_batches(record: Record) -> None:
    origins = Origins(record, 0)
    names = [origins.fact("one", Span(0, 0, 1), None)[0] for _ in range(BATCHES + 1)]
    assert len(set(names)) == 2


def test_verdicts_are_read_as_they_were_written(record: Record) -> None:
    verdicts = Verdicts(3, {"liar": 8}, ("worker old: it has isolarium 0.0.1",))
    write_verdicts(record, verdicts)
    assert read_verdicts(record) == verdicts


@pytest.mark.parametrize("text", ["[]", '{"x": 1}', '{"checked": -1}', '{"differed": {"a": "b"}}', '{"refused": [1]}'])
def test_invalid_verdicts_are_damage(text: str, record: Record) -> None:
    record.set_fact("trust", text)
    with pytest.raises(InputError, match="its facts about workers are invalid"):
        read_verdicts(record)
