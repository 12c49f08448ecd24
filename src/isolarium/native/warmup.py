"""Initialise Numba's compiler on import, in processes that others are forked from.

Otherwise the first compilation in each process would do this, which takes as long as importing Numba.
"""

from numba.core.registry import cpu_target

cpu_target.typing_context.refresh()
cpu_target.target_context.refresh()
