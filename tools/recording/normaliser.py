"""Normalise recordings: values that differ from run to run are replaced by a word.

Times become T, dates DATE and WHEN, rates R, paths the names that a case gives them. Numbers in JSON are rounded to
twelve digits, so that a different order of float additions does not matter.
"""

import csv
import io
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

DIGITS: Final = 12
WIDTH: Final = 110
"""Longer JSON is split into lines."""

_UNSEEN: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
"""Control characters that make `diff` treat a text as binary."""
_NUMBER: Final = r"\d[\d,]*(?:\.\d+)?"

PATTERNS: Final = tuple(
    (re.compile(pattern, re.MULTILINE), word)
    for pattern, word in (
        (r"Traceback \(most recent call last\):\n(?: .*\n)+", "Traceback ...\n"),
        (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:\+00:00|Z)?", "WHEN"),
        (r"\b\d{4}-\d\d-\d\d\b", "DATE"),
        (rf"{_NUMBER} vs {_NUMBER} ms\b", "T vs T"),
        (r"\b\d[\d,]*\.\d+ m?s\b", "T"),
        (rf"{_NUMBER} million (sequences|nodes) a second", r"R million \1 a second"),
        (r"^(clock +)(?:fair|NOT FAIR)\b.*$", r"\1CLOCK"),
        (r"\bPython 3\.\d+\.\d+\S*", "Python VERSION"),
        (r"\bNumba \d+\.\d+\.\d+\S*", "Numba VERSION"),
        (r"\bone core of .*$", "one core of MACHINE"),
        (r"\b(isolarium-(?:run-|reports-)?)[a-z0-9_]{8}\b", r"\1RANDOM"),
        (r"\.\d+\.part\b", ".PID.part"),
        (r"\b(isolarium_file_\w+)_[0-9a-f]{16}\b", r"\1_HASH"),
        (r"\b0x[0-9a-f]{6,}\b", "ADDRESS"),
    )
)

TIMED_NOTICES: Final = re.compile(
    "|".join(
        (
            r"compiling \(first time only\)\.\.\.",
            r"solving a sample of the games\.\.\.",
            r"solving the game's positions\.\.\.",
            r"writing the report\.\.\.",
            r".*: [\d,]+ of [\d,]+ games(?: · .*)?",
            r" +\d+  .* games",
            r".*: [\d,]+ of [\d,]+ (?:starts|positions)(?: · .*)?",
            r"\d+ of \d+ heuristics evaluated",
            r".* · [\d.]+(?: of [\d.]+)? s · Ctrl-C stops it",
            r"(?:verifying|certificate) · [\d,]+ replies",
            r".*: (?:loading|compiling) (?!1 of)\d+ of \d+(?: \(first time only\))?",
            r".*: reading the games",
            r"[\w ]+: (?P<solved>[\d,]+) of (?!(?P=solved) )[\d,]+ solved",
        )
    )
)
"""Lines on stderr that appear only if something takes long; cases that test them keep them."""

TIMES: Final = frozenset(
    (
        *("time_ms", "times_ms", "busy_ms", "mean_time_ms", "time_s", "per_second", "ms"),
        *("load", "cores", "python", "numba", "machine", "processor", "held_up_share"),
    )
)
"""Keys of JSON objects, and columns of CSV files, whose numbers and facts differ from run to run."""
MS_COLUMN: Final = "ms a move"
LOADING: Final = ": loading (what is new is compiled first)"
"""Lines that are printed immediately, and again if the work takes long."""


