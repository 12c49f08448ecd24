"""The application: the guard before it, the routes, and what starts and ends with it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from fastapi import FastAPI
from starlette.middleware import Middleware

from isolarium import __version__
from isolarium.agents.levels import LEVELS
from isolarium.web import http_errors
from isolarium.web.agent_policy import Trust
from isolarium.web.request_checks import Guard
from isolarium.web.routes import analyse, friends, health, learn, play, static, watch
from isolarium.web.services import Services
from isolarium.web.settings import Settings
from isolarium.web.short_names import Shortened


async def _warm(services: Services) -> None:
    """Have everything that takes a moment the first time done before somebody asks."""
    for once in (static.pack_pages, play.searches, play.heuristics, watch.known_studies):
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
    for part in (static, health, play, analyse, watch, learn, friends):
        app.include_router(part.router)
    return app
