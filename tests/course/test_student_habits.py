"""What agents of real students do, and the course's own code accepts."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from isolarium.agents import AgentFailure, make_agent, parse_agent, parse_spec, read_spec
from isolarium.agents.agent import SpecAgent
from isolarium.course import agent_checks, course_agent, course_study, grader
from isolarium.course.agent_checks import check_score, check_search
from isolarium.course.check import Check
from isolarium.course.course_agent import CourseFile
from isolarium.errors import InputError
from isolarium.game.board import Board
from isolarium.game.notation import parse_position
from isolarium.game.position import Reason

pytestmark = pytest.mark.slow

START = parse_position("5/1A3/5/3B1/5 a")
FORCED = parse_position("Ax3/xxx2/x4/3B1/5 a")
LATER_START = parse_position("11/2A8/11/11/11/11/8B2/11/11 a")
LATER_FORCED = parse_position("Ax9/xxx8/x10/11/11/11/8B2/11/11 a")


@pytest.fixture
def student(tmp_path: Path) -> Iterator["Student"]:
    found = Student(tmp_path)
    yield found
    found.close()


class Student:
    """Writes an agent's file, and plays it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._agents = list[SpecAgent]()

    def agent(self, text: str, limit: str = "calls=300") -> SpecAgent:
        """Return the agent of a file with this text, in a new game."""
        file = self.folder / "game_agent.py"
        file.write_text(text)
        agent = make_agent(parse_spec(f"course:{file}@{limit}"))
        self._agents.append(agent)
        agent.new_game(1)
        return agent

    def searcher(self, text: str) -> SpecAgent:
        """Return our search with the score function in a file with this text."""
        file = self.folder / "game_agent.py"
        file.write_text(text)
        agent = make_agent(parse_spec(f"greedy:course:{file}:custom_score"))
        self._agents.append(agent)
        agent.new_game(1)
        return agent

    def file(self, text: str) -> CourseFile:
        """Return a file with this text."""
        (self.folder / "game_agent.py").write_text(text)
        return CourseFile(str(self.folder / "game_agent.py"))

    def checks(self, text: str) -> dict[str, Check]:
        """Return the checks of the score function in a file with this text, by topic."""
        found = check_score(self.file(text), "custom_score", Board(7, 7), 1)
        return {check.topic: check for check in found}

    def close(self) -> None:
        """End the agents' processes."""
        for agent in self._agents:
            with closing(agent):
                pass


# Limits by counted positions

DEEPENS_FOR_EVER = """
class Timeout(Exception):
    pass

class CustomPlayer:
    def get_move(self, game, time_left):
        depth, best = 0, None
        try:
            while True:
                depth += 1
                best = self.search(game, time_left)
        except Timeout:
            return best

    def search(self, game, time_left):
        if time_left() < 10:
            raise Timeout
        (move,) = game.get_legal_moves()
        return move  # forced
"""

QUEUES_FOR_EVER = """
class CustomPlayer:
    def __init__(self, player_id):
        self.player_id, self.context = player_id, None

    def get_action(self, state):
        while True:
            (action,) = state.actions()
            self.queue.put(action)
"""


def test_deepening_on_a_forced_move_ends_by_asking_for_the_time(student: Student) -> None:
    choice = student.agent(DEEPENS_FOR_EVER).choose(FORCED)
    assert FORCED.legal_moves() == (choice.move,)
    assert choice.report.nodes == 0
    assert choice.report.time_ms < 10_000


def test_queueing_a_forced_action_for_ever_ends(student: Student) -> None:
    choice = student.agent(QUEUES_FOR_EVER).choose(LATER_FORCED)
    assert LATER_FORCED.legal_moves() == (choice.move,)
    assert choice.report.time_ms < 10_000


# The later project's queue

QUEUES = """
class CustomPlayer:
    def __init__(self, player_id):
        self.context = player_id

    def get_action(self, state):
        {body}
"""
PUTS = "self.queue.put(state.actions()[0]); self.context = 7; "


@pytest.mark.parametrize("after", ["raise KeyError('data')", "raise SystemExit(1)", "1 / 0"])
def test_a_queued_action_counts_whatever_is_raised_afterwards(
    student: Student, after: str, capfd: pytest.CaptureFixture[str]
) -> None:
    agent = student.agent(QUEUES.format(body=PUTS + after))
    assert LATER_START.is_legal(agent.choose(LATER_START).move)
    assert "after its choice: " in capfd.readouterr().err


