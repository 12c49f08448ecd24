"""What a shell may complete, without loading anything that takes time."""

import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from pathlib import Path

from isolab.agents.searches import PROGRAMS, SEARCHES


def agents(incomplete: str) -> list[str]:
    """Agents that begin so: first the search, then the heuristic.

    Bash hands on only what stands after a colon: there searches are completed, and files.
    """
    search, colon, begun = incomplete.partition(":")
    if not colon:
        takers = {name: kind.takes_heuristic for name, kind in SEARCHES.items()}
        names = [name + ":" * takes for name, takes in takers.items()]
        return beginning([*names, *(f"{name}:" for name in PROGRAMS)], incomplete)
    kind = SEARCHES.get(search)
    if kind is None or not kind.takes_heuristic:
        return []
    return [f"{search}:{name}" for name in heuristics(begun)]


def heuristics(incomplete: str) -> list[str]:
    """Heuristics of the catalogue that begin so."""
    return beginning(_catalogue(), incomplete)


def studies(incomplete: str) -> list[str]:
    """Studies that come with Isolab and begin so."""
    texts = files("isolab.studies").iterdir()
    return beginning(
        sorted(Path(text.name).stem for text in texts if text.name.endswith(".toml")), incomplete
    )


def runs(incomplete: str) -> list[str]:
    """Runs in the usual folder that begin so."""
    folders = sorted(Path("runs").glob("*/run.sqlite"))
    return beginning([*(path.parent.name for path in folders), "last"], incomplete)


@cache
def _catalogue() -> list[str]:
    """The names of all heuristics, from the study in which each of them plays: the catalogue loads the compiler."""
    text = files("isolab.studies").joinpath("course.toml").read_text(encoding="utf-8")
    specs = tomllib.loads(text)["agents"].values()
    return list(
        dict.fromkeys(spec.partition(":")[2] for spec in specs if spec.startswith("alphabeta:"))
    )


def beginning(names: Iterable[str], incomplete: str) -> list[str]:
    """Names that begin so."""
    return [name for name in names if name.startswith(incomplete)]
