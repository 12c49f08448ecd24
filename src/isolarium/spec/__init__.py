"""Specs: how agents and heuristics are written, and what they stand for."""
