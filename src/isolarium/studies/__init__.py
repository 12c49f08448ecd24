"""Experiments described in one TOML file each, their results, and the search for parameter values."""
