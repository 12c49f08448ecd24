"""The user's terminal: typing into it, writing on it, taking it over."""

from typing import Final

from tests.course.attacks.attempt import ROOT, Attempt, Stop
from tests.course.attacks.effects import shell_found, shown, typed, typed_elsewhere
from tests.course.attacks.scene import AHEAD

TERMINAL: Final = (
    Attempt(
        "type into /dev/tty with TIOCSTI",
        "return type_text(os.open('/dev/tty', os.O_RDONLY), 'by-name;')",
        Stop.LANDLOCK_READ,
        typed("by-name;"),
    ),
    Attempt(
        "type into inherited descriptors with TIOCSTI",
        "return each(lambda fd: type_text(fd, 'inherited;'), descriptors())",
        Stop.ARGUMENT,
        typed("inherited;"),
    ),
    Attempt(
        "type with TIOCSTI in the low half of a 64-bit request",
        """
def push(fd):
    return type_text(fd, 'high-bits;', 0x5412 | 1 << 32)
return any_of(lambda: push(os.open('/dev/tty', os.O_RDONLY)), lambda: each(push, descriptors()))
""",
        Stop.ARGUMENT,
        typed("high-bits;"),
    ),
    Attempt(
        "type into the terminal that an ancestor has open",
        """
def push(path):
    return type_text(os.open(path, os.O_RDONLY | os.O_NOCTTY), 'ancestor;')
return each(push, [f'/proc/{process}/fd/{fd}' for process in ancestors() for fd in range(3)])
""",
        Stop.LANDLOCK_READ,
        typed("ancestor;"),
    ),
    Attempt(
        "type into another terminal by its path",
        "return type_text(os.open(SECOND, os.O_RDONLY | os.O_NOCTTY), 'other-tty;')",
        Stop.LANDLOCK_READ,
        typed_elsewhere("other-tty;"),
        accounts=ROOT,
    ),
    Attempt(
        "write on the terminal through /dev/tty",
        "os.write(os.open('/dev/tty', os.O_WRONLY), b'painted-' + b'by-name')",
        Stop.LANDLOCK_WRITE,
        shown(b"painted-by-name"),
    ),
    Attempt(
        "change the terminal's modes",
        """
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
tty = os.open('/dev/tty', os.O_RDONLY)
modes = termios.tcgetattr(tty)
modes[3] &= ~termios.ECHO
termios.tcsetattr(tty, termios.TCSANOW, modes)
""",
        Stop.LANDLOCK_READ,
        shell_found("modes_changed"),
    ),
    Attempt(
        "become the terminal's foreground group",
        """
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
os.tcsetpgrp(os.open('/dev/tty', os.O_RDONLY), os.getpgrp())
""",
        Stop.LANDLOCK_READ,
        shell_found("foreground_changed"),
        alone=True,
    ),
    Attempt(
        "discard what the user has typed",
        """
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
termios.tcflush(os.open('/dev/tty', os.O_RDONLY), termios.TCIFLUSH)
""",
        Stop.LANDLOCK_READ,
        lambda scene: AHEAD not in scene.found.shell["typed"],
        alone=True,
    ),
    Attempt("read what the user types", "os.open('/dev/tty', os.O_RDONLY | os.O_NONBLOCK)", Stop.LANDLOCK_READ),
    Attempt(
        "read the console's screen with TIOCLINUX",
        """
def look(path):
    return reached('ioctl', os.open(path, os.O_RDONLY | os.O_NOCTTY), 0x541C, b'\\x06')
return each(look, ['/dev/tty1', '/dev/tty0', '/dev/console', '/dev/tty'])
""",
        Stop.LANDLOCK_READ,
    ),
    Attempt(
        "make TIOCLINUX calls on inherited descriptors",
        "return each(lambda fd: reached('ioctl', fd, 0x541C, b'\\x06'), descriptors())",
        Stop.ARGUMENT,
    ),
    Attempt(
        "take another terminal as the controlling one",
        """
with suppress(OSError):
    os.setsid()
fcntl.ioctl(os.open(SECOND, os.O_RDONLY | os.O_NOCTTY), 0x540E, 0)
""",
        Stop.LANDLOCK_READ,
        alone=True,
    ),
    Attempt("make a terminal of its own", "return os.open('/dev/ptmx', os.O_RDONLY | os.O_NOCTTY)", Stop.LANDLOCK_READ),
    Attempt(
        "ask inherited descriptors how large the terminal is",
        "return each(os.get_terminal_size, descriptors())",
        Stop.DESCRIPTORS,
        allowed="harmless, and Rich asks it; only where a stream of the command is the terminal",
    ),
)
