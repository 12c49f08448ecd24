"""Exact values of positions, with proofs that can be checked independently."""
