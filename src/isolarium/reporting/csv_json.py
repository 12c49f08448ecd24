"""Tables as CSV and as JSON."""

import csv
import io
from typing import Any

from isolarium.reporting.cells import csv_of, is_best, json_of, printed, text_of
from isolarium.reporting.model import Column, Table
from isolarium.text import harmless_cell, printable


def table_records(table: Table) -> list[dict[str, Any]]:
    """Return the exported columns of each row.

    All rows have the same keys, and estimates include their intervals.
    """
    exported = [column.key for column in table.columns if column.exported]
    names: dict[str, None] = {}  # An estimate has three columns; an unknown value has one.
    rows: list[dict[str, Any]] = [{} for _ in table.rows]
    for key in exported:
        for row, cells in zip(table.rows, rows, strict=True):
            found = csv_of(key, row.get(key))
            names |= dict.fromkeys(found)
            cells |= found
    return [{name: row.get(name) for name in names} for row in rows]


def csv_text(table: Table) -> str:
    """Return a table as CSV with a header line."""
    rows = table_records(table)
    written = io.StringIO()
    writer = csv.DictWriter(written, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: _on_one_line(value) for name, value in row.items()})
    return written.getvalue()


def _on_one_line(value: Any) -> Any:
    return harmless_cell(printable(value)) if isinstance(value, str) else value


def table_json(table: Table) -> dict[str, Any]:
    """Return the displayed table as JSON; `table_from_json` reads it back."""
    columns = table.shown
    return {
        "name": table.name,
        "title": table.title,
        "columns": [column.heading for column in columns],
        "align": "".join(column.align for column in columns),
        "rows": [[text_of(row.get(column.key), column.form) for column in columns] for row in table.rows],
        "best": [
            [place, number]
            for place, row in enumerate(table.rows)
            for number, column in enumerate(columns)
            if is_best(row.get(column.key))
        ],
        "footer": table.footer,
        "notes": list(table.notes),
    }


def typed_table_json(table: Table) -> dict[str, Any]:
    """Return the displayed table as JSON with column keys and typed values."""
    columns = table.shown
    return {
        **table_json(table),
        "keys": [column.key for column in columns],
        "rows": [[printed(row.get(column.key), column.form) for column in columns] for row in table.rows],
        "values": [[json_of(row.get(column.key)) for column in columns] for row in table.rows],
    }


def table_from_json(found: dict[str, Any]) -> Table:
    """Rebuild a table from `table_json`, with all values as strings."""
    columns = [
        Column(str(number), heading, align)
        for number, (heading, align) in enumerate(zip(found["columns"], found["align"], strict=True))
    ]
    rows = [{str(number): text for number, text in enumerate(row)} for row in found["rows"]]
    return Table(found["name"], found["title"], columns, rows, found["footer"], found["notes"])
