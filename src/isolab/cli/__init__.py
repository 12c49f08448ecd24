"""The `isolab` command: one module per subcommand, each thin."""

from isolab.cli.app import main

__all__ = ["main"]
