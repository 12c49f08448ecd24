"""Other processes of the same user: slowing them, signalling them, looking into them."""

from typing import Final

from tests.course.attacks.attempt import USER, Attempt, Stop
from tests.course.attacks.effects import (
    has_other_io_priority,
    is_killed_first,
    is_limited,
    is_nice,
    is_pinned,
    is_scheduled_otherwise,
    signalled,
    unfinished,
)

SLOWING: Final = (
    Attempt(
        "lower another process's priority (setpriority)",
        "return os.setpriority(os.PRIO_PROCESS, VICTIM, 7)",
        Stop.SECCOMP,
        is_nice,
    ),
    Attempt(
        "lower the priority of all processes of the user",
        "return os.setpriority(os.PRIO_USER, os.getuid(), 7)",
        Stop.SECCOMP,
        is_nice,
        accounts=USER,
        alone=True,
    ),
    Attempt(
        "schedule another process when idle (SCHED_IDLE)",
        "return os.sched_setscheduler(VICTIM, os.SCHED_IDLE, os.sched_param(0))",
        Stop.SECCOMP,
        is_scheduled_otherwise,
    ),
    Attempt(
        "schedule another process by sched_setattr",
        """
attributes = struct.pack('IIQiIQQQ', 48, os.SCHED_BATCH, 0, 0, 0, 0, 0, 0)
return call('sched_setattr', VICTIM, attributes, 0)
""",
        Stop.SECCOMP,
        is_scheduled_otherwise,
        alone=True,
    ),
    Attempt(
        "run before everything else (SCHED_FIFO)",
        """
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
policy = os.sched_getscheduler(0)
os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
return f'policy {policy}'
""",
        Stop.SECCOMP,
    ),
    Attempt("raise its own priority", "os.setpriority(os.PRIO_PROCESS, 0, -5)", Stop.SECCOMP),
    Attempt(
        "confine another process to one core (sched_setaffinity)",
        "os.sched_setaffinity(VICTIM, [min(os.sched_getaffinity(0))])",
        Stop.SECCOMP,
        is_pinned,
    ),
    Attempt(
        "lower another process's input-output priority (ioprio_set)",
        "return call('ioprio_set', 1, VICTIM, 3 << 13)",
        Stop.SECCOMP,
        has_other_io_priority,
    ),
    Attempt(
        "limit another process (prlimit)",
        "return call('prlimit64', VICTIM, 7, struct.pack('QQ', 17, 17), None)",
        Stop.ARGUMENT,
        is_limited,
    ),
    Attempt(
        "make another process the first to be killed (oom_score_adj)",
        "Path(f'/proc/{VICTIM}/oom_score_adj').write_text('1000')",
        Stop.LANDLOCK_WRITE,
        is_killed_first,
    ),
    Attempt(
        "move another process's pages (migrate_pages, move_pages)",
        "return any_of(lambda: reached('migrate_pages', VICTIM, 64, bytes(8), bytes(8)),"
        " lambda: reached('move_pages', VICTIM, 0, None, None, None, 0))",
        Stop.SECCOMP,
    ),
    Attempt("stop its parent", "os.kill(os.getppid(), signal.SIGSTOP)", Stop.ARGUMENT, alone=True),
    Attempt("make every disk write now (sync)", "return reached('sync')", Stop.SECCOMP),
    Attempt(
        "make a group and a session of its own, out of reach of what stops it",
        "return any_of(os.setsid, lambda: os.setpgid(0, 0) or os.getpgrp(),"
        " lambda: os.setpgid(0, os.getpgid(os.getppid())))",
        Stop.SECCOMP,
        alone=True,
    ),
)

