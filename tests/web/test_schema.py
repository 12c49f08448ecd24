"""The API does what its description says, whatever it is sent."""

import subprocess
import sys
from pathlib import Path

import pytest

from isolarium.web import Settings
from isolarium.web.server import create_app
from tests.command import PATIENCE_S, environment

METHODS = {"get", "post", "put", "patch", "delete"}
ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_every_operation_conforms(tmp_path: Path) -> None:
    """Schemathesis takes three seconds to load and to collect: in one process rather than in every one of pytest's."""
    paths = create_app(Settings(Path())).openapi()["paths"].values()
    operations = sum(len(METHODS & path.keys()) for path in paths)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "schemathesis"]
    command += [f"--basetemp={tmp_path / 'tests'}", "tests/web/schema_conformance.py"]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=ROOT, env=environment(), timeout=PATIENCE_S, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{operations} passed" in done.stdout
