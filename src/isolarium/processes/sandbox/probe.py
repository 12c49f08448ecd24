"""A process that only enters a sandbox and reports what it holds: what this machine can enforce."""

import json
from dataclasses import asdict
from pathlib import Path

from isolarium.compat import line_of
from isolarium.processes.rpc import CallServer
from isolarium.processes.sandbox.confinement import confine, python_agent


def main(handle: int, scratch: str, personal: str) -> None:
    """Enter the sandbox of a Python agent, and report its protection before answering one call."""
    with line_of(handle) as line:
        server = CallServer(line)
        server.receive()
        folders = [Path(folder) for folder in json.loads(personal)]
        protection = confine(
            python_agent(), personal=folders, scratch=Path(scratch), descriptors=[handle]
        )
        server.send_protection(asdict(protection))
        server.send(done=True)
