"""A set of squares in compiled code: one LLVM integer of 64, 128 or 192 bits.

In code a square set behaves like a set: `a & b`, `a | b`, `a - b`, `len(a)`, `square in a`,
`bool(a)`, `a == b`. The same code runs in plain Python on frozensets of square numbers. In the machine, a square set
is one to three words in registers: LLVM splits the wide integer, so the same code serves every board size at the speed
of hand-written loops.
"""

# mypy: allow-untyped-defs, allow-untyped-decorators, allow-untyped-calls
# Numba's extension protocol has no types.

import operator
from itertools import pairwise
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, overload, register_model

from isolarium.native.memory import WORD, invariant, word_pointer

WORD_BITS = 64
MAX_WORDS = 3


class SquareSet(types.Type):  # type: ignore[misc] # Numba has no types
    """Numba's type for a set of squares of `words` 64-bit words."""

    def __init__(self, words: int) -> None:
        self.words = words
        super().__init__(name=f"SquareSet({words})")


SET_TYPES = {words: SquareSet(words) for words in range(1, MAX_WORDS + 1)}


@register_model(SquareSet)
class SquareSetModel(models.PrimitiveModel):  # type: ignore[misc] # Numba has no types
    """One wide integer."""

    def __init__(self, manager: Any, kind: SquareSet) -> None:
        super().__init__(manager, kind, ir.IntType(WORD_BITS * kind.words))


def split_words(builder: Any, value: Any, words: int) -> list[Any]:
    """Return the words of a wide integer, lowest first."""
    return [builder.trunc(builder.lshr(value, value.type(WORD_BITS * i)), WORD) for i in range(words)]


def join_words(builder: Any, parts: list[Any]) -> Any:
    """Join words, lowest first, into one wide integer."""
    kind = ir.IntType(WORD_BITS * len(parts))
    whole = kind(0)
    for i, part in enumerate(parts):
        whole = builder.or_(whole, builder.shl(builder.zext(part, kind), kind(WORD_BITS * i)))
    return whole


@intrinsic(prefer_literal=True)
def load_set(typing_context, address, index, words):
    """`load_set(address, index, words)`: load a set of `words` words."""
    count = words.literal_value

    def generate(context, builder, signature, arguments):
        return builder.load(_set_pointer(builder, arguments[0], arguments[1], count), align=8)

    return SET_TYPES[count](types.int64, types.int64, words), generate


@intrinsic
def load_table_set(typing_context, address, start, number, like):
    """Load set `number` of the table of sets that starts at word `start`.

    No compiled code may write this memory. The set has the same size as the set `like`.
    """

    def generate(context, builder, signature, arguments):
        address, start, number, _ = arguments
        index = builder.add(start, builder.mul(number, WORD(like.words)))
        pointer = _set_pointer(builder, address, index, like.words)
        return invariant(builder, builder.load(pointer, align=8))

    return like(types.int64, types.int64, types.int64, like), generate


@intrinsic
def store_set(typing_context, address, index, squares):
    """`store_set(address, index, squares)`: store a set, starting at word `index`."""

    def generate(context, builder, signature, arguments):
        pointer = _set_pointer(builder, arguments[0], arguments[1], squares.words)
        builder.store(arguments[2], pointer, align=8)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, squares), generate


def _set_pointer(builder: Any, address: Any, index: Any, words: int) -> Any:
    pointer = word_pointer(builder, address, index)
    return builder.bitcast(pointer, ir.IntType(WORD_BITS * words).as_pointer())


@intrinsic
def count(typing_context, squares):
    """Return the number of squares in the set."""

    def generate(context, builder, signature, arguments):
        return builder.trunc(builder.ctpop(arguments[0]), WORD) if squares.words > 1 else (builder.ctpop(arguments[0]))

    return types.int64(squares), generate


@intrinsic
def lowest(typing_context, squares):
    """Return the lowest square number in the set, which must not be empty."""

    def generate(context, builder, signature, arguments):
        position = builder.cttz(arguments[0], ir.IntType(1)(1))
        return builder.trunc(position, WORD) if squares.words > 1 else position

    return types.int64(squares), generate


@intrinsic
def without_lowest(typing_context, squares):
    """Return the set without its lowest square; the empty set stays empty."""

    def generate(context, builder, signature, arguments):
        (value,) = arguments
        return builder.and_(value, builder.sub(value, value.type(1)))

    return squares(squares), generate


@intrinsic
def is_empty(typing_context, squares):
    """Return whether the set is empty."""

    def generate(context, builder, signature, arguments):
        (value,) = arguments
        return builder.icmp_unsigned("==", value, value.type(0))

    return types.boolean(squares), generate


