"""The strong search finds what alpha-beta finds, at every depth, with any table."""

import random

import pytest

from isolarium.errors import InputError
from isolarium.game.board import Board
from isolarium.game.notation import parse_position
from isolarium.game.position import Position
from isolarium.limits import Limit
from isolarium.search import alphabeta_common
from isolarium.search.alphabeta import AlphaBeta, Strong
from isolarium.search.alphabeta_common import LAST_GENERATION
from isolarium.search.kernel_state import GENERATION
from tests.search.awkward import (
    AMOUNTS,
    DEEPEST,
    KINDS,
    awkward_heuristic,
    played_position,
    small_trees,
    timeless,
    trees,
)
from tests.search.minimax_reference import known_minimax, minimax, rank_of

TABLE_BITS = {"default": None, "smallest": alphabeta_common.LEAST_BITS, "tiny": 3}


@pytest.fixture(params=TABLE_BITS)
def searches(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> dict[str, Strong]:
    """A search for each kind of heuristic, with a table of the size that the test asks for."""
    bits = TABLE_BITS[request.param]
    if bits is not None:
        monkeypatch.setattr(alphabeta_common, "LEAST_BITS", bits)
        monkeypatch.setattr(alphabeta_common, "MOST_BITS", bits)
    return {kind: Strong(awkward_heuristic(kind)) for kind in KINDS}


@pytest.fixture(scope="module")
def plain() -> dict[str, AlphaBeta]:
    return {kind: AlphaBeta(awkward_heuristic(kind)) for kind in KINDS}


def test_equals_the_reference_at_every_depth(searches: dict[str, Strong]) -> None:
    for kind, tree in trees():
        for depth in range(1, DEEPEST + 1):
            report = searches[kind].choose(tree.position, Limit(depth=depth)).report
            assert rank_of(report) == known_minimax(tree, depth).value, tree.position


@pytest.mark.parametrize("shape", [(5, 5), (7, 7), (9, 11), (13, 13)])
def test_equals_alphabeta_at_every_depth(
    shape: tuple[int, int], searches: dict[str, Strong], plain: dict[str, AlphaBeta]
) -> None:
    chance = random.Random(2)
    fewer = 0
    for game in range(60):
        position = played_position(Board(*shape), chance.randrange(2, 14), chance)
        kind = list(KINDS)[game % len(KINDS)]
        for depth in range(1, 9):
            limit = Limit(depth=depth)
            expected = plain[kind].choose(position, limit, game).report
            report = searches[kind].choose(position, limit, game).report
            assert rank_of(report) == rank_of(expected), position
            fewer += report.nodes < expected.nodes
    assert fewer > 60


@pytest.mark.slow
@pytest.mark.parametrize(("shape", "games"), [((4, 5), 500), ((5, 5), 150)])
def test_equals_alphabeta_where_positions_are_met_again(
    shape: tuple[int, int], games: int, plain: dict[str, AlphaBeta]
) -> None:
    """Ten plies and more ahead: before that, two orders of moves hardly ever lead to the same position."""
    chance = random.Random(2)
    searches = {kind: Strong(awkward_heuristic(kind)) for kind in KINDS}
    for game in range(games):
        position = played_position(Board(*shape), chance.randrange(2, 4), chance)
        for kind in KINDS:
            for depth in range(10, 14):
                limit = Limit(depth=depth)
                expected = plain[kind].choose(position, limit, game).report
                report = searches[kind].choose(position, limit, game).report
                assert rank_of(report) == rank_of(expected), position


def test_iterative_deepening_equals_fixed_depth(searches: dict[str, Strong]) -> None:
    for kind, tree in trees():
        fixed = searches[kind].choose(tree.position, Limit(depth=5)).report
        deepened = searches[kind].choose(tree.position, Limit(depth=5, nodes=10**9)).report
        assert rank_of(deepened) == rank_of(fixed), tree.position


def test_the_principal_variation_is_legal_and_leads_to_the_score(searches: dict[str, Strong]) -> None:
    """It may end where the table knew the rest."""
    for kind, tree in trees():
        for seed in (None, 3):
            report = searches[kind].choose(tree.position, Limit(depth=6), seed).report
            rest = minimax(tree.after(report.pv), report.depth - len(report.pv))
            assert rest.value == rank_of(report), tree.position


def test_slices_do_not_show_in_the_result(searches: dict[str, Strong]) -> None:
    chance = random.Random(1)
    limit = Limit(depth=6, nodes=2000)
    for kind, tree in trees():
        position, seed = tree.position, chance.choice([None, 5])
        sliced = Strong(awkward_heuristic(kind))
        sliced.start(position, limit, seed)
        quota, finished = 0, False
        while quota < 2000 and not finished:
            quota = min(2000, quota + chance.choice([1, 2, 9, 100]))
            finished = sliced.extend(quota)
            assert sliced.best().report.nodes <= quota
        whole = searches[kind].choose(position, limit, seed)
        assert timeless(sliced.best()) == timeless(whole), position


def test_the_limit_of_nodes_is_never_passed(searches: dict[str, Strong]) -> None:
    positions = [tree.position for _, tree in small_trees(1, AMOUNTS[1])[:40]]
    for position in [*positions, Position.empty(Board(5, 5)), Position.empty(Board(13, 13))]:
        for nodes in [*range(1, 60), 200, 1234]:
            report = searches["uneven"].choose(position, Limit(nodes=nodes), 1).report
            assert 1 <= report.nodes <= nodes
            assert position.is_legal(report.pv[0])


def test_what_an_earlier_search_left_in_the_table_does_not_show() -> None:
    """Not even within a game, where positions recur, nor when the stamps start over."""
    chance = random.Random(4)
    used = Strong(awkward_heuristic("fine"))
    used.choose(Position.empty(Board(5, 5)), Limit(nodes=3000), 1)
    used.inputs.words[GENERATION] = LAST_GENERATION - 40
    searches = 0
    for game in range(12):
        position = played_position(Board(5, 5), 3, chance)
        while position.legal_moves():
            limit = chance.choice([Limit(nodes=9000), Limit(nodes=9000, depth=7)])
            fresh = Strong(awkward_heuristic("fine")).choose(position, limit, game)
            assert timeless(used.choose(position, limit, game)) == timeless(fresh)
            position = position.play(fresh.move)
            searches += 1
    assert used.inputs.words[GENERATION] == searches - 40


def test_boards_of_all_sizes_share_one_search() -> None:
    chance = random.Random(5)
    used = Strong(awkward_heuristic("fine"))
    for board in (Board(13, 13), Board(4, 4), Board(9, 11), Board(7, 7), Board(13, 13)):
        position = played_position(board, 4, chance)
        for limit in (Limit(nodes=3000), Limit(depth=4), Limit(nodes=400_000)):
            fresh = Strong(awkward_heuristic("fine")).choose(position, limit, 1)
            assert timeless(used.choose(position, limit, 1)) == timeless(fresh)


def test_table_and_order_save_nodes() -> None:
    chance = random.Random(6)
    positions = [played_position(Board(7, 7), plies, chance) for plies in range(2, 12)]

    def nodes(search: Strong | AlphaBeta) -> int:
        return sum(search.choose(position, Limit(depth=10)).report.nodes for position in positions)

    heuristic = awkward_heuristic("uneven")
    assert nodes(Strong(heuristic)) < 0.7 * nodes(AlphaBeta(heuristic))


def test_a_game_that_is_over_is_refused() -> None:
    with pytest.raises(InputError, match=r"^xxx/xAx/xBx a: the game is over"):
        Strong(awkward_heuristic("fine")).choose(parse_position("xxx/xAx/xBx a"), Limit(depth=1))
