"""One limit for every budget: depth, nodes and time, in any combination."""

from collections.abc import Callable
from dataclasses import dataclass

from isolab.errors import InputError, quoted

Stop = Callable[[], bool]
"""Asked every few milliseconds whether to give up."""


@dataclass(frozen=True, slots=True)
class Limit:
    """When a search must stop; it stops at whichever is reached first.

    Attributes:
        depth: plies to look ahead.
        nodes: positions entered, leaves and rollout positions included: never more than these.
        time_ms: milliseconds on the clock.
    """

    depth: int | None = None
    nodes: int | None = None
    time_ms: float | None = None

    def __post_init__(self) -> None:
        """Check that every limit given is positive."""
        for name, value in (("depth", self.depth), ("nodes", self.nodes), ("ms", self.time_ms)):
            if value is not None and not 0 < value <= 10**15:
                raise InputError(
                    f"{name}={quoted(value, 30)}: expected more than 0 and at most 1e15"
                )

    def __str__(self) -> str:
        """Return it as in an agent's spec: `depth=3,nodes=8000,ms=150`."""
        parts = (("depth", self.depth), ("nodes", self.nodes), ("ms", self.time_ms))
        return ",".join(
            f"{name}={value}".removesuffix(".0") for name, value in parts if value is not None
        )
