"""What only the machine's administrator should do, and doors into the kernel."""

import ctypes
from pathlib import Path
from typing import Final

from tests.course.attacks.attempt import ROOT, Attempt, Stop
from tests.course.attacks.effects import is_mounted, unfinished
from tests.course.attacks.scene import Scene

_MAGIC: Final = "0xFEE1DEAD, 0x28121969"


def _switch_changed(scene: Scene) -> bool:
    """Whether Ctrl-Alt-Del was switched by reboot(2); it is switched back."""
    switch = Path("/proc/sys/kernel/ctrl-alt-del")
    if switch.read_text() == scene.reboot_switch:
        return False
    number = int(scene.facts()["calls"]["reboot"])
    word = 0x89ABCDEF if int(scene.reboot_switch) else 0
    ctypes.CDLL(None).syscall(number, 0xFEE1DEAD, 0x28121969, word, 0)
    return True


def _probe(name: str, code: str, *, alone: bool = False) -> Attempt:
    return Attempt(name, code, Stop.SECCOMP, alone=alone)


MOUNTS: Final = (
    Attempt(
        "mount a file system",
        "return call('mount', b'none', (OUTSIDE + '/mount').encode(), b'tmpfs', 0, None)",
        Stop.SECCOMP,
        is_mounted("outside/mount"),
    ),
    _probe(
        "change how a folder is mounted (mount_setattr)",
        "return call('mount_setattr', -100, OUTSIDE.encode(), 0, struct.pack('QQQQ', 0, 0, 0, 0), 32)",
    ),
    _probe("open a file system (fsopen)", "return call('fsopen', b'tmpfs', 0)"),
    _probe("take a mount (open_tree)", "return call('open_tree', -100, OUTSIDE.encode(), 1)"),
    _probe("pick a mount (fspick)", "return reached('fspick', -100, b'/', 0)"),
    _probe("move a mount (move_mount)", "return reached('move_mount', -100, b'/-', -100, b'/-', 0)"),
    _probe("unmount a file system", "return reached('umount2', (OUTSIDE + '/-').encode(), 0)"),
    _probe("change the root (pivot_root)", "return reached('pivot_root', b'/-', b'/-')"),
    _probe("change the root (chroot)", "return call('chroot', b'/')"),
    _probe("list the mounts (statmount)", "return reached('listmount', bytes(24), bytes(8), 1, 0)"),
    _probe("make namespaces of its own (unshare)", "return call('unshare', 0x10000000 | 0x20000)", alone=True),
    _probe(
        "make a namespace of its own: any kind (unshare)",
        "return each(lambda flag: call('unshare', flag), [0x20000, 0x4000000, 0x8000000, 0x40000000,"
        " 0x20000000, 0x2000000, 0x80])",
        alone=True,
    ),
    _probe("join a namespace (setns)", "return reached('setns', os.open('/proc/self/ns/uts', os.O_RDONLY), 0)"),
    _probe("set the limits of disks (quotactl)", "return reached('quotactl', 0x80000100, None, 0, None)"),
    _probe("use swap (swapon)", "return reached('swapon', b'/-', 0)"),
    _probe("switch process accounting on (acct)", "return reached('acct', b'/-/-')"),
)
SYSTEM: Final = (
    _probe(
        "name the machine (sethostname)",
        "return call('sethostname', os.uname().nodename.encode(), len(os.uname().nodename))",
    ),
    _probe(
        "name the domain (setdomainname)",
        """
name = Path('/proc/sys/kernel/domainname').read_bytes().strip()
return call('setdomainname', name, len(name))
""",
    ),
    _probe(
        "set the clock (settimeofday)",
        "now = time.time_ns()\nreturn call('settimeofday', struct.pack('qq', now // 10**9, now % 10**9 // 1000), None)",
    ),
    _probe(
        "set the clock (clock_settime)",
        "now = time.time_ns()\nreturn call('clock_settime', 0, struct.pack('qq', now // 10**9, now % 10**9))",
    ),
    _probe(
        "steer the clock (adjtimex)",
        """
state = ctypes.create_string_buffer(208)
call('adjtimex', state)
struct.pack_into('I', state, 0, 0x4000)
return call('adjtimex', state)
""",
    ),
    _probe("read the clock's steering (adjtimex)", "return call('adjtimex', bytes(208))"),
    Attempt(
        "switch Ctrl-Alt-Del (reboot)",
        f"""
now = int(Path('/proc/sys/kernel/ctrl-alt-del').read_text())
return call('reboot', {_MAGIC}, 0 if now else 0x89ABCDEF, None)
""",
        Stop.SECCOMP,
        _switch_changed,
        accounts=ROOT,
    ),
    _probe("restart the machine (reboot)", f"return reached('reboot', {_MAGIC}, 1, None)"),
    _probe("load another kernel (kexec_load)", "return reached('kexec_load', 0, 99, None, 0)"),
    _probe("load a module (init_module)", "return reached('init_module', None, 0, b'')"),
    _probe("load a module's file (finit_module)", "return reached('finit_module', -1, b'', 0)"),
    _probe("remove a module", "return reached('delete_module', b'-', 0x800)"),
    _probe("use ports of the hardware (iopl)", "return call('iopl', 0)"),
    Attempt("hang the terminal up (vhangup)", "return call('vhangup')", Stop.SECCOMP, unfinished, alone=True),
    _probe("change its segments (modify_ldt)", "return reached('modify_ldt', 0, bytes(16), 16)"),
)
DOORS: Final = (
    _probe(
        "make a table of the kernel's (bpf)",
        "return call('bpf', 0, struct.pack('IIIII', 2, 4, 8, 1, 0) + bytes(52), 72)",
    ),
    _probe(
        "count events (perf_event_open)",
        "return call('perf_event_open', struct.pack('IIQ', 1, 112, 0) + bytes(24) + struct.pack('Q', 0x61)"
        " + bytes(64), 0, -1, -1, 0)",
    ),
    _probe("handle page faults (userfaultfd)", "return call('userfaultfd', 1)"),
    _probe("queue work in the kernel (io_uring_setup)", "return call('io_uring_setup', 1, bytes(120))"),
    _probe("queue work in the kernel (io_setup)", "return call('io_setup', 1, bytes(8))"),
    _probe("keep a key in the kernel", "return call('keyctl', 21, call('add_key', b'user', b'attack', b'x', 1, -4))"),
    _probe("join a keyring (keyctl)", "return call('keyctl', 1, None)"),
    _probe("ask for a key (request_key)", "return reached('request_key', b'user', b'attack', None, 0)"),
    _probe(
        "become another kind of process (personality)",
        "old = call('personality', 0xFFFFFFFF)\ncall('personality', old | 0x0040000)\nreturn call('personality', old)",
    ),
    _probe("join its output in the kernel (vmsplice)", "return reached('vmsplice', os.pipe()[1], None, 0, 0)"),
    _probe("lock its memory (mlockall)", "return call('mlockall', 2)", alone=True),
)
OWN_RIGHTS: Final = (
    _probe("set its user (setuid)", "os.setuid(os.getuid())"),
    _probe("set its group (setgid)", "os.setgid(os.getgid())"),
    _probe("set its groups (setgroups)", "os.setgroups(os.getgroups())"),
    _probe("set its user (setresuid)", "os.setresuid(-1, -1, -1)"),
    _probe(
        "set its capabilities (capset)",
        """
header, data = struct.pack('Ii', 0x20080522, 0), struct.pack('IIIIII', *[0] * 6)
return call('capset', header, data)
""",
        alone=True,
    ),
    Attempt(
        "hold capabilities beside that to read files (CAP_DAC_READ_SEARCH), which Landlock bounds",
        """
(held,) = [line.split()[1] for line in open('/proc/self/status') if line.startswith('CapEff')]
if int(held, 16) in (0, 4):
    raise Stopped(held)
return held
""",
        Stop.CAPABILITIES,
        accounts=ROOT,
    ),
    _probe(
        "raise its limits",
        """
import resource
def more(kind):
    soft, hard = resource.getrlimit(kind)
    resource.setrlimit(kind, (hard + 1, hard + 1))
    return f'{kind} {hard + 1}'
kinds = (resource.RLIMIT_DATA, resource.RLIMIT_AS, resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE)
return each(more, kinds)
""",
        alone=True,
    ),
    Attempt(
        "allow itself more by a filter of its own (seccomp)",
        """
allow = struct.pack('HBBI', 6, 0, 0, 0x7FFF0000)
text = ctypes.create_string_buffer(allow, 8)
with suppress(OSError):
    call('seccomp', 1, 0, struct.pack('@HP', 1, ctypes.addressof(text)))
return socket.socket().fileno()
""",
        Stop.SECCOMP,
        alone=True,
    ),
    Attempt(
        "allow itself more by rules of its own (Landlock)",
        """
with suppress(OSError):
    rules = call('landlock_create_ruleset', struct.pack('Q', 1 << 1), 8, 0)
    call('landlock_restrict_self', rules, 0)
return open(OUTSIDE + '/file.txt', 'w').write('x')
""",
        Stop.LANDLOCK_WRITE,
        alone=True,
    ),
)