_QUEUED: Final = "struct.pack('iiiiQ', {number}, 0, -1, 0, 0) + bytes(104)"
_SENDERS: Final = {
    "kill": "return call('kill', VICTIM, {number})",
    "kill with its own number in the low half": ("return call('kill', VICTIM | os.getpid() << 32, {number})"),
    "tkill": "return call('tkill', VICTIM, {number})",
    "tgkill": "return call('tgkill', VICTIM, VICTIM, {number})",
    "rt_sigqueueinfo": f"return call('rt_sigqueueinfo', VICTIM, {{number}}, {_QUEUED})",
    "rt_tgsigqueueinfo": (f"return call('rt_tgsigqueueinfo', VICTIM, VICTIM, {{number}}, {_QUEUED})"),
    "pidfd_send_signal": ("return call('pidfd_send_signal', call('pidfd_open', VICTIM, 0), {number}, None, 0)"),
    "a signal for input (F_SETOWN)": """
incoming, outgoing = os.pipe()
fcntl.fcntl(incoming, fcntl.F_SETOWN, VICTIM)
fcntl.fcntl(incoming, 10, {number})
fcntl.fcntl(incoming, fcntl.F_SETFL, fcntl.fcntl(incoming, fcntl.F_GETFL) | os.O_ASYNC)
os.write(outgoing, b'x')
""",
    "a signal for input (F_SETOWN_EX)": """
incoming, outgoing = os.pipe()
fcntl.fcntl(incoming, 15, struct.pack('ii', 1, VICTIM))
fcntl.fcntl(incoming, 10, {number})
fcntl.fcntl(incoming, fcntl.F_SETFL, fcntl.fcntl(incoming, fcntl.F_GETFL) | os.O_ASYNC)
os.write(outgoing, b'x')
""",
}
SIGNALLING: Final = (
    *(
        Attempt(
            f"signal another process: {name}",
            f"number = signal.SIGRTMIN + {offset}\n" + code.replace("{number}", "number").strip(),
            Stop.ARGUMENT,
            signalled(offset),
        )
        for offset, (name, code) in enumerate(_SENDERS.items())
    ),
    Attempt(
        "signal all processes of the user (kill -1)",
        "os.kill(-1, signal.SIGRTMIN + 12)",
        Stop.ARGUMENT,
        signalled(12),
        accounts=USER,
        alone=True,
    ),
    Attempt("kill its process group", "os.kill(0, signal.SIGKILL)", Stop.ARGUMENT, unfinished, alone=True),
    Attempt("kill its parent", "os.kill(os.getppid(), signal.SIGKILL)", Stop.ARGUMENT, alone=True),
    Attempt("find out whether processes are there (kill 0)", "os.kill(VICTIM, 0)", Stop.ARGUMENT),
    Attempt(
        "continue itself, so that it cannot be stopped between moves (SIGCONT)",
        "return reached('kill', os.getpid(), 18)",
        Stop.ARGUMENT,
    ),
    Attempt(
        "continue a thread of its own (SIGCONT by tgkill)",
        "return reached('tgkill', os.getpid(), threading.get_native_id(), 18)",
        Stop.ARGUMENT,
    ),
    Attempt(
        "signal itself, and be woken by an alarm",
        """
came = []
signal.signal(signal.SIGUSR1, lambda *_: came.append('signal'))
os.kill(os.getpid(), signal.SIGUSR1)
signal.raise_signal(signal.SIGUSR1)
signal.signal(signal.SIGALRM, lambda *_: came.append('alarm'))
signal.setitimer(signal.ITIMER_REAL, 0.01)
while 'alarm' not in came:
    signal.pause()
assert came.count('signal') == 2
return ' '.join(came)
""",
        Stop.ALLOWED,
        must_work=True,
    ),
)

