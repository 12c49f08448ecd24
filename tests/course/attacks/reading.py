"""Files that are none of an agent's business, and those that it needs."""

from typing import Final

from tests.course.attacks.attempt import ROOT, Attempt, Stop
from tests.course.attacks.scene import Scene


def _read_key(scene: Scene) -> bool:
    """Whether the key that runs are signed with was reported."""
    key = scene.home / ".local/share/isolarium/key"
    reported = scene.found.output.decode(errors="replace") + scene.found.logs
    return key.exists() and key.read_bytes().hex()[:32] in reported


_PATHS: Final = {
    "a key in the home folder": "HOME + '/.ssh/id_ed25519'",
    "an ordinary file in the home folder": "HOME + '/notes.txt'",
    "a file outside": "OUTSIDE + '/secret.txt'",
    "another student's agent": "NEIGHBOUR + '/game_agent.py'",
    "a dot-file beside its own": "AGENT + '/.env'",
    "a runs folder beside its own": "AGENT + '/runs/old/run.txt'",
    "a file outside by a relative path": "os.path.relpath(OUTSIDE) + '/secret.txt'",
    "a file outside through /proc/self/root": "'/proc/self/root' + OUTSIDE + '/secret.txt'",
    "a file outside through its own folder": "AGENT + '/../outside/secret.txt'",
}
READING: Final = (
    *(
        Attempt(f"read {name}", f"return open({path}).read()", Stop.LANDLOCK_READ, secret=True)
        for name, path in _PATHS.items()
    ),
    Attempt(
        "read a file outside through a link in its own folder",
        """
link = tempfile.mkdtemp() + '/link'
os.symlink(OUTSIDE + '/secret.txt', link)
return open(link).read()
""",
        Stop.LANDLOCK_READ,
        secret=True,
    ),
    Attempt(
        "read a file outside by its handle (open_by_handle_at)",
        """
handle = ctypes.create_string_buffer(struct.pack('I', 128) + bytes(132))
mount = ctypes.c_int()
path = (OUTSIDE + '/secret.txt').encode()
call('name_to_handle_at', -100, path, handle, ctypes.byref(mount), 0)
root = os.open('/', os.O_RDONLY)
return os.read(call('open_by_handle_at', root, handle, os.O_RDONLY), 99).decode()
""",
        Stop.SECCOMP,
        secret=True,
    ),
    Attempt(
        "find out whether a file outside is there, by its handle",
        """
handle = ctypes.create_string_buffer(struct.pack('I', 128) + bytes(132))
path = (OUTSIDE + '/secret.txt').encode()
return call('name_to_handle_at', -100, path, handle, ctypes.byref(ctypes.c_int()), 0)
""",
        Stop.SECCOMP,
    ),
    Attempt(
        "read the sizes and times of a file outside (stat)",
        "return os.stat(OUTSIDE + '/secret.txt').st_size",
        Stop.LANDLOCK_READ,
        allowed="Landlock does not govern stat; names, sizes and times can be found out, not contents",
    ),
    Attempt("list a folder outside", "return os.listdir(OUTSIDE)", Stop.LANDLOCK_READ),
    Attempt("list the home folder", "return os.listdir(HOME)", Stop.LANDLOCK_READ),
    Attempt("read the passwords (/etc/shadow)", "return open('/etc/shadow').read()[:20]", Stop.LANDLOCK_READ),
    Attempt("read the accounts (/etc/passwd)", "return open('/etc/passwd').read()[:4]", Stop.LANDLOCK_READ),
    Attempt(
        "read the key that runs are signed with",
        "return open(HOME + '/.local/share/isolarium/key', 'rb').read().hex()[:32]",
        Stop.LANDLOCK_READ,
        _read_key,
    ),
    Attempt(
        "read the run that it plays in",
        """
(database,) = Path(RUNS).glob('*/run.sqlite')
return database.read_bytes()[:15].decode()
""",
        Stop.LANDLOCK_READ,
    ),
    Attempt(
        "read the disk itself",
        "return each(lambda path: os.read(os.open(path, os.O_RDONLY), 512)[:4],"
        " ['/dev/vda', '/dev/sda', '/dev/nvme0n1'])",
        Stop.LANDLOCK_READ,
        accounts=ROOT,
    ),
    Attempt(
        "read the disk through a device file of its own (mknod)",
        """
path = tempfile.mkdtemp() + '/disk'
os.mknod(path, stat.S_IFBLK | 0o600, os.stat('/').st_dev)
return os.read(os.open(path, os.O_RDONLY), 512)[:4]
""",
        Stop.LANDLOCK_WRITE,
    ),
    Attempt(
        "read the kernel's memory or log",
        "return each(lambda path: os.open(path, os.O_RDONLY | os.O_NONBLOCK),"
        " ['/dev/mem', '/dev/kmsg', '/proc/kcore', '/proc/kallsyms', '/dev/port'])",
        Stop.LANDLOCK_READ,
    ),
    Attempt("read the kernel's log (syslog)", "return call('syslog', 10, None, 0)", Stop.SECCOMP),
    Attempt(
        "read what the machine's network is like",
        "return len(open('/proc/net/tcp').read() + open('/sys/class/net/lo/address').read())",
        Stop.LANDLOCK_READ,
    ),
    Attempt(
        "read what is mounted",
        "return len(open('/proc/self/mountinfo').read())",
        Stop.LANDLOCK_READ,
        allowed="/proc/self is readable; paths of mounts are no secret",
    ),
    Attempt("read the data file beside it", "return open(AGENT + '/data.txt').read()", Stop.ALLOWED, must_work=True),
)
