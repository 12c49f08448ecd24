"""Tuning: find the best values of an agent's parameters, and test them."""
