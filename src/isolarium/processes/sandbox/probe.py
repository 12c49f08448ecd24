"""A process that only confines itself and reports what is in force: what this machine can hold back."""

import json
from dataclasses import asdict
from pathlib import Path

from isolarium.compat import line_of
from isolarium.processes.sandbox.confinement import confine, python_agent


def main(handle: int, scratch: str, personal: str) -> None:
    """Confine this process as that of an agent, and report the protection as the answer to one request."""
    with line_of(handle) as line:
        line.recv_bytes()
        folders = [Path(folder) for folder in json.loads(personal)]
        protection = confine(
            python_agent(), personal=folders, scratch=Path(scratch), descriptors=[handle]
        )
        for message in ({"sandbox": asdict(protection)}, {"done": True}):
            line.send_bytes(json.dumps(message).encode())
