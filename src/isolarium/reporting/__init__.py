"""What is said about runs, studies, games and heuristics: one model, a renderer for each medium, and the reports."""
