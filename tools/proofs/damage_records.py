"""Damage a small results database byte by byte, and check what every command's function reports.

    python -m tools.proofs.damage_records [--every 1] [--bits 1]

Each byte in turn has one bit or all of them flipped; pages are cut off, emptied and swapped; tables and rows are
removed. After each, the run is listed, exported in every form, summarized for its report, and opened to be resumed.
The tool counts results equal to the intact database's, refusals in one line that names the
database, and failures: any other exception, or a result that differs from the intact database's.
"""

import argparse
import random
import shutil
import sqlite3
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, suppress
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from isolarium.analysis.run_statistics import overview_of
from isolarium.arena import Conditions
from isolarium.arena.export import WRITERS
from isolarium.arena.plan import match_plan
from isolarium.arena.results import read_results
from isolarium.arena.run_db import FILE_NAME, Record
from isolarium.arena.run_store import list_runs
from isolarium.arena.runner import play_run
from isolarium.errors import InputError
from isolarium.reporting.run_report import report_document

PAGE = 4096


def main() -> int:
    """Print the figures; return 1 if anything went wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--every", type=int, default=1, help="damage every Nth byte")
    parser.add_argument("--report", type=int, default=200, help="make the report at every Nth damage")
    options = parser.parse_args()
    with TemporaryDirectory() as place:
        return _prove(Path(place), options.every, options.report)


def _prove(place: Path, every: int, report_every: int) -> int:
    runs, began, slowest = place / "runs", monotonic(), 0.0
    run = _played(runs / "run")
    data, expected = (run / FILE_NAME).read_bytes(), _everything(run)
    found, wrong = Counter[str](), list[str]()
    for number, (kind, damaged) in enumerate(_damages(data, every)):
        shutil.rmtree(run)
        run.mkdir()
        (run / FILE_NAME).write_bytes(damaged)
        started = monotonic()
        verdict = _verdict(runs, run, expected, with_report=number % report_every == 0)
        slowest = max(slowest, monotonic() - started)
        found[f"{kind}: {verdict}"] += 1
        if verdict not in ("the same", "refused"):
            wrong.append(f"{number}, {kind}: {verdict}")
    print(f"a record of {len(data):,} bytes, damaged {found.total():,} times")
    for what, count in sorted(found.items()):
        print(f"{count:>8,}  {what}")
    print(f"wrong: {len(wrong)}; slowest {slowest:.2f} s; {monotonic() - began:.0f} s in all")
    print(*wrong[:20], sep="\n")
    return int(bool(wrong))


def _played(folder: Path) -> Path:
    plan = match_plan("greedy:open", "random", Conditions(pairs=6, board="5x5", name="a run"))
    with closing(Record.create(folder, plan)) as record:
        play_run(record, 1)
    return folder


def _everything(run: Path) -> str:
    text = StringIO()
    with closing(Record(run)) as record:
        for write in WRITERS.values():
            write(record, text, True)
        text.write(repr(read_results(record).encounters))
        text.write(repr((record.fact("started"), record.is_finished, record.count())))
    return text.getvalue()


def _verdict(runs: Path, run: Path, expected: str, *, with_report: bool) -> str:
    try:
        [line] = list_runs(runs)
        if line.is_readable and (line.title, line.games, line.state) != ("a run", 12, "finished"):
            return f"listed as {line}"
        if _everything(run) != expected:
            return "silently wrong"
        with closing(Record(run, writes=True)) as record:
            if read_results(record).games != 12:
                return "resumed with other games"
            if with_report:
                report_document(record, overview_of(record))
    except InputError as error:
        is_line = str(run) in str(error) and "\n" not in str(error)
        return "refused" if is_line else f"refused by {error}"
    except Exception as error:  # a failure
        return f"{type(error).__name__}: {error}"
    return "the same"


def _damages(data: bytes, every: int) -> Iterator[tuple[str, bytes]]:
    chance = random.Random(1)
    for place in range(0, len(data), every):
        for kind, mask in (("a bit", 1 << chance.randrange(8)), ("a byte", 0xFF)):
            yield f"{kind} flipped", data[:place] + bytes([data[place] ^ mask]) + data[place + 1 :]
    pages = range(len(data) // PAGE)
    for page in pages:
        start, end = page * PAGE, (page + 1) * PAGE
        yield "cut short", data[:start]
        yield "cut short", data[: start + PAGE // 2]
        yield "a page emptied", data[:start] + bytes(PAGE) + data[end:]
        for other in pages:
            copy = data[other * PAGE : (other + 1) * PAGE]
            yield "a page in place of another", data[:start] + copy + data[end:]
    yield from _altered(data)


def _altered(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Damage done with SQL statements."""
    with TemporaryDirectory() as place:
        path = Path(place) / FILE_NAME
        path.write_bytes(data)
        with closing(sqlite3.connect(path)) as base:
            first_games = [number for (number,) in base.execute("SELECT first FROM games")]
    for statement in (
        *(f"DROP TABLE {table}" for table in ("facts", "games", "openings", "sums")),
        *(f"DELETE FROM {table}" for table in ("facts", "games", "openings", "sums")),
        "UPDATE games SET first = first + 2",
        "UPDATE games SET games = games - 1",
        "UPDATE games SET data = substr(data, 1, length(data) - 1)",
        "UPDATE openings SET openings = openings - 1",
        "UPDATE openings SET data = substr(data, 2)",
        *(f"DELETE FROM games WHERE first = {number}" for number in first_games),
        *(f"UPDATE games SET first = first + 1 WHERE first = {number}" for number in first_games),
        "UPDATE facts SET value = replace(value, '\"seed\": 1', '\"seed\": 2') WHERE name = 'plan'",
    ):
        with TemporaryDirectory() as place:
            path = Path(place) / FILE_NAME
            path.write_bytes(data)
            with suppress(sqlite3.IntegrityError), closing(sqlite3.connect(path)) as base, base:
                base.execute(statement)
            yield "altered by SQL", path.read_bytes()


if __name__ == "__main__":
    sys.exit(main())
