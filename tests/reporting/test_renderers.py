"""One table and a few facts in every format: what is shown, exported and escaped."""

import csv
import io
import re
from html.parser import HTMLParser

import pytest

from isolarium.reporting.cells import Cell, json_of
from isolarium.reporting.html import write_fragment, write_page
from isolarium.reporting.markdown import write_markdown
from isolarium.reporting.model import (
    Block,
    Chart,
    Column,
    Command,
    Document,
    Fact,
    Facts,
    Figure,
    Headline,
    Illustration,
    Illustrations,
    Paragraph,
    Section,
    Table,
    csv_text,
    rows_of,
    table_from_json,
    table_json,
)
from isolarium.reporting.terminal import plain_text
from isolarium.stats import EloEstimate, PairSummary, RateEstimate

INFINITE = float("inf")
COLUMNS = (
    Column("who", "who", "<", repeats=True),
    Column("one", "one"),
    Column("two", "two"),
    Column("why", "why", "<", can_go=True),
)
TABLE = Table(
    "mine",
    "Mine",
    COLUMNS,
    rows_of(COLUMNS, [("a|b", 1, 2, "since"), ("<c>", Cell(10, best=True), 20, "so")]),
    notes=("a > b",),
)


def markdown(*blocks: Block) -> str:
    document = Document("d", Headline("", "", ""), None, sections=[Section("s", "S", blocks)])
    return write_markdown(document)


# On a terminal


@pytest.mark.parametrize(
    ("width", "lines"),
    [
        (40, ["who  one  two  why", "a|b   1     2  since", "<c>  10*   20  so"]),
        (14, ["who  one  two", "a|b   1     2", "<c>  10*   20"]),
        (9, ["who  one", "a|b   1", "<c>  10*", "", "who  two", "a|b    2", "<c>   20"]),
    ],
)
def test_columns_are_dropped_or_wrapped_on_narrow_screens(width: int, lines: list[str]) -> None:
    _, *found = plain_text([TABLE], width).splitlines()
    assert [line for line in found if "─" not in line] == [*lines, "* the best", "a > b"]


def test_a_long_label_is_shortened_in_its_middle() -> None:
    columns = (Column("who", "who", "<", repeats=True), Column("n", "n"))
    table = Table("t", "", columns, rows_of(columns, [("x" * 50 + "y" * 50, 1)]))
    *_, line = plain_text([table], 40).splitlines()
    assert len(line) <= 40
    assert re.fullmatch(r"x+…y+ +1", line)


def test_footer_rows_follow_a_rule() -> None:
    columns = (Column("n", "n"),)
    table = Table("t", "", columns, rows_of(columns, [[1], [2], [3]]), footer=1)
    assert plain_text([table]).splitlines() == ["n", "─", "1", "2", "─", "3"]


def test_parts_of_a_fact_that_do_not_fit_follow_below() -> None:
    facts = Facts([Fact("score", ("54.3% ± 1.9", "Elo +30 ± 8")), Fact("verdict", ("word " * 12,))])
    assert plain_text([facts], 34).splitlines() == [
        "score        54.3% ± 1.9",
        "             Elo +30 ± 8",
        "verdict      word word word word",
        "             word word word word",
        "             word word word word",
    ]
    assert plain_text([facts], 60).splitlines()[0] == "score        54.3% ± 1.9     Elo +30 ± 8"


def test_a_fact_without_parts_is_not_shown() -> None:
    assert plain_text([Facts([Fact("test", (), {"test": None})])]) == ""


def test_control_characters_do_not_reach_the_terminal() -> None:
    table = Table("t", "", COLUMNS, rows_of(COLUMNS, [("a\x1b[2Jb\r", 1, 2, "\x07")]))
    assert plain_text([table], 60).replace("\n", "").isprintable()


# As HTML and Markdown


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.seen.add(tag)
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_html_is_escaped_and_well_formed() -> None:
    shown = write_fragment("<script>", [TABLE, Facts([Fact("<script>", ("1 < 2",))])])
    checker = _Tags()
    checker.feed(shown)
    assert checker.open == []
    assert "script" not in checker.seen
    assert "&lt;c&gt;" in shown
    assert "1 &lt; 2" in shown
    assert "<b>10</b>" in shown


def test_a_position_in_a_paragraph_breaks_on_a_narrow_page() -> None:
    sheet = write_page(Document("run", Headline("a", "b", "c"), None, sections=[]))
    assert re.search(r"^p \{[^}]*overflow-wrap: anywhere", sheet, re.MULTILINE)


