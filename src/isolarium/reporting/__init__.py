"""Reports of runs, studies, games and heuristics, in several formats."""
