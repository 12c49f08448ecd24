"""Mixing the bits of a word, for hashing and for drawing numbers from a seed."""

from isolab.native.jit import kernel


@kernel
def mixed(word: int) -> int:
    """A word well mixed (the finaliser of SplitMix64: Steele, Lea, Flood 2014)."""
    word = (word ^ (word >> 30 & 0x3FFFFFFFF)) * -4658895280553007687
    word = (word ^ (word >> 27 & 0x1FFFFFFFFF)) * -7723592293110705685
    return word ^ (word >> 31 & 0x1FFFFFFFF)
