"""Exports a run's games as CSV, JSON, Parquet, replays for the course's page, or text.

Games are written one at a time, ordered by encounter, pair and leg, so that memory does not limit the length of a run;
for Parquet, many at a time. Without times, two runs of the same plan give the same output.
"""

import csv
import json
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Final, TextIO

import numpy as np
from numpy.typing import NDArray

from isolarium.arena.game_batch import LARGE, LOSS, NO_PLIES, REASONS, UNKNOWN, WIN, GameBatch
from isolarium.arena.lines import Lines, square_names
from isolarium.arena.run_db import Record
from isolarium.arena.run_store import full_names
from isolarium.errors import InputError
from isolarium.game.board import parse_square
from isolarium.game.position import Player
from isolarium.text import harmless_cell

LISTS: Final = ("scores", "depths", "nodes")
TIMES: Final = ("times_ms", "busy_ms")
PLAIN: Final = ("encounter", "pair", "game", "first", "second", "opening", "moves", "winner")


def games_as_values(record: Record, times: bool) -> Iterator[dict[str, Any]]:
    """Yield every game as a dict whose keys are the field names in CSV and JSON.

    Encounters, pairs and games are numbered from 1.
    """
    labels = full_names(record.plan)
    for game in record.games():
        first, second = game.players
        values: dict[str, Any] = {
            "encounter": game.encounter + 1,
            "pair": game.pair + 1,
            "game": game.leg + 1,
            "first": labels[first],
            "second": labels[second],
            "opening": list(game.opening),
            "moves": list(game.moves),
            "winner": str(game.winner),
            "reason": str(game.reason),
            "note": game.note,
        }
        for name in (*LISTS, *(TIMES if times else ())):
            values[name] = getattr(game, name)
        yield values


def write_csv(record: Record, file: TextIO, times: bool) -> None:
    """Write one game per row; the values of a list are separated by semicolons."""
    names = [*PLAIN, "reason", "note", *LISTS, *(TIMES if times else ())]
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(names)
    for values in games_as_values(record, times):
        writer.writerow([_in_csv(values[name]) for name in names])


def _in_csv(value: Any) -> Any:
    if isinstance(value, list):
        if None in value:
            value = ["" if item is None else item for item in value]
        return ";".join(map(str, value))
    return harmless_cell(value)


def write_json(record: Record, file: TextIO, times: bool) -> None:
    """Write one object with the plan and the games, each game on its own line.

    With `times`, the object also describes when and where the run was played.
    """
    head: dict[str, Any] = {"plan": json.loads(record.plan.to_json())}
    if times:
        for name in ("started", "finished"):
            head[name] = record.fact(name)
        head["circumstances"] = record.sittings()
    file.write(json.dumps(head, ensure_ascii=False).removesuffix("}") + ', "games": [')
    separators = chain(["\n"], iter(lambda: ",\n", None))
    for values in games_as_values(record, times):
        file.write(next(separators) + json.dumps(values, ensure_ascii=False))
    file.write("\n]}\n")


def write_replays(record: Record, file: TextIO, times: bool) -> None:
    """Write one game per line in the format of the course's replay page.

    A game is a list of [row, col], placements first.
    """
    for game in record.games():
        squares = [parse_square(text, record.board) for text in game.line]
        file.write(json.dumps(squares) + "\n")


def write_text(record: Record, file: TextIO, times: bool) -> None:
    """Write one game per line in Isolarium's notation: `7x7: d4 b3 e6`."""
    for game in record.games():
        file.write(game.text(record.board) + "\n")


WRITERS: Final[dict[str, Callable[[Record, TextIO, bool], None]]] = {
    "csv": write_csv,
    "json": write_json,
    "replay": write_replays,
    "text": write_text,
}


# Parquet, with pyarrow or else polars. Where there is no score, it is null; a proven win is inf and a proven loss -inf,
# and then `proven` is true and `plies` has the number of plies to the end, if it is known.


LIBRARIES: Final = ("pyarrow", "polars")
Columns = dict[str, Any]
"""For each name, the values of games; or of lines or moves, with a mask of the unknown ones."""


def parquet_library() -> str:
    """Return the library to use.

    Raises:
        InputError: If none is installed.
    """
    for name in LIBRARIES:
        if find_spec(name) is not None:
            return name
    raise InputError("Parquet needs pyarrow or polars; run pip install '.[parquet]' in a clone")


