"""Grading: the good sample agents pass every check, and each flawed agent fails the right ones."""

from collections.abc import Iterator
from contextlib import nullcontext
from itertools import islice
from pathlib import Path

import pytest

from isolarium.course.check import Check, loses_soon, random_positions, wins_at_once_or_loses
from isolarium.course.course_agent import CourseFile
from isolarium.course.grader import check_file
from isolarium.game.board import Board
from isolarium.game.notation import parse_position
from isolarium.game.position import Player, Position
from tests.course.few_positions import few_positions
from tests.course.flawed import flawed
from tests.course.student_files import AGENTS

pytestmark = pytest.mark.slow


@pytest.fixture
def few() -> Iterator[None]:
    """Few positions: a flaw shows in the first ones."""
    with few_positions():
        yield


def checks_of(path: str) -> list[Check]:
    return check_file(CourseFile(path), 1, lambda text: None)


def failed(checks: list[Check]) -> set[tuple[str, str]]:
    return {(check.topic, check.whose) for check in checks if check.wrong}


MINIMAX, ALPHABETA = "MinimaxPlayer", "AlphaBetaPlayer"
NO_END = (
    "if game.is_loser(player) or game.is_winner(player):\n        return game.utility(player)",
    "if game.is_loser(player) or game.is_winner(player):\n        return -50.0",
)
NO_CLOCK = """
    def check_time(self):
        pass
"""
END_TOPICS = {"end", "win"}
"""The checks that fail with `NO_END`."""
FLAWS = {
    "minimax takes the wrong side": (
        [("return max(values) if game.active_player == self", "return min(values) if game.active_player == self")],
        {("minimax", "MinimaxPlayer.minimax")},
    ),
    "alpha-beta compares with the wrong bound": (
        [("if value <= alpha:\n                return value", "if value <= beta:\n                return value")],
        {("alphabeta", "AlphaBetaPlayer.alphabeta")},
    ),
    "alpha-beta never cuts": (
        [
            ("if value <= alpha:\n                return value", "pass"),
            ("if value >= beta:\n                return value", "pass"),
        ],
        {("cuts", "AlphaBetaPlayer.alphabeta")},
    ),
    "a centre that is none": (
        [("(row - (game.height - 1) / 2)", "(row - game.height / 2)")],
        {("mirror", "custom_score")},
    ),
    "a score that is no number": (
        [("return float(mobility(game, player) - 0.1", "return None and float(mobility(game, player) - 0.1")],
        {("number", "custom_score")},
    ),
    "giving up where all is lost": (
        [("best = moves[0]\n        for", "best = NO_MOVE\n        for")],
        {("play on", ALPHABETA)},
    ),
    "the clock is not looked at": (
        [("class AlphaBetaPlayer(IsolationPlayer):", f"class AlphaBetaPlayer(IsolationPlayer):{NO_CLOCK}")],
        {("time", ALPHABETA)},
    ),
}


TOGETHER = [  # checking an agent takes seconds
    ("minimax takes the wrong side", "alpha-beta never cuts", "a centre that is none"),
    ("alpha-beta compares with the wrong bound", "giving up where all is lost"),
    ("a score that is no number",),
    ("the clock is not looked at",),
]


SCORES = ("custom_score", "custom_score_2", "custom_score_3")
GOOD = {
    "generation_2/game_agent.py": {*SCORES, MINIMAX, f"{MINIMAX}.minimax", ALPHABETA, f"{ALPHABETA}.alphabeta"},
    "generation_1/game_agent.py": {
        "custom_score",
        "CustomPlayer.minimax",
        "CustomPlayer.alphabeta",
        "CustomPlayer (minimax)",
        "CustomPlayer (alphabeta)",
    },
    "later/my_custom_player.py": {"CustomPlayer"},
}
"""The functions, methods and players that are checked in each file."""


