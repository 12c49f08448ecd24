"""The `isolarium` command.

`commands` has the commands; what several of them print is in `run_output` and `screen`, their common options in
`options`, and the game in the terminal in `terminal_game`.
"""

from isolarium.cli.app import main

__all__ = ["main"]
