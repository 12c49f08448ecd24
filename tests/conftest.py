"""Settings of all tests."""

from hypothesis import HealthCheck, settings

# No test fails for the time it takes: an example may have to compile a kernel, on a machine that is busy.
settings.register_profile("isolab", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("isolab")
