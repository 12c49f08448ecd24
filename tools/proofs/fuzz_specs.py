"""Parse random and mutated agents and heuristics; each must be accepted or refused in one line, at a bounded cost.

    python -m tools.proofs.fuzz_specs [--texts 100000] [--seed 1]

Texts consist of pieces of specs, of arbitrary letters, and of real specs with letters changed, removed, doubled or
moved. Each is read by the grammar (an agent, a heuristic, a limit), `parse_spec`, and the server's check of allowed
agents. The tool counts how many texts each of them accepted, and how many it refused with the error
for bad input. Each of the following is a failure: another exception, a message that is not a
printable line, a formatted spec that parses differently, an opened file, or a text that takes more
than `MOST_CALLS` function calls, a number that is the same on every machine.
"""

import argparse
import random
import sys
from collections import Counter
from collections.abc import Callable
from time import monotonic
from typing import Any

from isolarium.agents import parse_spec
from isolarium.errors import InputError
from isolarium.heuristics.lookup import catalogue
from isolarium.spec.parser import MOST_CHARS, parse_call, parse_limit, parse_tree, tree_of
from isolarium.spec.registry import SEARCHES
from isolarium.web.agent_policy import AgentPolicy
from isolarium.web.http_errors import HttpError

MOST_CALLS = 40_000
"""The maximum number of Python function calls for one text; the longest valid specs take a tenth of it."""
REAL = (
    "alphabeta:improved@nodes=8000",
    "mcts(c=0.5)@ms=150,book",
    "oracle@nodes=1e6,book=books/mine.bin",
    "greedy:my files/own:a@b.py:freer(weight=2)",
    "minmax_approximation(reverse=false, p=2):ratio@nodes=100",
    "alphabeta:staged(first=improved, then=distance(f=arctan), at=0.4)@depth=3,nodes=20k",
    "course:game_agent.py:Player(score_fn=custom_score)@ms=150",
    "engine:./engine --flag@nodes=10",
)
ODD = "()=,:@/.~ \0\n\t\u202e\ud800\U0001f600é0123456789eE+-_\"'{}%$\\"


