"""What the operator of a server decides."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Final

LOOPBACK_NAMES: Final = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True, slots=True)
class StudyWish:
    """A study to be begun.

    Attributes:
        name: which of those that come with Isolab.
        parts: the parts to play; none: all.
        scale: pairs for each that the study asks for.
        limit: in place of the study's limits; nothing: those.
    """

    name: str
    parts: tuple[str, ...]
    scale: float
    limit: str


BeginStudy = Callable[[StudyWish, Path], tuple[Path, Sequence[str]]]
"""Puts a study down in a new folder among the runs: the folder, and the names of the parts to be played."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How a server is run.

    Attributes:
        runs: the folder that runs are kept in.
        begin_study: how a study is begun.
        host: the address it listens on.
        port: the port it listens on.
        hosts: further Host headers that it answers to, HOST or HOST:PORT.
        allow: folders whose files may be agents.
        token: what starting, stopping and resuming runs takes; nothing: no more than being here.
    """

    runs: Path
    begin_study: BeginStudy
    host: str = "127.0.0.1"
    port: int = 8000
    hosts: tuple[str, ...] = ()
    allow: tuple[Path, ...] = ()
    token: str = ""

    @property
    def address(self) -> str:
        """What people type into a browser."""
        return f"http://{url_host(self.host)}:{self.port}"


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server on that address."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def url_host(host: str) -> str:
    """An address as it stands in a URL."""
    return f"[{host}]" if ":" in host else host