@pytest.mark.parametrize(
    ("body", "reason", "note"),
    [
        ("pass", Reason.TIME, "put nothing on its queue in time"),
        ("self.queue", Reason.TIME, "put nothing on its queue in time"),
        ("raise KeyError('data')", Reason.CRASH, "KeyError: 'data'"),
    ],
)
def test_an_empty_queue_is_a_loss_on_time(student: Student, body: str, reason: Reason, note: str) -> None:
    with pytest.raises(AgentFailure, match=note) as caught:
        student.agent(QUEUES.format(body=body)).choose(LATER_START)
    assert caught.value.reason is reason


# Private names of the course's Boards

LOOKS_AHEAD = """
class CustomPlayer:
    def get_move(self, game, time_left):
        here = game.get_player_location(self)
        moves = {name}(here)
        assert sorted(moves) == sorted(game.get_legal_moves())
        assert {name}(None) == game.get_blank_spaces()
        return max(moves, key=lambda move: (len({name}(move)), move))
"""


@pytest.mark.parametrize("name", ["game._Board__get_moves", "game.__get_moves__"])
def test_moves_from_a_square_are_asked_for_by_their_private_names(student: Student, name: str) -> None:
    move = student.agent(LOOKS_AHEAD.format(name=name)).choose(START).move
    blank_from = {one: (START.board.knight_mask(one) & START.blank).bit_count() for one in START.legal_moves()}
    assert blank_from[move] == max(blank_from.values())


OLDEST = ["__board_state__", "__player_symbols__", "__player_1__", "__last_player_move__"]


@pytest.mark.parametrize("name", OLDEST)
@pytest.mark.parametrize("file", ["game_agent.py", "helpers.py"])
def test_the_oldest_board_is_refused_by_name_before_any_game(tmp_path: Path, name: str, file: str) -> None:
    texts = {
        "helpers.py": "def count(game):\n    return 1\n",
        "game_agent.py": "import helpers\nclass CustomPlayer:\n    def get_move(self, game, time_left): ...\n",
    }
    texts[file] += f"def old(game):\n    return game.{name}\n"
    for path, text in texts.items():
        (tmp_path / path).write_text(text)
    with pytest.raises(InputError, match=f"it uses {name} of the course's oldest version") as caught:
        read_spec(f"course:{tmp_path / 'game_agent.py'}")
    assert ("helpers.py: " in str(caught.value)) == (file == "helpers.py")


def test_a_students_own_attribute_and_a_comment_are_not_refused(student: Student) -> None:
    text = LOOKS_AHEAD.format(name="game.__get_moves__").replace(
        "here =", "self.__player_1__ = self.__player_1__ if 0 else 1  # no __board_state__\n        here ="
    )
    assert START.is_legal(student.agent(text).choose(START).move)


def test_an_oldest_name_that_is_put_together_is_explained_in_the_game(student: Student) -> None:
    text = "class P:\n    def get_move(self, game, time_left): return getattr(game, '__player_' + '1__')\n"
    with pytest.raises(AgentFailure, match=r"Board has no __player_1__: .* oldest version"):
        student.agent(text).choose(START)


# Scores that add up moves, which come in random order

ROUNDED = """
def custom_score(game, player):
    if game.is_loser(player) or game.is_winner(player):
        return game.utility(player)
    rows, cols = game.height, game.width
    return sum(
        0.1 * min(row + 1, rows - row) * min(col + 1, cols - col) / 3
        for row, col in game.get_legal_moves(player)
    )

class MinimaxPlayer:
    def __init__(self, score_fn=custom_score):
        self.score = score_fn

    def get_move(self, game, time_left):
        return self.minimax(game, 1)

    def minimax(self, game, depth):
        moves = game.get_legal_moves()
        return max(moves, key=lambda move: self.value(game.forecast_move(move), depth - 1))

    def value(self, game, depth):
        moves = game.get_legal_moves()
        if depth == 0 or not moves:
            return self.score(game, self)
        values = [self.value(game.forecast_move(move), depth - 1) for move in moves]
        return max(values) if game.active_player == self else min(values)
"""
FIRST_MOVE = "def custom_score(game, player):\n    return game.get_legal_moves(player)[0][0]\n"
BY_CHANCE = "import random\ndef custom_score(game, player):\n    return random.random()\n"
ORDER = "it depends on the order of get_legal_moves(), which is random"


