"""Specs are read exactly, written back the same, and refused with one line that points at the wrong part."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import isolarium
from isolarium.agents import AgentSpec, parse_spec, read_spec
from isolarium.errors import InputError
from isolarium.limits import Limit
from isolarium.spec.parser import parse_limit, parse_tree, tree_of
from isolarium.spec.registry import SEARCHES

FILES = Path(__file__).parents[1] / "agents" / "files"

CANONICAL = [
    "random",
    "greedy:open",
    "minimax:open@depth=3",
    "alphabeta:improved@nodes=8000",
    "alphabeta:improved@ms=150",
    "alphabeta:improved@depth=5,nodes=8000,ms=0.25",
    "alphabeta:improved@ms=123456.789",
    "alphabeta:distance(z=0, f=arctan)@nodes=8000",
    "alphabeta:staged(then=distance(f=arctan), at=0.4)@nodes=8000",
    "mcts@nodes=20000",
    "mcts(c=0.123456789)@nodes=20000",
    "mcts@depth=3,nodes=100",
    "oracle@nodes=2000000",
    "oracle@ms=150",
    "alphabeta:cut_off_reachable@nodes=8000,book",
    "mcts@ms=5,book",
    "minmax_approximation(reverse=false, p=2):improved@nodes=1",
    f"alphabeta:{FILES}/compiled.py:weighted(weight=3)@nodes=8000",
    f"strong:staged(first={FILES}/compiled.py:improved)@nodes=8000",
]


@pytest.mark.parametrize("text", CANONICAL)
def test_the_written_form_reads_back(text: str) -> None:
    spec = read_spec(text)
    assert str(spec) == text
    assert read_spec(str(spec)) == spec


@pytest.mark.parametrize(
    ("spec", "book"),
    [
        ("mcts@ms=5,book=my books/4x4 (new)@home.bin", "my books/4x4 (new)@home.bin"),
        ("oracle@nodes=100,book=~/mine.bin", "~/mine.bin"),
        ("alphabeta:a.py:f@nodes=8000,book=b=c.bin", "b=c.bin"),
    ],
)
def test_a_spec_may_name_a_book(spec: str, book: str) -> None:
    assert str(parse_spec(spec)) == spec
    assert parse_spec(spec).files[-1] == tree_of(spec).files[-1] == book


SAME = {
    "the default limit": ("alphabeta:improved", "alphabeta:improved@nodes=8000"),
    "spaces": (" mcts ( c = 2 ) @ nodes = 5 , ms = 1 ", "mcts(c=2)@nodes=5,ms=1"),
    "thousands": ("mcts@nodes=20k", "mcts@nodes=20000"),
    "millions": ("mcts@nodes=1.5M", "mcts@nodes=1500000"),
    "an exponent": ("mcts@nodes=1e6", "mcts@nodes=1000000"),
    "limits in any order": ("mcts@ms=5,nodes=7", "mcts@nodes=7,ms=5"),
    "defaults given": ("minmax_approximation(proven=true, p=10):null", "minmax_approximation:null@nodes=8000"),
    "the oracle's default limit": ("oracle", "oracle@nodes=2000000"),
    "the book alone": ("alphabeta:improved@book", "alphabeta:improved@nodes=8000,book"),
    "the book first": ("mcts@book,nodes=5", "mcts@nodes=5,book"),
    "the oracle's own book": ("oracle@ms=150,book", "oracle@ms=150"),
    "empty parentheses": ("mcts()", "mcts@nodes=8000"),
    "a value by its place": ("greedy:balanced(1)", "greedy:balanced(weight=1)"),
}


@pytest.mark.parametrize(("text", "canonical"), SAME.values(), ids=SAME.keys())
def test_other_spellings_mean_the_same(text: str, canonical: str) -> None:
    assert str(read_spec(text)) == canonical


def test_a_path_may_hold_an_at_sign(tmp_path: Path) -> None:
    folder = tmp_path / "me@home"
    folder.mkdir()
    (folder / "mine.py").write_text((FILES / "helpers.py").read_text() + HEURISTIC)
    for limit in ("", "@ms=5"):
        spec = read_spec(f"alphabeta:{folder}/mine.py:flat{limit}")
        assert spec.limit == (Limit(time_ms=5) if limit else Limit(nodes=8000))


def test_parsing_takes_neither_the_file_nor_the_compiler() -> None:
    code = """
import sys
from isolarium.agents import parse_spec
for text in ("mcts@ms=5", "alphabeta:staged(first=distance(z=0), then=/gone/mine.py:f)@depth=3"):
    spec = parse_spec(text)
    assert spec.files in ((), ("/gone/mine.py",))
    assert str(spec).startswith(text)
