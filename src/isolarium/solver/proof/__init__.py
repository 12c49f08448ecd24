"""Proofs: certificates of who wins, and their checking by the rules in plain Python alone."""
