"""Processes, our own and those of third-party code, from start to end."""
