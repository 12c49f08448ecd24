"""`isolarium heuristics`: the list, a description, and both as JSON."""

import json

import pytest

from tests.command import run_isolarium

pytestmark = pytest.mark.slow


def test_lists_every_heuristic_by_family_with_seed_and_formula() -> None:
    shown = run_isolarium("heuristics")
    assert shown.returncode == 0
    lines = [" ".join(line.split()) for line in shown.stdout.splitlines()]
    assert "improved course m - o" in lines
    assert "balanced 000 (m - o) - weight * dist(own)" in lines
    assert any(line.startswith("territory: ") for line in lines)
    names = [heuristic["name"] for heuristic in json.loads(run_isolarium("heuristics", "--json").stdout)]
    assert all(f"\n  {name} " in shown.stdout for name in names)


def test_describes_a_heuristic_with_its_parameters_and_defaults() -> None:
    shown = run_isolarium("heuristics", "distance").stdout
    assert shown.startswith("distance · territory · report 001\n")
    assert "z + alpha * sum of f(scale * (d(opp, s) - d(own, s)))" in shown
    assert "Be nearer than the opponent" in shown
    assert shown.endswith(
        "parameters\n"
        "  z=-0.5      a number\n"
        "  alpha=2     a number\n"
        "  f=sigmoid   arctan or sigmoid\n"
        "  scale=1     a number\n"
    )


def test_describes_a_heuristic_as_json() -> None:
    facts = json.loads(run_isolarium("heuristics", "free_moves", "--json").stdout)
    assert facts["name"] == "free_moves"
    assert facts["report"] == "001"
    assert facts["parameters"][0] == {"name": "d", "default": "2", "takes": "a whole number from 0 to 6"}


def test_invalid_input_prints_one_line() -> None:
    for arguments, named in (
        (["imroved"], "did you mean 'improved'?"),
        (["--markdown", "--json"], "--markdown"),
        (["open", "--markdown"], "--markdown"),
    ):
        result = run_isolarium("heuristics", *arguments)
        assert result.returncode == 2
        assert result.stdout == ""
        assert named in result.stderr
        assert result.stderr.count("\n") == 1
