"""Reports of runs, studies, games and heuristics: one document model, and a renderer for each format."""
