"""The options of a run's conditions are the same in every command that plays one."""

from dataclasses import fields

import pytest

from isolarium.arena import Conditions
from isolarium.cli.app import load_command


@pytest.mark.parametrize("name", ["match", "tournament", "sweep"])
def test_each_condition_is_an_option_with_its_default(name: str) -> None:
    options = {option.name: option for option in load_command(name).params}
    wanted = {one.name: one.default for one in fields(Conditions)}
    assert {name: options[name].default for name in wanted} == wanted
    assert {options[name].opts[0] for name in wanted} == {f"--{name.replace('_', '-')}" for name in wanted}
    assert "conditions" not in options
