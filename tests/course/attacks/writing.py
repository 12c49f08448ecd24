"""Files that are not the agent's to change: by writing, by links, by their attributes."""

from typing import Final

from tests.course.attacks.attempt import HEURISTIC, ROOT, Attempt, Stop
from tests.course.attacks.effects import (
    changed,
    code_changed,
    exists,
    has_attribute,
    has_flag,
    has_mode,
    has_time,
    left_in,
    missing,
    unfinished,
    written_in,
)

_CREATED: Final = {
    "beside its own file": ("AGENT", "agent"),
    "in the home folder": ("HOME", "home"),
    "in the folder of temporary files": ("TEMPORARY", "tmp"),
    "in the runs folder": ("RUNS", "runs"),
    "in a folder outside": ("OUTSIDE", "outside"),
    "in Isolarium's package": ("PACKAGE", "package"),
    "among the compiled code": ("CACHE", "cache"),
    "in the Python environment": ("PYTHON", "python"),
}
_SET_FLAGS, _NODUMP, _IMMUTABLE = 0x40086602, 0x40, 0x10

WRITING: Final = (
    *(
        Attempt(
            f"create a file {name}",
            f"open({folder} + '/attack-' + TAG, 'w').write('x')",
            Stop.LANDLOCK_WRITE,
            written_in(seen),
        )
        for name, (folder, seen) in _CREATED.items()
    ),
    Attempt(
        "append to the shell's start file",
        "open(HOME + '/.bashrc', 'a').write('echo attacked')",
        Stop.LANDLOCK_WRITE,
        changed("home/.bashrc"),
    ),
    Attempt(
        "change compiled code that other processes load",
        "Path(DECOY).open('ab').write(b'x')",
        Stop.LANDLOCK_WRITE,
        code_changed,
    ),
    Attempt(
        "remove compiled code that other processes load",
        "Path(DECOY).unlink()",
        Stop.LANDLOCK_WRITE,
        code_changed,
        alone=True,
    ),
    Attempt(
        "replace its own file",
        "Path(AGENT, 'attacker.py').rename(AGENT + '/attacked.py')",
        Stop.LANDLOCK_WRITE,
        exists("agent/attacked.py"),
        forms=HEURISTIC,
        alone=True,
    ),
    Attempt(
        "remove a file outside",
        "os.remove(OUTSIDE + '/removed.txt')",
        Stop.LANDLOCK_WRITE,
        missing("outside/removed.txt"),
    ),
    Attempt(
        "truncate a file outside",
        "os.truncate(OUTSIDE + '/truncated.txt', 0)",
        Stop.LANDLOCK_WRITE,
        changed("outside/truncated.txt"),
    ),
    Attempt(
        "write through a symbolic link in its own folder",
        """
link = tempfile.mkdtemp() + '/link'
os.symlink(OUTSIDE + '/by-link', link)
open(link, 'w').write('x')
""",
        Stop.LANDLOCK_WRITE,
        exists("outside/by-link"),
    ),
    Attempt(
        "write through a hard link in its own folder",
        """
link = tempfile.mkdtemp() + '/link'
os.link(OUTSIDE + '/hard.txt', link)
open(link, 'w').write('x')
""",
        Stop.LANDLOCK_WRITE,
        changed("outside/hard.txt"),
    ),
    Attempt(
        "move a file of its own to the outside",
        """
path = tempfile.mkdtemp() + '/own'
open(path, 'w').write('x')
os.rename(path, OUTSIDE + '/moved')
""",
        Stop.LANDLOCK_WRITE,
        exists("outside/moved"),
    ),
    Attempt(
        "have its removed folder lead elsewhere",
        """
folder = Path(tempfile.mkdtemp())
for name in ('a', 'b', 'c'):
    os.symlink(OUTSIDE, folder / name)
    os.symlink(OUTSIDE + '/linked.txt', folder / f'{name}-file')
""",
        Stop.SUPERVISOR,
        missing("outside/linked.txt"),
    ),
    Attempt(
        "leave a folder that cannot be removed: 3,000 levels",
        """
os.chdir(tempfile.mkdtemp())
for _ in range(3000):
    os.mkdir('deep')
    os.chdir('deep')
""",
        Stop.SUPERVISOR,
        left_in("tmp", "isolarium-"),
        alone=True,
    ),
    Attempt(
        "leave a folder that cannot be removed: without permissions",
        """
folder = tempfile.mkdtemp()
os.mkdir(folder + '/closed', 0o300)
open(folder + '/closed/file', 'w').close()
os.mkdir(folder + '/shut', 0)
""",
        Stop.SUPERVISOR,
        left_in("tmp", "isolarium-"),
        alone=True,
    ),
    Attempt(
        "leave a folder that cannot be removed: immutable",
        f"""
path = tempfile.mkdtemp() + '/own'
fd = os.open(path, os.O_RDWR | os.O_CREAT)
ioctl(fd, {_SET_FLAGS}, struct.pack('L', {_IMMUTABLE}))
""",
        Stop.ARGUMENT,
        left_in("tmp", "isolarium-"),
        accounts=ROOT,
        alone=True,
    ),
    Attempt(
        "change the mode of a file outside",
        "os.chmod(OUTSIDE + '/lock-flock', 0o600)",
        Stop.SECCOMP,
        has_mode("outside/lock-flock", 0o600),
    ),
    Attempt(
        "change the mode of a file outside (fchmodat2)",
        "return call('fchmodat2', -100, (OUTSIDE + '/lock-setlk').encode(), 0o640, 0)",
        Stop.SECCOMP,
        has_mode("outside/lock-setlk", 0o640),
    ),
    Attempt(
        "change the times of a file outside",
        "os.utime(OUTSIDE + '/secret.txt', (1000, 1000))",
        Stop.SECCOMP,
        has_time("outside/secret.txt", 1000),
    ),
    Attempt(
        "change the attributes of a file outside (setxattr)",
        "os.setxattr(OUTSIDE + '/lock-ofd', 'user.attacked', b'x')",
        Stop.SECCOMP,
        has_attribute("outside/lock-ofd", "user.attacked"),
    ),
    Attempt(
        "change the flags of a file outside (FS_IOC_SETFLAGS)",
        f"""
fd = os.open(OUTSIDE + '/lock-flock', os.O_RDONLY)
return ioctl(fd, {_SET_FLAGS}, struct.pack('L', {_NODUMP}))
""",
        Stop.ARGUMENT,
        has_flag("outside/lock-flock", _NODUMP),
    ),
    Attempt(
        "change the flags of a file outside by its path (file_setattr)",
        f"""
return call('file_setattr', -100, (OUTSIDE + '/lock-lease').encode(),
            struct.pack('QIIII', {0x80}, 0, 0, 0, 0), 24, 0)
""",
        Stop.SECCOMP,
        has_flag("outside/lock-lease", _NODUMP),
    ),
    Attempt(
        "open the kernel's switches for writing",
        "return each(lambda path: os.open(path, os.O_WRONLY),"
        " ['/proc/sys/kernel/core_pattern', '/proc/sysrq-trigger', '/dev/kmsg', '/proc/sys/vm/drop_caches'])",
        Stop.LANDLOCK_WRITE,
    ),
    Attempt(
        "make a control group",
        "return each(lambda path: os.mkdir(path + '/attack') or os.rmdir(path + '/attack'),"
        " ['/sys/fs/cgroup', '/sys/fs/cgroup/freezer', '/sys/fs/cgroup/unified'])",
        Stop.LANDLOCK_WRITE,
    ),
    Attempt(
        "change its own process's entries in /proc",
        "Path('/proc/self/coredump_filter').write_text('0x7f')",
        Stop.LANDLOCK_WRITE,
    ),
    Attempt(
        "change the log of what it prints",
        "return each(lambda fd: os.open(f'/proc/self/fd/{fd}', os.O_RDWR | os.O_TRUNC), [1, 2])",
        Stop.LANDLOCK_WRITE,
        alone=True,
    ),
    Attempt(
        "remove the run that it plays in",
        """
import shutil
for run in Path(RUNS).iterdir():
    shutil.rmtree(run)
""",
        Stop.LANDLOCK_WRITE,
        unfinished,
        alone=True,
    ),
    Attempt(
        "write a file in its own folder",
        "return open(tempfile.mkdtemp() + '/own', 'w').write('x')",
        Stop.ALLOWED,
        must_work=True,
    ),
)
