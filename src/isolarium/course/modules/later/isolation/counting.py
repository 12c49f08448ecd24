"""A hook for the program that runs an agent: it can count positions.

    from isolation import counting
    counting.on_position = function  # called with the number of moves made so far
    counting.on_position = None      # no calls, and no overhead

`Isolation.result` generates a position. An exception of the function propagates into the agent. The
hook makes it possible to limit positions instead of time, which makes games reproducible on every
machine.
"""

from __future__ import annotations

from typing import Callable

on_position: Callable[[int], object] | None = None
"""The function called before each position is generated, if any."""
