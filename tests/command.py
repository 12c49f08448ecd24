"""The `isolab` command as people have it: another process, its output in pipes."""

import os
import subprocess
import sys
from pathlib import Path

COMMAND = str(Path(sys.executable).with_name("isolab"))

_ABOUT_COLOUR = {"NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "COLORTERM"}


def environment(**changes: str) -> dict[str, str]:
    """Return this environment with some changes, and otherwise silent about colour."""
    kept = {name: value for name, value in os.environ.items() if name not in _ABOUT_COLOUR}
    return {**kept, **changes}


def run_isolab(
    *arguments: str, answers: str = "", **variables: str
) -> "subprocess.CompletedProcess[str]":
    """Run the command to its end."""
    return subprocess.run(
        [COMMAND, *arguments],
        input=answers,
        capture_output=True,
        encoding="utf-8",
        env=environment(**variables),
        timeout=600,
        check=False,
    )


def assert_refused(result: "subprocess.CompletedProcess[str]", named: str) -> None:
    """See that the command said in one line what was wrong, naming it, and did nothing else."""
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr.startswith("isolab: ")
    assert result.stderr.count("\n") == 1
    assert named in result.stderr
