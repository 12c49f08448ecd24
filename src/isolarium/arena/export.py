"""Exports a run's games as CSV, JSON, replays for the course's page, or text.

Games are written one at a time, ordered by encounter, pair and leg, so that memory does not limit
the length of a run. Without times, two runs of the same plan give the same output.
"""

import csv
import json
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any, Final, TextIO

from isolarium.arena.display_names import full_names
from isolarium.arena.run_db import Record
from isolarium.game.notation import parse_square
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
