"""New processes, and other programs in place of its own."""

from typing import Final

from tests.course.attacks.attempt import Attempt, Stop
from tests.course.attacks.effects import has_process

_CHILD: Final = """
if child == 0:
    os._exit(0)
os.waitpid(child, 0)
return f'process {child}'
"""
PROCESSES: Final = (
    Attempt("start a process (fork)", "child = os.fork()\n" + _CHILD, Stop.SECCOMP),
    Attempt("start a process (fork, the call itself)", "child = call('fork')\n" + _CHILD, Stop.SECCOMP),
    Attempt(
        "start a process (clone3)",
        "child = call('clone3', struct.pack('QQQQQQQQ', 0, 0, 0, 0, 17, 0, 0, 0), 64)\n" + _CHILD,
        Stop.SECCOMP,
    ),
    Attempt(
        "start a process (clone with the flag of threads out of reach)",
        "child = call('clone', 17 | 1 << 48, 0, 0, 0, 0)\n" + _CHILD,
        Stop.ARGUMENT,
    ),
    Attempt(
        "start a process in namespaces of its own (clone)",
        "child = call('clone', 17 | 0x10000000, 0, 0, 0, 0)\n" + _CHILD,
        Stop.ARGUMENT,
    ),
    Attempt(
        "start a process that shares its memory (vfork)",
        "call('vfork')\nreport(NAME, 'did', '')\nos._exit(0)",
        Stop.SECCOMP,
        alone=True,
    ),
    Attempt(
        "start a program (posix_spawn)", "return os.waitpid(os.posix_spawn('/bin/true', ['true'], {}), 0)", Stop.SECCOMP
    ),
    Attempt(
        "start a program (subprocess)",
        "import subprocess\nreturn subprocess.run(['/bin/echo', 'x'], capture_output=True).stdout",
        Stop.SECCOMP,
    ),
    Attempt(
        "become a program (execve)",
        "os.execv('/bin/sh', ['sh', '-c', f'echo \"ATTEMPT|{NAME}|did||\"'])",
        Stop.SECCOMP,
        alone=True,
    ),
    Attempt(
        "become a program in memory (memfd and execveat)",
        """
fd = os.memfd_create('x')
os.write(fd, open('/bin/sh', 'rb').read())
words = [b'sh', b'-c', f'echo "ATTEMPT|{NAME}|did||"'.encode(), None]
call('execveat', fd, b'', (ctypes.c_char_p * 4)(*words), (ctypes.c_char_p * 1)(None), 0x1000)
""",
        Stop.SECCOMP,
        alone=True,
    ),
    Attempt(
        "become a program of its own folder",
        """
import shutil
path = shutil.copy('/bin/sh', tempfile.mkdtemp())
os.execv(path, ['sh', '-c', f'echo "ATTEMPT|{NAME}|did||"'])
""",
        Stop.SECCOMP,
        alone=True,
    ),
    Attempt(
        "leave a process behind",
        """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        libc.prctl(15, TAG.encode(), 0, 0, 0)
        time.sleep(100)
    os._exit(0)
""",
        Stop.SECCOMP,
        lambda scene: has_process(str(scene.facts()["tag"]))(scene),
        alone=True,
    ),
    Attempt(
        "leave a program running after the match",
        """
import subprocess
code = f'import ctypes, time; ctypes.CDLL(None).prctl(15, b"{TAG}", 0, 0, 0); time.sleep(100)'
subprocess.Popen([sys.executable, '-S', '-c', code], start_new_session=True)
time.sleep(0.3)
""",
        Stop.SECCOMP,
        lambda scene: has_process(str(scene.facts()["tag"]))(scene),
        alone=True,
    ),
    Attempt(
        "play games itself",
        "import isolarium\nreturn isolarium.match('random', 'random', pairs=1)",
        Stop.SUPERVISOR,
        alone=True,
    ),
    Attempt(
        "start a thread, as honest agents do",
        """
done = []
thread = threading.Thread(target=lambda: done.append(1))
thread.start()
thread.join()
return done
""",
        Stop.ALLOWED,
        must_work=True,
    ),
)
