"""A study's file is read strictly: every mistake is one line that names the file, the part and the key."""

from dataclasses import replace
from pathlib import Path

import pytest

from isolarium.errors import InputError
from isolarium.studies.study_file import find_study, format_study, parse_study, read_study

GOOD = """
title = "Mine"
limit = "nodes=100"

[agents]
Mine = "alphabeta:open"
Deep = "alphabeta:open@depth=2"
Chance = "random"

[[part]]
name = "one"
format = "gauntlet"
agents = ["Mine", "Deep"]
opponents = ["Chance", "Mine"]
pairs = 4

[[part.claim]]
source = "table 1"
games = 10
won.Mine = [9, 5]
total.Mine = 70.0

[[part.session]]
source = "twice"
agent = "Mine"
than = "Deep"
games = 10
better = 1
of = 2
"""

WRONG = {
    "not TOML": ("title =", "TOML"),
    "no title": (GOOD.replace('title = "Mine"', ""), "title: missing"),
    "title misspelt": (GOOD.replace("title =", "titel ="), "did you mean 'titel'?"),
    "unknown key": (GOOD.replace("[agents]", "colour = 3\n[agents]"), "no key named 'colour'"),
    "no part": ('title = "Empty"', "no part"),
    "part is no table": ('title = "x"\npart = 3', "part: 3: expected tables"),
    "part without a name": (GOOD.replace('name = "one"', ""), "part 1: name: missing"),
    "part's name has a slash": (GOOD.replace('"one"', '"../one"'), "part 1: name: '../one'"),
    "two parts of a name": (GOOD + GOOD[GOOD.index("[[part]]") :], "part one: name: given twice"),
    "unknown key in a part": (GOOD.replace("pairs = 4", "paris = 4"), "part one: pairs: missing"),
    "pairs in words": (GOOD.replace("pairs = 4", 'pairs = "many"'), "part one: pairs: 'many'"),
    "pairs are true": (GOOD.replace("pairs = 4", "pairs = true"), "expected a whole number"),
    "no pairs": (GOOD.replace("pairs = 4", "pairs = 0"), "part one: pairs=0"),
    "limit in words": (GOOD.replace('"nodes=100"', '"long"'), "limit"),
    "limit misspelt": (GOOD.replace('"nodes=100"', '"node=100"'), "did you mean 'nodes'?"),
    "part's limit": (GOOD.replace("pairs = 4", 'pairs = 4\nlimit = "ms=x"'), "part one: limit"),
    "no such format": (GOOD.replace('"gauntlet"', '"cup"'), "part one: format: 'cup'"),
    "no such board": (GOOD.replace("pairs = 4", 'pairs = 4\nboard = "2x2"'), "part one: board"),
    "no such agent": (GOOD.replace('"Mine", "Deep"', '"Mine", "Depe"'), "did you mean 'Deep'?"),
    "no such heuristic": (GOOD.replace('"alphabeta:open"', '"alphabeta:opne"'), "agents: Mine"),
    "agent is a number": (GOOD.replace('"random"', "7"), "agents: Chance: 7"),
    "agents are a text": (GOOD.replace('["Mine", "Deep"]', '"Mine"'), "agents: 'Mine': expected a list"),
    "an agent twice": (GOOD.replace('"Mine", "Deep"', '"Mine", "Mine"'), "Mine: given twice"),
    "gauntlet without opponents": (GOOD.replace('opponents = ["Chance", "Mine"]', ""), "part one"),
    "no such file of openings": (GOOD.replace("pairs = 4", 'pairs = 4\nopenings = "none.txt"'), "part one: openings"),
    "no such baseline": (GOOD.replace("pairs = 4", 'pairs = 4\nbaseline = "Mime"'), "'Mine'?"),
    "claim without games": (GOOD.replace("games = 10\nwon", "won"), "claim 1: games: missing"),
    "claim of no games": (GOOD.replace("games = 10\nwon", "games = 0\nwon"), "claim 1: games: 0"),
    "claim of an unknown agent": (GOOD.replace("won.Mine", "won.Min"), "claim 1: won: no agent named 'Min'"),
    "claim of too few": (GOOD.replace("[9, 5]", "[9]"), "Mine: 1 figures: expected 2"),
    "claim of too much": (GOOD.replace("[9, 5]", "[11, 5]"), "Mine: 11: expected 0 to 10"),
    "claim in words": (GOOD.replace("[9, 5]", '["nine", 5]'), "Mine: 'nine'"),
    "claim without figures": (GOOD.replace("won.Mine = [9, 5]\ntotal.Mine = 70.0", ""), "no figures"),
    "total without figures": (GOOD.replace("total.Mine", "total.Deep"), "total: Deep"),
    "claim against a stranger": (
        GOOD.replace("won.Mine", 'against = ["Chanse", "Mine"]\nwon.Mine'),
        "did you mean 'Chance'?",
    ),
    "sessions of an unknown agent": (GOOD.replace('than = "Deep"', 'than = "Dep"'), "did you mean 'Deep'?"),
    "more sessions than there were": (GOOD.replace("better = 1", "better = 3"), "better: 3"),
    "session of odd games": (GOOD.replace("games = 10\nbetter", "games = 9\nbetter"), "games: 9"),
    "session's rates": (GOOD.replace("of = 2", "of = 2\nrates = [[1.0]]"), "rates: [1.0]"),
}


