"""Settings of all tests."""

from hypothesis import settings

# No deadline: the first example of a test may have to compile a kernel.
settings.register_profile("isolab", deadline=None)
settings.load_profile("isolab")
