"""Heuristics in specs: parsed, formatted, and refused with one line that gives the reason."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isolarium.errors import InputError
from isolarium.heuristics.bound_heuristic import Bound, bind, parse_heuristic
from isolarium.heuristics.definition import Heuristic, Tabulated, Weights, heuristic_of
from isolarium.heuristics.lookup import catalogue
from tests.line_counter import steps_of


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("improved", "improved"),
        ("improved()", "improved"),
        ("balanced(weight=1)", "balanced(weight=1)"),
        ("balanced(weight=0.5)", "balanced"),
        ("balanced(2)", "balanced(weight=2)"),
        ("balanced(2, biased)", "balanced(weight=2, center=biased)"),
        ("balanced(center=biased, weight=2)", "balanced(weight=2, center=biased)"),
        (" balanced ( weight\t=\n2 ) ", "balanced(weight=2)"),
        ("balanced(+1e-3)", "balanced(weight=0.001)"),
        ("balanced(.5e1)", "balanced(weight=5)"),
        ("balanced(1e300)", "balanced(weight=1e+300)"),
        ("balanced(-0)", "balanced(weight=0)"),
        ("free_moves(d=3.0,u=4)", "free_moves(d=3, u=4)"),
        ("distance(0,1,arctan)", "distance(z=0, alpha=1, f=arctan)"),
        ("staged(open)", "staged(first=open)"),
        ("staged(first=improved, then=distance(f=arctan), at=0.4)", "staged(then=distance(f=arctan), at=0.4)"),
        ("staged(staged(open, null(), .2), null)", "staged(first=staged(first=open, then=null, at=0.2), then=null)"),
    ],
)
def test_reads_and_writes(text: str, written: str) -> None:
    assert str(parse_heuristic(text)) == written


def test_values_are_those_typed() -> None:
    bound = parse_heuristic("staged(then=distance(0, f=arctan), at=0.4)")
    assert bound.heuristic.name == "staged"
    assert bound.arguments["at"] == 0.4
    assert str(bound.arguments["first"]) == "improved"
    inner = bound.arguments["then"].arguments
    assert inner == {"z": 0, "alpha": 2, "f": "arctan", "scale": 1}


def _values(heuristic: Heuristic, name: str, depth: int) -> st.SearchStrategy[Any]:
    default = heuristic.defaults[name]
    if heuristic_of(default):
        return _bounds(depth - 1) if depth else st.just(default)
    if isinstance(default, str):
        names = heuristic.names[name]
        return st.sampled_from(names.names if isinstance(names, Tabulated | Weights) else list(names))
    low, high = heuristic.ranges.get(name, (-(2**53), 2**53))
    if isinstance(default, int):
        return st.integers(int(low), int(high))
    if name in heuristic.ranges:
        return st.floats(low, high)
    return st.floats(allow_nan=False, allow_infinity=False)


def _bounds(depth: int = 2) -> st.SearchStrategy[Bound]:
    return st.sampled_from(list(catalogue().values())).flatmap(
        lambda heuristic: st.fixed_dictionaries(
            {}, optional={name: _values(heuristic, name, depth) for name in heuristic.defaults}
        ).map(lambda arguments: bind(heuristic, arguments))
    )


@given(_bounds())
def test_what_is_written_reads_as_the_same(bound: Bound) -> None:
    again = parse_heuristic(str(bound))
    assert again == bound
    assert str(again) == str(bound)


def staged(depth: int) -> Bound:
    bound = bind(catalogue()["open"])
    for _ in range(depth):
        bound = bind(catalogue()["staged"], {"first": bound, "then": bound})
    return bound


def test_writing_takes_steps_in_proportion_to_the_nesting() -> None:
    one, two = staged(4), staged(8)
    assert steps_of(lambda: two.call) <= 2 * steps_of(lambda: one.call) + 50


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("imroved", "no heuristic named 'imroved' (did you mean 'improved'?)"),
        ("staged(first=imroved)", "no heuristic named 'imroved' (did you mean 'improved'?)"),
        ("improved improved", "no heuristic named 'improved improved' (did you mean 'improved'?)"),
        ("my_file.py", "heuristic 'my_file.py': expected FILE.py:FUNCTION"),
        ("", "heuristic '': expected a name, such as improved, at its end"),
        ("(1)", "heuristic '(1)': expected a name, such as improved, before '(1)'"),
        ("balanced(", "heuristic 'balanced(': expected a value at its end"),
        ("balanced(1", "heuristic 'balanced(1': expected ',' or ')' at its end"),
        ("balanced(1,)", "heuristic 'balanced(1,)': expected a value before ')'"),
        ("balanced(1))", "heuristic 'balanced(1))': expected nothing more before ')'"),
        (
            "a,c=d/mine.py:f",
            "heuristic 'a,c=d/mine.py:f': expected nothing more before ',c=d/mine.py:f'; "
            "the path of a file may not contain ( ) , or =",
        ),
        ("balanced(1)2", "heuristic 'balanced(1)2': expected nothing more before '2'"),
        ("balanced(weight=)", "heuristic 'balanced(weight=)': expected a value for weight before ')'"),
        ("balanced(=1)", "heuristic 'balanced(=1)': expected a value before '=1)'"),
        ("balanced(weight=1=2)", "heuristic 'balanced(weight=1=2)': expected ',' or ')' before '=2)'"),
        ("balanced(weigth=1)", "balanced: no parameter named 'weigth' (did you mean 'weight'?)"),
        ("balanced(x=1)", "balanced: no parameter named 'x' (it has weight, center)"),
        ("null(x=1)", "null: no parameter named 'x' (it has none)"),
        ("null(1)", "null: '1': expected no value; it has no parameters"),
        ("aggressive(1, 2)", "aggressive: '2': expected at most 1 value"),
        ("balanced(1, true, 3)", "balanced: '3': expected at most 2 values"),
        ("balanced(1, weight=2)", "balanced: weight is given twice; give it once"),
        ("balanced(weight=1, true)", "balanced: 'true': expected PARAMETER=VALUE after another PARAMETER=VALUE"),
        ("balanced(weight=heavy)", "balanced: weight=heavy: expected a number"),
        ("balanced(weight=nan)", "balanced: weight=nan: expected a number"),
        ("balanced(weight=1e999)", "balanced: weight=1e999: expected a number"),
        ("balanced(weight=٣)", "balanced: weight=٣: expected a number"),
        ("balanced(weight=1(2))", "balanced: weight=1(2): expected a number"),
        ("push_out(enough=2.5)", "push_out: enough=2.5: expected a whole number"),
        ("push_out(enough=9007199254740994)", "push_out: enough=9007199254740994: expected a whole number"),
        ("free_moves(d=7)", "free_moves: d=7: expected a whole number from 0 to 6"),
        ("free_moves(u=0)", "free_moves: u=0: expected a whole number from 1 to 100"),
        ("way_out(growth=11)", "way_out: growth=11: expected a number from 0 to 10"),
        ("distance(f=arcan)", "distance: f=arcan: expected arctan or sigmoid (did you mean 'arctan'?)"),
        ("distance(f=1)", "distance: f=1: expected arctan or sigmoid"),
        ("staged(first=3)", "staged: first=3: expected a heuristic, such as first=improved"),
    ],
)
def test_error_points_at_the_wrong_part(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_heuristic(text)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    "text", ["staged(" * 9999, "x" * 9999, "balanced(" + "9" * 9999 + ")", "balanced(y\n=1)", "a\nb", "balanced(c\nd)"]
)
def test_error_stays_one_short_line(text: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_heuristic(text)
    assert len(str(caught.value)) < 200
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("folder", ["my folder", "a-b_c.d"])
def test_a_name_may_be_a_function_in_a_file(folder: str, tmp_path: Any) -> None:
    file = tmp_path / folder / "mine.py"
    file.parent.mkdir()
    file.write_text(
        "from isolarium.heuristics import heuristic, mobility\n"
        "@heuristic\n"
        "def brave(view, own, opp, weight=2.0):\n"
        "    return weight * mobility(view, own)\n"
    )
    for text in (f"{file}:brave", f"{file}:brave(weight=3)", f"staged(then={file}:brave(weight=3))"):
        assert str(parse_heuristic(text)) == text
    assert parse_heuristic(f"{file}:brave(3)").arguments == {"weight": 3}


def test_a_name_of_a_windows_file_is_one_name() -> None:
    with pytest.raises(InputError, match=r"no such file; expected a Python file"):
        parse_heuristic(r"staged(first=C:\no\file.py:brave, at=0.1)")


def test_a_misspelt_file_gets_a_suggestion_except_on_pages(tmp_path: Path) -> None:
    (tmp_path / "my_heuristic.py").write_text("", encoding="utf-8")
    with pytest.raises(InputError) as raised:
        parse_heuristic(f"{tmp_path / 'my_heuristc.py'}:mine")
    assert str(raised.value).endswith("expected a Python file (did you mean 'my_heuristic.py'?)")
    assert raised.value.without_commands.endswith("expected a Python file")
