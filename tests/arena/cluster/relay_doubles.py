"""Doubles of the relay's process: each runs in a process of its own, and its address says what it sends.

They import little, because each of those processes imports this module.
"""

import os
import struct

from isolarium.processes.worker import Inbox


def prepare(_: str) -> None:
    """Restrict nothing."""


def send(inbox: Inbox, messages: str) -> None:
    """Send messages once there is a request."""
    inbox.take()
    for message in bytes.fromhex(messages).split(b"\0next\0"):
        inbox.send_bytes(message)
    inbox.take()


def stop_in_the_middle(inbox: Inbox, _: str) -> None:
    """Announce a message of 1,000 bytes, and send ten."""
    inbox.take()
    os.write(inbox._line.fileno(), struct.pack("!i", 1000) + b"0123456789")
    inbox.take()


def end(*_: object) -> None:
    """End at once."""
