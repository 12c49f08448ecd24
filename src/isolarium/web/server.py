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
from starlette.middleware.gzip import GZipMiddleware

from isolarium import __version__
from isolarium.compat import IS_WINDOWS
from isolarium.errors import InputError
from isolarium.web import Settings, http_errors
from isolarium.web.agent_policy import AgentPolicy, Shortened
from isolarium.web.connection_limits import ConnectionCounter, HttpConnection, WebSocketConnection
from isolarium.web.request_checks import MOST_BODY, RequestChecks
from isolarium.web.routes import about, friends, learn, play, static, watch, write
from isolarium.web.services import Services


def bind(host: str, port: int) -> socket.socket:
    """Open a port; 0 selects any free port.

    Raises:
        InputError: If the port is not available.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With the protocol named, asyncio sends responses at once (TCP_NODELAY).
    taken = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    if not IS_WINDOWS:  # On Windows, two servers could then share a port.
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
        return f"{where}: already in use; try another, such as --port {port + 1}"
    if error.errno == EACCES:
        return f"{where}: not permitted; use --port 1024 or higher"
    if error.errno == EADDRNOTAVAIL or isinstance(error, socket.gaierror):
        return f"--host {host}: not an address of this machine; expected one such as 127.0.0.1"
    return f"{where}: {error.strerror}; try another --host or --port"


class _Server(uvicorn.Server):
    """A server that interrupts the runs before it closes its connections."""

    def __init__(self, app: FastAPI, counter: ConnectionCounter, **options: Any) -> None:
        super().__init__(uvicorn.Config(app, **options))
        self.server_state = counter
        self._app = app

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        services: Services = self._app.state.services
        services.launcher.interrupt()
        await super().shutdown(sockets)


def serve(settings: Settings, taken: socket.socket) -> None:
    """Serve on an open port until SIGINT or SIGTERM."""
    _install_log()
    server = _Server(
        create_app(settings),
        ConnectionCounter(settings.proxies),
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
    # uvicorn raises the signal again after shutdown, but SIGTERM must not look like a crash.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    atexit.register(gc.freeze)  # A final collection of all loaded objects would take half of the shutdown time.
    with suppress(KeyboardInterrupt):
        server.run(sockets=[taken])


async def _warm(services: Services) -> None:
    """Do slow first-time work before the first visitor needs it."""
    for once in (static.build_bundles, about.searches, about.heuristics, watch.known_studies):
        await asyncio.to_thread(once)
    await services.read_runs()


LEAST_BYTES: Final = 1000
"""Responses of at least this size are compressed if the browser accepts compression."""


def create_app(settings: Settings) -> FastAPI:
    """Create the application of a server."""

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
        docs_url=None,  # These pages load scripts from other hosts.
        redoc_url=None,
        middleware=[
            Middleware(RequestChecks, settings=settings),
            Middleware(GZipMiddleware, minimum_size=LEAST_BYTES, compresslevel=5),
            Middleware(Shortened, names=AgentPolicy(settings.allow).names),
        ],
    )
    http_errors.install_handlers(app)
    for part in (static, about, play, watch, learn, friends, write):
        app.include_router(part.router)
    return app


EVERY_S: Final = 60.0
"""The interval in seconds in which the same message is logged only once."""
MOST_LINES: Final = 20
"""The maximum number of different messages in this interval."""


class RepeatFilter(logging.Filter):
    """A log filter that suppresses repeats of a message for a while.

    The next time the message is logged, the number of suppressed repeats is added.

    Args:
        clock: A function that returns the time in seconds.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._since = clock()
        self._counts: dict[str, int] = {}
        self._suppressed: dict[str, int] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether to log a record.

        Messages that differ only in their arguments count as the same.
        """
        now = self._clock()
        if now - self._since >= EVERY_S:
            self._since = now
            self._suppressed = {what: times - 1 for what, times in self._counts.items() if times > 1}
            self._counts = {}
        what = str(record.msg)[:200]
        if what == "%s":  # Only the argument counts; tracebacks differ at their ends.
            what = record.getMessage()[-200:]
        if what not in self._counts and len(self._counts) >= MOST_LINES:
            return False
        self._counts[what] = self._counts.get(what, 0) + 1
        if self._counts[what] > 1:
            return False
        if more := self._suppressed.pop(what, 0):
            record.msg = f"{record.getMessage().strip()} (and {more:,} more like it before)"
            record.args = None
        return True


def _install_log() -> None:
    """Log warnings to stderr, through the filter."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    handler.addFilter(RepeatFilter())
    logging.getLogger().addHandler(handler)