@pytest.mark.parametrize("name", GOOD)
def test_good_agents_pass_every_check(name: str) -> None:
    with nullcontext() if "generation_2" in name else few_positions():
        checks = checks_of(str(AGENTS / name))
    assert failed(checks) == set()
    assert all(check.tried and not check.skipped for check in checks)
    topics = {whose: [one.topic for one in checks if one.whose == whose] for whose in GOOD[name]}
    assert sum(map(len, topics.values())) == len(checks)
    assert all(found and len(set(found)) == len(found) for found in topics.values())
    scores = {tuple(found) for whose, found in topics.items() if whose in SCORES}
    players = {tuple(found) for whose, found in topics.items() if whose not in SCORES and "." not in whose}
    assert (len(scores), len(players)) == (int("custom_score" in topics), 1)  # checked alike
    if scores:  # other files have no method with a contract
        tested = {topic for _, found in FLAWS.values() for topic, _ in found} | END_TOPICS
        assert {check.topic for check in checks} == tested


def test_every_flaw_is_tested() -> None:
    assert sorted(flaw for flaws in TOGETHER for flaw in flaws) == sorted(FLAWS)


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("flaws", TOGETHER, ids=" and ".join)
def test_only_the_flaws_fail(flaws: tuple[str, ...], tmp_path: Path) -> None:
    changes = [change for flaw in flaws for change in FLAWS[flaw][0]]
    found = {one for flaw in flaws for one in FLAWS[flaw][1]}
    path = flawed(tmp_path, *changes)
    checks = checks_of(path)
    assert failed(checks) >= found
    assert {topic for topic, _ in failed(checks)} == {topic for topic, _ in found}
    for check in checks:
        assert len(check.examples) == min(3, check.wrong) or check.topic == "cuts"
        for example in check.examples:
            parse_position(example.position)


def test_agents_miss_wins_that_the_score_misvalues(tmp_path: Path) -> None:
    found = failed(checks_of(flawed(tmp_path, NO_END)))
    assert found == {("end", "custom_score"), ("win", MINIMAX), ("win", ALPHABETA)}
    assert {topic for topic, _ in found} == END_TOPICS


@pytest.mark.usefixtures("few")
def test_a_random_score_fails_and_searches_with_it_are_skipped(tmp_path: Path) -> None:
    path = flawed(
        tmp_path,
        ("from evaluation", "import random\n\nfrom evaluation"),
        ("return float(mobility(game, player) - 0.1", "return random.random() + float(mobility(game, player) - 0.1"),
    )
    checks = checks_of(path)
    assert ("number", "custom_score") in failed(checks)
    assert {(one.topic, one.tried) for one in checks if "not reliable" in one.skipped} == {
        ("minimax", 0),
        ("alphabeta", 0),
        ("cuts", 0),
    }


def ends(position: Position) -> list[bool]:
    """Return for each move whether it ends the game."""
    return [position.play(move).outcome() is not None for move in position.legal_moves()]


def test_sampled_positions_have_the_wanted_kind() -> None:
    seen = set[tuple[bool, bool]]()
    for position in (one for game in islice(random_positions(Board(4, 5), "1"), 300) for one in game):
        moves = position.legal_moves() if position.to_move is Player.FIRST else ()
        afters = [position.play(move) for move in moves]
        unfinished = [any(ends(after)) for after in afters if after.outcome() is None]
        wins = all(unfinished) and 0 < len(unfinished) < len(afters)
        loses = bool(afters) and all(any(ends(after)) for after in afters)
        assert (wins_at_once_or_loses(position), loses_soon(position)) == (wins, loses)
        seen.add((wins, loses))
    assert seen == {(False, False), (True, False), (False, True)}


@pytest.mark.usefixtures("few")
def test_an_illegal_move_fails(tmp_path: Path) -> None:
    path = flawed(tmp_path, ("return self.minimax(game, self.search_depth)", "return (0, 0)"))
    checks = checks_of(path)
    assert failed(checks) == {("win", MINIMAX), ("play on", MINIMAX)}
    [advice] = [one.advice for one in checks if (one.topic, one.whose) == ("play on", MINIMAX)]
    assert advice.startswith("Return one of game.get_legal_moves()")


@pytest.mark.usefixtures("few")
def test_an_agent_that_crashes_is_skipped(tmp_path: Path) -> None:
    path = flawed(tmp_path, ("best = moves[0]\n        try", "best = moves[99]\n        try"))
    checks = checks_of(path)
    assert failed(checks) == set()
    asked = {one.topic: one for one in checks if one.whose == ALPHABETA}
    assert {one.tried for one in asked.values()} == {0}
    assert "IndexError: list index out of range (game_agent.py, line" in asked["win"].skipped
