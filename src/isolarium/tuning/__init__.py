"""Tuning: which values of an agent's parameters are best, and whether they are better than what there was."""
