"""The web server: a JSON API over HTTP and WebSocket, and the pages that use it.

This module has the operator's settings, which `isolarium serve` fills in.
"""

from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Final

LOOPBACK_NAMES: Final = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True, slots=True)
class Settings:
    """The operator's settings.

    Attributes:
        runs: The folder of the runs.
        host: The address to listen on.
        port: The port to listen on.
        hosts: Additional Host headers to accept, HOST or HOST:PORT.
        allow: Folders whose files may be used as agents.
        proxies: Addresses of proxies whose X-Forwarded-For header is trusted.
        embed: Sites that may embed boards; `*` allows all.
        token: The token required to start, stop and resume runs and to write heuristics; empty
            requires none.
        may_write: Whether heuristics can be written in the browser.
    """

    runs: Path
    host: str = "127.0.0.1"
    port: int = 8000
    hosts: tuple[str, ...] = ()
    allow: tuple[Path, ...] = ()
    proxies: tuple[str, ...] = ()
    embed: tuple[str, ...] = ()
    token: str = ""
    may_write: bool = False

    @property
    def drafts(self) -> Path:
        """The folder of heuristics written in the browser; no run can have this name."""
        return self.runs / ".drafts"

    @property
    def address(self) -> str:
        """The URL of the server."""
        return f"http://{url_host(self.host)}:{self.port}"


def is_loopback(host: str) -> bool:
    """Return whether a host is reachable only from this machine."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def url_host(host: str) -> str:
    """Return a host as written in a URL."""
    return f"[{host}]" if ":" in host else host
