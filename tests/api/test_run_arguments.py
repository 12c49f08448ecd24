"""The arguments that match, tournament, sweep and tune share are documented and checked in each."""

import inspect
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import pytest

import isolarium
from isolarium.api.arguments import PlayArguments
from isolarium.arena import Conditions

PLAYED = [isolarium.match, isolarium.tournament, isolarium.sweep]


@pytest.mark.parametrize("function", PLAYED)
def test_each_condition_is_an_argument_with_its_default(function: Callable[..., Any]) -> None:
    taken = inspect.signature(function).parameters
    wanted = {one.name: one.default for one in fields(Conditions)}
    assert {name: taken[name].default for name in wanted} == wanted
    assert all(taken[name].kind is inspect.Parameter.KEYWORD_ONLY for name in wanted)


@pytest.mark.parametrize("function", [*PLAYED, isolarium.tune])
def test_all_functions_take_the_same_play_arguments(function: Callable[..., Any]) -> None:
    taken = inspect.signature(function).parameters
    assert PlayArguments.__annotations__.keys() <= taken.keys()
    assert "options" not in taken
    assert "usual_pairs" not in (function.__doc__ or "")


def test_an_unknown_argument_is_refused() -> None:
    unknown: Any = {"pair": 3}
    tune: Any = isolarium.tune
    with pytest.raises(TypeError, match=r"argument 'pair' \(did you mean 'pairs'\?\)$"):
        isolarium.match("random", "random", **unknown)
    with pytest.raises(TypeError, match="unexpected keyword argument 'openings'"):
        tune("greedy:aggressive(weight={0..2})", openings="all")
