"""The `isolarium` command.

`commands` contains the commands. Their shared output is in `run_output` and `screen`, their shared
options are in `options`, and the game in the terminal is in `terminal_game`.
"""

from isolarium.cli.app import main

__all__ = ["main"]
