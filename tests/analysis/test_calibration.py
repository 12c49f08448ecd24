"""Calibration: the sampled positions and the figures are correct."""

import re
from collections import Counter
from dataclasses import replace
from functools import cache
from statistics import fmean

import pytest

from isolarium.analysis.calibration import CHANCE, LAW, STAGES, Calibration, Sample, calibrate, draw_sample
from isolarium.game.board import Board
from isolarium.game.position import Player, Position
from isolarium.reporting.chart import svg_of
from isolarium.reporting.exact_tables import calibration_blocks, calibration_json, calibration_tables
from isolarium.reporting.interval_charts import calibration_chart
from isolarium.reporting.terminal import plain_text
from isolarium.solver.proof_tree import likely_nodes
from isolarium.solver.start_map import starts

WANTED = 60
MOST_NODES = 250_000


@pytest.fixture(scope="module")
def sample() -> Sample:
    return draw_sample(Board(5, 5), WANTED, seed=1)


@pytest.fixture(scope="module")
def found(sample: Sample) -> Calibration:
    return calibrate(["null", "improved", "stealer"], sample)


@cache
def wins(position: Position) -> bool:
    """Return whether the player to move wins, by exhaustive search."""
    return any(not wins(position.play(move)) for move in position.legal_moves())


def shares(sample: Sample) -> list[float]:
    """Return the share of winning moves in positions whose best move counts."""
    return [sum(one.right) / len(one.right) for one in sample.positions if one.decides]


# The positions


def test_every_move_agrees_with_brute_force(sample: Sample) -> None:
    late = [one for one in sample.positions if one.position.blank_count <= 17]
    assert len(late) > WANTED
    for one in late:
        moves = one.position.legal_moves()
        assert list(one.right) == [not wins(one.position.play(move)) for move in moves]
        assert one.wins == wins(one.position)


def test_a_game_gives_each_stage_one_position_at_most(sample: Sample) -> None:
    taken = Counter((one.game, one.stage) for one in sample.positions)
    assert set(taken.values()) == {1}
    for one in sample.positions:
        assert [one.position in stage for stage in STAGES].index(True) == one.stage
        assert one.position.outcome() is None
    stages = Counter(one.stage for one in sample.positions)
    assert stages[1] == stages[2] == WANTED


def test_the_seed_determines_the_sample(sample: Sample) -> None:
    assert draw_sample(Board(5, 5), 5, seed=1).positions == [one for one in sample.positions if one.game < 5]
    assert draw_sample(Board(5, 5), 5, seed=2).positions != sample.positions[:20]


def test_positions_with_an_immediate_end_do_not_count(sample: Sample) -> None:
    for one in sample.positions:
        ends = any(after.outcome() for after in one.afters)
        assert one.decides == (not ends and any(one.right) and not all(one.right))


def test_positions_too_hard_to_solve_are_left_out() -> None:
    sample = draw_sample(Board(8, 8), 2, seed=1)
    assert any(one.stage == 0 for one in sample.positions)
    for one in sample.positions:
        assert all(likely_nodes(after) <= MOST_NODES for after in one.afters)
    assert likely_nodes(starts(Board(8, 8))[0]) > MOST_NODES


# The shares


def test_null_is_as_good_as_chance(found: Calibration) -> None:
    null = next(row for row in found.heuristics if row.name == "null").overall
    assert null.right is not None
    assert null.sign is not None
    assert null.right.rate == pytest.approx(fmean(shares(found.sample)))
    assert null.over_chance is not None
    assert null.over_chance.difference == 0
    assert (null.sign.rate, null.zeros) == (0.5, 1.0)


def test_equal_best_moves_count_as_shares(found: Calibration) -> None:
    expected = []
    for one in found.sample.positions:
        if one.decides:
            player = one.position.to_move
            values = [_moves(after, player) - _moves(after, player.other) for after in one.afters]
            best = [right for right, v in zip(one.right, values, strict=True) if v == max(values)]
            expected.append(fmean(best))
    improved = next(row for row in found.heuristics if row.name == "improved").overall
    assert improved.right is not None
    assert improved.right.rate == pytest.approx(fmean(expected))
    assert improved.decided == len(expected)
    assert set(expected) - {0.0, 1.0}


def _moves(position: Position, player: Player) -> int:
    return len(replace(position, to_move=player).legal_moves())


def test_the_opposite_heuristic_has_the_opposite_sign(sample: Sample) -> None:
    texts = ("distance(z=0)", "distance(z=0, alpha=-2)")
    both = calibrate(texts, sample)
    one, other = (row.overall.sign for row in both.heuristics)
    assert one is not None
    assert other is not None
    assert one.rate + other.rate == pytest.approx(1)


def test_the_colour_law_predicts_winners_but_not_moves(found: Calibration) -> None:
    chance, law = (row.overall for row in found.baselines)
    assert law.right == chance.right
    assert law.sign is not None
    called = [
        one.wins == ((m.row + m.col - o.row - o.col) % 2 == 0)
        for one in found.sample.positions
        if (m := one.position.mover) and (o := one.position.other)
    ]
    assert law.sign.rate == pytest.approx(fmean(called))
    assert [row.name for row in found.baselines] == [CHANCE, LAW]


def test_the_best_come_first_and_stages_add_up(found: Calibration) -> None:
    rates = [row.overall.right.rate for row in found.rows if row.overall.right]
    assert rates == sorted(rates, reverse=True)
    for row in found.rows:
        assert sum(stage.positions for stage in row.stages) == row.overall.positions
        assert sum(stage.decided for stage in row.stages) == row.overall.decided


def test_positions_of_one_game_are_not_independent_evidence(found: Calibration) -> None:
    once = found.sample
    thrice = replace(once, positions=[one for one in once.positions for _ in range(3)])
    again = calibrate(["improved"], thrice).heuristics[0].overall
    alone = next(row for row in found.heuristics if row.name == "improved").overall
    for one, other in ((alone.right, again.right), (alone.sign, again.sign)):
        assert one is not None
        assert other is not None
        assert other.rate == pytest.approx(one.rate)
        assert other.width > 0.9 * one.width


# How it is shown


def test_the_tables_have_every_row_in_order(found: Calibration) -> None:
    text = plain_text(calibration_blocks(found))
    moves, _, signs = text.partition("How often the sign")
    names = [row.name for row in found.rows]
    for part in (moves, signs):
        places = [part.index(f"\n{name}  ") for name in names]
        assert places == sorted(places)
    assert "5x5" in text
    assert "under 20%" in text
    for rate, error in re.findall(r"  (\d+) ± (\d+)", text):
        assert 0 <= int(rate) - int(error) <= int(rate) + int(error) <= 100
    assert re.search(r"  100 \(\d+ to 100\)", text)


def test_chance_is_not_compared_with_itself(found: Calibration) -> None:
    moves, _ = calibration_tables(found)
    rows = {row["name"]: row.get("over_chance") for row in moves.rows}
    assert rows[CHANCE] is rows[LAW] is None
    assert all(rows[heuristic.name] is not None for heuristic in found.heuristics)


def test_the_chart_agrees_with_the_table(found: Calibration) -> None:
    chart = calibration_chart(found)
    facts = calibration_json(found)
    for row in facts["heuristics"]:
        assert f"{row['name']}: {100 * row['best_move_right']['rate']:.1f}" in chart.alt
    assert svg_of(chart).startswith("<svg")