def test_sums_in_another_order_are_the_same_number(student: Student) -> None:
    checks = student.checks(ROUNDED)
    assert checks["number"].is_passed, checks["number"].examples
    assert checks["mirror"].is_passed
    file = CourseFile(str(student.folder / "game_agent.py"))
    arguments = {"score_fn": "custom_score"}
    (best,) = check_search(file, "MinimaxPlayer", "minimax", arguments, True, Board(7, 7), 1)
    assert best.is_passed, best.examples


@pytest.mark.parametrize(("text", "is_order"), [(FIRST_MOVE, True), (BY_CHANCE, False)])
def test_a_number_that_changes_with_the_order_of_moves_is_explained(
    student: Student, text: str, is_order: bool
) -> None:
    check = student.checks(text)["number"]
    assert check.wrong
    for example in check.examples:
        assert " when called again" in example.text
        assert (ORDER in example.text) == is_order


# Scores that use their player

USES_PLAYER = """
def custom_score(game, player):
    if player.time_left() < player.TIMER_THRESHOLD:
        raise RuntimeError
    key = game.hash()
    if key not in player.cache:
        assert player.score is custom_score
        player.cache[key] = float(len(game.get_legal_moves(player)))
    return player.cache[key]
"""
PLAYER = """
class AlphaBetaPlayer:
    def __init__(self, search_depth=3, score_fn=None, timeout=10.0):
        self.score, self.TIMER_THRESHOLD, self.cache = score_fn, timeout, {}

    def get_move(self, game, time_left):
        return game.get_legal_moves()[0]
"""


def test_a_score_function_is_called_for_its_agent(student: Student) -> None:
    assert START.is_legal(student.searcher(USES_PLAYER + PLAYER).choose(START).move)
    assert student.checks(USES_PLAYER + PLAYER)["number"].is_passed


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (USES_PLAYER, "expected one class with get_move \\(it has none\\)"),
        (
            USES_PLAYER + PLAYER.replace("search_depth=3", "search_depth"),
            "TypeError: .* missing 1 required .* 'search_depth'",
        ),
    ],
)
def test_a_score_function_without_a_player_has_a_clear_error(student: Student, text: str, why: str) -> None:
    with pytest.raises(AgentFailure, match=rf"uses player\.time_left, but its file has no player: {why}"):
        student.searcher(text).choose(START)


def test_the_player_of_a_score_function_changes_no_random_numbers(student: Student) -> None:
    chance = "import random\ndef custom_score(game, player):\n    return random.random()\n"
    draws = PLAYER.replace("self.score,", "random.random(); self.score,")
    moves = [
        [agent.choose(START).move for _ in range(8)]
        for agent in (student.searcher(chance), student.searcher(chance + draws))
    ]
    assert moves[0] == moves[1]


# Checks and answers

STOPS_LATE = """
class Timeout(Exception):
    pass

class CustomPlayer:
    def __init__(self, search_depth=3):
        self.search_depth = search_depth

    def get_move(self, game, time_left):
        self.nodes, self.time_left = 0, time_left
        moves = game.get_legal_moves()
        try:
            self.search(game, self.search_depth)
        except Timeout:
            pass
        return moves[0]

    def search(self, game, depth):
        self.nodes += 1
        if self.nodes % 16 == 0 and self.time_left() < {threshold}:
            raise Timeout
        for move in game.get_legal_moves() if depth else ():
            self.search(game.forecast_move(move), depth - 1)
"""


@pytest.mark.parametrize(("threshold", "is_in_time"), [(1, True), (-1e9, False)])
def test_stopping_in_time_is_judged_in_milliseconds(
    student: Student, threshold: float, is_in_time: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agent_checks, "ANSWERED", 3)
    monkeypatch.setattr(course_agent, "WARMING_S", 0.5)
    file = student.file(STOPS_LATE.format(threshold=threshold))
    checks = agent_checks.check_moves(file, "CustomPlayer", "CustomPlayer", {}, Board(7, 7), 1)
    (check,) = [check for check in checks if check.topic == "time"]
    assert check.is_passed == is_in_time, check.examples
    assert all(example.text for example in check.examples)


