"""Games in compiled code are the games that the referee plays in Python; `tools.proofs.kernel_games` compares more."""

import random
from _thread import interrupt_main
from dataclasses import fields, replace
from itertools import islice
from threading import Timer

import pytest

from isolarium.arena import compiled_games
from isolarium.arena.compiled_games import needs_python, play_compiled
from isolarium.arena.game import Game
from isolarium.arena.game_batch import GameBatch
from isolarium.arena.lines import Lines
from isolarium.arena.openings import random_openings
from isolarium.arena.referee import Batch, play_batch, play_in_python, plays_compiled
from isolarium.game.board import parse_board

SPECS = [
    "random",
    "greedy:improved",
    "minimax:improved@depth=2",
    "alphabeta:improved@nodes=300",
    "alphabeta:improved@depth=3,nodes=200",
    "strong:improved@nodes=400",
    "champion:improved@nodes=3000",
    "champion:improved@depth=2",
    "mcts@nodes=200",
    "minmax_approximation:improved@nodes=100",
]
BOARDS = ["4x4", "5x6", "7x7", "8x8", "4x13"]


def batch_of(specs: tuple[str, str], board: str, pairs: int, seed: int, plies: int = 0, first_pair: int = 0) -> Batch:
    """Some pairs of the random openings of a seed."""
    squares = parse_board(board)
    openings = islice(random_openings(squares, seed, plies), pairs)
    lines = Lines.of([[squares.index(move) for move in one.moves] for one in openings])
    return Batch(3, specs, (4, 1), board, seed, None, False, first_pair, lines)


def compiled(batch: Batch) -> GameBatch:
    """The games of a batch that needs no Python."""
    games = play_compiled(batch)
    assert games is not None
    return games


def assert_same_games(batch: Batch) -> GameBatch:
    """Both ways of playing must give the same games, except for the times; return them."""
    games, (expected, _) = compiled(batch), play_in_python(batch)
    for one, other in zip(games, expected, strict=True):
        assert timeless(one) == timeless(other)
    assert games.digest() == expected.digest()
    return games


def timeless(game: Game) -> list[object]:
    """Everything about a game but the times."""
    untimed = [name.name for name in fields(game) if name.name not in ("times_ms", "busy_ms")]
    return [getattr(game, name) for name in untimed]


@pytest.mark.parametrize("spec", SPECS)
def test_compiled_games_are_the_referees_games(spec: str) -> None:
    chance = random.Random(spec)
    for board in chance.sample(BOARDS, 3):
        specs = (spec, chance.choice(SPECS))
        batch = batch_of(specs, board, 3, chance.randrange(10**6), chance.randrange(3), 17)
        assert_same_games(batch)


@pytest.mark.parametrize("board", ["9x8", "12x13"])
def test_sets_of_more_words_are_played_alike(board: str) -> None:
    assert_same_games(batch_of(("random", "alphabeta:improved@nodes=300"), board, 3, 11, 1))


@pytest.mark.parametrize("spec", SPECS)
def test_games_may_be_interrupted_anywhere(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    batch = batch_of((spec, "alphabeta:improved@nodes=300"), "7x7", 2, 5)
    whole = compiled(batch)
    monkeypatch.setattr(compiled_games, "SLICE_NS", 0)
    assert compiled(batch).digest() == whole.digest()


def test_ctrl_c_ends_a_long_search() -> None:
    batch = batch_of(("alphabeta:improved@nodes=10000000000",) * 2, "7x7", 1, 1)
    Timer(0.5, interrupt_main).start()
    with pytest.raises(KeyboardInterrupt):
        play_compiled(batch)


def test_an_agent_may_meet_itself() -> None:
    assert_same_games(batch_of(("strong:improved@nodes=200",) * 2, "6x6", 5, 1))


def test_no_game_depends_on_the_games_before_it() -> None:
    specs = "champion:improved@nodes=600", "mcts@nodes=100"
    whole = compiled(batch_of(specs, "6x7", 6, 2))
    part = batch_of(specs, "6x7", 6, 2)
    part = replace(part, first_pair=4, openings=part.openings.part(4, 6))
    assert [timeless(game) for game in compiled(part)] == [timeless(game) for game in whole][8:]


def test_each_agent_is_charged_with_its_own_time() -> None:
    idle, busy = compiled(batch_of(("random", "alphabeta:improved@nodes=5000"), "7x7", 2, 1)).seconds
    assert 0 < idle < busy / 10


def test_compiled_games_travel_as_bytes() -> None:
    batch = batch_of(("random", "mcts@nodes=50"), "5x6", 4, 3)
    assert batch.read(play_batch(batch).games).digest() == compiled(batch).digest()


@pytest.mark.parametrize(
    "spec",
    [
        "alphabeta:improved@ms=1",
        "alphabeta:improved@nodes=100,book",
        "champion(threads=2)@nodes=100",
        "oracle@nodes=10",
        "alphabeta:own.py:mine@nodes=10",
        "alphabeta:nothing@nodes=10",
    ],
)
def test_other_agents_need_python(spec: str) -> None:
    assert needs_python(spec)
    assert play_compiled(batch_of(("random", spec), "5x6", 1, 1)) is None


@pytest.mark.parametrize(
    ("players", "games", "expected"),
    [
        (("random", "random"), 20, False),
        (("random", "random"), 20_000, True),
        (("random", "greedy:improved"), 2, True),
        (("random", "course:agent.py@calls=10"), 20, False),
    ],
)
def test_the_compiler_is_loaded_where_it_pays(players: tuple[str, str], games: int, expected: bool) -> None:
    assert plays_compiled(players, games) is expected


def test_timed_games_are_played_in_python() -> None:
    batch = replace(batch_of(("random", "random"), "5x6", 2, 1), watch=True, move_ms=1000.0)
    games = batch.read(play_batch(batch).games)
    assert games.times_ms is not None
    assert games.digest() == compiled(batch).digest()
