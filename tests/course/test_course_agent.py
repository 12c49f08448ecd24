"""Course agents play in sandboxed processes: what they do costs only themselves a game."""

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from select import select

import pytest

import isolarium
from isolarium.agents import Agent, AgentFailure, make_agent, make_valuer, parse_spec, read_spec
from isolarium.agents.agent import SpecAgent
from isolarium.arena.referee import play_game
from isolarium.arena.run_db import Record
from isolarium.course.course_agent import CourseFile
from isolarium.errors import InputError
from isolarium.game.board import Square
from isolarium.game.notation import parse_position
from isolarium.game.position import Player, Position, Reason
from tests.command import PATIENCE_S, environment
from tests.course.misbehaviour import MISBEHAVIOURS, write
from tests.playing import Wanderer
from tests.samples import sample

AGENTS = Path(__file__).parent / "agents"
FIRST = AGENTS / "generation_1" / "game_agent.py"
SECOND = AGENTS / "generation_2" / "game_agent.py"
LATER = AGENTS / "later" / "my_custom_player.py"
IN_ONE_TOURNAMENT = (
    "raises",
    "hangs",
    "returns_a_list",
    "resigns",
    "kills_itself",
    "prints",
    "takes_all_memory",
    "answers_for_us",
)
"""One for each reason that a game ends for, and those that could harm what plays on; alone each is tried below."""

START = parse_position("5/1A3/5/3B1/5 a")
LATER_START = parse_position("11/2A8/11/11/11/11/8B2/11/11 a")

PARENT = """
from isolarium.processes.supervised_process import COURSE_SERVER
from isolarium.processes.sandboxed_process import SandboxedProcess

guest = SandboxedProcess(COURSE_SERVER, {})
print(guest._process.pid, flush=True)
input()
"""
"""A process that is killed, as workers are, and has no time to put anything in order."""

pytestmark = pytest.mark.slow


@contextmanager
def guest(text: str) -> Iterator[SpecAgent]:
    with closing(make_agent(parse_spec(text))) as agent:
        yield agent


@pytest.fixture(autouse=True)
def _little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOLARIUM_AGENT_MEMORY", "0.5")


def scratch_folders(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name.startswith("isolarium-sandbox-")]


@pytest.fixture(autouse=True)
def own_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


# One for each way to misbehave


@pytest.mark.parametrize("name", sample(MISBEHAVIOURS, 16))
def test_each_misbehaviour_is_charged_with_its_reason(name: str, tmp_path: Path, own_temporary_folder: Path) -> None:
    expected = MISBEHAVIOURS[name]
    with guest(write(name, tmp_path)) as agent:
        for _ in range(2):  # and again: it does no harm to the next game
            seats: dict[Player, Agent] = {Player.FIRST: agent, Player.SECOND: Wanderer()}
            game = play_game(seats, START, (), {Player.FIRST: 1, Player.SECOND: 2})
            assert game.outcome.reason is expected.reason, game.note
            assert expected.note in game.note
            assert "\n" not in game.note
            if expected.reason is not Reason.NO_MOVES:
                assert game.outcome.winner is Player.SECOND
    assert [path.name for path in (tmp_path / name).iterdir()] == ["game_agent.py"]
    assert scratch_folders(own_temporary_folder) == []


def test_its_folder_goes_with_it_even_if_we_are_killed(own_temporary_folder: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PARENT],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment(TMPDIR=str(own_temporary_folder)),
    ) as parent:
        assert parent.stdout is not None
        supervisor = os.pidfd_open(int(parent.stdout.readline()))
        assert len(scratch_folders(own_temporary_folder)) == 1
        parent.kill()
        ended, _, _ = select([supervisor], [], [], PATIENCE_S)
    os.close(supervisor)
    assert ended
    assert scratch_folders(own_temporary_folder) == []


def test_all_of_them_in_one_tournament_with_an_honest_agent(tmp_path: Path, own_temporary_folder: Path) -> None:
    bad = [write(name, tmp_path) for name in IN_ONE_TOURNAMENT]
    honest = f"course:{SECOND}:AlphaBetaPlayer@calls=100"
    played = isolarium.tournament(bad, against=[honest], pairs=1, board="5x5", runs=tmp_path / "runs", progress=False)
    with closing(Record(played.folder)) as record:
        games = list(record.games())
        encounters = record.plan.encounters
    assert len(games) == 2 * len(bad)
    for game in games:
        name = IN_ONE_TOURNAMENT[encounters[game.encounter].first]
        if MISBEHAVIOURS[name].reason is Reason.NO_MOVES:
            assert game.reason is Reason.NO_MOVES, game.note
        else:
            assert (game.reason, game.first_won) == (MISBEHAVIOURS[name].reason, False), game.note
    assert scratch_folders(own_temporary_folder) == []


