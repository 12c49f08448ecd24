"""What workers of a cluster do that lie: Python texts for `DaskCluster.misbehaving`.

Each answers its first batches honestly, touches `begun` with the first lie, and goes on lying.
"""

from typing import Final

HONEST_BATCHES: Final = 2

_LYING: Final = """
import json

here.batches = 0


def answer(function, *arguments):
    told = honest["answer"](function, *arguments)
    if function.__name__ != "do":
        return told
    here.batches += 1
    if here.batches <= {honest_batches}:
        return told
    begun.touch()
    return lie(told)


def changed(told, change):
    said = json.loads(told)
    for game in said["result"]["games"]:
        change(game)
    return json.dumps(said).encode()


{lie}
here.answer = answer
"""
_CHANGES: Final = {
    "shortened moves": """
def lie(told):
    def change(game):
        game[3] = " ".join(game[3].split()[:-1])
        game[7:11] = [json.dumps(json.loads(values)[:-1]) for values in game[7:11]]
    return changed(told, change)
""",
    "another winner": """
def lie(told):
    def change(game):
        game[4] = 1 - game[4]
    return changed(told, change)
""",
    "another pair": """
def lie(told):
    def change(game):
        game[1] += 1
    return changed(told, change)
""",
    "one game for all": """
def lie(told):
    said = json.loads(told)
    said["result"]["games"] = [said["result"]["games"][0]] * len(said["result"]["games"])
    return json.dumps(said).encode()
""",
    "an unknown reason": """
def lie(told):
    def change(game):
        game[5] = "boredom"
    return changed(told, change)
""",
    "a time that is a text": """
def lie(told):
    said = json.loads(told)
    said["result"]["seconds"] = "0.1"
    return json.dumps(said).encode()
""",
    "a time without end": """
def lie(told):
    said = json.loads(told)
    said["result"]["seconds"] = float("inf")
    return json.dumps(said).encode()
""",
    "no JSON": """
def lie(told):
    return told[:-1]
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
LIES: Final = {
    name: _LYING.format(honest_batches=HONEST_BATCHES, lie=lie) for name, lie in _CHANGES.items()
}
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
