"""Values of a sweep: lists, ranges, and what is wrong with them."""

import pytest

from isolab.agents import warm_up
from isolab.arena.planning import parse_values, sweep_of
from isolab.errors import InputError
from isolab.game.board import Board
from isolab.native import entry


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
    with pytest.raises(InputError, match="expected"):
        parse_values(text)


@pytest.mark.parametrize(
    ("template", "values"),
    [
        ("mcts", ["1,2"]),
        ("mcts(c={})", []),
        ("mcts(c={})", ["1", "2"]),
        ("a{}{}", ["1:400:1", "1:9:1"]),
    ],
)
def test_wrong_templates(template: str, values: list[str]) -> None:
    with pytest.raises(InputError, match="expected"):
        sweep_of(template, values)


def test_a_sweep_compiles_once() -> None:
    _, specs = sweep_of("alphabeta:balanced(weight={})@nodes=9", ["0.1:0.5:0.1"])
    warm_up(specs[0], Board(7, 7))
    compiled = set(entry._compiled)  # of this process: others may compile into the same folder
    for spec in specs[1:]:
        warm_up(spec, Board(7, 7))
    assert compiled
    assert set(entry._compiled) == compiled
