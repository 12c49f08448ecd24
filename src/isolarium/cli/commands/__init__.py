"""One module a command: what it takes, what it says of itself, and what it refuses.

They import nothing at their top that takes long to load (Numba, NumPy, Rich, Altair, FastAPI): help and mistakes are
answered at once. What a command then needs of that kind, its function imports, after all that can be refused without.
Such functions are in `work`, `terminal` or another room, where imports stand at the top.
"""
