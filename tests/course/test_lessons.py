"""What a teacher would say: nothing of the good sample agents, and of each flawed one what is wrong with it."""

from itertools import islice
from pathlib import Path

import pytest

from isolarium.course.file_inspection import CourseFile
from isolarium.course.grading.check import Lesson
from isolarium.course.grading.grader import look_over
from isolarium.course.grading.position_sampler import (
    loses_soon,
    random_positions,
    wins_at_once_or_loses,
)
from isolarium.game.board import Board
from isolarium.game.notation import parse_position
from isolarium.game.outcome import Player
from isolarium.game.position import Position
from tests.course.flawed import flawed
from tests.course.loading import AGENTS

pytestmark = pytest.mark.slow


def looked_over(path: str) -> list[Lesson]:
    return look_over(CourseFile(path), 1, lambda told: None)


def wrong(lessons: list[Lesson]) -> set[tuple[str, str]]:
    return {(lesson.topic, lesson.whose) for lesson in lessons if lesson.wrong}


GOOD = [
    ("generation_2/game_agent.py", 18),
    ("generation_1/game_agent.py", 12),
    ("later/my_custom_player.py", 2),
]


@pytest.mark.parametrize(("name", "questions"), GOOD)
def test_nothing_is_wrong_with_good_agents(name: str, questions: int) -> None:
    lessons = looked_over(str(AGENTS / name))
    assert wrong(lessons) == set()
    assert len(lessons) == questions
    assert all(lesson.tried and not lesson.skipped for lesson in lessons)


MINIMAX, ALPHABETA = "MinimaxPlayer", "AlphaBetaPlayer"
NO_END = (
    "if game.is_loser(player) or game.is_winner(player):\n        return game.utility(player)",
    "if game.is_loser(player) or game.is_winner(player):\n        return -50.0",
)
FLAWS = {
    "minimax takes the wrong side": (
        [
            (
                "return max(values) if game.active_player == self",
                "return min(values) if game.active_player == self",
            )
        ],
        {("minimax", "MinimaxPlayer.minimax")},
    ),
    "alpha-beta compares with the wrong bound": (
        [
            (
                "if value <= alpha:\n                return value",
                "if value <= beta:\n                return value",
            )
        ],
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
        [
            (
                "return float(mobility(game, player) - 0.1",
                "return None and float(mobility(game, player) - 0.1",
            )
        ],
        {("number", "custom_score")},
    ),
    "giving up where all is lost": (
        [("best = moves[0]\n        for", "best = NO_MOVE\n        for")],
        {("play on", ALPHABETA)},
    ),
    "the clock is not looked at": (
        [("if self.time_left() < self.TIMER_THRESHOLD:", "if self.time_left is None:")],
        {("time", MINIMAX), ("time", ALPHABETA)},
    ),
}


TOGETHER = [  # to look an agent over takes seconds
    ("minimax takes the wrong side", "alpha-beta never cuts", "a centre that is none"),
    ("alpha-beta compares with the wrong bound", "giving up where all is lost"),
    ("a score that is no number",),
    ("the clock is not looked at",),
]


def test_every_flaw_is_in_some_agent() -> None:
    assert sorted(flaw for flaws in TOGETHER for flaw in flaws) == sorted(FLAWS)


@pytest.mark.parametrize("flaws", TOGETHER, ids=" and ".join)
def test_flaws_are_found_and_nothing_else(flaws: tuple[str, ...], tmp_path: Path) -> None:
    changes = [change for flaw in flaws for change in FLAWS[flaw][0]]
    found = {one for flaw in flaws for one in FLAWS[flaw][1]}
    path = flawed(tmp_path, *changes)
    lessons = looked_over(path)
    assert wrong(lessons) >= found
    assert {topic for topic, _ in wrong(lessons)} == {topic for topic, _ in found}
    for lesson in lessons:
        assert len(lesson.examples) == min(3, lesson.wrong) or lesson.topic == "cuts"
        for example in lesson.examples:
            parse_position(example.position)


def test_an_end_that_the_score_does_not_see_is_missed_by_the_agents(tmp_path: Path) -> None:
    found = wrong(looked_over(flawed(tmp_path, NO_END)))
    assert found == {("end", "custom_score"), ("win", MINIMAX), ("win", ALPHABETA)}


def test_a_score_left_to_chance_is_told_and_searches_are_not_judged_by_it(tmp_path: Path) -> None:
    path = flawed(
        tmp_path,
        ("from evaluation", "import random\n\nfrom evaluation"),
        (
            "return float(mobility(game, player) - 0.1",
            "return random.random() + float(mobility(game, player) - 0.1",
        ),
    )
    lessons = looked_over(path)
    assert ("number", "custom_score") in wrong(lessons)
    assert {(one.topic, one.tried) for one in lessons if "relied" in one.skipped} == {
        ("minimax", 0),
        ("alphabeta", 0),
        ("cuts", 0),
    }


def ends(position: Position) -> list[bool]:
    """Of each move, whether the game is over after it."""
    return [position.play(move).outcome() is not None for move in position.legal_moves()]


def test_positions_are_of_the_kind_that_is_asked_for() -> None:
    seen = set[tuple[bool, bool]]()
    for position in (
        one for game in islice(random_positions(Board(4, 5), "1"), 300) for one in game
    ):
        moves = position.legal_moves() if position.to_move is Player.FIRST else ()
        afters = [position.play(move) for move in moves]
        unfinished = [any(ends(after)) for after in afters if after.outcome() is None]
        wins = all(unfinished) and 0 < len(unfinished) < len(afters)
        loses = bool(afters) and all(any(ends(after)) for after in afters)
        assert (wins_at_once_or_loses(position), loses_soon(position)) == (wins, loses)
        seen.add((wins, loses))
    assert seen == {(False, False), (True, False), (False, True)}


def test_a_move_that_is_none_is_told(tmp_path: Path) -> None:
    path = flawed(tmp_path, ("return self.minimax(game, self.search_depth)", "return (0, 0)"))
    assert wrong(looked_over(path)) == {("win", MINIMAX), ("play on", MINIMAX)}


def test_an_agent_that_fails_is_not_judged(tmp_path: Path) -> None:
    path = flawed(tmp_path, ("best = moves[0]\n        try", "best = moves[99]\n        try"))
    lessons = looked_over(path)
    assert wrong(lessons) == set()
    asked = {one.topic: one for one in lessons if one.whose == ALPHABETA}
    assert {one.tried for one in asked.values()} == {0}
    assert "IndexError: list index out of range (game_agent.py, line" in asked["win"].skipped
