"""Settings of all tests."""

import gc
import os
import signal

import pytest
from hypothesis import HealthCheck, settings

from tests.samples import TRIES_ALL

# No test fails for the time it takes: an example may have to compile a kernel, on a machine that is busy.
settings.register_profile(
    "isolarium", deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=100 if TRIES_ALL else 50
)
settings.register_profile("quick", settings.get_profile("isolarium"), max_examples=15)  # `make check`
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "isolarium"))

# Where the tests were begun in the background, Ctrl-C is ignored, and would be by the commands that they try it on.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


# To look for garbage every 700 objects among a million takes a tenth of the time.
gc.set_threshold(20_000, 20, 50)


def pytest_collection_finish() -> None:
    """Look for garbage only among what tests make."""
    gc.freeze()


# Several tests run at once: a run that needs more than one worker says so.
os.environ["ISOLARIUM_WORKERS"] = "1"


@pytest.fixture(scope="session", autouse=True)
def _own_data(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keep the key that runs are signed with out of the data of whoever runs the tests."""
    os.environ["XDG_DATA_HOME"] = str(tmp_path_factory.mktemp("data"))
