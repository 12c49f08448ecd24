"""The compiled ground: Numba's flags, sets of squares in machine words, and the cache of compiled code.

This room knows nothing of the game. Nothing outside it names a Numba option or touches an LLVM builder.
"""
