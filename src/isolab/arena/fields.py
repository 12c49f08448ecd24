"""Fields of opponents that have a name."""

from typing import Final

from isolab.errors import InputError, quoted
from isolab.text import did_you_mean

FIELDS: Final = {
    # The course's tournament: Random, then minimax at depth 3 and alpha-beta, each with its three heuristics. The
    # course gave alpha-beta 150 ms a move; 8,000 nodes is what its programs visit in that time.
    "course": (
        "random",
        "minimax:open@depth=3",
        "minimax:center@depth=3",
        "minimax:improved@depth=3",
        "alphabeta:open@nodes=8000",
        "alphabeta:center@nodes=8000",
        "alphabeta:improved@nodes=8000",
    ),
    # The same at fixed depths, as seeds 003 and 004 had it.
    "fixed-depth": (
        "random",
        "minimax:null@depth=3",
        "minimax:open@depth=3",
        "minimax:improved@depth=3",
        "alphabeta:null@depth=5",
        "alphabeta:open@depth=5",
        "alphabeta:improved@depth=5",
    ),
}


def field_named(name: str) -> tuple[str, ...]:
    """The opponents of a field.

    Raises:
        InputError: there is no such field.
    """
    if name in FIELDS:
        return FIELDS[name]
    hint = did_you_mean(name, FIELDS) or f"there are {', '.join(FIELDS)}"
    raise InputError(f"no field {quoted(name)} ({hint})")
