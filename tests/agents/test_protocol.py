"""What every search must do, whatever it is made of."""

import random
from collections.abc import Callable

import pytest

from isolarium.errors import InputError
from isolarium.game.board import Board
from isolarium.game.notation import parse_position
from isolarium.game.position import Position
from isolarium.limits import Limit
from isolarium.search.alphabeta import AlphaBeta
from isolarium.search.driver import CompiledSearch
from isolarium.search.protocol import Search
from isolarium.spec.registry import SEARCHES, SearchKind
from isolarium.spec.spec import parse_spec
from tests.search.awkward import corridors, played_position, timeless

LIMITS = {
    "random": Limit(depth=1),
    "greedy:improved": Limit(depth=1),
    "minimax:improved": Limit(nodes=60_000),
    "alphabeta:improved": Limit(nodes=60_000),
    "strong:improved": Limit(nodes=60_000),
    "champion:improved": Limit(nodes=60_000),
    "mcts": Limit(nodes=60_000),
    "minmax_approximation:improved": Limit(nodes=60_000),
    "oracle": Limit(nodes=30_000),
}
POSITION = parse_position("9/9/2A6/9/9/4x4/9/6B2/9 a")


@pytest.fixture(params=LIMITS)
def spec(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def search(spec: str) -> Search:
    return made(spec)


@pytest.fixture
def limit(spec: str) -> Limit:
    return LIMITS[spec]


def made(spec: str) -> Search:
    parsed = parse_spec(spec)
    assert isinstance(parsed.kind, SearchKind)
    return parsed.kind.make(parsed.evaluator(), parsed.options)


def test_every_search_is_tried() -> None:
    assert {parse_spec(spec).kind.name for spec in LIMITS} == set(SEARCHES)


def test_there_is_a_move_from_the_start(search: Search, limit: Limit) -> None:
    for seed in (None, 1):
        search.start(POSITION, limit, seed)
        assert POSITION.is_legal(search.best().move)


def test_choosing_is_starting_advancing_and_telling_the_best(search: Search, limit: Limit) -> None:
    for seed in (None, 1):
        chosen = search.choose(POSITION, limit, seed)
        search.start(POSITION, limit, seed)
        search.advance()
        assert search.done
        assert timeless(search.best()) == timeless(chosen)


def test_what_is_done_stays_as_it_is(search: Search, limit: Limit) -> None:
    found = search.choose(POSITION, limit, 1)
    search.advance()
    assert search.done
    assert search.best() == found


def test_stops_do_not_show_in_the_result(spec: str, search: Search, limit: Limit) -> None:
    search.start(POSITION, limit, 2)
    stops = 0
    while not search.done:
        search.advance(lambda: True)
        stops += 1
    if limit.nodes is not None and spec != "oracle":  # which decides in one go, by what it knows
        assert stops > 1
    if spec != "oracle":
        assert timeless(search.best()) == timeless(made(spec).choose(POSITION, limit, 2))


def test_the_best_so_far_can_be_asked_for_while_it_goes_on(search: Search, limit: Limit) -> None:
    so_far = [0]

    def look() -> bool:
        choice = search.best()
        assert POSITION.is_legal(choice.move)
        assert choice.report.pv[0] == choice.move
        assert so_far[-1] <= choice.report.nodes <= (limit.nodes or 10)
        so_far.append(choice.report.nodes)
        return False

    search.start(POSITION, limit, 3)
    search.advance(look)
    assert search.best().report.nodes >= so_far[-1]


def test_looking_does_not_show_in_the_result(search: Search, limit: Limit) -> None:
    expected = search.choose(POSITION, limit, 4)
    assert timeless(search.choose(POSITION, limit, 4, lambda: not search.best())) == timeless(expected)


def test_a_start_forgets_the_search_before(spec: str, search: Search, limit: Limit) -> None:
    chance = random.Random(1)
    for board in (Board(9, 9), Board(5, 5), Board(13, 13), Board(7, 7)):
        search.start(Position.empty(board), limit, 1)
        search.advance(lambda: True)
        position = played_position(board, 4, chance)
        again = search.choose(position, limit, 5)
        assert timeless(again) == timeless(made(spec).choose(position, limit, 5))


def test_a_finished_game_is_refused(search: Search, limit: Limit) -> None:
    with pytest.raises(InputError, match=r"^xxx/xAx/xBx a: the game is over"):
        search.start(parse_position("xxx/xAx/xBx a"), limit)


@pytest.mark.parametrize("spec", ["minimax:improved", "alphabeta:improved", "strong:improved"])
def test_lines_are_followed_to_their_end_however_long(spec: str) -> None:
    chance = random.Random(7)
    longest = 0
    for _ in range(40):
        position = corridors(Board(13, 13), chance)
        report = made(spec).choose(position, Limit(depth=169)).report
        line = position
        while moves := line.legal_moves():
            line = line.play(*moves)
        assert report.proven
        assert report.plies == len(report.pv) == position.blank_count - line.blank_count
        longest = max(longest, report.plies)
    assert longest > 30


@pytest.mark.parametrize("spec", ["minimax:improved", "alphabeta:improved", "strong:improved"])
def test_a_depth_of_the_whole_board_is_interrupted_and_taken_up_again(spec: str) -> None:
    """From an empty 13x13 board, where lines are more than a hundred plies long."""
    whole, sliced = made(spec), made(spec)
    assert isinstance(whole, CompiledSearch)
    assert isinstance(sliced, CompiledSearch)
    for search, step in ((whole, 20_000), (sliced, 37)):
        search.start(Position.empty(Board(13, 13)), Limit(depth=169), 1)
        for quota in range(step, 20_000 + step, step):
            search.extend(min(quota, 20_000))
    assert timeless(sliced.best()) == timeless(whole.best())
    assert list(sliced.work.words) == list(whole.work.words)


class Failing:
    """A heuristic in which something has gone wrong."""

    def __init__(self) -> None:
        bound = parse_spec("alphabeta:improved").evaluator()
        assert bound is not None
        self.compiled: Callable[..., float] = bound.compiled
        self.parameters = bound.parameters

    def is_symmetric(self, board: Board) -> bool:
        """See `Evaluator`."""
        return True

    def raise_failure(self) -> None:
        """See `Evaluator`."""
        raise ZeroDivisionError("its own")


def test_what_goes_wrong_in_a_heuristic_is_raised_even_if_nobody_asks_to_stop() -> None:
    search = AlphaBeta(Failing())
    search.start(POSITION, Limit(depth=1))
    with pytest.raises(ZeroDivisionError, match="its own"):
        search.advance()