def main() -> int:
    """Print the figures; return 1 if there was a failure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--texts", type=int, default=100_000, help="how many")
    parser.add_argument("--seed", type=int, default=1, help="random seed; the same seed reproduces the same texts")
    options = parser.parse_args()
    _load_everything()
    sys.addaudithook(_note_opening)
    return _prove(options.texts, random.Random(options.seed))


_opened: list[str] = []
INSTALLED = (sys.prefix, sys.base_prefix)
"""Files that may be opened, to find packages with registered heuristics."""


def _note_opening(event: str, arguments: tuple[Any, ...]) -> None:
    starts = event in ("import", "exec", "subprocess.Popen", "os.posix_spawn", "os.fork")
    opens = event == "open" and not str(arguments[0]).startswith(INSTALLED)
    if starts or opens:
        _opened.append(f"{event} {arguments[:1]!r}")


def _load_everything() -> None:
    """Import lazily loaded modules before files are watched."""
    for text in (*REAL, "greedy:~other/own.py:f"):
        for read in readers().values():
            _verdict(read, text)


def readers() -> dict[str, Callable[[str], object]]:
    """Every parser of third-party text."""
    policy = AgentPolicy()
    return {
        "an agent's tree": parse_tree,
        "a heuristic's tree": parse_call,
        "a limit": parse_limit,
        "an agent's spec": parse_spec,
        "trust": policy.check,
    }


def _prove(texts: int, chance: random.Random) -> int:
    began, found, wrong, most = monotonic(), Counter[str](), list[str](), 0
    reading = readers()
    for _ in range(texts):
        text = made_up(chance)
        _opened.clear()
        with _Calls() as calls:
            for name, read in reading.items():
                verdict = _verdict(read, text)
                found[f"{name}: {verdict if verdict in ('read', 'refused') else 'WRONG'}"] += 1
                if verdict not in ("read", "refused"):
                    wrong.append(f"{name} of {text!r}: {verdict}")
            wrong += _reparsed_otherwise(text)
        most = max(most, calls.count)
        wrong += [f"{text!r}: {what}" for what in _opened]
        if calls.count > MOST_CALLS:
            wrong.append(f"{text!r}: {calls.count:,} calls")
    print(f"{texts:,} texts, each read in {len(reading)} ways")
    for what, count in sorted(found.items()):
        print(f"{count:>8,}  {what}")
    print(f"wrong: {len(wrong)}; at most {most:,} calls a text; {monotonic() - began:.0f} s in all")
    print(*(line.encode("ascii", "backslashreplace").decode() for line in wrong[:20]), sep="\n")
    return int(bool(wrong))


def _verdict(read: Callable[[str], object], text: str) -> str:
    try:
        read(text)
    except (InputError, HttpError) as error:
        return "refused" if str(error).isprintable() else f"refused with {error!r}"
    except Exception as error:  # a failure
        return f"{type(error).__name__}: {error}"
    return "read"


def _reparsed_otherwise(text: str) -> list[str]:
    """Return the formatted spec, if parsing it again gives something else."""
    tree_of(text)
    try:
        spec = parse_spec(text)
    except InputError:
        return []
    again = parse_spec(str(spec))
    files = set(parse_tree(text).files)
    same = (str(again), set(spec.files), set(parse_tree(str(spec)).files))
    return [] if same == (str(spec), files, files) else [f"{text!r}: reads back as {again}"]


class _Calls:
    """Counts the calls of Python functions within a block."""

    def __enter__(self) -> "_Calls":
        self.count = 0
        sys.setprofile(self._called)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)

    def _called(self, frame: object, event: str, argument: object) -> None:
        self.count += event == "call"


# Texts


def made_up(chance: random.Random) -> str:
    """Return a text of one of several kinds."""
    kind = chance.randrange(6)
    if kind == 4:
        return well_formed(chance)
    if kind == 5:
        return ",".join(chance.choice(_BOUNDS) for _ in range(chance.randrange(1, 4)))
    if kind == 0:
        return "".join(chance.choice(_PIECES) for _ in range(chance.randrange(1, 30)))
    if kind == 1:
        letters = ODD + "abyp"
        return "".join(chance.choice(letters) for _ in range(chance.randrange(60)))
    if kind == 2:
        deep = chance.randrange(1, 2 * MOST_CHARS)
        return chance.choice(("(", "f(", "f(x=", ")", "@", ":", "=", ",", "a/", ".py:")) * deep
    return mutated(chance.choice(REAL), chance)


_BOUNDS = ("nodes=100", "ms=0.5", "depth=3", "book", "nodes=2e3", "book=a.bin", "ms=", "nodes=x")
_PIECES = (
    *SEARCHES,
    *catalogue(),
    *("nodes=", "ms=", "depth=", "book", "book=", "8000", "1e309", "-1", "nan", "20k", "0x10"),
    *("(", ")", ",", "=", ":", "@", " ", "/", ".py", "~", "..", "course", "engine", "{}"),
)


def well_formed(chance: random.Random) -> str:
    """Return a text of the right form with arbitrary names."""
    search, heuristic = chance.choice([*SEARCHES]), _heuristic(chance, 0)
    bounds = ",".join(chance.choice(_BOUNDS) for _ in range(chance.randrange(1, 3)))
    return chance.choice((search, f"{search}:{heuristic}", f"{search}:{heuristic}@{bounds}", f"{search}@{bounds}"))


def _heuristic(chance: random.Random, deep: int) -> str:
    word = chance.choice([*catalogue(), "own.py:f", "a b/c:d@e.py:f", "engine:x", "5", "1e400"])
    if deep > 10 or chance.random() < 0.5:
        return word
    values = [_heuristic(chance, deep + 1) for _ in range(chance.randrange(3))]
    return f"{word}({', '.join(chance.choice(('', 'weight=', 'at=')) + one for one in values)})"


def mutated(text: str, chance: random.Random) -> str:
    """Return a text with some characters changed, removed, doubled or moved, or with a part of another."""
    for _ in range(chance.randrange(1, 4)):
        at, to = sorted(chance.randrange(len(text) + 1) for _ in range(2))
        how = chance.randrange(5)
        if how == 0:
            text = text[:at] + chance.choice(ODD) + text[to:]
        elif how == 1:
            text = text[:at] + text[to:]
        elif how == 2:
            text = text[:to] + text[at:]
        elif how == 3:
            text = text[at:to] + text[:at] + text[to:]
        else:
            text = text[:at] + chance.choice(REAL)[at:to] + text[to:]
        text = text[: 4 * MOST_CHARS]
    return text


if __name__ == "__main__":
    sys.exit(main())
