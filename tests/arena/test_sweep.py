"""Values of a sweep: lists, ranges, and invalid ones."""

import pytest

from isolarium.agents import warm_up
from isolarium.errors import InputError
from isolarium.game.board import Board
from isolarium.native import entry_points
from isolarium.spec.template import fill, parse_values, places_of, sweep_of


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("0, 0.5,1", ("0", "0.5", "1")),
        ("arctan,sigmoid", ("arctan", "sigmoid")),
        ("0:1:0.25", ("0.00", "0.25", "0.50", "0.75", "1.00")),
        ("1:-1:-1", ("1", "0", "-1")),
        ("0:0.3:0.1", ("0.0", "0.1", "0.2", "0.3")),
        ("5", ("5",)),
    ],
)
def test_values(text: str, values: tuple[str, ...]) -> None:
    assert parse_values(text) == values


@pytest.mark.parametrize("text", ["", "1,,2", "1,1", "0:1:0", "0:1:-1", "0:1000:0.1"])
def test_wrong_values(text: str) -> None:
    with pytest.raises(InputError, match=r"expected|once"):
        parse_values(text)


@pytest.mark.parametrize(
    ("template", "values"),
    [
        ("mcts", ["1,2"]),
        ("mcts(c={})", []),
        ("mcts(c={})", ["1", "2"]),
        ("a{}{}", ["1:400:1", "1:9:1"]),
        ("mcts(c={1|2})", ["1,2"]),
        ("mcts(c={0..4})", []),
        ("mcts(c={4..0})", []),
        ("mcts(c={0..4 by 0})", []),
        ("mcts(c={0..4 by -1})", []),
        ("mcts(c={0..4 by 9})", []),
        ("mcts(c={0..})", []),
        ("mcts(c={1|})", []),
        ("mcts(c={1|1})", []),
    ],
)
def test_wrong_templates(template: str, values: list[str]) -> None:
    with pytest.raises(InputError, match=r"expected|no placeholder|give one list|once"):
        sweep_of(template, values)


def test_values_may_stand_in_their_place() -> None:
    sweep, specs = sweep_of("distance(z={0..1 by 0.5},f={arctan|sigmoid},alpha={})", ["1,2"])
    assert sweep.template == "distance(z={},f={},alpha={})"
    assert sweep.values[:2] == (("0", "arctan", "1"), ("0", "arctan", "2"))
    assert specs[-1] == "distance(z=1,f=sigmoid,alpha=2)"
    assert len(specs) == 12


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("{0..4}", ("0", "2", "4")),
        ("{-.5..0.5}", ("-0.5", "0", "0.5")),
        ("{0..0.003}", ("0", "0.0015", "0.003")),
        ("{100..200}", ("100", "150", "200")),
        ("{1|2|3}", ("1", "2", "3")),
        ("{0..4 by 2}", ("0", "2", "4")),
        ("{a|b|c}", ("a", "b", "c")),
    ],
)
def test_a_place_has_values_from_its_first_to_its_last(text: str, values: tuple[str, ...]) -> None:
    (place,) = places_of(f"x({text})")
    assert tuple(place.at(share) for share in (0.0, 0.5, 1.0)) == values
    assert fill(f"x({text})", ("y",)) == "x(y)"


def test_numbers_have_distances_and_names_have_none() -> None:
    numbers, steps, names = places_of("{-1..3}{1|2|5}{a|b}")
    assert [numbers.share_of(value) for value in ("-1", "0", "3")] == [0.0, 0.25, 1.0]
    assert [steps.share_of(value) for value in ("1", "2", "5")] == [0.0, 0.25, 1.0]
    assert (steps.is_numeric, names.is_numeric) == (True, False)


def test_a_sweep_compiles_once() -> None:
    _, specs = sweep_of("alphabeta:balanced(weight={})@nodes=9", ["0.1:0.5:0.1"])
    warm_up(specs[0], Board(7, 7))
    compiled = set(entry_points._compiled)  # of this process: others may compile into the same folder
    for spec in specs[1:]:
        warm_up(spec, Board(7, 7))
    assert compiled
    assert set(entry_points._compiled) == compiled
