"""Processes of ours and of third-party code: how they start, talk, are confined and end."""
