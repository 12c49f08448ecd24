"""Specs: the notation of agents and heuristics, and its resolution."""
