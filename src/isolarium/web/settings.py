"""What the operator of a server decides."""

from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Final

LOOPBACK_NAMES: Final = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True, slots=True)
class Settings:
    """How a server is run.

    Attributes:
        runs: the folder that runs are kept in.
        host: the address it listens on.
        port: the port it listens on.
        hosts: further Host headers that it answers to, HOST or HOST:PORT.
        allow: folders whose files may be agents.
        proxies: addresses whose X-Forwarded-For says who asks.
        embed: sites whose pages may show boards of ours; `*`: all.
        token: what starting, stopping and resuming runs takes; nothing: no more than being here.
    """

    runs: Path
    host: str = "127.0.0.1"
    port: int = 8000
    hosts: tuple[str, ...] = ()
    allow: tuple[Path, ...] = ()
    proxies: tuple[str, ...] = ()
    embed: tuple[str, ...] = ()
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
