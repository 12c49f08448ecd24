"""One server that most tests of this room, and those of the pages, share."""

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
        yield server
