"""Checks on few positions, where a test is about something else.

`test_grading.py` checks a good agent on all of them.
"""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from isolarium.course import agent_checks, course_agent, grader
from tests.in_process import run_here


@contextmanager
def few_positions() -> Iterator[None]:
    """Check moves in three positions, by a faster clock, and searches in four, and compare scores in a few."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(agent_checks, "ANSWERED", 3)
        patch.setattr(agent_checks, "CLOCK_MS", 60.0)
        patch.setattr(agent_checks, "SEARCHED", 4)
        patch.setattr(course_agent, "WARMING_S", 0.5)
        patch.setattr(grader, "STAGE_POSITIONS", 6)
        yield


def run_quickly(*arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run a command in this process, with few positions and blank charts."""
    with few_positions():
        return run_here(*arguments)
