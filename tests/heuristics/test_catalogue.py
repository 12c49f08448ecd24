"""Every heuristic of the catalogue has the same values compiled, in plain Python and in the reference.

Values are equal, including infinities, except that the reference adds up curves, logarithms and
fractions in another order: see `NEARLY`.
"""

import inspect
import math
from collections import Counter
from itertools import groupby

import pytest

from isolarium.errors import InputError
from isolarium.game.board import Board, parse_board
from isolarium.game.notation import parse_position
from isolarium.game.position import Player
from isolarium.game.symmetry import symmetries
from isolarium.heuristics.bound_heuristic import parse_heuristic
from isolarium.heuristics.catalogue import FAMILIES
from isolarium.heuristics.compiler import value_of
from isolarium.heuristics.definition import heuristic_of
from isolarium.heuristics.lookup import catalogue, find
from tests.heuristics.reference import REFERENCE
from tests.heuristics.sampling import plain_value, random_positions, reference_value

BOARDS = [parse_board(text) for text in ("3x3", "5x4", "7x7", "8x8", "9x11", "13x13")]
ONE_WORD = BOARDS[:4]
POSITIONS = 24
"""The positions on each board, tried with either player to move and for either player."""

OTHER_PARAMETERS = [
    "balanced(weight=2, center=biased)",
    "keep_options(enough=2, least=2, penalty=10)",
    "keep_options(center=biased)",
    "push_out(enough=2, penalty=50)",
    "push_out(enough=1, center=biased)",
    "fill_center(enough=2, penalty=20)",
    "fill_center(enough=1, center=biased)",
    "way_out(enough=1, growth=2)",
    "way_out(enough=0, growth=4.5)",
    "fill_diagonal(enough=1, sign=1)",
    "distance(z=0, alpha=1, f=arctan)",
    "distance(z=3, alpha=-1.5, scale=0.25)",
    "distance(f=arctan, scale=-7)",
    "stealer(cost=0)",
    "stealer(cost=1.75)",
    "free_moves(d=0)",
    "free_moves(d=1)",
    "free_moves(u=10, beta=0.8, seed=4294967295)",
    "free_moves(d=3, u=4, seed=1)",
    "free_moves(d=4, u=2, beta=1.4, seed=2)",
    "free_moves(d=6, u=1, beta=-1)",
    "aggressive(weight=0.5)",
    "open_cluster(weight=1, share=0)",
    "open_cluster(share=0.6)",
    "weighted_moves(weight=1)",
    "corner_penalty(weight=0.3, near=1)",
    "corner_penalty(near=4)",
    "minmax_local(sign=paper)",
    "minmax_local(p_max=3, p_min=0.7)",
    "staged(at=0.2)",
    "staged(first=balanced(weight=1), then=distance(f=arctan, scale=2), at=0.4)",
    "staged(then=staged(first=free_moves(d=3), then=minmax_local(p_max=4), at=0.7))",
]
SPECS = [*catalogue(), *OTHER_PARAMETERS]

NEARLY = ("distance", "free_moves", "lookahead_ratio", "minmax_local")
"""Within 1e-9 of the reference, wherever a spec mentions them."""

INFINITIES = {
    "keep_options": {-math.inf},
    "push_out": {-math.inf},
    "fill_center": {-math.inf},
    "way_out": {-math.inf},
    "fill_diagonal": {-math.inf},
    "lookahead_ratio": {-math.inf, math.inf},
    "lookahead_ratio_as_printed": {-math.inf, math.inf},
    "ratio": {math.inf},
    "lookahead_max": {-math.inf},
    "lookahead_weighted": {-math.inf, math.inf},
    "minmax_local": {-math.inf, math.inf},
}


# Values


@pytest.mark.parametrize("spec", SPECS)
def test_plain_value_equals_the_reference(spec: str) -> None:
    bound = parse_heuristic(spec)
    tolerance = 1e-9 if any(name in spec for name in NEARLY) else 0
    for board in BOARDS:
        for position in random_positions(board, POSITIONS):
            for player in Player:
                expected = reference_value(bound, position, player)
                value = plain_value(bound, position, player)
                assert value == pytest.approx(expected, rel=tolerance, abs=tolerance), position


@pytest.mark.parametrize("spec", SPECS)
def test_compiled_value_equals_the_plain_one(spec: str) -> None:
    bound = parse_heuristic(spec)
    for board in ONE_WORD:
        for position in random_positions(board, POSITIONS):
            for player in Player:
                value = value_of(bound, position, player)
                assert value == plain_value(bound, position, player), position


@pytest.mark.parametrize("board", BOARDS[4:], ids=str)
@pytest.mark.parametrize("spec", ["improved", "way_out", "cut_off_reachable"])
def test_compiled_value_equals_the_plain_one_on_large_boards(spec: str, board: Board) -> None:
    bound = parse_heuristic(spec)
    for position in random_positions(board, 2 * POSITIONS):
        for player in Player:
            value = value_of(bound, position, player)
            assert value == plain_value(bound, position, player), position