def test_what_it_printed_last_is_in_the_note(tmp_path: Path) -> None:
    file = tmp_path / "game_agent.py"
    file.write_text(
        "import sys\nclass P:\n    def get_move(self, game, time_left):\n"
        "        print('one')\n        print('two', file=sys.stderr)\n        raise KeyError('x')\n"
    )
    with guest(f"course:{file}@calls=10") as agent:
        agent.new_game(1)
        with pytest.raises(AgentFailure, match=r"KeyError: 'x' .*; it printed: one / two$"):
            agent.choose(START)


def test_what_it_prints_without_end_is_not_passed_on_without_end(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "game_agent.py"
    file.write_text(
        "class P:\n    def get_move(self, game, time_left):\n"
        "        for _ in range(200): print('x' * 99999)\n"
        "        return game.get_legal_moves()[0]\n"
    )
    with guest(f"course:{file}@calls=10") as agent:
        agent.new_game(1)
        capfd.readouterr()
        agent.choose(START)
        assert 100_000 < len(capfd.readouterr().err) < 1_000_000
        agent.choose(START)
        assert len(capfd.readouterr().err) > 100_000  # again with the next move


def test_pytorch_is_told_to_make_no_machine_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "torch.py").write_text("class backends:\n    class mkldnn:\n        enabled = True\n")
    file = tmp_path / "game_agent.py"
    file.write_text(
        "import torch\nclass P:\n    def get_move(self, game, time_left):\n"
        "        raise RuntimeError(f'it is {torch.backends.mkldnn.enabled}')\n"
    )
    for jit, message in (("0", "it is False"), ("1", "it is True")):
        monkeypatch.setenv("ISOLARIUM_AGENT_JIT", jit)
        with guest(f"course:{file}@calls=10") as agent:
            agent.new_game(1)
            with pytest.raises(AgentFailure, match=message):
                agent.choose(START)


# What a spec names


WRONG_FILES = {
    "that does not parse": ("def", "SyntaxError: invalid syntax (line 1)"),
    "that raises": ("1 / 0", "game_agent.py: ZeroDivisionError: division by zero (game_agent.py, li"),
    "that leaves": ("import sys; sys.exit(2)", "game_agent.py: SystemExit: 2"),
    "that ends its process": ("import os; os._exit(3)", "its process ended (exit status 3)"),
    "with nothing in it": ("", "expected one class with get_move (it has none)"),
    "with several classes": (
        "class A:\n  def get_move(s, g, t): ...\nclass B:\n  def get_move(s, g, t): ...",
        "it has A, B: choose one with FILE.py:CLASS",
    ),
    "of the oldest generation": ("x = game.__board_state__[0][0]", "oldest version (generation 0)"),
    "with a heuristic": (
        "from isolarium.heuristics import heuristic\n@heuristic\ndef freer(view, own, opp): ...",
        "freer looks like a heuristic, which needs a search: isolarium match alphabeta:game_agent.py:freer",
    ),
    "that prints and waits": ("input()", "EOFError"),
    "that starts games": (
        "import isolarium\nisolarium.match('random', 'random', pairs=1)",
        "set ISOLARIUM_AGENT_JIT=1 to let agents make machine code",
    ),
}


