"""Grading of course agents: checks of their scores, searches and moves."""
