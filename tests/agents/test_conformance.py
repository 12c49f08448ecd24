"""What every agent must do, whatever it is made of. Add a new search to `conformance.SPECS` only."""

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from isolarium.agents import Agent, engine, make_agent, parse_agent, parse_spec
from isolarium.agents.engine import EngineAgent
from isolarium.errors import InputError
from isolarium.game.board import Board, parse_board
from isolarium.game.notation import parse_position
from isolarium.game.position import Player, Position
from isolarium.limits import Limit
from isolarium.search.protocol import Choice
from isolarium.spec.registry import SEARCHES
from tests.agents.conformance import BOARDS, EVERY_AGENT_S_BOARDS, SAMPLE, SPECS, TIMED, play, short_name
from tests.command import PATIENCE_S

FORCED = "3/2x/A1B a"  # the only move is to b1
LOST = "B3/3x/2xA/2x1 a"

pytestmark = pytest.mark.filterwarnings("ignore::isolarium.heuristics.compiler.HeuristicWarning")


@pytest.fixture(scope="module", autouse=True)
def _patience() -> Iterator[None]:
    """Wait longer for the program of the engine than its users do: on a busy machine it takes a minute to start."""
    defaults = EngineAgent.__init__.__kwdefaults__ or {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "UGI_S", PATIENCE_S)
        for name in ("introduction_s", "starting_s", "silence_s"):
            assert name in defaults
            patch.setitem(defaults, name, PATIENCE_S)
        yield


@pytest.fixture(scope="module")
def made() -> Iterator[dict[str, Agent]]:
    """Agents made once each; that they may be used again and again is part of what is tested."""
    agents: dict[str, Agent] = {}
    yield agents
    for agent in agents.values():
        agent.close()


@pytest.fixture
def agent(request: pytest.FixtureRequest, made: dict[str, Agent]) -> Agent:
    spec = request.param
    if spec not in made:
        made[spec] = parse_agent(spec)
    return made[spec]


SLOW = (".py", "engine", "champion", "oracle")
"""Parts of the specs of agents in processes of their own, or with much to compile or to search."""


def marks_of(spec: str) -> list[pytest.MarkDecorator]:
    return [pytest.mark.slow] if any(part in spec for part in SLOW) else []


def every_agent(*more: str) -> pytest.MarkDecorator:
    specs = [pytest.param(spec, id=short_name(spec), marks=marks_of(spec)) for spec in (*SPECS, *more)]
    return pytest.mark.parametrize("agent", specs, indirect=True)


def without_clock(choices: list[Choice]) -> list[Choice]:
    return [replace(choice, report=replace(choice.report, time_ms=0.0)) for choice in choices]


def with_holes(board: Board, chance: random.Random) -> Position:
    """A position with some squares blocked and nobody, one or both placed, in which there is a move."""
    while True:
        squares = chance.sample(board.squares, board.size)
        placed = chance.randrange(3)
        first = squares[0] if placed > 0 else None
        second = squares[1] if placed > 1 else None
        density = chance.random()
        blank = sum(1 << board.index(square) for square in squares[placed:] if chance.random() < density)
        turn = chance.choice(list(Player)) if placed > 1 else Player(placed)
        position = Position(board, blank, first, second, turn)
        if position.outcome() is None:
            return position


def test_every_search_is_tried() -> None:
    assert {parse_spec(spec).kind.name for spec in SPECS} >= set(SEARCHES)


def test_every_board_is_played_on() -> None:
    assert {board for _, board in SAMPLE} == set(BOARDS)
    assert set(SAMPLE) >= set(product([*SPECS, *TIMED], EVERY_AGENT_S_BOARDS))


@pytest.mark.parametrize(
    ("agent", "board"),
    [pytest.param(spec, board, id=f"{short_name(spec)}-{board}", marks=marks_of(spec)) for spec, board in SAMPLE],
    indirect=["agent"],
)
def test_plays_a_whole_game_of_legal_moves(agent: Agent, board: str) -> None:
    """A sample; `tools.proofs.conformance` plays every agent on every board."""
    assert play(agent, Position.empty(parse_board(board)), seed=1)


@every_agent(*TIMED)
def test_plays_on_where_squares_are_missing(agent: Agent) -> None:
    chance = random.Random(1)
    agent.new_game(1)
    for board in ("3x3", "5x8", "9x11", "13x13"):
        for _ in range(10):
            position = with_holes(parse_board(board), chance)
            assert position.is_legal(agent.choose(position).move)


