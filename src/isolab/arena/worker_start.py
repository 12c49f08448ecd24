"""The first moments of a worker process. Nothing heavy is imported here, so that they come soon."""

import os
import warnings
from pathlib import Path

from isolab.arena.log import write_to
from isolab.processes import be_a_worker


def start_worker(core: int | None, log: Path | None) -> None:
    """Get a worker ready: it leaves Ctrl-C to its parent and ends with it, may have a core of its own, and is silent.

    What agents print goes into the log. Their warnings are the parent's to show, once.
    """
    be_a_worker()
    if core is not None:
        os.sched_setaffinity(0, {core})
    warnings.simplefilter("ignore")
    if log is not None:
        write_to(log)
