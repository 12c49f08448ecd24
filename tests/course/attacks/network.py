"""The network, and other ways out to processes that listen."""

from typing import Final

from tests.course.attacks.attempt import Attempt, Stop
from tests.course.attacks.effects import connected

NETWORK: Final = (
    Attempt(
        "connect by TCP",
        "socket.create_connection(('127.0.0.1', TCP), 1).sendall(b'x')",
        Stop.SECCOMP,
        connected("tcp"),
    ),
    Attempt(
        "send by UDP",
        "socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', UDP))",
        Stop.SECCOMP,
        connected("udp"),
    ),
    Attempt(
        "connect to a socket in a folder outside",
        "os.chdir(OUTSIDE)\nline = socket.socket(socket.AF_UNIX)\nline.connect('socket')",
        Stop.SECCOMP,
        connected("unix"),
    ),
    Attempt(
        "connect to an abstract socket",
        "line = socket.socket(socket.AF_UNIX)\nline.connect(chr(0) + ABSTRACT)",
        Stop.SECCOMP,
        connected("abstract"),
    ),
    Attempt(
        "write to a pipe outside",
        "os.write(os.open(OUTSIDE + '/fifo', os.O_WRONLY | os.O_NONBLOCK), b'x')",
        Stop.LANDLOCK_WRITE,
        connected("fifo"),
    ),
    Attempt(
        "listen",
        "line = socket.socket()\nline.bind(('127.0.0.1', 0))\nline.listen()\nreturn line.getsockname()[0]",
        Stop.SECCOMP,
    ),
    Attempt(
        "connect by a 64-bit number of the system call",
        "return raw_call(FACTS['calls']['socket'] | 1 << 32, socket.AF_INET, socket.SOCK_STREAM, 0)",
        Stop.SECCOMP,
    ),
    Attempt(
        "connect by the x32 numbers of the system calls",
        "return raw_call(FACTS['calls']['socket'] | 1 << 30, socket.AF_INET, socket.SOCK_STREAM, 0)",
        Stop.SECCOMP,
    ),
    Attempt(
        "ask the kernel by netlink",
        "return socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0).fileno()",
        Stop.SECCOMP,
    ),
    Attempt("read all packets", "return socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0).fileno()", Stop.SECCOMP),
    Attempt(
        "reach the host of this virtual machine (vsock)",
        "return socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM).fileno()",
        Stop.SECCOMP,
    ),
    Attempt(
        "compute in the kernel (AF_ALG)",
        "return socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET).fileno()",
        Stop.SECCOMP,
    ),
    Attempt(
        "make a pair of sockets",
        "return socket.socketpair()[0].fileno()",
        Stop.ALLOWED,
        allowed="asyncio needs it; the pair leads nowhere but to the agent itself",
    ),
    Attempt(
        "make a pair of sockets that can send to any address (datagrams)",
        "return socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].fileno()",
        Stop.ARGUMENT,
    ),
    Attempt("look a name up", "return socket.getaddrinfo('localhost', 80)[0][4]", Stop.SECCOMP),
)