def parse(text: str, folder: Path = Path()) -> object:
    return parse_study(text, "mine", folder, "mine.toml")


def test_the_good_one_is_read() -> None:
    study = parse_study(GOOD, "mine", Path(), "mine.toml")
    [part] = study.parts
    plan = study.plan(part)
    assert plan.agents == ("alphabeta:open@nodes=100", "alphabeta:open@depth=2")
    assert plan.opponents == ("random", "alphabeta:open@nodes=100")
    assert plan.study["text"] == GOOD
    figures = [(claim.against, claim.wins, claim.games) for claim in part.claims]
    assert figures == [(("Chance",), 9, 10), (("Mine",), 5, 10), (("Chance", "Mine"), 14, 20)]


def test_a_study_is_written_as_it_is_read() -> None:
    text = GOOD[: GOOD.index("[[part.claim]]")].replace('"Mine"', '"Mine \\"ä\\u007f"', 1)
    text = text.replace("pairs = 4", "pairs = 4\nseed = 3\nheat_map = true\nmove_ms = 1.5")
    study = parse_study(text, "mine", Path(), "mine.toml")
    again = parse_study(format_study(study), "mine", Path(), "mine.toml")
    assert replace(again, text=text) == study


@pytest.mark.parametrize(("text", "named"), WRONG.values(), ids=WRONG.keys())
def test_mistake_is_named(text: str, named: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(text)
    message = str(caught.value)
    assert message.startswith("mine.toml: ")
    assert named in message
    assert "\n" not in message


def test_pairs_scale_and_never_vanish() -> None:
    study = parse_study(GOOD, "mine", Path(), "mine.toml")
    [part] = study.parts
    assert [study.plan(part, scale=scale).pairs for scale in (1e-9, 0.5, 1, 2.5)] == [1, 2, 4, 10]


def test_openings_file_is_looked_for_beside_the_study(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("7x7: d4 b3\n7x7: a1 g7\n", encoding="utf-8")
    (tmp_path / "mine.toml").write_text(GOOD.replace("pairs = 4", 'pairs = 2\nopenings = "mine.txt"'), encoding="utf-8")
    [part] = read_study(tmp_path / "mine.toml").parts
    assert (part.openings, part.lines) == ("file", (("d4", "b3"), ("a1", "g7")))


@pytest.mark.parametrize(
    ("name", "named"),
    [
        ("report-00", "did you mean 'report-00"),
        ("nothing-like-it", "isolarium study, without a name, lists them"),
        ("no/such.toml", "no such file"),
        ("", "no study named ''"),
        ("seed-003", "did you mean 'report-003'"),
    ],
)
def test_unknown_study_is_one_line(name: str, named: str) -> None:
    with pytest.raises(InputError, match=named.replace("(", r"\(")):
        find_study(name)


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        find_study(str(tmp_path))


def test_a_binary_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="expected a study in TOML"):
        read_study(path)
