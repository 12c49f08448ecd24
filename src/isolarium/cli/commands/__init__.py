"""The commands: their options, their help and their implementation.

At its top a module imports nothing that takes long to load (Numba, NumPy, Rich, Altair, FastAPI), so that help and
error messages appear at once. A command's function imports the rest after it has checked its arguments.
"""
