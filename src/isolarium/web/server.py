"""Runs the application until somebody ends it."""

import atexit
import gc
import signal
import socket
import sys
from contextlib import suppress
from errno import EACCES, EADDRINUSE, EADDRNOTAVAIL
from typing import Any

import uvicorn
from fastapi import FastAPI

from isolarium.compat import IS_WINDOWS
from isolarium.errors import InputError
from isolarium.web import log
from isolarium.web.app import create_app
from isolarium.web.connection_limits import Doors, HttpConnection, WebSocketConnection
from isolarium.web.request_checks import MOST_BODY
from isolarium.web.services import Services
from isolarium.web.settings import Settings


def bind(host: str, port: int) -> socket.socket:
    """Take a port; 0 is any that is free.

    Raises:
        InputError: it cannot be had; the message says what to do.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With the protocol named, asyncio sends answers at once instead of waiting to fill a packet.
    taken = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    if not IS_WINDOWS:  # where it would let two servers have one port
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        taken.bind((host, port))
        taken.listen(128)
    except OSError as error:
        taken.close()
        raise InputError(_why_not(host, port, error)) from None
    return taken


def _why_not(host: str, port: int, error: OSError) -> str:
    where = f"{host} port {port}"
    if error.errno == EADDRINUSE:
        return f"{where}: in use; expected a free one, such as --port {port + 1}"
    if error.errno == EACCES:
        return f"{where}: not ours to take; expected --port 1024 or more"
    if error.errno == EADDRNOTAVAIL or isinstance(error, socket.gaierror):
        return f"--host {host}: no address of this machine; expected one such as 127.0.0.1"
    return f"{where}: {error.strerror}; expected another --host or --port"


class _Server(uvicorn.Server):
    """Lets the runs know first: they end while the server says goodbye to everybody else."""

    def __init__(self, app: FastAPI, doors: Doors, **options: Any) -> None:
        super().__init__(uvicorn.Config(app, **options))
        self.server_state = doors
        self._app = app

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        services: Services = self._app.state.services
        services.launcher.interrupt()
        await super().shutdown(sockets)


def serve(settings: Settings, taken: socket.socket) -> None:
    """Answer on a port that was taken, until SIGINT or SIGTERM."""
    log.install()
    server = _Server(
        create_app(settings),
        Doors(settings.proxies),
        http=HttpConnection,
        ws=WebSocketConnection,
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=bool(settings.proxies),
        forwarded_allow_ips=list(settings.proxies),
        ws_max_size=MOST_BODY,
        ws_max_queue=8,
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=1,
    )
    # The server sends itself the signal that ended it once all is done; that is not to look like a crash.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    atexit.register(
        gc.freeze
    )  # to look for garbage in all that was loaded would take half of the time to end
    with suppress(KeyboardInterrupt):
        server.run(sockets=[taken])
