"""Supervised processes that end while they are used."""

import subprocess
import sys

from isolarium.processes.supervised_process import SupervisedProcess


class Ended(SupervisedProcess):
    """A process that has ended since its number was read, without a supervisor."""

    def __init__(self) -> None:
        process = subprocess.Popen([sys.executable, "-c", ""])
        process.wait()
        self._number, self._pausable, self._is_stopped = process.pid, None, False


def test_a_process_that_ends_after_its_answer_is_not_paused() -> None:
    process = Ended()
    process.pause()
    assert not process._is_stopped