def test_a_table_of_what_a_chart_shows_is_folded_below_it() -> None:
    chart = Chart("drawn", "Drawn", "a chart", {})
    table = Table("some", "Some figures", (Column("x", "x"),), [{"x": 1}])
    figure = Figure(chart, lambda _: "<svg ></svg>")
    sections = [Section("both", "Both", [table, figure]), Section("alone", "Alone", [table])]
    page = write_page(Document("run", Headline("a", "b", "c"), None, sections=sections))
    both, alone = page.split('<section id="alone"')
    assert both.index("<figure") < both.index("<summary>Some figures</summary>") < both.index("<table>")
    assert "<details>" not in alone


def test_a_folded_table_takes_its_explanation_along() -> None:
    table = Table("some", "Some figures", (Column("x", "x"),), [{"x": 1}])
    figure = Figure(Chart("drawn", "Drawn", "a chart", {}), lambda _: "<svg ></svg>")
    blocks: list[Block] = [figure, table, Paragraph("What x means.")]
    page = write_page(Document("run", Headline("a", "b", "c"), None, sections=[Section("s", "S", blocks)]))
    assert page.index("</table>") < page.index("What x means.") < page.index("</details>")
    assert page.count("What x means.") == 1


def test_a_fact_that_repeats_the_headline_is_left_out() -> None:
    facts = Facts([Fact("verdict", ("a is better",)), Fact("games", ("12",))])
    page = write_page(Document("run", Headline("A is better", "b", "c"), None, facts, []))
    assert "verdict" not in page
    assert "games" in page


def test_negative_numbers_have_a_minus_sign_and_names_keep_hyphens() -> None:
    shown = write_fragment("", [Facts([Fact("Elo", ("-21 ± 52 (-73 to 31)", "2026-11-18-a(b=-1)"))])])
    assert "\N{MINUS SIGN}21 ± 52 (\N{MINUS SIGN}73 to 31)" in shown
    assert "2026-11-18-a(b=-1)" in shown


def test_markdown_is_escaped() -> None:
    assert r"| a\|b | 1 | 2 | since |" in markdown(TABLE)
    assert r"| \<c\> | 10 | 20 | so |" in markdown(TABLE)


def test_positions_are_boards_on_a_page_and_commands_elsewhere() -> None:
    board = "<svg></svg>"
    shown = Illustrations([Illustration("it <b>said</b> 1", "isolarium analyze '5x5'", board)])
    page = write_fragment("", [shown])
    assert board in page
    assert "it &lt;b&gt;said&lt;/b&gt; 1<br><code>isolarium analyze &#x27;5x5&#x27;</code>" in page
    assert plain_text([shown]) == "it <b>said</b> 1\n  isolarium analyze '5x5'"
    assert markdown(shown).strip().splitlines()[-1] == r"- it \<b\>said\</b\> 1: `isolarium analyze '5x5'`"


def test_commands_stay_whole() -> None:
    shown = Command("isolarium course 'my agent.py' --check stops-in-time:AlphaBetaPlayer --seed 1")
    assert plain_text([shown], width=60) == f"  {shown.text}"
    assert markdown(shown).strip().endswith(f"    {shown.text}")
    assert "<code>isolarium course &#x27;my agent.py&#x27; --check" in write_fragment("", [shown])


# For programs


ESTIMATES = (
    Column("rate", "rate"),
    Column("elo", "Elo"),
    Column("games", None),
    Column("picture", "picture", exported=False),
)
ESTIMATED = Table(
    "t",
    "",
    ESTIMATES,
    rows_of(
        ESTIMATES, [(RateEstimate(0.5, 0.25, 0.75), EloEstimate(1.0, -2.0, INFINITE), 8, "-●-"), (None, None, 0, "")]
    ),
)


def test_csv_has_intervals_and_hidden_columns() -> None:
    first, second = csv.DictReader(io.StringIO(csv_text(ESTIMATED)))
    assert first == {
        "rate": "0.5",
        "rate_low": "0.25",
        "rate_high": "0.75",
        "elo": "1.0",
        "elo_low": "-2.0",
        "elo_high": "",
        "games": "8",
    }
    assert set(second.values()) == {"", "0"}


def test_json_of_figures_has_plain_types() -> None:
    found = json_of({"rate": Cell(RateEstimate(0.5, 0.25, 0.75), "half"), "elo": -INFINITE})
    assert found == {"rate": {"rate": 0.5, "low": 0.25, "high": 0.75}, "elo": None}
    assert json_of([PairSummary.distinct(1, 2, 3)]) == [{"won": 1, "split": 2, "lost": 3}]


def test_a_table_reads_back_from_json() -> None:
    found = table_json(TABLE)
    assert found["rows"][1] == ["<c>", "10", "20", "so"]
    assert found["best"] == [[1, 1]]
    assert markdown(table_from_json(found)) == markdown(TABLE)
