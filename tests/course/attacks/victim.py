"""A process of the same user that has nothing to do with the match; run as a script.

It holds a secret in its memory, its environment, its arguments and an unlinked file, blocks all real-time signals, so
that any that arrive stay pending, and ends with its stdin.
"""

import ctypes
import os
import signal
import sys
import tempfile

SET_DUMPABLE = 4


def main(secret: str, user: str) -> None:
    if user:
        os.setgroups([])
        os.setgid(int(user))
        os.setuid(int(user))
        ctypes.CDLL(None).prctl(SET_DUMPABLE, 1, 0, 0, 0)  # as any program of that user's
    signal.pthread_sigmask(signal.SIG_BLOCK, range(signal.SIGRTMIN, signal.SIGRTMAX + 1))
    held = ctypes.create_string_buffer(secret.encode())
    with tempfile.TemporaryFile(buffering=0) as file:
        file.write(secret.encode())
        print(ctypes.addressof(held), file.fileno(), flush=True)
        os.read(0, 1)


if __name__ == "__main__":
    main(*sys.argv[1:])
