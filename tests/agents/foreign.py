"""What tests of other people's code have in common."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from isolarium.agents import parse_spec
from isolarium.agents.subprocess_agent import SubprocessAgent
from isolarium.game.notation import parse_position
from tests.command import PATIENCE_S

FILES = Path(__file__).parent / "files"

COMPILED = f"{FILES}/compiled.py"
IN_PYTHON = f"{FILES}/in_python.py"

EARLY = parse_position("7/7/2A4/3x3/4B2/7/7 a")
LATE = parse_position("xxxx3/xxxx3/xxA4/xxxx3/xxxxB2/xxxx3/xxxx3 a")


@contextmanager
def hosted(spec: str, patience_s: float = PATIENCE_S) -> Iterator[SubprocessAgent]:
    """The agent, for as long as the block takes."""
    agent = SubprocessAgent(parse_spec(spec), patience_s)
    try:
        yield agent
    finally:
        agent.close()


def processes_of(parent: int) -> list[int]:
    """The processes that a process has started and that are still there, ended ones not yet waited for included.

    Those that were forked by its fork server are among them, the fork server is not.
    """
    children = defaultdict[int, list[int]](list)
    for folder in Path("/proc").glob("[0-9]*"):
        stat = _read(folder / "stat")
        if stat:
            children[int(stat.rpartition(")")[2].split()[1])].append(int(folder.name))

    def below(process: int) -> Iterator[int]:
        for child in children[process]:
            is_fork_server = _read(Path(f"/proc/{child}/comm")) == "isolarium-fork\n"
            yield from below(child) if is_fork_server else [child]

    return list(below(parent))


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except (FileNotFoundError, ProcessLookupError):  # it has ended meanwhile
        return ""


def after_calls(count: int) -> Callable[[], bool]:
    """What says stop when it is asked for the `count`-th time, and from then on."""
    calls = iter(range(count - 1))
    return lambda: next(calls, None) is None
