"""Benchmarks of this machine; `make bench` runs them all."""
