"""Proofs that take too long for the tests; `docs/evidence` has their output."""
