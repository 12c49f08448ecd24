"""Numbers drawn from a seed, the same on every machine and in every process."""

from typing import Final

WORD_MASK: Final = (1 << 64) - 1


def mixed_seed(seed: int, stream: int) -> int:
    """A number from 0 below 2**62 that depends on all bits of the seed and the stream (SplitMix64)."""
    word = (seed + 0x9E3779B97F4A7C15 * (stream + 1)) & WORD_MASK
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & WORD_MASK
    word = (word ^ word >> 27) * 0x94D049BB133111EB & WORD_MASK
    return (word ^ word >> 31) >> 2
