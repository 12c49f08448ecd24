"""The machine as an attacker finds it: files, terminals, another process, listeners; and what becomes of it."""

import ctypes
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import isolarium
from tests.command import COMMAND, environment
from tests.course.attacks.attempt import Account
from tests.course.attacks.calls import CALLS

USER: Final = 64017
"""The ordinary user's number, which nothing else on a machine should have."""
MEMORY_GIB: Final = 0.5
TOO_MUCH: Final = int((4 * MEMORY_GIB + 0.25) * 2**30)
"""More memory than any limit of an agent allows: it may have four times its memory in addresses."""
AHEAD: Final = "typed-ahead;"
"""What the user has typed while the command runs."""
TEXTS: Final = (
    *("home/.bashrc", "outside/removed.txt", "outside/truncated.txt", "outside/hard.txt"),
    *("outside/linked.txt", "outside/file.txt"),
)
MOST_S: Final = 240.0
HERE: Final = Path(__file__).parent
FILE_BYTES: Final = 3 << 29


@dataclass
class Found:
    """What the command has left behind.

    Attributes:
        status: its exit status; None if it had to be ended.
        output: what it wrote to the terminal.
        logs: what agents printed into the logs of runs.
        shell: what the shell found.
        locked: the numbers of the files that were seen locked meanwhile.
    """

    status: int | None
    output: bytes
    logs: str
    shell: Mapping[str, Any]
    locked: set[int] = field(default_factory=set)


