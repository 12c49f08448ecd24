"""The grammar of agents and heuristics: what is written reads back, and reading is cheap and loads nothing."""

from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isolarium.errors import InputError
from isolarium.limits import Limit
from isolarium.spec.parser import (
    MOST_CHARS,
    MOST_NESTED,
    AgentTree,
    Argument,
    Call,
    parse_call,
    parse_limit,
    parse_tree,
    tree_of,
)
from tests.line_counter import steps_of

# Paths


PATHS = {
    "plain": ("alphabeta:mine.py:f@ms=5", "mine.py", "f", "ms=5"),
    "without a limit": ("alphabeta:mine.py:f", "mine.py", "f", None),
    "spaces": ("alphabeta: my folder/my file.py:f @ms=5", "my folder/my file.py", "f", "ms=5"),
    "an at sign in a folder": ("alphabeta:/me@home/mine.py:f@ms=5", "/me@home/mine.py", "f", "ms=5"),
    "an at sign and no limit": ("alphabeta:/me@home/mine.py:f", "/me@home/mine.py", "f", None),
    "an at sign in the name": ("alphabeta:me@home.py:f@ms=5", "me@home.py", "f", "ms=5"),
    "at signs before a slash": ("alphabeta:null@/../mine.py:f", "null@/../mine.py", "f", None),
    "a colon in a folder": ("alphabeta:/a:b/mine.py:f", "/a:b/mine.py", "f", None),
    "a drive": (r"alphabeta:C:\mine.py:f@ms=5", r"C:\mine.py", "f", "ms=5"),
    "no ending": ("alphabeta:./mine:f@ms=5", "./mine", "f", "ms=5"),
    "no function": ("alphabeta:mine.py:@ms=5", "mine.py", "", "ms=5"),
    "parameters": ("alphabeta:/me@home/mine.py:f(3)@ms=5", "/me@home/mine.py", "f", "ms=5"),
    "a limit with a slash in it": ("alphabeta:mine.py:f@ms=1/2", "mine.py", "f", "ms=1/2"),
}


@pytest.mark.parametrize(("text", "file", "function", "limit"), PATHS.values(), ids=PATHS.keys())
def test_a_path_may_hold_spaces_colons_and_at_signs(text: str, file: str, function: str, limit: str | None) -> None:
    tree = parse_tree(text)
    assert tree.body is not None
    assert (tree.body.file, tree.body.function, tree.limit) == (file, function, limit)
    assert tree.files == (file,)


@pytest.mark.parametrize(
    ("text", "files"),
    [
        ("mcts@nodes=5", ()),
        ("alphabeta:distance(z=0, f=arctan)", ()),
        ("alphabeta:staged(a.py:f, then=/b@c/d.py:g(x=./e:h), at=0.4)", ("a.py", "/b@c/d.py", "./e")),
        ("alphabeta:staged(a.py:f, a.py:g)", ("a.py",)),
        ("mcts(c=a.py:f)", ("a.py",)),
        ("course:game_agent.py", ("game_agent.py",)),
        ("course:/me@home/game_agent.py@ms=150", ("/me@home/game_agent.py",)),
        ("course:a/game_agent.py:Player(score_fn=custom_score_2)@ms=150", ("a/game_agent.py",)),
        ("alphabeta:course:a/game_agent.py:custom_score@nodes=2000", ("a/game_agent.py",)),
        ("engine:./program(depth=3)@ms=100", ("./program",)),
        ("engine:./program --level 3:4@ms=100", ("./program",)),
        ("engine:'./my program' x(agent=greedy:a.py:f)", ("./my program", "greedy:a.py")),
        ("engine:./it's", ("./it's",)),
        ("engine", ()),
    ],
)
def test_every_file_is_known_before_anything_is_loaded(text: str, files: tuple[str, ...]) -> None:
    assert parse_tree(text).files == files


# There and back


letters = st.characters(exclude_characters="(),=:@/.", exclude_categories=["Z", "C"])
names = st.text(letters, min_size=1, max_size=6)
paths = st.builds("{}/{} {}@{}.py:{}".format, names, names, names, names, names)
calls = st.recursive(
    st.builds(Call, names | paths),
    lambda inner: st.builds(
        Call, names | paths, st.lists(st.builds(Argument, st.just("") | names, inner), max_size=3).map(tuple)
    ),
    max_leaves=5,
)
limits = st.none() | st.sampled_from(["nodes=8000", "depth=3,ms=0.5,book", "book", "ms=1,book=a/b.bin"])
trees = st.builds(AgentTree, st.builds(Call, names), st.none() | calls, limits)


def is_short(thing: Call | AgentTree) -> bool:
    return len(str(thing)) <= MOST_CHARS


