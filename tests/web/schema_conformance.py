"""The API does what its description says, whatever it is sent: the tests that `test_schema.py` runs."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from isolarium.web import Settings
from isolarium.web.http_errors import BUSY
from isolarium.web.server import create_app
from tests.arena.processes import wait_until
from tests.command import PATIENCE_S
from tests.samples import how_many
from tests.web.serving import Server, put_finished_run, serving

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    negative_data_rejection,
    unsupported_method,
]

_SETTINGS = Settings(Path())  # a description needs none


@pytest.fixture(scope="module")
def _described(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    runs = tmp_path_factory.mktemp("described") / "runs"
    put_finished_run(runs)
    with serving(runs) as server:
        yield server


@pytest.fixture
def described(_described: Server) -> Iterator[Server]:
    """A server of its own, with runs that were begun by chance; they are not played on while others are tried."""
    yield _described
    _described.stop_runs()


# A body that breaks the rules may also break the one about its size.
_REFUSALS = {"expected-statuses": [403, 404, 405, 409, 413, 415, 422]}
schema = schemathesis.openapi.from_dict(
    create_app(_SETTINGS).openapi(),
    config=schemathesis.Config.from_dict({"checks": {"negative_data_rejection": _REFUSALS}}),
)


@schema.parametrize()
@settings(max_examples=how_many(6, 3), deadline=None, suppress_health_check=list(HealthCheck))
def test_every_operation_conforms(case: "schemathesis.Case[Any]", described: Server) -> None:
    """503 is documented: workers are starting, or a queue is full. It must pass."""
    response: Any = None

    def was_served() -> bool:
        nonlocal response
        response = case.call(base_url=described.address, timeout=PATIENCE_S)
        return bool(response.status_code != BUSY)

    wait_until(was_served, "an answer other than 503")
    case.validate_response(response, checks=CHECKS)
