"""What one request may ask for."""

from typing import Final

from isolab.agents import AgentSpec
from isolab.errors import InputError
from isolab.limits import Limit

NODES: Final = 5_000_000
MS: Final = 10_000
DEPTH: Final = 30
GAME_CHARS: Final = 8_000
PAIRS: Final = 20_000
HEURISTICS: Final = 2
SEARCHES: Final = 2
QUICK_NODES: Final = 50_000
QUICK_MS: Final = 100
"""A search within these is quick: it goes into a lane that no long one holds up."""


def check_budget(asked: object, limit: Limit) -> None:
    """See that a limit is no more than a request may ask for.

    Raises:
        InputError: names who asks, the limit and its cap.
    """
    for name, value, most in (
        ("nodes", limit.nodes, NODES),
        ("ms", limit.time_ms, MS),
        ("depth", limit.depth, DEPTH),
    ):
        if value is not None and value > most:
            raise InputError(f"{asked}: {name}={value:g}: expected at most {most:,} here")


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
