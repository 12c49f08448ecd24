"""What a shell may complete, without loading anything that takes time."""

import os
import tomllib
from collections.abc import Callable, Iterable, MutableMapping
from contextlib import redirect_stdout, suppress
from functools import cache
from importlib.resources import files
from io import StringIO
from pathlib import Path

from isolarium.safe_files import own_text
from isolarium.spec.registry import PROGRAMS, SEARCHES

KEPT = ("run.sqlite", "study.toml", "tuning.json")
"""The files by which folders of runs, studies and tunings are known."""


def answer_bash(complete: Callable[[], object]) -> None:
    """Have words completed that bash has taken apart: `alphabeta`, `:` and `imp` are one word to everybody else.

    Bash replaces only what stands after the last of these signs, so it is told no more than that.

    Args:
        complete: reads the words from the environment, prints how the last may go on, and exits.
    """
    standing = _join_words(os.environ)
    with redirect_stdout(StringIO()) as said, suppress(SystemExit):
        complete()
    print(*(line.removeprefix(standing) for line in said.getvalue().splitlines()), sep="\n")


def _join_words(environment: MutableMapping[str, str]) -> str:
    """Put the words together; of the one to be completed, what bash does not replace."""
    at, standing = int(environment["COMP_CWORD"]), ""
    joined: list[str] = []
    for number, word in enumerate(environment["COMP_WORDS"].split("\n")):
        before = ""
        if number > 1 and (_is_sign(word) or _is_sign(joined[-1][-1:])):
            before = joined.pop()
        joined.append(before + word)
        if number == at:
            environment["COMP_CWORD"] = str(len(joined) - 1)
            standing = before + word if _is_sign(word) else before
    environment["COMP_WORDS"] = "\n".join(joined)
    return standing.partition("=")[2] if standing.startswith("-") else standing


def _is_sign(word: str) -> bool:
    return word != "" and set(word) <= set(":@=")


def agents(incomplete: str) -> list[str]:
    """Agents that begin so: first the search, then the heuristic."""
    search, colon, begun = incomplete.partition(":")
    if not colon:
        takers = {name: kind.takes_heuristic for name, kind in SEARCHES.items()}
        names = [name + ":" * takes for name, takes in takers.items()]
        found = beginning([*names, *(f"{name}:" for name in PROGRAMS)], incomplete)
        if len(found) != 1 or not takers.get(found[0][:-1]):
            return found
        search = found[0][:-1]  # with its heuristics: after the colon alone shells put a space
    kind = SEARCHES.get(search)
    if kind is None or not kind.takes_heuristic:
        return []
    return [f"{search}:{name}" for name in heuristics(begun)]


def heuristics(incomplete: str) -> list[str]:
    """Heuristics of the catalogue that begin so."""
    return beginning(_catalogue(), incomplete)


def studies(incomplete: str) -> list[str]:
    """Studies that come with Isolarium and begin so."""
    texts = files("isolarium.studies").iterdir()
    return beginning(
        sorted(Path(text.name).stem for text in texts if text.name.endswith(".toml")), incomplete
    )


def fields(incomplete: str) -> list[str]:
    """Fields of opponents that begin so."""
    return beginning(("course", "fixed-depth"), incomplete)


def runs(incomplete: str) -> list[str]:
    """Runs, studies and tunings in the usual folder that begin so."""
    found = {path.parent.name for name in KEPT for path in Path("runs").glob(f"*/{name}")}
    return beginning([*sorted(found), "last"], incomplete)


@cache
def _catalogue() -> list[str]:
    """The names of all heuristics, from the study in which each of them plays: the catalogue loads the compiler."""
    text = own_text("studies/course.toml")
    specs = tomllib.loads(text)["agents"].values()
    return list(
        dict.fromkeys(spec.partition(":")[2] for spec in specs if spec.startswith("alphabeta:"))
    )


def beginning(names: Iterable[str], incomplete: str) -> list[str]:
    """Names that begin so."""
    return [name for name in names if name.startswith(incomplete)]
