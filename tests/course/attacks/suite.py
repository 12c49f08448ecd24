"""All attempts."""

from typing import Final

from tests.course.attacks.administration import DOORS, MOUNTS, OWN_RIGHTS, SYSTEM
from tests.course.attacks.attempt import Attempt
from tests.course.attacks.locks import LOCKS
from tests.course.attacks.machine_code import MACHINE_CODE
from tests.course.attacks.memory import MEMORY
from tests.course.attacks.messages import CHANNELS, MESSAGES, MOVES
from tests.course.attacks.neighbours import LOOKING, SIGNALLING, SLOWING
from tests.course.attacks.network import NETWORK
from tests.course.attacks.processes import PROCESSES
from tests.course.attacks.reading import READING
from tests.course.attacks.shared_memory import SHARED_MEMORY
from tests.course.attacks.terminal import TERMINAL
from tests.course.attacks.writing import WRITING

SUITE: Final[dict[str, tuple[Attempt, ...]]] = {
    "Terminal": TERMINAL,
    "Shared objects": SHARED_MEMORY,
    "Slowing other processes": SLOWING,
    "Signals": SIGNALLING,
    "Looking into other processes": LOOKING,
    "Locks": LOCKS,
    "Reading files": READING,
    "Writing files": WRITING,
    "New processes": PROCESSES,
    "Network": NETWORK,
    "Mounts and namespaces": MOUNTS,
    "The system": SYSTEM,
    "Other doors into the kernel": DOORS,
    "Its own rights": OWN_RIGHTS,
    "Memory and disk": MEMORY,
    "Machine code": MACHINE_CODE,
    "Messages": MESSAGES + CHANNELS,
    "Between moves": MOVES,
}
ALL: Final = tuple(attempt for attempts in SUITE.values() for attempt in attempts)
