"""Measurements of games and agents, such as accuracy and calibration; solved positions for training."""
