"""The commands: the options and help of each, and the work it does.

At its top a module imports nothing that takes long to load (Numba, NumPy, Rich, Altair, FastAPI), so that help and
error messages appear at once. A command's function imports the rest after it has checked its arguments.
"""
