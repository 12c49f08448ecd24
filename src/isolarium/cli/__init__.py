"""The `isolarium` command.

`commands` says what each command takes and how it is used; `work` and `terminal` do what takes more than a few lines.
"""

from isolarium.cli.app import main

__all__ = ["main"]