def write_parquet(record: Record, path: Path, times: bool, library: str | None = None) -> None:
    """Write all games to a file; with pyarrow many at a time, with polars all at once.

    Raises:
        OSError: If the file cannot be written.
        InputError: If neither library is installed.
    """
    uses_arrow = (library or parquet_library()) == "pyarrow"
    with path.open("wb") as file:
        (_write_with_pyarrow if uses_arrow else _write_with_polars)(record, file, times)


def _of_games(record: Record, batch: GameBatch) -> Columns:
    labels = full_names(record.plan)
    named = [[labels[player] for player in players] for players in batch.players.T.tolist()]
    return {
        "encounter": batch.encounters + 1,
        "pair": batch.pairs + 1,
        "game": batch.legs.astype(np.int32) + 1,
        "first": named[0],
        "second": named[1],
        "winner": [str(Player(winner)) for winner in batch.winners.tolist()],
        "reason": [str(REASONS[reason]) for reason in batch.reasons.tolist()],
        "note": [batch.notes.get(number, "") for number in range(len(batch))],
    }


def _of_moves(batch: GameBatch, times: bool) -> Iterator[tuple[str, NDArray[Any], Any]]:
    """Yield the columns of moves: name, values, and where they are unknown."""
    kinds, scores = batch.kinds, batch.scores.copy()
    plies = np.where(batch.is_proven, scores, NO_PLIES)
    scores[kinds == LARGE] = batch.scores.view(np.int64)[kinds == LARGE]
    scores[kinds == WIN], scores[kinds == LOSS] = np.inf, -np.inf
    yield "scores", scores, kinds == UNKNOWN
    yield "proven", batch.is_proven, None
    yield "plies", plies.astype(np.int32), plies == NO_PLIES
    yield "depths", batch.depths, None
    yield "nodes", batch.nodes, None
    if times:
        yield "times_ms", batch.move_times_ms, None
        yield "busy_ms", batch.move_busy_ms, None


def _write_with_pyarrow(record: Record, file: BinaryIO, times: bool) -> None:
    arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    names = arrow.array(square_names(record.board))

    def lists(lines: Lines, values: Any) -> Any:
        return arrow.ListArray.from_arrays(arrow.array(lines.starts, arrow.int32()), values)

    def squares(lines: Lines) -> Any:
        return lists(lines, names.take(arrow.array(lines.squares)))

    def table(batch: GameBatch) -> Any:
        columns = _of_games(record, batch)
        columns |= {"opening": squares(batch.openings), "moves": squares(batch.moves)}
        for name, values, mask in _of_moves(batch, times):
            columns[name] = lists(batch.moves, arrow.array(values, mask=mask))
        return arrow.table(columns)

    schema = table(GameBatch.from_games(record.board, [])).schema
    for name in ("first", "second", "winner", "reason", "note"):
        schema = schema.set(schema.get_field_index(name), arrow.field(name, arrow.string()))
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        for batch in record.batches():
            writer.write_table(table(batch).cast(schema))


def _write_with_polars(record: Record, file: BinaryIO, times: bool) -> None:
    polars = import_module("polars")
    names = np.array(square_names(record.board))

    def lists(lines: Lines, columns: dict[str, Any]) -> Any:
        """Return a frame with a row for each line."""
        numbers = np.repeat(np.arange(len(lines)), lines.lengths)
        found = polars.DataFrame({"number": numbers, **columns})
        found = found.group_by("number", maintain_order=True).agg(polars.all())
        every = polars.DataFrame({"number": np.arange(len(lines))})
        joined = every.join(found, on="number", how="left", maintain_order="left")
        empty = [polars.col(name).fill_null([]) for name in columns]
        return joined.with_columns(empty).drop("number")

    def table(batch: GameBatch) -> Any:
        moves: dict[str, Any] = {"moves": names[batch.moves.squares].tolist()}
        for name, values, mask in _of_moves(batch, times):
            column = polars.Series(name, values)
            moves[name] = column if mask is None else column.set(polars.Series(mask), None)
        openings = {"opening": names[batch.openings.squares].tolist()}
        games = polars.DataFrame(_of_games(record, batch))
        parts = [games, lists(batch.openings, openings), lists(batch.moves, moves)]
        return polars.concat(parts, how="horizontal")

    frames = [table(batch) for batch in record.batches()]
    frames = frames or [table(GameBatch.from_games(record.board, []))]
    polars.concat(frames, how="vertical_relaxed").write_parquet(file)
