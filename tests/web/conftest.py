"""The servers that most tests of this room, and those of the pages, share: starting one takes a second of a core."""

from collections.abc import Iterator

import pytest

from tests.web.serving import Server, put_finished_run, serving


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server on this machine with one finished run."""
    runs = tmp_path_factory.mktemp("served") / "runs"
    put_finished_run(runs)
    with serving(runs) as server:
        server.get("/api/agents").raise_for_status()
        server.lasts = True
        yield server


@pytest.fixture(scope="session")
def _busy_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("busy") / "runs") as server:
        server.lasts = True
        yield server


@pytest.fixture
def busy_server(_busy_server: Server) -> Iterator[Server]:
    """A server to begin runs at, with those of tests before.

    To be asked for before `visit`, so that nobody watches any more when its runs are stopped.
    """
    yield _busy_server
    _busy_server.stop_runs()