@intrinsic
def fold(typing_context, squares):
    """Hash the set: multiply each word by an odd number, then combine them by XOR."""

    def generate(context, builder, signature, arguments):
        multipliers = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)
        total = WORD(0)
        for word, odd in zip(split_words(builder, arguments[0], squares.words), multipliers, strict=False):
            total = builder.xor(total, builder.mul(word, WORD(odd)))
        return total

    return types.int64(squares), generate


def _binary(name: str) -> Any:
    """Return an intrinsic for the operator NAME on two sets."""

    @intrinsic
    def operation(typing_context, left, right):
        def generate(context, builder, signature, arguments):
            left_value, right_value = arguments
            if name == "minus":
                return builder.and_(left_value, builder.not_(right_value))
            return getattr(builder, name)(left_value, right_value)

        return left(left, right), generate

    return operation


@intrinsic
def shift(typing_context, squares, by):
    """Add `by`, from 1 to 63, to every number; drop those past the end."""

    def generate(context, builder, signature, arguments):
        value, amount = arguments
        if squares.words == 1:
            return builder.shl(value, amount)
        parts = [WORD(0), *split_words(builder, value, squares.words)]
        back = builder.sub(WORD(WORD_BITS), amount)
        return join_words(
            builder, [builder.or_(builder.shl(high, amount), builder.lshr(low, back)) for low, high in pairwise(parts)]
        )

    return squares(squares, types.int64), generate


@intrinsic
def shift_down(typing_context, squares, by):
    """Subtract `by`, from 1 to 63, from every number; drop those below 0."""

    def generate(context, builder, signature, arguments):
        value, amount = arguments
        if squares.words == 1:
            return builder.lshr(value, amount)
        parts = [*split_words(builder, value, squares.words), WORD(0)]
        back = builder.sub(WORD(WORD_BITS), amount)
        return join_words(
            builder, [builder.or_(builder.lshr(low, amount), builder.shl(high, back)) for low, high in pairwise(parts)]
        )

    return squares(squares, types.int64), generate


def _overload_operator(operation: Any, intrinsic_function: Any) -> None:
    @overload(operation)
    def choose(left, right):
        if isinstance(left, SquareSet) and left == right:
            return lambda left, right: intrinsic_function(left, right)
        return None


for _operation, _name in (
    (operator.and_, "and_"),
    (operator.or_, "or_"),
    (operator.xor, "xor"),
    (operator.sub, "minus"),
):
    _overload_operator(_operation, _binary(_name))


@overload(operator.eq)
def _equal(left, right):
    if isinstance(left, SquareSet) and left == right:
        return lambda left, right: is_empty(left ^ right)
    return None


@overload(operator.ne)
def _different(left, right):
    if isinstance(left, SquareSet) and left == right:
        return lambda left, right: not is_empty(left ^ right)
    return None


@overload(len)
def _length(squares):
    if isinstance(squares, SquareSet):
        return lambda squares: count(squares)
    return None


@overload(bool)
def _truth(squares):
    if isinstance(squares, SquareSet):
        return lambda squares: not is_empty(squares)
    return None


@intrinsic
def single(typing_context, like, square):
    """Return the set that contains only `square`, with the same size as the set `like`."""

    def generate(context, builder, signature, arguments):
        number = arguments[1]
        if like.words == 1:
            return builder.shl(WORD(1), number)
        bit = builder.shl(WORD(1), builder.and_(number, WORD(WORD_BITS - 1)))
        which = builder.lshr(number, WORD(6))
        parts = [builder.select(builder.icmp_unsigned("==", which, WORD(i)), bit, WORD(0)) for i in range(like.words)]
        return join_words(builder, parts)

    return like(like, types.int64), generate


@overload(operator.contains)
def _contains(squares, square):
    if isinstance(squares, SquareSet):
        return lambda squares, square: not is_empty(squares & single(squares, square))
    return None


@intrinsic(prefer_literal=True)
def word_of(typing_context, squares, index):
    """Return word `index` of the set, or 0 past its end; `index` is a constant."""
    place = index.literal_value

    def generate(context, builder, signature, arguments):
        words = split_words(builder, arguments[0], squares.words)
        return words[place] if place < squares.words else WORD(0)

    return types.int64(squares, index), generate


@intrinsic
def half_turned(typing_context, squares, size):
    """Rotate the set by 180 degrees on a board of `size` squares.

    Square s becomes size - 1 - s.
    """

    def generate(context, builder, signature, arguments):
        value, size = arguments
        unused = builder.sub(WORD(WORD_BITS * squares.words), size)
        if squares.words > 1:
            unused = builder.zext(unused, value.type)
        return builder.lshr(builder.bitreverse(value), unused)

    return squares(squares, types.int64), generate
