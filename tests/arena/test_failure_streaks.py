"""Agents that fail in one game after the other, found in the order of pairs."""

from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest

from isolarium.arena.game import Game
from isolarium.arena.game_batch import GameBatch
from isolarium.arena.plan import Format, Plan
from isolarium.arena.tally import FailureStreaks, Streak
from isolarium.game.board import Board
from isolarium.game.position import Player, Reason
from isolarium.processes.rpc import NO_ANSWER

AGENT = Path(__file__).parent.parent / "course" / "agents" / "generation_2" / "game_agent.py"
MATCH = Plan(Format.MATCH, ("random", "greedy:open"), pairs=20)


def pair_of(
    pair: int, *, encounter: int = 0, fails: tuple[bool, bool], reason: Reason = Reason.CRASH, plan: Plan = MATCH
) -> list[Game]:
    """The two games of a pair, which the encounter's first agent loses, by failing or for want of moves."""
    met = plan.encounters[encounter]
    return [
        Game(
            encounter,
            pair,
            leg,
            (met.first, met.second) if leg == 0 else (met.second, met.first),
            (),
            (),
            Player.SECOND if leg == 0 else Player.FIRST,
            reason if fails[leg] else Reason.NO_MOVES,
            f"random: at {pair}" if fails[leg] else "",
            *([], [], [], [], []),
        )
        for leg in (0, 1)
    ]


ALWAYS, ONCE, NEVER = (True, True), (False, True), (False, False)


def nothing_done(encounter: int, pair: int) -> bool:
    return False


def batch_of(games: list[Game]) -> GameBatch:
    return GameBatch.from_games(Board(5, 5), games)


def found(plan: Plan, pairs: list[list[Game]]) -> Streak | None:
    streaks = FailureStreaks(plan, nothing_done)
    return next(filter(None, map(streaks.add, map(batch_of, pairs))), None)


def test_ten_games_in_a_row_are_found_and_nine_are_not() -> None:
    nine = [pair_of(0, fails=ONCE), *(pair_of(pair, fails=ALWAYS) for pair in range(1, 5))]
    assert found(MATCH, [*nine, pair_of(5, fails=NEVER)]) is None
    assert found(MATCH, [*nine, pair_of(5, fails=ALWAYS)]) == Streak(0, "at 5", 6)


def test_the_order_of_pairs_does_not_matter() -> None:
    pairs = [pair_of(pair, fails=ALWAYS if pair < 5 else NEVER) for pair in range(6)]
    assert {found(MATCH, list(order)) for order in permutations(pairs)} == {Streak(0, "at 4", 5)}


@pytest.mark.parametrize(
    ("reason", "move_ms", "counts"),
    [
        (Reason.CRASH, None, True),
        (Reason.MEMORY, None, True),
        (Reason.TIME, None, True),
        (Reason.TIME, 100.0, False),
        (Reason.ILLEGAL_MOVE, None, False),
        (Reason.RESIGNATION, None, False),
    ],
)
def test_what_counts_as_failed(reason: Reason, move_ms: float | None, counts: bool) -> None:
    plan = replace(MATCH, move_ms=move_ms)
    pairs = [pair_of(pair, fails=ALWAYS, reason=reason) for pair in range(6)]
    assert (found(plan, pairs) is not None) == counts


def test_a_tournament_continues_while_two_working_agents_meet() -> None:
    agents = ("random", *(f"mcts@nodes={number}" for number in range(1, 6)))
    plan = Plan(Format.ROUND_ROBIN, agents, pairs=20)
    pairs = [pair_of(0, encounter=encounter, fails=ALWAYS, plan=plan) for encounter in range(5)]
    assert found(plan, pairs) is None


def test_a_gauntlet_ends_once_all_agents_under_test_fail() -> None:
    plan = Plan(Format.GAUNTLET, ("random", "greedy:open"), opponents=("mcts",), pairs=20)
    one, other = (
        [pair_of(pair, encounter=encounter, fails=ALWAYS, plan=plan) for pair in range(6)] for encounter in range(2)
    )
    assert found(plan, one) is None
    assert found(plan, [*one, *other]) == Streak(0, "at 4", 5)


def test_a_program_that_loses_to_its_own_clock_does_not_fail() -> None:
    plan = replace(MATCH, agents=("engine:sh@ms=10", "random"))
    pairs = [pair_of(pair, fails=ALWAYS, reason=Reason.TIME) for pair in range(6)]
    assert found(plan, pairs) is None


@pytest.mark.parametrize(("note", "counts"), [(NO_ANSWER, True), ("generated 9 positions", False)])
def test_a_course_agent_fails_if_it_never_answers(note: str, counts: bool) -> None:
    plan = replace(MATCH, agents=(f"course:{AGENT}@calls=10", "random"))
    lost = [game for pair in range(6) for game in pair_of(pair, fails=ALWAYS, reason=Reason.TIME)]
    assert (found(plan, [[replace(game, note=note) for game in lost]]) is not None) == counts


def test_the_last_games_of_an_agent_end_no_run() -> None:
    plan = replace(MATCH, pairs=5)
    assert found(plan, [pair_of(pair, fails=ALWAYS) for pair in range(5)]) is None


def test_games_from_before_do_not_count() -> None:
    streaks = FailureStreaks(MATCH, lambda encounter, pair: pair < 3)
    pairs = [pair_of(pair, fails=ALWAYS) for pair in range(3, 8)]
    assert [streaks.add(batch_of(pair)) for pair in pairs] == [None] * 4 + [Streak(0, "at 7", 8)]
