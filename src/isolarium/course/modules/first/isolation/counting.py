"""A hook for whoever hosts an agent: it is told of every position that is asked for.

    from isolation import counting
    counting.on_position = function  # called with the number of moves made so far
    counting.on_position = None      # nobody is told, and it costs nothing

A position is asked for by `Board.apply_move`, and so by `Board.forecast_move`, which calls it once. `Board.copy` alone
makes no new position. What the function raises comes out where the agent asked. A host can thus have `time_left` count
positions instead of looking at the clock, and a game is then the same on every machine.
"""

from __future__ import annotations

from typing import Callable

on_position: Callable[[int], object] | None = None
"""What is called for every position, before it is made."""