@pytest.mark.parametrize("spec", SPECS)
def test_value_is_the_same_under_every_symmetry(spec: str) -> None:
    bound = parse_heuristic(spec)
    for board in ONE_WORD[1:3]:
        for position in random_positions(board, 6, seed=1):
            values = {value_of(bound, position, Player.FIRST, image) for image in symmetries(board)}
            assert len(values) == 1, position


@pytest.mark.parametrize("name", catalogue())
def test_infinite_values_are_among_those_compared(name: str) -> None:
    bound = parse_heuristic(name)
    values = {
        reference_value(bound, position, player)
        for board in ONE_WORD
        for position in random_positions(board, POSITIONS)
        for player in Player
    }
    assert {value for value in values if math.isinf(value)} == INFINITIES.get(name, set())


def test_distance_variants_1_to_3_are_linear_maps_of_each_other() -> None:
    texts = ["distance(0, 1, arctan)", "distance(-0.5, 1, arctan)", "distance(-0.5, 2, arctan)"]
    one, two, three = map(parse_heuristic, texts)
    for position in random_positions(Board(7, 7), 50):
        for player in Player:
            value = value_of(one, position, player)
            assert value_of(two, position, player) == -0.5 + value
            assert value_of(three, position, player) == -0.5 + 2 * value


@pytest.mark.parametrize("board", [Board(7, 7), Board(9, 11)], ids=str)
def test_stealer_is_antisymmetric(board: Board) -> None:
    bound = parse_heuristic("stealer")
    for position in random_positions(board, 50):
        value = value_of(bound, position, Player.FIRST)
        assert value == -value_of(bound, position, Player.SECOND)


def test_free_moves_is_antisymmetric() -> None:
    bound = parse_heuristic("free_moves(d=4, u=2)")
    for position in random_positions(Board(7, 7), 50):
        value = value_of(bound, position, Player.FIRST)
        assert value == -value_of(bound, position, Player.SECOND)


def test_free_moves_draws_every_move_equally_often() -> None:
    # A has four moves, B only b3; after that A has 1, 2, 4 or 5 left, depending on its first.
    position = parse_position("Bx3/1Ax2/5/5/2x2 a")
    draws = Counter(
        plain_value(parse_heuristic(f"free_moves(d=3, u=1, beta=1, seed={seed})"), position, Player.FIRST)
        for seed in range(1200)
    )
    assert set(draws) == {4 - (1 - left) for left in (1, 2, 4, 5)}
    assert all(240 < count < 360 for count in draws.values())  # 4 standard deviations


# Descriptions


def test_catalogue_has_every_heuristic_with_the_parameters_of_the_reference() -> None:
    assert set(catalogue()) == set(REFERENCE)
    for name, heuristic in catalogue().items():
        expected = dict(inspect.signature(REFERENCE[name]).parameters)
        del expected["scene"]
        expected.pop("choose", None)
        assert list(heuristic.defaults) == list(expected)
        for parameter, default in heuristic.defaults.items():
            inner = heuristic_of(default)
            meant = REFERENCE[inner.name] if inner else default
            assert meant == expected[parameter].default, f"{name}: {parameter}"


def test_catalogue_is_in_order_of_families() -> None:
    families = [heuristic.family for heuristic in catalogue().values()]
    assert [family for family, _ in groupby(families)] == list(FAMILIES)
    assert list(catalogue())[:4] == ["null", "open", "center", "improved"]


@pytest.mark.parametrize("name", catalogue())
def test_entry_names_seed_value_and_every_parameter(name: str) -> None:
    heuristic = find(name)
    seeds = {"course", "000", "001", "002", "003", "004"}
    assert heuristic.report in (seeds if name not in ("stealer", "learned") else {""})
    assert heuristic.formula
    assert heuristic.about
    for parameter in heuristic.defaults:
        assert parameter in heuristic.formula or f"`{parameter}" in heuristic.about, parameter


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("lookahead_ratio", "out of turn"),
        ("lookahead_ratio_as_printed", "leaves the player where it is"),
        ("aggressive", "open_cluster_as_printed"),
        ("open_cluster", "open_cluster_as_printed"),
        ("fill_diagonal", "`sign=1` follows the prose"),
        ("corner_penalty", "We read"),
        ("lookahead_weighted", "We read"),
        ("minmax_local", "opposite to the paper's"),
        ("balanced", "if they are static values"),
        ("keep_options", "biased centre, which the report claims to have abandoned"),
    ],
)
def test_entry_says_how_its_seed_is_read(name: str, said: str) -> None:
    assert said in " ".join(find(name).about.split())


def test_the_catalogue_is_displayed_as_a_list() -> None:
    lines = repr(catalogue()).splitlines()
    assert [line.split()[0] for line in lines] == [*catalogue()]
    assert "0x" not in repr(catalogue())
    assert next(line for line in lines if line.startswith("improved ")).endswith(catalogue()["improved"].formula)


def test_an_unknown_name_gets_a_suggestion() -> None:
    with pytest.raises(InputError, match=r"^no heuristic named 'imroved' \(did you mean 'improved'\?\)$"):
        find("imroved")
