"""The truth: exact values of positions, with proofs that can be checked without us."""
