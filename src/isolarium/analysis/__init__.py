"""Measurements of games and agents: accuracy against perfect play, calibration, visits and search effort."""
