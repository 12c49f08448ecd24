"""Whether a server can answer, for whoever watches over it."""

from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from isolarium.web import Settings
from isolarium.web.jobs.job_queue import JobQueue
from isolarium.web.server import create_app
from isolarium.web.services import Services
from tests.arena.processes import wait_until
from tests.web.in_process import run
from tests.web.serving import Server


@pytest.mark.slow
def test_a_server_that_can_answer_says_so(server: Server) -> None:
    wait_until(lambda: server.get("/api/health").status_code == 200, "the workers")
    health = server.get("/api/health").json()
    assert set(health) == {"version", "searches", "reading"}
    for queue in ("searches", "reading"):
        assert set(health[queue]) == {"workers", "ready", "at_work", "waiting"}
        assert 1 <= health[queue]["ready"] <= health[queue]["workers"]


def test_one_without_workers_says_that(tmp_path: Path) -> None:
    settings = Settings(tmp_path)
    app = create_app(settings)
    services = app.state.services = Services(settings)
    services.searches = JobQueue("tests", workers=0, most_waiting=1)

    async def test() -> None:
        found = await asked(app, settings.address)
        assert found.status_code == 503
        assert found.json()["searches"] == {"workers": 0, "ready": 0, "at_work": 0, "waiting": 0}

    run(test)
    services.reports.close()


async def asked(app: FastAPI, address: str) -> httpx.Response:
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=address) as client:
        return await client.get("/api/health")
