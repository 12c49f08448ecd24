"""The base of compiled code: Numba's flags, sets of squares, and the cache.

This package knows nothing about the game. No code outside it names a Numba option or uses an LLVM builder.
"""
