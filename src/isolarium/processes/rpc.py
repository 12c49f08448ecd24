"""Calls and events: how a process of ours and a process that it started exchange work.

The parent sends a `Call`; the child answers with `Event`s: any number that report progress, then one that ends the
call.
Between our own processes both are pickled (`worker.py`).
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class EventKind(StrEnum):
    """What an event reports of its call."""

    PROGRESS = "progress"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Call:
    """Work for a child process.

    Attributes:
        number: Identifies the call in its events; they count up from 1.
        arguments: What the child's function is called with.
    """

    number: int
    arguments: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Event:
    """What happened to a call.

    Attributes:
        number: That of the call.
        kind: Any number of `PROGRESS`, then one of the others.
        content: The progress, the returned value or the exception.
        memory_mb: The memory that the child uses after the call.
    """

    number: int
    kind: EventKind
    content: Any
    memory_mb: int = 0
