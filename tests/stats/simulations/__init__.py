"""Simulations under a known truth; `python -m tests.stats.simulations` prints more of them than the tests take."""
