"""Private namespaces of a process, where the kernel permits them: IPC objects of its own, and a small disk in memory.

Root may have them; an ordinary user may in a user namespace, which some systems forbid.
"""

import ctypes
import os
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from isolarium.compat import IS_LINUX

DISK_MIB: Final = 256
DISK_FILES: Final = 20_000
_libc: Final[Any] = ctypes.CDLL(None, use_errno=True) if IS_LINUX else None
_MOUNTS, _IPC, _USER = 0x00020000, 0x08000000, 0x10000000
_NO_SETUID, _NO_DEVICES, _NO_CODE = 0x2, 0x4, 0x8
_RECURSIVE, _PRIVATE = 0x4000, 0x40000


def unshare() -> bool:
    """Take private namespaces for mounts and IPC; return whether that was permitted."""
    user, group = os.getuid(), os.getgid()
    if _libc.unshare(_MOUNTS | _IPC) == 0:
        return bool(_libc.mount(None, b"/", None, _RECURSIVE | _PRIVATE, None) == 0)
    if _libc.unshare(_USER | _MOUNTS | _IPC) != 0:
        return False
    with suppress(OSError):
        _write("setgroups", "deny")
        _write("uid_map", f"{user} {user} 1")
        _write("gid_map", f"{group} {group} 1")
    return os.getuid() == user


def mount_disk(folder: Path) -> bool:
    """Put an empty disk in the place of a folder, bounded in size, whose files cannot be mapped as code.

    Needs a private namespace for mounts. This process goes there, if it was in the folder.

    Returns:
        Whether it is there.
    """
    is_inside = Path.cwd() == folder.resolve()
    options = f"size={DISK_MIB}m,nr_inodes={DISK_FILES},mode=700".encode()
    flags = _NO_SETUID | _NO_DEVICES | _NO_CODE
    is_mounted = _libc.mount(b"scratch", os.fsencode(folder), b"tmpfs", flags, options) == 0
    if is_mounted and is_inside:
        os.chdir(folder)
    return bool(is_mounted)


def _write(name: str, text: str) -> None:
    # Not through `Path`: each of these files takes a single write.
    handle = os.open(f"/proc/self/{name}", os.O_WRONLY)
    try:
        os.write(handle, text.encode())
    finally:
        os.close(handle)
