"""Shell completion that does not import slow modules."""

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

MARKERS = ("run.sqlite", "study.toml", "tuning.json")
"""The files that mark the folder of a run, a study or a tuning run."""


def answer_bash(complete: Callable[[], object]) -> None:
    """Complete words that bash splits, such as `alphabeta:imp` at the colon.

    Bash replaces only the text after the last separator, so only that text is printed.

    Args:
        complete: reads the words from the environment, prints the completions of the last one, and
            exits.
    """
    kept = _join_words(os.environ)
    with redirect_stdout(StringIO()) as printed, suppress(SystemExit):
        complete()
    print(*(line.removeprefix(kept) for line in printed.getvalue().splitlines()), sep="\n")


def _join_words(environment: MutableMapping[str, str]) -> str:
    """Join the split words, and return the prefix that bash does not replace."""
    at, kept = int(environment["COMP_CWORD"]), ""
    joined: list[str] = []
    for number, word in enumerate(environment["COMP_WORDS"].split("\n")):
        before = ""
        if number > 1 and (_is_sign(word) or _is_sign(joined[-1][-1:])):
            before = joined.pop()
        joined.append(before + word)
        if number == at:
            environment["COMP_CWORD"] = str(len(joined) - 1)
            kept = before + word if _is_sign(word) else before
    environment["COMP_WORDS"] = "\n".join(joined)
    return kept.partition("=")[2] if kept.startswith("-") else kept


def _is_sign(word: str) -> bool:
    return word != "" and set(word) <= set(":@=")


def agents(incomplete: str) -> list[str]:
    """Complete an agent: first its search, then its heuristic."""
    search, colon, begun = incomplete.partition(":")
    if not colon:
        takers = {name: kind.takes_heuristic for name, kind in SEARCHES.items()}
        names = [name + ":" * takes for name, takes in takers.items()]
        found = matching([*names, *(f"{name}:" for name in PROGRAMS)], incomplete)
        if len(found) != 1 or not takers.get(found[0][:-1]):
            return found
        search = found[0][:-1]  # List its heuristics too: shells add a space after a single match.
    kind = SEARCHES.get(search)
    if kind is None or not kind.takes_heuristic:
        return []
    return [f"{search}:{name}" for name in heuristics(begun)]


def heuristics(incomplete: str) -> list[str]:
    """Complete the name of a heuristic in the catalogue."""
    return matching(_catalogue(), incomplete)


def studies(incomplete: str) -> list[str]:
    """Complete the name of a study that comes with Isolarium."""
    texts = files("isolarium.studies").iterdir()
    return matching(sorted(Path(text.name).stem for text in texts if text.name.endswith(".toml")), incomplete)


def fields(incomplete: str) -> list[str]:
    """Complete the name of a field of opponents."""
    return matching(("course", "fixed-depth"), incomplete)


def runs(incomplete: str) -> list[str]:
    """Complete the name of a run, study or tuning run in the default folder."""
    found = {path.parent.name for name in MARKERS for path in Path("runs").glob(f"*/{name}")}
    return matching([*sorted(found), "last"], incomplete)


@cache
def _catalogue() -> list[str]:
    """Return all heuristics, read from a study that plays every one of them.

    The catalogue itself is slow to load.
    """
    text = own_text("studies/course.toml")
    specs = tomllib.loads(text)["agents"].values()
    return list(dict.fromkeys(spec.partition(":")[2] for spec in specs if spec.startswith("alphabeta:")))


def matching(names: Iterable[str], incomplete: str) -> list[str]:
    """Return the names that start with the incomplete text."""
    return [name for name in names if name.startswith(incomplete)]
