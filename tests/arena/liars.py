"""What workers of a cluster do that lie: Python texts for `DaskCluster.misbehaving`.

Each answers its first batches honestly, touches `begun` with the first lie, and goes on lying.
"""

from typing import Final

HONEST_BATCHES: Final = 2

_LYING: Final = """
import json
from dataclasses import replace

import numpy as np

from isolarium.arena.batch_codec import to_bytes

here.batches = 0


def answer(function, *arguments):
    told = honest["answer"](function, *arguments)
    if function.__name__ != "do":
        return told
    here.batches += 1
    if here.batches <= {honest_batches}:
        return told
    begun.touch()
    here.batch = arguments[1]
    return lie(told)


def changed(told, change):
    line, _, games = told.partition(b"\\n")
    return line + b"\\n" + to_bytes(change(here.batch.read(games)))


def stating(told, name, value):
    line, _, games = told.partition(b"\\n")
    said = json.loads(line)
    said["result"][name] = value
    return json.dumps(said).encode() + b"\\n" + games


{lie}
here.answer = answer
"""
_CHANGES: Final = {
    "shortened moves": """
def lie(told):
    def change(games):
        shorter = [
            replace(
                game,
                moves=game.moves[:-1],
                **{
                    name: getattr(game, name)[:-1]
                    for name in ("scores", "depths", "nodes", "times_ms", "busy_ms")
                },
            )
            for game in games
        ]
        return type(games).from_games(games.board, shorter)
    return changed(told, change)
""",
    "another winner": """
def lie(told):
    return changed(told, lambda games: replace(games, winners=1 - games.winners))
""",
    "another pair": """
def lie(told):
    return changed(told, lambda games: replace(games, pairs=games.pairs + 1))
""",
    "one game for all": """
def lie(told):
    return changed(told, lambda games: games.take(np.zeros(len(games), dtype=np.int64)))
""",
    "an unknown reason": """
def lie(told):
    return changed(told, lambda games: replace(games, reasons=games.reasons + 77))
""",
    "a flipped bit": """
def lie(told):
    return told[:-100] + bytes([told[-100] ^ 1]) + told[-99:]
""",
    "a time that is a text": """
def lie(told):
    return stating(told, "seconds", "0.1")
""",
    "a time without end": """
def lie(told):
    return stating(told, "seconds", float("inf"))
""",
    "no JSON": """
def lie(told):
    return told[1:]
""",
    "too many bytes": """
def lie(told):
    return told + b" " * (1 << 24)
""",
    "an object": """
def lie(told):
    return ["games"]
""",
}
LIES: Final = {name: _LYING.format(honest_batches=HONEST_BATCHES, lie=lie) for name, lie in _CHANGES.items()}
"""Lies by name."""


_CODE: Final = """
class Code:
    def __reduce__(self):
        return exec, ({text!r}, {{}})
"""


def returning_code(text: str) -> str:
    """Return a liar whose answer is an object: to unpickle it executes a Python text."""
    lie = _CODE.format(text=text) + "\ndef lie(told):\n    return Code()\n"
    return _LYING.format(honest_batches=HONEST_BATCHES, lie=lie)


def executing(text: str) -> str:
    """Return a liar that has Dask's client execute a Python text, with the pickled type of its answer.

    `HONEST_TYPES` ends that.
    """
    lie = (
        _CODE.format(text=text)
        + """
import pickle
from distributed import worker_state_machine as machine


class Pickle:
    loads = machine.pickle.loads

    def dumps(*_, **__):
        return pickle.dumps(Code())


def lie(told):
    machine.pickle = Pickle
    return told
"""
    )
    return _LYING.format(honest_batches=HONEST_BATCHES, lie=lie)


HONEST_TYPES: Final = """
from distributed import worker_state_machine as machine
from distributed.protocol import pickle

machine.pickle = pickle
"""
