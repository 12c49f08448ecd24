"""Attacks by third-party code, each tried in a match on a terminal and judged by its effect outside.

A selection; `python -m tools.proofs.sandbox_attacks` tries all of them, as an ordinary user too.
"""

import os
from collections.abc import Collection

import pytest

from isolarium.native.cache import cache_folder
from tests.course.attacks.attempt import Account, Form
from tests.course.attacks.locks import LOCKS
from tests.course.attacks.neighbours import SIGNALLING, SLOWING
from tests.course.attacks.shared_memory import SHARED_MEMORY
from tests.course.attacks.suite import ALL
from tests.course.attacks.trial import try_all
from tests.samples import sample

BY_NAME = {attempt.name: attempt for attempt in ALL}

TERMINAL = (
    "type into /dev/tty with TIOCSTI",
    "type into inherited descriptors with TIOCSTI",
    "type with TIOCSTI in the low half of a 64-bit request",
    "write on the terminal through /dev/tty",
    "change the terminal's modes",
    "read what the user types",
)
SYSTEM_CALLS = (
    *(one.name for one in (*SHARED_MEMORY, *SLOWING, *SIGNALLING, *LOCKS) if not one.alone),
    "let any process trace it (PR_SET_PTRACER, PR_SET_DUMPABLE)",
    "read the environment of its ancestors",
    "read another process's memory (process_vm_readv)",
    "change the flags of a file outside (FS_IOC_SETFLAGS)",
    "change the flags of a file outside by its path (file_setattr)",
    "change how a folder is mounted (mount_setattr)",
    "name the machine (sethostname)",
    "set the clock (settimeofday)",
    "restart the machine (reboot)",
    "start a process (fork)",
    "connect by TCP",
    "start a thread, as honest agents do",
    "run compiled code of NumPy, as honest agents do",
)
FILES = (
    "read a key in the home folder",
    "read a dot-file beside its own",
    "read another student's agent",
    "read the key that runs are signed with",
    "read the data file beside it",
    "create a file in the home folder",
    "create a file in the runs folder",
    "create a file in a folder outside",
    "create a file among the compiled code",
    "append to the shell's start file",
    "change the mode of a file outside",
    "write a file in its own folder",
    "send by UDP",
    "connect to a socket in a folder outside",
    "start a program (posix_spawn)",
)

pytestmark = pytest.mark.slow


def check(names: Collection[str], form: Form) -> None:
    """See that each of these attempts ends as it should, and name those that do not."""
    account = Account.ROOT if os.geteuid() == 0 else Account.USER
    attempts = [BY_NAME[name] for name in names]
    results = list(try_all(attempts, form, account, cache_folder()))
    assert results
    unexpected = [str(result) for result in results if not result.is_expected]
    assert not unexpected, "\n".join(unexpected)


def test_a_course_agent_reaches_nothing_outside() -> None:
    check([*TERMINAL, *SYSTEM_CALLS, *FILES], Form.COURSE)


def test_an_agent_file_reaches_nothing_outside() -> None:
    check([*TERMINAL, *SYSTEM_CALLS, *FILES], Form.AGENT)


def test_a_heuristic_file_reaches_nothing_outside() -> None:
    check([*TERMINAL, *SYSTEM_CALLS, *FILES], Form.HEURISTIC)


def test_a_read_lock_on_its_database_does_not_stop_a_run() -> None:
    check(["stop the run by a read lock on its database"], Form.COURSE)


@pytest.mark.parametrize("form", sample(Form, 1))
def test_no_thread_computes_while_the_opponent_thinks(form: Form) -> None:
    check(["compute while the opponent thinks"], form)