@pytest.mark.parametrize(("text", "message"), WRONG_FILES.values(), ids=WRONG_FILES.keys())
def test_a_file_is_refused_in_one_line(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "game_agent.py"
    file.write_text(text)
    with pytest.raises(InputError) as caught:
        read_spec(f"course:{file}")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_folder_with_control_characters_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "a\nb"
    folder.mkdir()
    (folder / "game_agent.py").write_text("")
    monkeypatch.chdir(folder)
    for path in (str(folder / "game_agent.py"), "game_agent.py"):
        with pytest.raises(InputError, match="expected a path without control characters"):
            CourseFile(path)


WRONG_SPECS = {
    "no file": ("course:nothing.py", "'nothing.py': no such file"),
    "a folder": (f"course:{AGENTS}", "not a file"),
    "no class": (f"course:{SECOND}:AlphaBetPlayer", "did you mean 'AlphaBetaPlayer'?"),
    "no argument": (f"course:{SECOND}(depth=3)", "unexpected keyword argument 'depth'"),
    "a value without a name": (f"course:{SECOND}(3)", "expected ARGUMENT=VALUE"),
    "no score": (
        f"course:{SECOND}(score_fn=custom_scor)",
        "score_fn: no function or value named 'custom_scor' (did you",
    ),
    "nothing like it": (f"course:{SECOND}(score_fn=best)", "no function or value named 'best' (it has "),
    "not of the course": (f"course:{SECOND}(score_fn=sample_players.improved_scor)", "did you mean 'improved_score'?"),
    "no number": (f"course:{SECOND}(search_depth=deep)", "search_depth: no function or value named 'deep'"),
    "no function": (f"greedy:course:{SECOND}:custom", "no function named 'custom' (did you mean"),
    "a score of the later project": (f"greedy:course:{LATER}:f", "written for the later project"),
    "a score with parameters": (f"greedy:course:{SECOND}:custom_score(1)", "does not take arguments"),
    "a score inside another": (f"greedy:staged(first=course:{SECOND}:custom_score)", "write it right after a search"),
}


@pytest.mark.parametrize(("text", "message"), WRONG_SPECS.values(), ids=WRONG_SPECS.keys())
def test_a_spec_is_refused_in_one_line(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_spec(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_text_is_passed_on_where_a_parameter_takes_text(tmp_path: Path) -> None:
    read_spec(f"course:{FIRST}(method=alphabeta)")  # Its default is text
    file = tmp_path / "game_agent.py"
    file.write_text(
        "from game_agent_base import Base\n"
        "class Player(Base):\n"
        "    def __init__(self, book: 'str | None' = None, score_fn=None, **more):\n"
        "        super().__init__(**more)\n"
        "        assert (book, score_fn, self.style) == ('openings', None, 'bold')\n"
    )
    (tmp_path / "game_agent_base.py").write_text(
        "def score(game, player):\n    return 0.0\n"
        "class Base:\n"
        "    def __init__(self, style='calm'):\n        self.style = style\n"
        "    def get_move(self, game, time_left):\n        return None\n"
    )
    read_spec(f"course:{file}(book=openings, style=bold)")
    file.write_text(f"{file.read_text()}def my_score(game, player):\n    return 0.0\n")
    with pytest.raises(InputError, match=r"score_fn: no function or value named 'my_scor' \(did you mean 'my_score'"):
        read_spec(f"course:{file}(book=openings, style=bold, score_fn=my_scor)")


def test_the_class_that_is_meant_is_named_in_full() -> None:
    assert str(read_spec(f"course:{SECOND}")) == f"course:{SECOND}:AlphaBetaPlayer@ms=150"
    assert str(read_spec(f"course:{FIRST}@calls=9")) == f"course:{FIRST}:CustomPlayer@calls=9"


def test_an_agent_of_the_later_project_is_for_its_board_alone() -> None:
    with guest(f"course:{LATER}@calls=100") as agent:
        with pytest.raises(InputError, match="use --board 9x11"):
            agent.prepare(START)
        agent.prepare(LATER_START)


# Reproducible by calls


HONEST = {
    "generation 1": (f"course:{FIRST}@calls=300", START),
    "generation 2": (f"course:{SECOND}:AlphaBetaPlayer(score_fn=custom_score_2)@calls=300", START),
    "minimax": (f"course:{SECOND}:MinimaxPlayer(search_depth=2)@calls=300", START),
    "later project": (f"course:{LATER}@calls=300", LATER_START),
    "score function": (f"alphabeta:course:{SECOND}:custom_score@nodes=100", START),
}


@pytest.mark.parametrize(("spec", "start"), HONEST.values(), ids=HONEST.keys())
def test_the_same_seed_gives_the_same_game_whatever_was_played_before(spec: str, start: Position) -> None:
    games = []
    with guest(spec) as one, guest(spec) as other:
        for agents, seed in (((one, other), 1), ((one, other), 2), ((other, one), 1)):
            seats = dict(zip(Player, agents, strict=True))
            game = play_game(seats, start, (), {Player.FIRST: seed, Player.SECOND: seed + 9})
            assert game.outcome.reason is Reason.NO_MOVES, game.note
            games.append((game.moves, game.nodes))
    assert games[0] == games[2]


def test_runs_by_calls_are_equal_game_for_game_with_one_worker_and_with_two(tmp_path: Path) -> None:
    specs = [f"course:{SECOND}@calls=200", f"course:{FIRST}@calls=200"]
    runs = [
        isolarium.match(*specs, pairs=3, board="5x5", workers=workers, runs=tmp_path, progress=False).folder
        for workers in (1, 2)
    ]
    games = []
    for run in runs:
        with closing(Record(run)) as record:
            games.append([(game.moves, game.nodes, game.depths) for game in record.games()])
    assert games[0] == games[1]


def test_chance_is_drawn_from_the_seed_of_the_game(tmp_path: Path) -> None:
    file = tmp_path / "game_agent.py"
    file.write_text(
        "import random\nclass P:\n    def get_move(self, game, time_left):\n"
        "        return random.choice(sorted(game.get_legal_moves()))\n"
    )
    with guest(f"course:{file}@calls=9") as agent:
        moves = dict[int, Square]()
        for seed in (*range(12), *range(12)):
            agent.new_game(seed)
            move = agent.choose(START).move
            assert moves.setdefault(seed, move) == move
    assert len(set(moves.values())) > 1


def test_two_students_with_the_same_names_do_not_meet(tmp_path: Path) -> None:
    for name, row in (("ann", 0), ("bob", -1)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "helpers.py").write_text(f"WHICH = {row}\n")
        (folder / "game_agent.py").write_text(
            "import helpers\nclass P:\n    def get_move(self, game, time_left):\n"
            "        return sorted(game.get_legal_moves())[helpers.WHICH]\n"
        )
    moves = sorted(START.legal_moves())
    for name, row in (("ann", 0), ("bob", -1)):
        with guest(f"course:{tmp_path / name / 'game_agent.py'}@calls=9") as agent:
            agent.new_game(1)
            assert agent.choose(START).move == moves[row]


# Scores for our own searches


def test_a_score_function_is_asked_about_the_position_that_it_is_given(tmp_path: Path) -> None:
    file = tmp_path / "game_agent.py"
    file.write_text(
        "def mobility(game, player):\n"
        "    assert game.move_count == game.width * game.height - len(game.get_blank_spaces())\n"
        "    other = game.get_opponent(player)\n"
        "    difference = len(game.get_legal_moves(player)) - len(game.get_legal_moves(other))\n"
        "    return difference + (100 if game.active_player == player else 0)\n"
    )
    chance = random.Random(7)
    with closing(make_valuer(f"course:{file}:mobility")) as agent:
        for _ in range(20):
            position = random_position(chance)
            for player in Player:
                own, other = map(position.square_of, (player, player.other))
                assert own is not None
                assert other is not None
                masks = [position.board.knight_mask(square) & position.blank for square in (own, other)]
                mobility = masks[0].bit_count() - masks[1].bit_count()
                expected = mobility + (100 if position.to_move == player else 0)
                assert agent.value(position, player) == expected


def random_position(chance: random.Random) -> Position:
    position = parse_position("3A4/8/8/8/8/8/8/5B2 b")
    for _ in range(chance.randrange(12)):
        position = position.play(chance.choice(position.legal_moves()))
    return position


def test_a_score_function_that_fails_loses_the_game_of_the_search_that_asked(tmp_path: Path) -> None:
    file = tmp_path / "game_agent.py"
    file.write_text("def score(game, player):\n    return 1 / 0\n")
    with guest(f"alphabeta:course:{file}:score@nodes=50") as agent:
        agent.new_game(1)
        with pytest.raises(AgentFailure, match="ZeroDivisionError") as caught:
            agent.choose(START)
    assert caught.value.reason is Reason.CRASH


def test_a_run_knows_a_students_files_again(tmp_path: Path) -> None:
    folder = tmp_path / "student"
    folder.mkdir()
    (folder / "helpers.py").write_text("BEST = 0\n")
    (folder / "game_agent.py").write_text(
        "import helpers\nclass P:\n    def get_move(self, game, time_left):\n"
        "        return sorted(game.get_legal_moves())[helpers.BEST]\n"
    )
    spec = f"course:{folder / 'game_agent.py'}@calls=9"
    run = isolarium.match(spec, "random", pairs=1, board="5x5", runs=tmp_path, progress=False).folder
    with closing(Record(run)) as record:
        assert {Path(name).name for name in record.files() or {}} == {"game_agent.py", "helpers.py"}


def test_it_inherits_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "x")
    file = tmp_path / "game_agent.py"
    file.write_text(
        "import os\nclass P:\n    def get_move(self, game, time_left):\n"
        "        known = {'FOLDERS', 'HOME', 'TMPDIR', 'LANG', 'PATH', 'LD_LIBRARY_PATH', 'LC_CTYPE'}\n"
        "        extra = [name for name in os.environ if name not in known\n"
        "                 and not name.startswith(('PYTHON', 'ISOLARIUM')) and not name.endswith('_THREADS')]\n"
        "        listed = [n for n in os.listdir('/proc/self/fd') if int(n) > 2]\n"
        "        files = [n for n in listed if os.path.lexists(f'/proc/self/fd/{n}')]\n"
        "        raise ValueError(f'{extra} {len(files)}')\n"
    )
    with (tmp_path / "open").open("w") as ours, guest(f"course:{file}@calls=9") as agent:
        monkeypatch.setattr("sys.stdin", ours)
        agent.new_game(1)
        with pytest.raises(AgentFailure, match=r"ValueError: \[\] 1 "):
            agent.choose(START)
