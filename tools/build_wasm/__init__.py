"""The searches, heuristics and the solver as WebAssembly modules for browsers."""
