"""Functions, lambdas, methods, classes and objects of a program play in its runs, from wherever they are."""

import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isolarium
from isolarium import Position, heuristics
from isolarium.arena.run_db import Record
from isolarium.heuristics import PlainView, mobility, word
from tests.command import PATIENCE_S, environment, run_isolarium

pytestmark = pytest.mark.slow
QUICK: Any = {"limit": "nodes=30", "pairs": 2, "board": "5x5", "workers": 1}


def freer(view: PlainView, own: int, opp: int) -> float:
    return mobility(view, own) - mobility(view, opp)


@word
def twice(view: PlainView, square: int) -> int:
    return 2 * mobility(view, square)


@heuristics.heuristic
def keener(view: PlainView, own: int, opp: int, weight: float = 1.0) -> float:
    return weight * twice(view, own) - mobility(view, opp)


def last_move(position: Position) -> isolarium.Square:
    return position.legal_moves()[-1]


class Valuer:
    """A heuristic that is a method."""

    def __init__(self, weight: float) -> None:
        self.weight = weight

    def value(self, view: PlainView, own: int, opp: int) -> float:
        return self.weight * mobility(view, own)


class Crowder:
    """An agent that leaves its opponent few moves."""

    def start(self, board: isolarium.Board, seed: int) -> None:
        self.board, self.seed = board, seed

    def choose(self, position: Position, limit: Any) -> str:
        assert position.board == self.board
        assert limit.nodes or limit.time_ms
        return str(min(position.legal_moves(), key=lambda move: _replies(position, move)))


def _replies(position: Position, move: isolarium.Square) -> int:
    return len(position.play(move).legal_moves())


@pytest.mark.filterwarnings("ignore::isolarium.heuristics.compiler.HeuristicWarning")
def test_everything_that_plays_meets_in_one_tournament() -> None:
    weight = 3
    played = isolarium.tournament(
        [
            freer,
            keener,
            isolarium.heuristic(keener, search="greedy", weight=2),
            lambda view, own, opp: -weight * mobility(view, opp),
            Valuer(2.0).value,
            last_move,
            Crowder,
            isolarium.agent(Crowder(), limit="nodes=9"),
            partial(_chosen, place=0),
            isolarium.policy(lambda observation, mask: np.argmax(mask)),
            "alphabeta:open",
        ],
        against="random",
        **QUICK,
    )
    assert played.results.plan.agents == (
        "alphabeta:own:freer@nodes=30",
        "alphabeta:own:keener@nodes=30",
        "greedy:own:keener(weight=2)",
        "alphabeta:own:lambda@nodes=30",
        "alphabeta:own:value@nodes=30",
        "own:last_move",
        "own:Crowder@nodes=30",
        "own:Crowder_2@nodes=30",
        "own:chosen",
        "own:lambda_2",
        "alphabeta:open@nodes=30",
    )
    assert {game.reason for game in played.games()} == {isolarium.Reason.NO_MOVES}


def _chosen(position: Position, place: int = 0) -> str:
    return str(position.legal_moves()[place])


def test_a_heuristic_plays_as_the_same_one_of_the_catalogue() -> None:
    own = isolarium.match(freer, "alphabeta:open", **QUICK)
    known = isolarium.match("alphabeta:improved", "alphabeta:open", **QUICK)
    assert [game.line for game in own.games()] == [game.line for game in known.games()]


def test_random_numbers_of_an_agent_follow_the_seed() -> None:
    def drawn(position: Position) -> isolarium.Square:
        import random

        moves = position.legal_moves()
        return moves[(random.randrange(99) + int(np.random.randint(99))) % len(moves)]

    first, second = (isolarium.match(drawn, last_move, **QUICK) for _ in range(2))
    assert [game.line for game in first.games()] == [game.line for game in second.games()]
    assert len({game.line for game in first.games()}) > 1


def test_different_functions_of_one_name_are_numbered() -> None:
    def make(weight: int) -> Callable[..., float]:
        def inner(view: PlainView, own: int, opp: int) -> float:
            return weight * mobility(view, own)

        return inner

    played = isolarium.tournament([make(1), make(2), make(1)], against="random", **QUICK)
    names = [spec.removesuffix("@nodes=30") for spec in played.results.plan.agents]
    assert names == ["alphabeta:own:inner", "alphabeta:own:inner_2", "alphabeta:own:inner"]