@given(calls.filter(is_short))
def test_a_heuristic_reads_back_as_it_was_written(call: Call) -> None:
    assert parse_call(str(call)) == call


@given(trees.filter(is_short))
def test_an_agent_reads_back_as_it_was_written(tree: AgentTree) -> None:
    assert parse_tree(str(tree)) == tree


ALPHABET = "ab(),=:@/.py 5\n\0é"


@given(st.text(ALPHABET, max_size=60) | st.text(max_size=60))
def test_whatever_is_typed_is_read_or_refused_in_one_line(text: str) -> None:
    for parse in (parse_tree, parse_call, parse_limit):
        assert complaint(parse, text).isprintable()


def complaint(parse: Callable[[str], object], text: str) -> str:
    """What is wrong with a text, if anything is."""
    try:
        parse(text)
    except InputError as error:
        return str(error)
    return ""


@given(st.text(ALPHABET, max_size=60))
def test_what_is_read_reads_back_the_same(text: str) -> None:
    with suppress(InputError):
        tree = parse_tree(text)
        assert parse_tree(str(tree)) == tree


# Cost


LONG = {
    "blanks and a bracket": lambda n: " " * n + "(",
    "blanks and a call": lambda n: "f(" + " " * n + "1)",
    "at signs": lambda n: "f:" + "@" * n + "/",
    "colons": lambda n: ":" * n,
    "digits": lambda n: "mcts@nodes=" + "1" * n + "x",
    "arguments": lambda n: "f:f(" + ",".join("a" * (n // 2)) + ")",
    "brackets": lambda n: "(" * n,
    "dots": lambda n: "f:" + ".py:" * (n // 4),
}


@pytest.mark.parametrize("of_length", LONG.values(), ids=LONG.keys())
def test_reading_takes_steps_in_proportion_to_the_length(of_length: object) -> None:
    assert callable(of_length)

    def steps(length: int) -> int:
        text = of_length(length)

        def read() -> None:
            with suppress(InputError):
                parse_limit(parse_tree.__wrapped__(text).limit or "")

        return steps_of(read)

    assert steps(440) <= 2 * steps(220) + 50


def nested(depth: int) -> str:
    return "f(" * depth + "1" + ")" * depth


def test_nesting_is_bounded() -> None:
    assert str(parse_call(nested(MOST_NESTED))) == nested(MOST_NESTED)
    with pytest.raises(InputError, match=r"expected parentheses at most 8 deep$"):
        parse_call(nested(MOST_NESTED + 1))
    with pytest.raises(InputError, match=r"expected parentheses at most 8 deep$"):
        parse_tree(f"alphabeta:{nested(30)}")


def test_length_is_bounded() -> None:
    assert parse_call("a" * MOST_CHARS).word == "a" * MOST_CHARS
    with pytest.raises(InputError, match=r"^heuristic 'aaa.*: expected at most 500 char.*, not 501$"):
        parse_call("a" * (MOST_CHARS + 1))
    with pytest.raises(InputError, match=r"^agent 'aaa.*: expected at most 500 characters, not 501$"):
        parse_tree("a" * (MOST_CHARS + 1))


# Limits


@pytest.mark.parametrize(
    ("text", "limit", "book"),
    [
        ("depth=3", Limit(depth=3), False),
        (" nodes = 20k , ms=1.5", Limit(nodes=20_000, time_ms=1.5), False),
        ("book,ms=1e2", Limit(time_ms=100), True),
        ("book", None, True),
    ],
)
def test_a_limit_stands_by_itself(text: str, limit: Limit | None, book: bool) -> None:
    assert parse_limit(text) == (limit, book)


@pytest.mark.parametrize(
    ("text", "output"),
    [
        ("", "a limit without a bound: expected one such as nodes=8000 or ms=150"),
        ("long", "limit long: no limit named 'long' (expected one such as nodes=8000 or ms=150)"),
        ("node=5", "limit node=5: no limit named 'node' (did you mean 'nodes'?)"),
        ("depth=x", "limit depth=x: depth=x: expected a number, such as depth=100"),
        ("depth=1,depth=2", "limit depth=1,depth=2: depth is given twice; give it once"),
        ("book=mine.bin", "limit book=mine.bin: book=FILE: works only in an agent's own limit; use book here"),
        ("ms=0", "limit ms=0: ms=0.0: expected more than 0 and at most 1e15"),
    ],
)
def test_what_is_wrong_with_a_limit_is_said_in_its_own_name(text: str, output: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_limit(text)
    assert str(caught.value) == output


def test_a_text_of_a_record_that_is_no_agent_is_a_word() -> None:
    assert tree_of("f(") == AgentTree(Call("f("))
    assert str(tree_of("f(")) == "f("
