"""Imported by processes that others are forked from: Numba does beforehand what the first compiled code has it do.

It then reads in all that it knows how to compile, which takes as long as importing it.
"""

from numba.core.registry import cpu_target

cpu_target.typing_context.refresh()
cpu_target.target_context.refresh()
