"""The web application and the process that serves it."""

import asyncio
import atexit
import gc
import logging
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from errno import EACCES, EADDRINUSE, EADDRNOTAVAIL
from time import monotonic
from typing import Any, Final

import uvicorn
from fastapi import FastAPI
from starlette.middleware import Middleware

from isolarium import __version__
from isolarium.agents.levels import LEVELS
from isolarium.compat import IS_WINDOWS
from isolarium.errors import InputError
from isolarium.web import http_errors
from isolarium.web.agent_policy import Trust
from isolarium.web.connection_limits import Doors, HttpConnection, WebSocketConnection
from isolarium.web.request_checks import MOST_BODY, Guard
from isolarium.web.routes import about, analyse, friends, learn, play, static, watch
from isolarium.web.services import Services
from isolarium.web.settings import Settings
from isolarium.web.short_names import Shortened


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
    _install_log()
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


async def _warm(services: Services) -> None:
    """Have everything that takes a moment the first time done before somebody asks."""
    for once in (static.pack_pages, about.searches, about.heuristics, watch.known_studies):
        await asyncio.to_thread(once)
    await services.warm([level.agent for level in LEVELS])


def create_app(settings: Settings) -> FastAPI:
    """The application for a server that is run so."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        services = Services(settings)
        services.start()
        app.state.services = services
        warming = asyncio.create_task(_warm(services))
        try:
            yield
        finally:
            warming.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await warming
            await services.close()

    app = FastAPI(
        title="Isolarium",
        version=__version__,
        summary="A laboratory for knight Isolation.",
        lifespan=lifespan,
        openapi_url="/api/openapi.json",
        docs_url=None,  # they load scripts from other hosts
        redoc_url=None,
        middleware=[
            Middleware(Guard, settings=settings),
            Middleware(Shortened, names=Trust(settings.allow).names),
        ],
    )
    http_errors.install(app)
    for part in (static, about, play, analyse, watch, learn, friends):
        app.include_router(part.router)
    return app


EVERY_S: Final = 60.0
"""The same is said once within this."""
MOST_LINES: Final = 20
"""So many different things are said within it."""


class Seldom(logging.Filter):
    """Lets each message through once in a while, with how often it was held back since.

    Args:
        clock: the time in seconds.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._since = clock()
        self._counts: dict[str, int] = {}
        self._held_back: dict[str, int] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether to say it; messages are the same that differ only in what is filled in."""
        now = self._clock()
        if now - self._since >= EVERY_S:
            self._since = now
            self._held_back = {what: times - 1 for what, times in self._counts.items() if times > 1}
            self._counts = {}
        what = str(record.msg)[:200]
        if what == "%s":  # nothing but what is filled in; tracebacks differ at their ends
            what = record.getMessage()[-200:]
        if what not in self._counts and len(self._counts) >= MOST_LINES:
            return False
        self._counts[what] = self._counts.get(what, 0) + 1
        if self._counts[what] > 1:
            return False
        if more := self._held_back.pop(what, 0):
            record.msg = f"{record.getMessage().strip()} (and {more:,} more like it before)"
            record.args = None
        return True


def _install_log() -> None:
    """Have everything that libraries and we warn of said so, on stderr."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    handler.addFilter(Seldom())
    logging.getLogger().addHandler(handler)
