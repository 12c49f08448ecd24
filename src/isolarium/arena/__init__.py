"""The arena: openings, games, pairs, runs, and the stored results of runs."""
