"""Heuristics in files, as third parties write them, with the values and searches they must have again.

The files are the example, the slow one of docs/how-to/write-a-heuristic.md, and copies of the whole catalogue in a
folder elsewhere: there they are third-party code for the program, and are loaded in processes of their own.
`file_heuristics.txt` has a line for each; `python -m tools.proofs.honest_agents --record` writes it.
"""

import re
import warnings
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from isolarium.agents import make_agent, parse_spec
from isolarium.agents.agent import SpecAgent
from isolarium.game.notation import parse_position
from isolarium.heuristics import catalogue as package
from isolarium.heuristics.compiler import HeuristicWarning
from isolarium.heuristics.lookup import catalogue

ROOT: Final = Path(__file__).parents[2]
EXAMPLE: Final = ROOT / "examples" / "my_heuristic.py"
PAGE: Final = ROOT / "docs/how-to/write-a-heuristic.md"
CATALOGUE: Final = Path(package.__file__).parent
RECORDED: Final = Path(__file__).with_name("file_heuristics.txt")

NAMES: Final = (
    *(f"my_heuristic.py:{name}" for name in ("freer", "best_step", "drifting")),
    "slow.py:by_name",
    *(f"{one.family}.py:{one.function.__name__}" for one in catalogue().values()),
)
SAMPLE: Final = ("my_heuristic.py:best_step", "slow.py:by_name", "learned.py:learned", "territory.py:staged")
"""What the quick test tries: a lookahead, one that does not compile, one with a data file, one with neighbours."""

LIMIT: Final = "nodes=500"
PLIES: Final = 6
SEED: Final = 27
POSITIONS: Final = tuple(
    map(
        parse_position,
        ("7/7/2A4/3x3/4B2/7/7 a", "xx1x3/1A1xx2/7/x2B2x/2xx3/7/1xx4 b", "xxxx3/xxxx3/xxA4/xxxx3/xxxxB2/xxxx3/xxxx3 a"),
    )
)


def write_files(folder: Path) -> None:
    """Write all files into a folder, importing from each other what they imported from the catalogue."""
    for path in CATALOGUE.glob("[a-z]*.py"):
        text = path.read_text(encoding="utf-8")
        (folder / path.name).write_text(text.replace(f"from {package.__name__}.", "from "), encoding="utf-8")
    (folder / EXAMPLE.name).write_text(EXAMPLE.read_text(encoding="utf-8"), encoding="utf-8")
    shown = re.search(r"^```python\n(# slow\.py\n.*?)^```$", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    assert shown is not None
    (folder / "slow.py").write_text(shown[1], encoding="utf-8")


def measured(names: Iterable[str] = NAMES) -> dict[str, str]:
    """Return the values and the first moves of a game of each heuristic, in the form they are recorded in."""
    with TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", HeuristicWarning)  # one of them is meant to be slow
        write_files(Path(folder))
        return {name: _measured_from(f"{folder}/{name}") for name in names}


def _measured_from(heuristic: str) -> str:
    with closing(make_agent(parse_spec(f"alphabeta:{heuristic}@{LIMIT}"))) as agent:
        return " | ".join([*_values(agent), _opening_moves(agent)])


def _values(agent: SpecAgent) -> list[str]:
    """Return the value of the position after each move, to six digits, for each of the positions."""
    return [
        " ".join(f"{move}={value:.6g}" for move, value in sorted(agent.values(position).items()))
        for position in POSITIONS
    ]


def _opening_moves(agent: SpecAgent) -> str:
    """Return the first moves of a game against itself, each with the nodes and the depth of its search."""
    position, moves = POSITIONS[0], []
    agent.new_game(SEED)
    for _ in range(PLIES):
        choice = agent.choose(position)
        moves.append(f"{choice.move}/{choice.report.nodes}/{choice.report.depth}")
        position = position.play(choice.move)
    return " ".join(moves)


def recorded() -> dict[str, str]:
    """Return what is recorded, in the form of `measured`."""
    lines = RECORDED.read_text(encoding="utf-8").splitlines()
    return {name: found for name, _, found in (line.partition(" ") for line in lines)}


def record(found: Mapping[str, str]) -> None:
    """Write what `measured` returned."""
    RECORDED.write_text("".join(f"{name} {line}\n" for name, line in found.items()))
