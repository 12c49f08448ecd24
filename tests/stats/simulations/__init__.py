"""Simulations with known true values; `python -m tests.stats.simulations` prints more than the tests use."""