_MEMORY: Final = """
found = ctypes.create_string_buffer(38)
local = struct.pack('QQ', ctypes.addressof(found), 38)
remote = struct.pack('QQ', VICTIM_ADDRESS, 38)
"""
LOOKING: Final = (
    Attempt(
        "read another process's memory (process_vm_readv)",
        f"{_MEMORY}call('process_vm_readv', VICTIM, local, 1, remote, 1, 0)\nreturn found.value.decode()",
        Stop.SECCOMP,
        secret=True,
    ),
    Attempt(
        "write another process's memory (process_vm_writev)",
        f"{_MEMORY}return call('process_vm_writev', VICTIM, local, 1, remote, 0, 0)",
        Stop.SECCOMP,
    ),
    Attempt("trace another process (ptrace)", "return call('ptrace', 0x4206, VICTIM, 0, 0)", Stop.SECCOMP),
    Attempt("trace its parent", "return call('ptrace', 0x4206, os.getppid(), 0, 0)", Stop.SECCOMP),
    Attempt("be traced by its parent", "return call('ptrace', 0, 0, 0, 0)", Stop.SECCOMP, alone=True),
    Attempt(
        "let any process trace it (PR_SET_PTRACER, PR_SET_DUMPABLE)",
        "return any_of(lambda: call('prctl', 4, 1, 0, 0, 0), lambda: reached('prctl', 0x59616D61, -1, 0, 0, 0))",
        Stop.ARGUMENT,
    ),
    Attempt("outlive its parent (PR_SET_PDEATHSIG)", "return call('prctl', 1, 0, 0, 0, 0)", Stop.ARGUMENT),
    Attempt("adopt orphans (PR_SET_CHILD_SUBREAPER)", "return call('prctl', 36, 1, 0, 0, 0)", Stop.ARGUMENT),
    Attempt(
        "bear another name (PR_SET_NAME)",
        "return call('prctl', 15, b'isolarium', 0, 0, 0)",
        Stop.ARGUMENT,
        allowed="names threads, which Python 3.14 does; it changes only how a list of processes shows it",
    ),
    Attempt(
        "read another process's memory through /proc",
        """
memory = os.open(f'/proc/{VICTIM}/mem', os.O_RDONLY)
return os.pread(memory, 38, VICTIM_ADDRESS).decode()
""",
        Stop.LANDLOCK_READ,
        secret=True,
    ),
    Attempt(
        "read another process's environment",
        "return Path(f'/proc/{VICTIM}/environ').read_text()",
        Stop.LANDLOCK_READ,
        secret=True,
    ),
    Attempt(
        "read another process's arguments",
        "return Path(f'/proc/{VICTIM}/cmdline').read_text()",
        Stop.LANDLOCK_READ,
        secret=True,
    ),
    Attempt(
        "open another process's unlinked file",
        "return os.pread(os.open(f'/proc/{VICTIM}/fd/{VICTIM_FILE}', os.O_RDONLY), 99, 0).decode()",
        Stop.LANDLOCK_READ,
        secret=True,
    ),
    Attempt(
        "read through another process's current folder",
        "return Path(f'/proc/{VICTIM}/cwd/secret.txt').read_text()",
        Stop.LANDLOCK_READ,
        secret=True,
    ),
    Attempt(
        "read through another process's root",
        "return Path(f'/proc/{VICTIM}/root{OUTSIDE}/secret.txt').read_text()",
        Stop.LANDLOCK_READ,
        secret=True,
    ),
    Attempt(
        "take another process's descriptor (pidfd_getfd)",
        """
fd = call('pidfd_getfd', call('pidfd_open', VICTIM, 0), VICTIM_FILE, 0)
return os.pread(fd, 99, 0).decode()
""",
        Stop.SECCOMP,
        secret=True,
    ),
    Attempt(
        "read the environment of its ancestors",
        """
def read(process):
    text = Path(f'/proc/{process}/environ').read_text()
    assert 'SECRET_TOKEN=' in text, 'not there'
    return text.partition('SECRET_TOKEN=')[2][:38]
return each(read, ancestors())
""",
        Stop.LANDLOCK_READ,
        secret=True,
    ),
    Attempt(
        "read the environment of any process",
        """
def read(path):
    text = path.read_text()
    assert 'SECRET_TOKEN=' in text, 'not there'
    return text.partition('SECRET_TOKEN=')[2][:38]
return each(read, Path('/proc').glob('[0-9]*/environ'))
""",
        Stop.LANDLOCK_READ,
        secret=True,
    ),
    Attempt(
        "read its own environment for the command's secrets",
        "return Path('/proc/self/environ').read_text() + repr(os.environ)",
        Stop.SUPERVISOR,
        lambda scene: any(
            scene.secret in line
            for line in (scene.found.output.decode(errors="replace") + scene.found.logs).splitlines()
            if "own environment" in line
        ),
    ),
    Attempt(
        "write its parent's memory through /proc",
        "os.open(f'/proc/{os.getppid()}/mem', os.O_RDWR)",
        Stop.LANDLOCK_WRITE,
    ),
    Attempt(
        "open the descriptors of its ancestors",
        "return each(lambda path: os.open(path, os.O_RDONLY | os.O_NONBLOCK),"
        " [f'/proc/{process}/fd/{fd}' for process in ancestors() for fd in range(3, 30)])",
        Stop.LANDLOCK_READ,
    ),
    Attempt(
        "ask the kernel about another process",
        """
asks = {'sched_getscheduler': (), 'getpgid': (), 'getsid': (),
        'sched_getaffinity': (8, bytes(8))}
asked = [f'{name} {call(name, VICTIM, *more)}' for name, more in asks.items()]
return ', '.join(asked)
""",
        Stop.ARGUMENT,
    ),
    Attempt(
        "compare resources with another process (kcmp)",
        "return reached('kcmp', os.getpid(), VICTIM, 1, 0, 0)",
        Stop.SECCOMP,
    ),
    Attempt("list the processes", "return len(os.listdir('/proc'))", Stop.LANDLOCK_READ),
    Attempt(
        "watch another process (perf_event_open)",
        "return reached('perf_event_open', struct.pack('IIQ', 1, 112, 0) + bytes(96), VICTIM, -1, -1, 0)",
        Stop.SECCOMP,
    ),
    Attempt(
        "pass another process's memory on to the disk (process_madvise)",
        "return reached('process_madvise', call('pidfd_open', VICTIM, 0), None, 0, 21, 0)",
        Stop.SECCOMP,
    ),
)
