"""The arena: openings, one game, pairs, runs of many games, and their record."""