@every_agent(*TIMED)
def test_keeps_to_its_limit_and_reports_a_line_that_can_be_played(agent: Agent) -> None:
    limit = parse_spec(agent.name).limit
    position = Position.empty(Board(7, 7))
    for choice in play(agent, position, seed=2):
        assert choice.report.nodes <= (limit.nodes or float("inf"))
        if not choice.report.proven:
            assert choice.report.depth <= (limit.depth or 49)
        assert choice.report.pv[0] == choice.move
        end = position
        for move in choice.report.pv:
            end = end.play(move)
        if choice.report.proven and not agent.name.startswith(("oracle", "champion")):
            assert choice.report.plies == len(choice.report.pv)
        if choice.report.plies == len(choice.report.pv):
            assert end.outcome() is not None
        position = position.play(choice.move)


@every_agent()
def test_same_seed_same_game_in_a_fresh_agent(agent: Agent) -> None:
    start = Position.empty(Board(7, 7))
    games = [without_clock(play(agent, start, seed)) for seed in (3, 4)]
    fresh = parse_agent(agent.name)
    again = [without_clock(play(fresh, start, seed)) for seed in (4, 3)]
    fresh.close()
    assert again == games[::-1]


@every_agent()
def test_nothing_survives_a_game(agent: Agent) -> None:
    start = Position.empty(Board(5, 5))
    game = without_clock(play(agent, start, seed=5))
    for board in ("5x5", "9x11", "5x5"):
        play(agent, Position.empty(parse_board(board)), seed=6)
    assert without_clock(play(agent, start, seed=5)) == game


@every_agent()
def test_a_position_alone_decides_whatever_was_asked_before(agent: Agent) -> None:
    start = Position.empty(Board(5, 5))
    game = play(agent, start, seed=7)
    position, positions = start, []
    for choice in game:
        positions.append(position)
        position = position.play(choice.move)
    agent.new_game(7)
    backwards = [agent.choose(position) for position in reversed(positions)]
    assert without_clock(backwards[::-1]) == without_clock(game)


@every_agent(*TIMED)
def test_makes_a_forced_move(agent: Agent) -> None:
    position = parse_position(FORCED)
    (only,) = position.legal_moves()
    agent.new_game(1)
    assert agent.choose(position).move == only


@every_agent(*TIMED)
def test_moves_though_all_is_lost(agent: Agent) -> None:
    position = parse_position(LOST)
    assert is_lost(position)
    agent.new_game(1)
    assert position.is_legal(agent.choose(position).move)


def is_lost(position: Position) -> bool:
    return all(not is_lost(position.play(move)) for move in position.legal_moves())


@every_agent(*TIMED)
def test_a_finished_game_is_refused(agent: Agent) -> None:
    agent.new_game(1)
    with pytest.raises(InputError, match="the game is over"):
        agent.choose(parse_position("xAx/xxx/xBx a"))


@every_agent()
def test_some_seeds_tell_equal_moves_apart(agent: Agent) -> None:
    position = Position.empty(Board(6, 7))
    moves = set()
    for seed in range(12):
        agent.new_game(seed)
        moves.add(agent.choose(position).move)
    assert len(moves) > 1


HUGE = [spec.split("@")[0] + "@nodes=1e15" for spec in SPECS if parse_spec(spec).kind.takes_limit]


@pytest.mark.slow
@pytest.mark.parametrize("spec", sorted(set(HUGE)))
def test_a_huge_budget_is_not_taken_in_advance_and_can_be_stopped(spec: str) -> None:
    agent = make_agent(parse_spec(spec))
    agent.new_game(1)
    position = Position.empty(Board(13, 13))
    agent.choose(position, stop=lambda: True)
    before = resident_mb()
    choice = agent.choose(position, stop=lambda: True)
    assert position.is_legal(choice.move)
    assert choice.report.nodes < 100_000_000
    assert resident_mb() - before < 20
    agent.close()


def resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6


def test_a_limit_that_a_search_never_reaches_ends_at_the_proof() -> None:
    spec = replace(parse_spec("alphabeta:improved"), limit=Limit(nodes=10**12))
    agent = make_agent(spec)
    agent.new_game(1)
    report = agent.choose(parse_position("A3/4/3B a")).report
    assert report.proven
