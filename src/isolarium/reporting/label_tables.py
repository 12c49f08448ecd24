"""What is said of labelled positions."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from isolarium.reporting.model import Block, Column, Fact, Facts, Table, rows_of

COLUMNS: Final = (
    Column("board", "board", "<"),
    Column("games", "games", form=","),
    Column("positions", "positions", form=","),
    Column("moves", "moves\nsolved", form=","),
    Column("decisive", "decisive", form=","),
    Column("chance", "of their\nmoves win", form=".1%"),
    Column("train", "train", form=","),
    Column("validation", "validation", form=","),
    Column("test", "test", form=","),
    Column("outcomes", "outcomes", form=","),
    Column("given_up", "given up", form=","),
)


def label_table(facts: Mapping[str, Any]) -> Table:
    """What there is of each board, as `labels.json` says."""
    rows = [
        (
            board,
            said["games"],
            said["positions"],
            said["moves"],
            said["decisive"],
            said["chance"],
            *said["splits"].values(),
            said["positions"] - said["exact"],
            said["given_up"],
        )
        for board, said in facts["labels"].items()
    ]
    return Table("labels", "", COLUMNS, rows_of(COLUMNS, rows))


def label_blocks(facts: Mapping[str, Any], folder: Path) -> Iterator[Block]:
    """The same for people."""
    yield label_table(facts)
    yield Facts([Fact("folder", (str(folder),))])