def test_own_code_in_the_other_functions() -> None:
    game = isolarium.play(Crowder, freer, start="5x5", seed=3)
    assert game == isolarium.play(Crowder(), freer, start="5x5", seed=3)
    agent = isolarium.agent(keener)
    agent.new_game(1)
    position = isolarium.parse_position("5/1A3/5/3B1/5 a")
    assert agent.choose(position).move in position.legal_moves()
    crowded = min(position.legal_moves(), key=lambda move: len(position.play(move).legal_moves()))
    found = isolarium.analyze(position, [freer, Crowder, isolarium.agent(last_move)])
    assert [[str(move) for move in row] for row in found.moves] == [["a4", str(crowded), str(last_move(position))]]
    assert found.agents[0] == "alphabeta:own:freer@nodes=8000"
    assert "own:freer" in str(found)
    held = isolarium.calibrate([freer, "improved"], board="4x4", positions=5)
    rows = {row["name"]: row for row in held.records()}
    assert {**rows["own:freer"], "name": ""} == {**rows["improved"], "name": ""}
    template = isolarium.heuristic(keener, search="greedy", weight="{}")
    swept = isolarium.sweep(template, "1,2", against=last_move, pairs=1, board="5x5", workers=1)
    assert swept.results.plan.agents == ("greedy:own:keener", "greedy:own:keener(weight=2)")
    template = isolarium.heuristic(keener, search="greedy", weight="{1|2}")
    tuned = isolarium.tune(template, against="random", trials=2, pairs=2, confirm=2, workers=1)
    assert tuned.agent.startswith("greedy:own:keener")


def test_a_game_is_analysed_with_exact_values() -> None:
    game = isolarium.play("random", "random", start="4x4", seed=3)
    found = isolarium.analyze(game, last_move)
    assert len(found.moves) == len(game.moves)
    assert len(found.to_json()["truth"]["moves"]) == len(game.moves)
    assert "exact value" in found._repr_html_()
    assert isolarium.analyze(isolarium.format_game(game), last_move).moves == found.moves


def test_a_mistake_in_an_analysis_shows_the_line() -> None:
    with pytest.raises(AttributeError, match="nothing") as raised:
        isolarium.analyze("5x5", lambda position: position.nothing)
    assert raised.traceback[-1].path == Path(__file__)


def no_answer(position: Position, other: int) -> None:
    pass


WRONG: dict[str, tuple[Callable[[], object], str]] = {
    "a finished game to analyse": (
        lambda: isolarium.analyze("Bxx/xxx/xxA a", last_move),
        "this game is over; expected a position",
    ),
    "a number to analyse": (lambda: isolarium.analyze(3, last_move), "target 3: expected"),  # type: ignore[arg-type]
    "two parameters": (
        lambda: isolarium.match(no_answer, "random"),
        "first no_answer: cannot tell whether it is a heuristic or an agent; wrap it: isolarium.heuristic",
    ),
    "a class that chooses nothing": (lambda: isolarium.match(Valuer, "random"), "first Valuer: cannot tell"),
    "no function": (lambda: isolarium.match(3, "random"), "first 3: expected"),  # type: ignore[arg-type]
    "an agent as a heuristic": (lambda: isolarium.calibrate(last_move), "an agent; expected a heur"),
    "a text names nothing": (lambda: isolarium.match("own:nobody", "random"), "no such object"),
    "a name that is not defined": (
        lambda: isolarium.match(lambda view, own, opp: mobilty(view, own), "random"),  # type: ignore[name-defined] # noqa: F821
        r"test_own_code.py, line \d+: name 'mobilty' is not defined",
    ),
    "what cannot be sent": (
        lambda: isolarium.match(partial(_chosen, place=sys._getframe()), "random"),  # type: ignore[arg-type]
        "own:chosen: cannot be sent to worker processes",
    ),
}


