"""The commands: their options, their help and their implementation.

At module level, a command imports nothing that takes long to load (Numba, NumPy, Rich, Altair,
FastAPI), so that help and error messages appear at once. The command's function imports the rest
after checking its arguments.
"""
