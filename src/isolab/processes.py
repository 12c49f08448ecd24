"""What every process that we start does first."""

import os
import signal
import threading
from multiprocessing import parent_process
from multiprocessing.connection import wait


def be_a_worker() -> None:
    """Leave Ctrl-C to the parent, and end with it, whatever we are doing then."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