@pytest.mark.parametrize(("call", "message"), WRONG.values(), ids=WRONG.keys())
def test_what_cannot_play_is_refused_in_one_line(call: Callable[[], object], message: str) -> None:
    with pytest.raises(isolarium.InputError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


def failing(position: Position) -> str:
    return str([][position.blank_count])


def deep(view: PlainView, own: int, opp: int) -> float:
    return float(str(mobility(view, own) or "none"))


@pytest.mark.filterwarnings("ignore::isolarium.heuristics.compiler.HeuristicWarning")
@pytest.mark.parametrize(
    ("first", "message"),
    [
        (failing, r"own:failing: IndexError: .* \(test_own_code.py, line \d+: return str"),
        (isolarium.heuristic(deep, search="greedy"), r"ValueError: .* \(test_own_code.py, line \d+: "),
    ],
)
def test_a_failure_shows_the_line_at_once(first: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(isolarium.RunAborted, match=message):
        isolarium.match(first, "random", pairs=100, board="5x5", runs=tmp_path, workers=1)
    (path,) = tmp_path.glob("*/run.sqlite")
    with closing(Record(path.parent)) as record:
        assert record.count() < 100


def endless(position: Position) -> None:
    while True:
        try:
            while True:
                pass
        except Exception:
            pass


def test_an_endless_loop_loses_on_time() -> None:
    played = isolarium.match(endless, last_move, pairs=1, board="5x5", move_ms=5, workers=1)
    games = list(played.games())
    assert {game.reason for game in games} == {isolarium.Reason.TIME}
    assert all(game.losing_player == 0 for game in games)
    assert games[0].note == "own:endless: no move after 1.1 s, where 5 ms were allowed"


# Scripts, in processes of their own

SCRIPT = """
import sys
import numpy as np
import isolarium
from isolarium.heuristics import mobility

print("loaded")
WEIGHT = WEIGHT_HERE
NETWORK = np.random.default_rng(1).normal(size=(75, 25))


def freer(view, own, opp):
    return WEIGHT * mobility(view, own) - mobility(view, opp)


class Last:
    def choose(self, position, limit):
        return position.legal_moves()[-1]


def act(observation, mask):
    values = observation[:3].reshape(-1) @ NETWORK
    return np.where(mask, values, -np.inf).argmax()


agents = [freer, Last, lambda position: position.legal_moves()[0], isolarium.policy(act)]
if "resume" in sys.argv:
    played = isolarium.read_run("last").resume(*agents)
else:
    played = isolarium.tournament(
        agents, against="greedy:open",
        pairs=PAIRS_HERE, board="5x5", limit="nodes=400", runs="runs", **CLUSTER_HERE,
    )
print(played.finished, len(list(played.games())))
"""


def _write(folder: Path, pairs: int = 20, weight: float = 1.0, cluster: str = "") -> None:
    text = SCRIPT.replace("PAIRS_HERE", str(pairs)).replace("WEIGHT_HERE", str(weight))
    text = text.replace("CLUSTER_HERE", str({"cluster": cluster} if cluster else {"workers": 2}))
    (folder / "script.py").write_text(text)


def _run(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment(),
        timeout=PATIENCE_S,
        check=False,
    )


def test_a_script_without_a_guard_is_loaded_once(tmp_path: Path) -> None:
    _write(tmp_path)
    played = _run(tmp_path, "script.py")
    assert (played.stdout, played.stderr) == ("loaded\nTrue 160\n", "")


HELPERS = """
import deeper
from isolarium.heuristics import heuristic, mobility, word


@word
def mine(view, own):
    return mobility(view, own)


@heuristic
def base(view, own, opp, weight=1.0):
    return weight * mine(view, own)


class Last:
    def choose(self, position, limit):
        return deeper.pick(position)
"""
DEEPER = """
PLACE = -1


def pick(position):
    return position.legal_moves()[PLACE]
"""
IMPORTING = """
import sys
import isolarium
from isolarium.processes import worker

if "spawn" in sys.argv:
    worker.fork_server_for = lambda *_: None
import helpers
from helpers import Last, base
from isolarium.heuristics import heuristic, mobility


@heuristic
def mixed(view, own, opp, inner=base):
    return inner(view, own, opp) - mobility(view, opp)


def last(position):
    return helpers.deeper.pick(position)


played = isolarium.tournament(
    [base, mixed, isolarium.heuristic(mixed, inner=isolarium.heuristic(base, weight=2)), Last, last],
    against="greedy:open", pairs=2, board="5x5", limit="nodes=30", workers=1, progress=False,
)
print(played.finished, {game.reason.value for game in played.games()})
"""


@pytest.mark.parametrize("start", ["", "spawn"])  # other systems have no fork server
def test_modules_of_the_program_are_sent_with_what_uses_them(start: str, tmp_path: Path) -> None:
    (tmp_path / "helpers.py").write_text(HELPERS)
    (tmp_path / "deeper.py").write_text(DEEPER)
    (tmp_path / "script.py").write_text(IMPORTING)
    played = _run(tmp_path, "script.py", *start.split())
    assert (played.stdout, played.stderr) == ("True {'no moves'}\n", "")


class Unloadable:
    """An agent that needs a module that is missing in a worker."""

    def __reduce__(self) -> Any:
        return __import__, ("no_such_module",)

    def choose(self, position: Position, limit: Any) -> None:
        """Resign."""


def test_what_a_worker_cannot_load_is_named() -> None:
    message = "own:Unloadable: cannot be loaded in a worker: ModuleNotFoundError: .*no_such_module"
    with pytest.raises(isolarium.InputError, match=message):
        isolarium.match(Unloadable(), "random", **QUICK)


def test_a_killed_run_is_resumed_with_the_same_code_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _write(tmp_path, pairs=500)
    with subprocess.Popen(
        [sys.executable, "script.py"], cwd=tmp_path, env=environment(), stdout=subprocess.DEVNULL
    ) as process:
        folder = _begun(tmp_path)
        process.kill()
    with closing(Record(folder)) as record:
        games = {(game.encounter, game.pair, game.leg): game.line for game in record.games()}
        stored = record.own_code()
    assert 0 < len(games) < 4_000
    assert {name: one["kind"] for name, one in stored.items()} == {
        "freer": "heuristic",
        "Last": "agent",
        "lambda": "agent",
        "act": "agent",
    }
    assert "return WEIGHT * mobility(view, own)" in stored["freer"]["source"]
    assert '"WEIGHT": "1.0"' in stored["freer"]["values"]
    monkeypatch.chdir(tmp_path)
    from_command = run_isolarium("resume", "last")
    assert from_command.returncode == 2
    assert from_command.stderr.count("\n") == 1
    assert "isolarium.read_run(FOLDER).resume(freer, Last, lambda, act)" in from_command.stderr
    _write(tmp_path, weight=2.0)
    changed = _run(tmp_path, "script.py", "resume")
    assert "InputError: freer: it has changed since the run began" in changed.stderr
    assert changed.returncode == 1
    _write(tmp_path)
    resumed = _run(tmp_path, "script.py", "resume")
    assert (resumed.stdout, resumed.stderr) == ("loaded\nTrue 4000\n", "")
    with closing(Record(folder)) as record:
        found = {(game.encounter, game.pair, game.leg): game.line for game in record.games()}
    assert games.items() <= found.items()


def _begun(folder: Path) -> Path:
    """Wait until a run in the folder has games."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        for path in folder.glob("runs/*/run.sqlite"):
            with suppress(isolarium.InputError), closing(Record(path.parent)) as record:
                if record.count():
                    return path.parent
        time.sleep(0.05)
    raise AssertionError("no games")


def test_the_same_games_on_a_cluster(tmp_path: Path) -> None:
    games = []
    for cluster in ("", "local:1"):
        folder = tmp_path / (cluster or "here").replace(":", "")
        folder.mkdir()
        _write(folder, pairs=4, cluster=cluster)
        played = _run(folder, "script.py")
        assert played.stdout == "loaded\nTrue 32\n", played.stderr
        (path,) = folder.glob("runs/*/run.sqlite")
        with closing(Record(path.parent)) as record:
            games.append([game.line for game in record.games()])
    assert games[0] == games[1]
