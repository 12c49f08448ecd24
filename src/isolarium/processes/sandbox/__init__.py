"""The sandbox of third-party code: the files and system calls that it may use."""

from isolarium.processes.sandbox.confinement import (
    HEURISTIC_FILE,
    JIT,
    Profile,
    Protection,
    adapt_torch,
    confine,
    explained,
    python_agent,
)
from isolarium.processes.sandbox.readable import personal_folders

__all__ = [
    "HEURISTIC_FILE",
    "JIT",
    "Profile",
    "Protection",
    "adapt_torch",
    "confine",
    "explained",
    "personal_folders",
    "python_agent",
]
