"""The base of compiled code: Numba's flags, sets of squares, and the cache.

This package does not depend on the game. Only this package sets Numba options or uses LLVM
builders.
"""