assert not {"numba", "numpy"} & set(sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_what_is_nested_deep_is_refused_at_once() -> None:
    deep = "alphabeta:" + "staged(" * 30 + "null" + ")" * 30
    with pytest.raises(InputError, match="expected parentheses at most 8 deep"):
        parse_spec(deep)


def test_the_full_form_may_not_be_too_long_either() -> None:
    spaced = "alphabeta:staged(" + ",".join(["null"] * 96) + ")"
    assert len(spaced) < 500
    with pytest.raises(InputError, match=r"expected at most 500 characters, not 60\d$"):
        parse_spec(spaced)


@pytest.mark.parametrize(
    ("spec", "limit", "written"),
    [
        ("alphabeta:improved@nodes=5", "depth=3", "alphabeta:improved@depth=3"),
        ("minimax:open", "depth=3,nodes=9", "minimax:open@depth=3,nodes=9"),
        ("mcts@nodes=5,book", "ms=7", "mcts@ms=7,book"),
        ("mcts@nodes=5", "ms=7,book", "mcts@ms=7,book"),
        ("mcts@nodes=5", "book", "mcts@nodes=5,book"),
        ("oracle", "ms=7,book", "oracle@ms=7"),
        ("mcts@nodes=5,book=mine.bin", "ms=7,book", "mcts@ms=7,book=mine.bin"),
        ("random", "depth=3", "random"),
        ("greedy:open", "ms=7", "greedy:open"),
    ],
)
def test_another_limit_takes_the_place_of_its_own(spec: str, limit: str, written: str) -> None:
    assert str(parse_spec(spec).with_limit(*parse_limit(limit))) == written


def test_a_limit_that_would_never_end_an_agent_is_refused_in_its_name() -> None:
    with pytest.raises(InputError) as caught:
        parse_spec("mcts(c=2)@nodes=5").with_limit(*parse_limit("depth=3"))
    output = "mcts(c=2)@nodes=5: a depth alone never ends mcts; add nodes= or ms="
    assert str(caught.value).startswith(output)


@pytest.mark.parametrize(
    ("spec", "names_limit", "short_name"),
    [
        ("random", False, "random"),
        ("mcts(c=2)", False, "mcts"),
        ("mcts@book", False, "mcts"),
        ("mcts@ms=5", True, "mcts"),
        ("alphabeta:balanced(weight=2)", False, "balanced"),
        ("alphabeta:/me@home/mine.py:flat(3)", False, "flat"),
        ("alphabeta:/me@home/mine.py:flat@nodes=5", True, "flat"),
    ],
)
def test_what_a_spec_says_of_itself(spec: str, names_limit: bool, short_name: str) -> None:
    parsed = parse_spec(spec)
    assert (parsed.names_limit, parsed.short_name) == (names_limit, short_name)


HEURISTIC = """
from isolarium.heuristics import heuristic

@heuristic
def flat(view, own, opp):
    return 0.0
"""


def test_only_code_of_others_is_foreign() -> None:
    foreign = f"{FILES}/compiled.py:improved"
    assert not parse_spec("alphabeta:improved").is_third_party
    assert not parse_spec("mcts").is_third_party
    assert parse_spec(f"alphabeta:{foreign}").is_third_party
    assert parse_spec(f"alphabeta:staged(then={foreign})").is_third_party


@st.composite
def specs(draw: st.DrawFn) -> AgentSpec:
    kind = draw(st.sampled_from(list(SEARCHES.values())))
    numbers = st.floats(min_value=1e-3, max_value=1e6)
    options = {
        name: draw(st.booleans() if isinstance(option.default, bool) else numbers)
        for name, option in kind.options.items()
        if name != "p" and not option.whole
    }
    limit = Limit(
        depth=draw(st.none() | st.integers(1, 10**15)),
        nodes=draw(st.integers(1, 10**15)),
        time_ms=draw(st.none() | st.floats(min_value=1e-9, max_value=1e15)),
    )
    defaults = {name: option.default for name, option in kind.options.items()}
    heuristic = parse_spec("greedy:balanced(weight=0.1)").heuristic
    return AgentSpec(
        kind,
        {**defaults, **options},
        heuristic if kind.takes_heuristic else None,
        limit if kind.takes_limit else Limit(depth=1),
        kind.takes_limit and not kind.has_book and draw(st.booleans()),
    )


@given(specs())
def test_every_number_survives_being_written(spec: AgentSpec) -> None:
    assert parse_spec(str(spec)) == spec


WRONG = {
    "nothing": ("", "agent '': expected a spec, such as alphabeta:improved@nodes=8000"),
    "spaces alone": ("  ", "agent '  ': expected a spec"),
    "unknown search": ("alfabeta:improved", "no search named 'alfabeta' (did you mean 'alphabeta'?)"),
    "nothing like a search": ("xyz", "no search named 'xyz' (there are random, greedy,"),
    "a heuristic alone": ("improved", "improved is a heuristic; did you mean 'alphabeta:improved'?"),
    "a file alone": ("mine.py:h", "no search before it; did you mean 'alphabeta:mine.py:...'?"),
    "a colon alone": (":", "no search named ''"),
    "an at sign alone": ("@", "no search named ''"),
    "unknown heuristic": ("alphabeta:imroved@nodes=8000", "no heuristic named 'imroved' (did you mean 'improved'?)"),
    "heuristic missing": ("alphabeta", "alphabeta needs a heuristic, such as alphabeta:improved"),
    "heuristic empty, one is usual": ("champion:", "champion alone is champion:learned"),
    "heuristic empty": ("alphabeta: @nodes=5", "alphabeta needs a heuristic"),
    "heuristic not taken": ("random:improved", "random does not take a heuristic"),
    "heuristic not taken, empty": ("mcts:@nodes=5", "mcts does not take a heuristic"),
    "unknown parameter": ("greedy:balanced(wait=1)", "no parameter named 'wait' (did you mean 'weight'?)"),
    "parameter of a wrong kind": ("greedy:balanced(weight=big)", "balanced: weight=big: expected"),
    "unknown inner heuristic": (
        "greedy:staged(first=imroved)",
        "no heuristic named 'imroved' (did you mean 'improved'?)",
    ),
    "parenthesis open": ("alphabeta:balanced(1", "heuristic 'balanced(1': expected ',' or ')'"),
    "parenthesis too many": ("alphabeta:balanced(1))", "heuristic 'balanced(1))'"),
    "junk after the heuristic": ("alphabeta:balanced(1)x", "before 'x'"),
    "junk after the options": ("mcts(c=1)x", "search 'mcts(c=1)x': expected NAME"),
    "options open": ("mcts(c=1", "search 'mcts(c=1': expected NAME"),
    "unknown option": ("mcts(d=1)", "mcts has no option named 'd' (it has c)"),
    "option near": ("minmax_approximation(prove=true):null", "no option named 'prove' (did you mean 'proven'?)"),
    "option where there are none": ("random(x=1)", "random has no option named 'x' (it has none)"),
    "option without a value": ("mcts(c)", "c: expected a number"),
    "option twice": ("mcts(c=1, c=2)", "c is given twice; give it once"),
    "option negative": ("mcts(c=-1)", "c=-1: expected a number from 0 to 1e+06"),
    "option too small": ("minmax_approximation(p=0.5):null", "p=0.5: expected a number from 1"),
    "option not a number": ("mcts(c=nan)", "c=nan: expected a number"),
    "switch by number": ("minmax_approximation(proven=1):null", "proven=1: expected true or false"),
    "limit not taken": ("random@nodes=5", "random does not take a limit"),
    "limit not taken either": ("greedy:open@depth=1", "greedy does not take a limit"),
    "limit empty": ("mcts@", "no limit named '' (expected depth=, nodes= or ms=)"),
    "limit with a comma too many": ("mcts@nodes=5,", "no limit named ''"),
    "limit unknown": ("mcts@node=5", "no limit named 'node' (did you mean 'nodes'?)"),
    "limit a number alone": ("mcts@8000", "no limit named '8000' (expected depth=, nodes= or ms=)"),
    "limit without a value": ("mcts@nodes", "nodes: expected a number"),
    "limit twice": ("mcts@nodes=5,nodes=5", "nodes is given twice; give it once"),
    "book twice": ("mcts@book,book", "book is given twice; give it once"),
    "book without its file": ("mcts@book=", "book=: expected the file of an opening book"),
    "two books": ("mcts@book,book=mine.bin", "book is given twice; give it once"),
    "book nearly": ("mcts@nodes=5,bok", "no limit named 'bok' (did you mean 'book'?)"),
    "book not taken": ("random@book", "random does not take a limit"),
    "a depth and a book end nothing": ("mcts@depth=3,book", "a depth alone never ends mcts"),
    "heuristic given to the oracle": ("oracle:improved", "oracle does not take a heuristic"),
    "two at signs": ("mcts@nodes=5@ms=5", "nodes=5@ms=5: expected a number"),
    "nodes zero": ("mcts@nodes=0", "nodes=0: expected more than 0"),
    "nodes negative": ("mcts@nodes=-8000", "nodes=-8000: expected more than 0"),
    "nodes in parts": ("mcts@nodes=2.5", "nodes=2.5: expected a whole number"),
    "nodes past all bounds": ("mcts@nodes=1e16", "at most 1e15"),
    "nodes infinite": ("mcts@nodes=1e999", "nodes=1e999: expected a number"),
    "nodes not a number": ("mcts@nodes=nan", "nodes=nan: expected a number"),
    "nodes a word": ("mcts@nodes=many", "nodes=many: expected a number"),
    "nodes in other digits": ("mcts@nodes=８０００", "nodes=８０００: expected a number"),
    "nodes with a Kelvin sign": ("mcts@nodes=8\u212a", "nodes=8\u212a: expected a number"),
    "nodes with a separator": ("mcts@nodes=8_000", "nodes=8_000: expected a number"),
    "depth zero": ("minimax:open@depth=0", "depth=0: expected more than 0"),
    "ms zero": ("mcts@ms=0.0", "ms=0.0: expected more than 0"),
    "ms endless": ("mcts@ms=inf", "ms=inf: expected a number"),
    "a depth that ends nothing": (
        "mcts@depth=3",
        "a depth alone never ends mcts; add nodes= or ms=, such as @depth=3,nodes=8000",
    ),
    "nothing but a bracket after blanks": (" " * 150 + "(", "expected NAME or NAME(OPTION"),
    "a program's heuristic": (
        "greedy:course:game_agent.py:score",
        "'game_agent.py': no such file; expected a Python file",
    ),
    "a program that is not named": ("course:@ms=150", "course needs a file, such as course:game"),
    "a program limited by what it does not count": (
        "course:game_agent.py@nodes=100",
        "course is not limited by nodes=; expected ms= or calls=",
    ),
    "a search limited by what it does not count": (
        "alphabeta:open@calls=100",
        "alphabeta is not limited by calls=; expected depth= or nodes= or ms=",
    ),
    "a program with the book": ("engine:./it@ms=1,book", "engine does not use a book"),
    "a file that is not there": ("greedy:nothing.py:h", "'nothing.py': no such file"),
    "a folder": ("greedy:/:h", "'/': not a file; expected a Python file"),
    "a device": ("greedy:/dev/zero:h", "'/dev/zero': not a file; expected a Python file"),
    "a home that is not there": ("greedy:~nobody-at-all/mine.py:h", "expected a Python file"),
    "a file without its function": ("greedy:mine.py", "'mine.py': expected FILE.py:FUNCTION"),
}


@pytest.mark.parametrize(("text", "output"), WRONG.values(), ids=WRONG.keys())
def test_what_is_wrong_is_said_in_one_line(text: str, output: str) -> None:
    with pytest.raises(InputError) as caught:
        read_spec(text)
    assert "\n" not in str(caught.value)
    assert output in str(caught.value)
    if text.strip():
        assert str(caught.value).startswith(f"{text}: ")


@pytest.mark.parametrize(
    "text", ["alphabeta:improved\n", "mcts@nodes=" + "9" * 5000, "x\x00y", "a" * 100_000, "\u2028", "a\tb.py:f"]
)
def test_hostile_text_stays_one_short_line(text: str) -> None:
    output = read_again(text)
    assert output.isprintable()
    assert len(output) < 400


def read_again(text: str) -> str:
    """What the written form of a spec is, or what is wrong with it."""
    try:
        return str(read_spec(text))
    except InputError as error:
        return str(error)


@given(st.text(alphabet="alphabeta:improved@nodes=8000(),. mcts\n'é", max_size=40))
def test_whatever_is_typed_is_read_or_refused_in_one_line(text: str) -> None:
    assert re.fullmatch(r"[^\n]+", read_again(text))


def test_the_champion_has_a_heuristic_unless_another_is_given() -> None:
    assert str(parse_spec("champion(threads=2)@nodes=500")) == "champion(threads=2):learned@nodes=500"
    assert str(parse_spec("champion:improved")) == "champion:improved@nodes=8000"
    with pytest.raises(InputError, match=r"threads=1\.5: expected a whole number from 1 to 64"):
        parse_spec("champion(threads=1.5)")


@pytest.mark.slow
def test_a_match_parses_each_of_its_specs_once(tmp_path: Path) -> None:
    parse_spec.cache_clear()
    parse_tree.cache_clear()
    isolarium.match("random", "greedy:open", pairs=2, board="4x4", workers=1, runs=tmp_path, progress=False)
    assert parse_tree.cache_info().misses == 2
    assert parse_spec.cache_info().misses == 2
