"""`isolarium agents` lists how agents are written, and the list is true."""

import json
import re
from dataclasses import asdict

import pytest

from isolarium.agents import parse_spec, read_spec
from isolarium.agents.levels import LEVELS
from isolarium.spec.parser import BOUNDS
from isolarium.spec.registry import PROGRAMS, SEARCHES
from tests.command import run_isolarium


def test_every_search_is_explained_with_its_options() -> None:
    shown = run_isolarium("agents")
    assert shown.returncode == 0
    for kind in SEARCHES.values():
        assert f"\n  {kind.name}" in shown.stdout
        assert kind.about in shown.stdout
        for name in kind.options:
            assert f"\n      {name}=" in shown.stdout
    assert "by default nodes=8000" in shown.stdout
    for level in LEVELS:
        assert re.search(f"\n +{level.level}  {level.name} +{level.agent} .* {level.about}\n", shown.stdout)


def test_json_lists_the_same() -> None:
    facts = json.loads(run_isolarium("agents", "--json").stdout)
    assert [search["name"] for search in facts["searches"]] == list(SEARCHES)
    assert {limit["name"] for limit in facts["limits"]} == BOUNDS.keys()
    assert facts["levels"] == [asdict(level) for level in LEVELS]
    for search in facts["searches"]:
        spec = parse_spec(search["example"])
        without_limit = str(parse_spec(search["example"].partition("@")[0]))
        assert without_limit.endswith(search["default_limit"] or search["example"])
        assert (spec.heuristic is not None) == search["takes_heuristic"]
        for option in search["options"]:
            assert spec.options[option["name"]] == option["default"]


def test_third_party_programs_are_listed_with_their_limits() -> None:
    shown = run_isolarium("agents").stdout
    facts = json.loads(run_isolarium("agents", "--json").stdout)["programs"]
    assert [program["name"] for program in facts] == list(PROGRAMS)
    for program in facts:
        assert program["about"] in shown
        assert parse_spec(program["example"]).kind.name == program["name"]
        assert set(parse_spec(program["example"]).limit.bounds) <= set(program["limits"])


def test_its_examples_are_specs() -> None:
    *ours, heuristic, agent = json.loads(run_isolarium("agents", "--json").stdout)["examples"]
    for example in ours:
        read_spec(example)
    for own in (heuristic, agent):
        with pytest.raises(ValueError, match=r"'my_(file|agent)\.py': no such file"):
            read_spec(own)
