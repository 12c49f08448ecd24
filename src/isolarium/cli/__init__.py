"""The `isolarium` command.

`commands` contains the commands. Their shared output is in `run_output` and `screen`, their shared
options are in `options`, and the game in the terminal is in `terminal_game`.
"""

import os
import signal
from contextlib import suppress

INTERRUPTED = 130
"""The exit status after Ctrl-C; `app.py` has the other statuses."""


def _end_quietly(number: int, frame: object) -> None:
    """End the process at once: nothing has begun, so nothing needs to be cleaned up."""
    os.write(2, b"isolarium: stopped by Ctrl-C\n")
    os._exit(INTERRUPTED)


# The imports take a third of a second, and an interrupt would print their traceback. Only the main
# thread may set a handler, and other handlers are kept.
_before = signal.getsignal(signal.SIGINT)
if _before is signal.default_int_handler:
    with suppress(ValueError):
        signal.signal(signal.SIGINT, _end_quietly)

from isolarium.cli.app import main  # noqa: E402

if signal.getsignal(signal.SIGINT) is _end_quietly:
    signal.signal(signal.SIGINT, signal.default_int_handler)

__all__ = ["main"]