class Normaliser:
    """Replaces values that may differ.

    Args:
        names: The replacement of each text that belongs to this machine or recording, such as a path.
        blurred: Further keys of JSON objects whose values differ.
        replaced: Further patterns with their replacements.
    """

    def __init__(
        self, names: Mapping[str, str], blurred: Collection[str] = (), replaced: Sequence[Sequence[str]] = ()
    ) -> None:
        self._names = sorted(names.items(), key=lambda item: -len(item[0]))
        self._blurred = TIMES | set(blurred)
        self._replaced = [(re.compile(pattern, re.MULTILINE), word) for pattern, word in replaced]

    def text(self, text: str) -> str:
        """Return a text, normalised."""
        for name, word in self._names:
            text = text.replace(name, word)
        for pattern, word in (*PATTERNS, *self._replaced):
            text = pattern.sub(word, text)
        return _UNSEEN.sub(lambda found: f"\\x{ord(found[0]):02x}", text)

    def output(self, text: str) -> str:
        """Return the output of a command, normalised by its form."""
        for form in (self._as_json, self._as_json_lines, self._as_csv):
            found = form(text)
            if found is not None:
                return found
        return self.text(_without_times(text))

    def facts(self, value: Any, key: str = "") -> Any:
        """Return a JSON value, normalised."""
        if isinstance(value, dict):
            return {self.text(name): self.facts(item, name) for name, item in _table(value)}
        if isinstance(value, list):
            if key in self._blurred and value and all(isinstance(item, float) for item in value):
                return [f"T x {len(value)}"]
            return [self.facts(item, key) for item in value]
        if isinstance(value, str):
            return "VARIES" if key in self._blurred and value else self.text(value)
        if isinstance(value, bool) or value is None:
            return value
        if key in self._blurred and not (key == "ms" and isinstance(value, int)):
            return "T"
        return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value

    def _as_json(self, text: str) -> str | None:
        found = _loaded(text)
        if found is None:
            return None
        return f"({_layout(text, found)})\n{laid_out(self.facts(found))}\n"

    def _as_json_lines(self, text: str) -> str | None:
        found = [_loaded(line) for line in text.splitlines()]
        if not found or any(item is None for item in found):
            return None
        lines = "\n".join(laid_out(self.facts(item)) for item in found)
        return f"(JSON, an object a line)\n{lines}\n"

    def _as_csv(self, text: str) -> str | None:
        """Return a table without its column of times; other tables are treated as text."""
        head = text.partition("\n")[0].split(",")
        if len(head) < 2 or TIMES.isdisjoint(head):
            return None
        rows = [self._csv_row(row) for row in csv.DictReader(io.StringIO(text))]
        written = io.StringIO()
        writer = csv.DictWriter(written, head, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        return self.text(written.getvalue())

    def _csv_row(self, row: Mapping[str, str]) -> dict[str, str]:
        return {
            name: f"T x {1 + value.count(';')}" if name in TIMES and value else value for name, value in row.items()
        }

    def page(self, text: str, digest: Callable[[str], str]) -> str:
        """Return a page of HTML without times, with drawings as digests and one tag per line."""
        text = re.sub(r"<table.*?</table>", lambda found: _html_without_times(found[0]), text, flags=re.DOTALL)
        text = re.sub(r"<svg.*?</svg>", lambda found: f"[{digest(found[0])}]", self.text(text), flags=re.DOTALL)
        return re.sub(r"(</(?:li|p|tr|td|th|h\d|dd|div|option)>)(?=<)", r"\1\n", text)

    def drawing(self, text: str) -> str:
        """Return an SVG picture with one tag per line."""
        return self.text(text.replace("><", ">\n<"))


def without_notices(text: str) -> str:
    """Return the screen of a terminal without anything that depends on time."""
    lines = text.splitlines(keepends=True)
    kept = [line for line in lines if not TIMED_NOTICES.fullmatch(line.rstrip("\n"))]
    return "".join(line for before, line in pairwise(["", *kept]) if line != before or LOADING not in line)


def _without_times(text: str) -> str:
    """Return a text without the columns of times in its tables."""
    table = re.compile(rf"^.*(?:  |\| ){MS_COLUMN}.*\n(?:.+\n?)*", re.MULTILINE)
    return table.sub(lambda found: "\n".join(_rows_without_times(found[0].split("\n"))), text)


def _rows_without_times(rows: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a table, starting with its heading."""
    head = rows[0]
    end = head.index(MS_COLUMN) + len(MS_COLUMN)
    for row in rows:
        cells = row.split(" | ")
        if head.startswith("|") and len(cells) > 1 and row != head:
            place = head[:end].count(" | ")
            yield " | ".join([*cells[:place], _blurred(cells[place]), *cells[place + 1 :]])
        else:
            ending = re.search(rf"{_NUMBER}$", row[:end])
            before = row[: ending.start()].rstrip() if ending else ""
            yield f"{before:<{end - 1}}T{row[end:]}" if ending else row


def _table(value: dict[str, Any]) -> Iterable[tuple[str, Any]]:
    """Return the parts of an object, without a table's column of times."""
    columns = value.get("columns")
    if not isinstance(columns, list) or MS_COLUMN not in columns:
        return value.items()
    place = columns.index(MS_COLUMN)
    rows = [[*row[:place], _blurred(row[place]), *row[place + 1 :]] for row in value["rows"]]
    return {**value, "rows": rows}.items()


def _blurred(cell: str) -> str:
    return re.sub(_NUMBER, "T", cell)


def _html_without_times(table: str) -> str:
    """Return an HTML table without the values of its column of times."""
    heads = re.findall(r"<th[^>]*>(.*?)</th>", table.partition("</thead>")[0], re.DOTALL)
    if MS_COLUMN not in heads:
        return table
    place = heads.index(MS_COLUMN) + 1  # skip the text before the first cell

    def row(found: re.Match[str]) -> str:
        cells = re.split(r"(?=<td)", found[0])
        if len(cells) == len(heads) + 1:
            cells[place] = re.sub(r">[\d.,]+<", ">T<", cells[place])
        return "".join(cells)

    return re.sub(r"<tr>.*?</tr>", row, table, flags=re.DOTALL)


def _loaded(text: str) -> Any:
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except ValueError:
        return None


def _layout(text: str, found: Any) -> str:
    """Return the formatting of JSON, which parsing would hide."""
    line = text.rstrip("\n")
    for description, written in (
        ("JSON on a line", json.dumps(found)),
        ("JSON on a line, unescaped", json.dumps(found, ensure_ascii=False)),
        ("JSON without spaces", json.dumps(found, ensure_ascii=False, separators=(",", ":"))),
    ):
        if line == written:
            return description
    return f"JSON laid out otherwise, {text.count(chr(10))} lines"


def laid_out(value: Any, indent: int = 0) -> str:
    """Return readable JSON: short values on one line, long ones with one part per line."""
    short = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict | list) or not value or len(short) + indent <= WIDTH:
        return short
    pad = " " * (indent + 1)
    if isinstance(value, dict):
        parts = [
            f"{json.dumps(name, ensure_ascii=False)}: {laid_out(item, indent + 1)}" for name, item in value.items()
        ]
    elif any(isinstance(item, dict | list) for item in value):
        parts = [laid_out(item, indent + 1) for item in value]
    else:
        return short  # a list of plain values is one line, however long
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{opening}\n{pad}" + f",\n{pad}".join(parts) + f"\n{' ' * indent}{closing}"
