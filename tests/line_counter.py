"""How much work something is, counted and not timed."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def steps_of(action: Callable[[], Any]) -> int:
    """How many lines of Python an action runs, its own exceptions and what they end included."""
    count = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        action()
    finally:
        sys.settrace(before)
    return count