class Scene:
    """A fresh place for one command.

    Args:
        folder: an empty folder.
        account: whose place it is.
        cache: the folder of compiled code.
        stack: closes what the scene opens.
    """

    def __init__(self, folder: Path, account: Account, cache: Path, stack: ExitStack) -> None:
        self.folder, self.account, self.cache = folder, account, cache
        self.secret = "secret" + secrets.token_hex(16)
        self.segment_key, self.own_key = (1 + secrets.randbelow(1 << 30) for _ in range(2))
        self.user = USER if account is Account.USER and os.geteuid() == 0 else None
        self.home, self.outside = folder / "home", folder / "outside"
        self.agent, self.runs, self.temporary = folder / "agent", folder / "runs", folder / "tmp"
        self._stack = stack
        self.found: Found
        self._lay_out()
        self._give(folder)
        self.listeners = self._listen()
        self.second = self._terminal()
        self.victim = self._victim()
        self.decoy = self._compiled_code()
        self.reboot_switch = Path("/proc/sys/kernel/ctrl-alt-del").read_text()

    # Setting up

    def _lay_out(self) -> None:
        for name in ("home/.ssh", "outside/mount", "agent/runs/old", "runs", "tmp", "neighbour"):
            (self.folder / name).mkdir(parents=True)
        for name in (
            *("home/.ssh/id_ed25519", "home/notes.txt", "outside/secret.txt"),
            *("agent/.env", "agent/runs/old/run.txt", "neighbour/game_agent.py"),
        ):
            (self.folder / name).write_text(self.secret)
        locks = (f"outside/lock-{name}" for name in ("flock", "setlk", "ofd", "lease"))
        for name in (*TEXTS, *locks):
            (self.folder / name).write_text("as it was\n")
        (self.agent / "data.txt").write_text("data beside the agent")
        os.truncate(self._empty(self.agent / "huge.txt"), FILE_BYTES)
        os.mkfifo(self.outside / "fifo")

    def _compiled_code(self) -> Path:
        """A file named like compiled code that other processes load."""
        decoy = self._empty(self.cache / f"decoy_{secrets.token_hex(16)}.nbi")
        self._stack.callback(decoy.unlink, missing_ok=True)
        if self.user is not None:
            os.chown(decoy, self.user, self.user)
        return decoy

    def _empty(self, path: Path) -> Path:
        path.touch()
        return path

    def _give(self, folder: Path) -> None:
        """Hand a folder to the user that the command runs as."""
        folder.chmod(0o755)
        if self.user is not None:
            for path in (folder, *folder.rglob("*")):
                os.lchown(path, self.user, self.user)

    def _listen(self) -> dict[str, socket.socket | int]:
        self.abstract = f"isolarium-{self.secret[-8:]}"
        inet = (socket.AF_INET, ("127.0.0.1", 0))
        wanted: dict[str, tuple[int, int, Any]] = {
            "tcp": (inet[0], socket.SOCK_STREAM, inet[1]),
            "udp": (inet[0], socket.SOCK_DGRAM, inet[1]),
            "unix": (socket.AF_UNIX, socket.SOCK_STREAM, str(self.outside / "socket")),
            "abstract": (socket.AF_UNIX, socket.SOCK_STREAM, f"\0{self.abstract}"),
        }
        here = dict[str, socket.socket | int]()
        folder = Path.cwd()
        os.chdir(self.outside)  # a socket's path may have a hundred bytes
        try:
            for name, (family, kind, address) in wanted.items():
                listener = self._stack.enter_context(socket.socket(family, kind))
                listener.bind("socket" if name == "unix" else address)
                listener.setblocking(False)
                if kind == socket.SOCK_STREAM:
                    listener.listen()
                here[name] = listener
        finally:
            os.chdir(folder)
        (self.outside / "socket").chmod(0o777)
        here["fifo"] = fifo = os.open(self.outside / "fifo", os.O_RDONLY | os.O_NONBLOCK)
        self._stack.callback(os.close, fifo)
        return here

    def _terminal(self) -> tuple[int, int]:
        ours, theirs = os.openpty()
        self._stack.callback(os.close, ours)
        self._stack.callback(os.close, theirs)
        os.set_blocking(ours, False)
        if self.user is not None:
            os.fchown(theirs, self.user, self.user)
        return ours, theirs

    def _victim(self) -> "subprocess.Popen[bytes]":
        process = self._stack.enter_context(
            subprocess.Popen(
                [_python(), "-I", "-S", str(HERE / "victim.py"), self.secret, str(self.user or "")],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={"VICTIM_SECRET": self.secret},
                cwd=self.outside,
            )
        )
        self._stack.callback(process.kill)
        assert process.stdout is not None
        answer = process.stdout.readline().split()
        self.victim_address, self.victim_file = int(answer[0]), int(answer[1])
        return process

    # The command

    def facts(self) -> dict[str, Any]:
        """What the attacker knows of the scene."""
        listeners = self.listeners
        tcp, udp = listeners["tcp"], listeners["udp"]
        assert isinstance(tcp, socket.socket)
        assert isinstance(udp, socket.socket)
        return {
            "calls": CALLS,
            "outside": str(self.outside),
            "home": str(self.home),
            "agent": str(self.agent),
            "neighbour": str(self.folder / "neighbour"),
            "runs": str(self.runs),
            "temporary": str(self.temporary),
            "cache": str(self.cache),
            "decoy": str(self.decoy),
            "package": str(Path(isolarium.__file__).parent),
            "python": sys.prefix,
            "second": os.ttyname(self.second[1]),
            "victim": self.victim.pid,
            "victim_address": self.victim_address,
            "victim_file": self.victim_file,
            "tcp": tcp.getsockname()[1],
            "udp": udp.getsockname()[1],
            "abstract": self.abstract,
            "too_much": TOO_MUCH,
            "segment_key": self.segment_key,
            "own_key": self.own_key,
            "tag": self.secret[-8:],
        }

    def run(self, *arguments: str) -> None:
        """Run the command on a terminal of its own, and keep what is found afterwards."""
        ours, theirs = os.openpty()
        try:
            os.write(ours, AHEAD.encode())
            if self.user is not None:
                os.fchown(theirs, self.user, self.user)
            order, result = self._order(arguments, os.ttyname(theirs))
            shell = subprocess.Popen(
                [_python(), "-I", "-S", str(HERE / "shell.py"), str(order)],
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )
            output, locked = self._watch(shell, ours)
        finally:
            os.close(ours)
            os.close(theirs)
        found = json.loads(result.read_text()) if result.exists() and result.stat().st_size else {}
        logs = "".join(path.read_text(errors="replace") for path in self.runs.glob("*/agents.log"))
        self.found = Found(found.get("status"), output, logs, found, locked)

    def _order(self, arguments: Sequence[str], terminal: str) -> tuple[Path, Path]:
        order, result = self.folder / "order.json", self.folder / "found.json"
        result.touch()
        result.chmod(0o666)
        needs = [sys.base_prefix, sys.prefix, str(Path(isolarium.__file__).parents[1]), str(HERE)]
        variables = environment(
            HOME=str(self.home),
            TMPDIR=str(self.temporary),
            ISOLARIUM_CACHE=str(self.cache),
            ISOLARIUM_AGENT_MEMORY=str(MEMORY_GIB),
            ISOLARIUM_WORKERS="1",
            SECRET_TOKEN=self.secret,
            TERM="xterm",
            PYTHONDONTWRITEBYTECODE="1",
        )
        for name in [name for name in variables if name.startswith("XDG_")]:
            del variables[name]  # the data folder is in the scene's home
        order.write_text(
            json.dumps(
                {
                    "terminal": terminal,
                    "user": self.user,
                    "needs": needs,
                    "folder": str(self.home),
                    "command": [COMMAND, *arguments],
                    "environment": variables,
                    "found": str(result),
                }
            )
        )
        order.chmod(0o644)
        return order, result

    def _watch(self, shell: "subprocess.Popen[bytes]", terminal: int) -> tuple[bytes, set[int]]:
        """Read the terminal until the shell has ended, and note which files are locked."""
        os.set_blocking(terminal, False)
        output, locked, waits = bytearray(), set[int](), int(MOST_S / 0.05)
        for _ in range(waits):
            with suppress(subprocess.TimeoutExpired):
                shell.wait(0.05)
            with suppress(OSError):
                while piece := os.read(terminal, 1 << 16):
                    output += piece
            locked |= _locked_files()
            if shell.returncode is not None:
                return bytes(output), locked
        for process in _session(shell.pid):
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        shell.wait()
        return bytes(output), locked


