"""Every figure of a run, to the last digit: those of version 2's rows, read singly, game by game.

`tests/data/earlier` has a timed match and an unfinished tournament, both as Isolarium wrote them when
its databases had a row for each game, with the figures that it computed from one `Game` after the other
and the checksums of its exports.
"""

import shutil
from contextlib import closing
from hashlib import sha256
from io import StringIO
from pathlib import Path

import pytest

from isolarium.arena.export import WRITERS
from isolarium.arena.run_db import Record
from tests.analysis.every_figure import every_figure

EARLIER = Path(__file__).parents[1] / "data" / "earlier"


def exports(record: Record) -> str:
    """The checksum of each export, as `sha256sum` prints them."""
    lines = list[str]()
    for form in ("csv", "text", "replay"):
        WRITERS[form](record, text := StringIO(), True)
        lines.append(f"{sha256(text.getvalue().encode()).hexdigest()}  {form}\n")
    return "".join(lines)


@pytest.mark.parametrize("name", ["timed_match", "tournament"])
def test_figures_are_those_computed_from_rows(tmp_path: Path, name: str) -> None:
    folder = Path(shutil.copytree(EARLIER / name, tmp_path / name))
    expected = (folder / "figures.txt").read_text(encoding="utf-8")
    with closing(Record(folder)) as record:
        assert not record.is_current
        assert every_figure(record) == expected
        assert exports(record) == (folder / "exports.txt").read_text(encoding="utf-8")
        games, openings, count = list(record.games()), record.openings(), record.count()
        pages = [list(record.games(skip=skip, most=3)) for skip in range(0, count, 7)]
    with closing(Record(folder, writes=True)) as record:
        assert record.is_current
        assert every_figure(record) == expected
    with closing(Record(folder)) as record:
        assert every_figure(record) == expected
        assert exports(record) == (folder / "exports.txt").read_text(encoding="utf-8")
        assert list(map(repr, record.games())) == list(map(repr, games))
        assert (record.openings(), record.count()) == (openings, count)
        assert [list(record.games(skip=skip, most=3)) for skip in range(0, count, 7)] == pages
