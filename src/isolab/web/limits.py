"""What one request may ask for."""

import re
from typing import Final

from isolab.agents import AgentSpec
from isolab.errors import InputError, quoted

NODES: Final = 5_000_000
MS: Final = 10_000
DEPTH: Final = 30
GAME_CHARS: Final = 8_000
SPEC_CHARS: Final = 500
PAIRS: Final = 20_000
HEURISTICS: Final = 2
SEARCHES: Final = 2
QUICK_NODES: Final = 50_000
QUICK_MS: Final = 100
"""A search within these is quick: it goes into a lane that no long one holds up."""


LIMIT: Final = r"[a-z]+(=[0-9.eE+kKmM]+)?(,[a-z]+(=[0-9.eE+kKmM]+)?)*"
"""A limit for all agents: it becomes part of their specs, so it must be one, and not a path."""


def check_limit(text: str) -> None:
    """See that a limit for all agents is one.

    Raises:
        InputError: it is not.
    """
    if not re.fullmatch(LIMIT, text):
        raise InputError(f"limit {quoted(text)}: expected one such as nodes=8000 or ms=150")


def check_budget(spec: AgentSpec) -> None:
    """See that an agent asks for no more than a request may.

    Raises:
        InputError: names the limit and its cap.
    """
    limit = spec.limit
    for name, value, most in (
        ("nodes", limit.nodes, NODES),
        ("ms", limit.time_ms, MS),
        ("depth", limit.depth, DEPTH),
    ):
        if value is not None and value > most:
            raise InputError(f"{spec}: {name}={value:g}: expected at most {most:,} here")


def check_quick(spec: AgentSpec) -> None:
    """See that an agent can be asked about every move of a position.

    Raises:
        InputError: it takes too long.
    """
    if not is_quick(spec):
        raise InputError(
            f"{spec}: expected at most nodes={QUICK_NODES} or ms={QUICK_MS} where every move is searched"
        )


def is_quick(spec: AgentSpec) -> bool:
    """Whether an agent moves in no time."""
    limit = spec.limit
    if not spec.kind.takes_limit:
        return True
    by_nodes = limit.nodes is not None and limit.nodes <= QUICK_NODES
    return by_nodes or (limit.time_ms is not None and limit.time_ms <= QUICK_MS)