@contextmanager
def scene(account: Account, cache: Path) -> Iterator[Scene]:
    """Set up a scene, and remove everything that an attack may have left."""
    folder = Path(tempfile.mkdtemp(prefix="attack-"))
    with ExitStack() as stack:
        stack.callback(_remove, folder)
        stack.callback(_end_left, folder)
        made = Scene(folder, account, cache, stack)
        stack.enter_context(_segment(made.segment_key, made.secret))
        yield made


@contextmanager
def _segment(key: int, secret: str) -> Iterator[None]:
    """Hold a shared memory segment that anybody may read, as some programs do."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.shmat.restype = ctypes.c_void_p
    number = libc.shmget(key, 4096, 0o1666)
    address = libc.shmat(number, None, 0)
    ctypes.memmove(address, secret.encode(), len(secret))
    try:
        yield
    finally:
        libc.shmdt(ctypes.c_void_p(address))
        libc.shmctl(number, 0, None)


def _python() -> str:
    """The interpreter itself, past the links of a virtual environment."""
    return str(Path(sys.executable).resolve())


def _locked_files() -> set[int]:
    lines = Path("/proc/locks").read_text().splitlines()
    return {int(line.split()[-3].rpartition(":")[2]) for line in lines if "->" not in line}


def _session(leader: int) -> list[int]:
    """The processes of a session, and what descends from them."""
    parents, found = dict[int, int](), {leader}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = path.read_text().rpartition(")")[2].split()
            parents[int(path.parent.name)] = int(fields[1])
    while more := {process for process, parent in parents.items() if parent in found} - found:
        found |= more
    return sorted(found)


def _end_left(folder: Path) -> None:
    """End the processes that were left behind: those whose current folder is in the scene."""
    for link in Path("/proc").glob("[0-9]*/cwd"):
        with suppress(OSError):
            if link.readlink().is_relative_to(folder):
                os.kill(int(link.parent.name), signal.SIGKILL)


def _remove(folder: Path) -> None:
    """Remove the scene: without recursion, and though folders in it may be deep, mounted on or protected."""
    libc = ctypes.CDLL(None, use_errno=True)
    for name in ("outside/mount", "outside"):
        while libc.umount2(os.fsencode(folder / name), 2) == 0:
            pass
    _remove_files(folder)


def _remove_files(folder: Path) -> None:
    done = subprocess.run(["rm", "-rf", str(folder)], check=False, capture_output=True)
    if done.returncode:
        subprocess.run(["chattr", "-R", "-ia", str(folder)], check=False, capture_output=True)
        subprocess.run(["rm", "-rf", str(folder)], check=True)
