"""The `isolarium` command.

`commands` has a module for each command; what several of them show is in `run_output` and `study_output`, and a game in
the terminal in `terminal`.
"""

from isolarium.cli.app import main

__all__ = ["main"]