def test_one_failing_score_leaves_the_others_their_table(student: Student, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grader, "STAGE_POSITIONS", 4)
    good = "\ndef custom_score_2(game, player):\n    return len(game.get_legal_moves(player))\n"
    found, failures = grader._calibrate(
        student.file("def custom_score(game, player):\n    return 1 / 0\n" + good), 1, print
    )
    assert found is not None
    names = {one.name for one in found.heuristics}
    assert names == {"custom_score_2", "open", "center", "improved"}
    (failure,) = failures
    assert failure.startswith("custom_score fails in ")
    assert "ZeroDivisionError" in failure


def test_a_pair_of_move_and_something_else_is_quoted_whole(student: Student) -> None:
    text = "class P:\n    def get_move(self, game, time_left):\n        return ((5, 4), {'depth': 3})\n"
    with pytest.raises(AgentFailure, match=r"returned \(\(5, 4\), \{'depth': 3\}\); expected") as caught:
        student.agent(text).choose(START)
    assert caught.value.reason is Reason.ILLEGAL_MOVE


def test_the_course_s_scores_need_no_import(tmp_path: Path) -> None:
    """A name of `sample_players` is the course's even if the file has one of its own."""
    file = tmp_path / "game_agent.py"
    file.write_text(
        "def improved_score(game, player):\n    return 7.0\n\n"
        "class AlphaBetaPlayer:\n"
        "    def __init__(self, score_fn=improved_score):\n"
        "        self.score_fn = score_fn\n\n"
        "    def get_move(self, game, time_left):\n"
        "        assert self.score_fn(game, self) != 7.0\n"
        "        return game.get_legal_moves()[0]\n"
    )
    position = parse_position("7/7/2A4/7/4B2/7/6x a")
    for score in ("open_move_score", "sample_players.improved_score"):
        with closing(parse_agent(f"course:{file}:AlphaBetaPlayer(score_fn={score})")) as agent:
            agent.new_game(1)
            assert agent.choose(position).move in position.legal_moves()
    with closing(parse_agent(f"course:{file}:AlphaBetaPlayer")) as agent:
        agent.new_game(1)
        with pytest.raises(AgentFailure, match="AssertionError"):
            agent.choose(position)
    with closing(parse_agent(f"greedy:course:{file}:center_score")) as agent:
        agent.new_game(1)
        assert agent.choose(position).move in position.legal_moves()


def test_a_file_may_import_everything_from_numpy(student: "Student") -> None:
    text = "from numpy import *\ndef custom_score(game, player):\n    return float(zeros(1)[0])\n"
    path = student.folder / "game_agent.py"
    path.write_text(f"{text}class CustomPlayer:\n    def get_move(self, game, time_left): pass\n")
    found = CourseFile(str(path))
    assert grader.scores_of(found) == ["custom_score"]
    assert [*found.contents.classes] == ["CustomPlayer"]


def test_an_agent_that_never_answers_says_so(student: Student, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its games count as failed; see `arena.tally`."""
    text = "class CustomPlayer:\n    def get_move(self, game, time_left):\n        while True:\n            pass\n"
    monkeypatch.setattr(course_agent, "COUNTED_S", 0.3)
    with pytest.raises(AgentFailure, match=r"gave no answer in 0\.3 s; terminated"):
        student.agent(text).choose(START)
    file = CourseFile(str(student.folder / "game_agent.py"))
    [one] = course_study._fields(file, "calls=100", seed=1)
    assert "gave no answer" in one.about


def test_a_resignation_with_no_budget_left_names_the_cause(student: Student) -> None:
    text = (
        "class CustomPlayer:\n    def get_move(self, game, time_left):\n"
        "        while time_left() > 10:\n            game.forecast_move(game.get_legal_moves()[0])\n"
        "        return (-1, -1)\n"
    )
    with pytest.raises(AgentFailure, match="its budget of 200 positions was nearly used up") as caught:
        student.agent(text, "calls=200").choose(START)
    assert caught.value.reason is Reason.RESIGNATION
