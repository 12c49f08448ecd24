"""Initialise Numba's compiler on import, in processes from which others are forked.

Otherwise each forked process would initialise it at its first compilation, which takes as long as
importing Numba.
"""

from numba.core.registry import cpu_target

cpu_target.typing_context.refresh()
cpu_target.target_context.refresh()
