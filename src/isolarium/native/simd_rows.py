"""Small integers in vector registers (SIMD): rows, and one number per square.

A `Row` holds 32 integers of 16 bits. In memory a row takes 32 bytes (four words); its weights are
32 numbers of 16 bits (eight words). A `Numbers` value holds 64 numbers of eight bits, one for each
bit of a word in a set of squares. LLVM splits vectors that are wider than the machine's registers.
"""

# mypy: allow-untyped-defs, allow-untyped-decorators, allow-untyped-calls
# Numba's extension protocol has no types.

from typing import Any, Final

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, register_model

from isolarium.native.memory import WORD, invariant, word_pointer

CHANNELS: Final = 32
"""The number of integers in a row."""
ROW_WORDS: Final = 4
"""The number of words that a row takes in memory."""
WEIGHING_WORDS: Final = 8
"""The number of words that the weights of a row take in memory."""
WORD_SQUARES: Final = 64

IN_MEMORY: Final = ir.VectorType(ir.IntType(8), CHANNELS)
SUMS: Final = ir.VectorType(ir.IntType(16), CHANNELS)
PRODUCTS: Final = ir.VectorType(ir.IntType(32), CHANNELS)
BYTES: Final = ir.VectorType(ir.IntType(8), WORD_SQUARES)
BITS: Final = ir.VectorType(ir.IntType(1), WORD_SQUARES)
PLACES: Final = ir.VectorType(ir.IntType(32), WORD_SQUARES)


class Row(types.Type):  # type: ignore[misc] # Numba has no types
    """Numba's type for a row."""

    def __init__(self) -> None:
        super().__init__(name="Row")


class Numbers(types.Type):  # type: ignore[misc] # Numba has no types
    """Numba's type for 64 numbers, one for each bit of a word."""

    def __init__(self) -> None:
        super().__init__(name="Numbers")


ROW, NUMBERS = Row(), Numbers()


@register_model(Row)
class RowModel(models.PrimitiveModel):  # type: ignore[misc] # Numba has no types
    """One vector."""

    def __init__(self, manager: Any, kind: Row) -> None:
        super().__init__(manager, kind, SUMS)


@register_model(Numbers)
class NumbersModel(models.PrimitiveModel):  # type: ignore[misc] # Numba has no types
    """One vector."""

    def __init__(self, manager: Any, kind: Numbers) -> None:
        super().__init__(manager, kind, BYTES)


# Rows


@intrinsic
def load_row(typing_context, address, index):
    """`load_row(address, index)`: load a row that compiled code never writes."""

    def generate(context, builder, signature, arguments):
        pointer = builder.bitcast(word_pointer(builder, *arguments), IN_MEMORY.as_pointer())
        return builder.sext(invariant(builder, builder.load(pointer, align=8)), SUMS)

    return ROW(types.int64, types.int64), generate


@intrinsic
def add_rows(typing_context, one, other):
    """Add two rows element by element; the sums must fit into 16 bits."""

    def generate(context, builder, signature, arguments):
        return builder.add(*arguments)

    return ROW(ROW, ROW), generate


@intrinsic
def first_of(typing_context, row):
    """Return the first number of a row."""

    def generate(context, builder, signature, arguments):
        return builder.sext(builder.extract_element(arguments[0], ir.IntType(32)(0)), WORD)

    return types.int64(ROW), generate


@intrinsic(prefer_literal=True)
def weighed_squares(typing_context, row, most, address, index):
    """`weighed_squares(row, most, address, index)`: the weighted sum of squares.

    The numbers are clipped to the range 0 to `most`, a constant of at most 181, and squared. The
    weights start at word `index`, in memory that compiled code never writes. The sum must fit into
    32 bits.
    """
    ceiling = most.literal_value

    def generate(context, builder, signature, arguments):
        row, _, address, index = arguments
        least, top = (ir.Constant(SUMS, [number] * CHANNELS) for number in (0, ceiling))
        row = builder.select(builder.icmp_signed(">", row, least), row, least)
        row = builder.select(builder.icmp_signed("<", row, top), row, top)
        squares = builder.sext(builder.mul(row, row), PRODUCTS)
        pointer = builder.bitcast(word_pointer(builder, address, index), SUMS.as_pointer())
        weights = builder.sext(invariant(builder, builder.load(pointer, align=8)), PRODUCTS)
        total = builder.module.declare_intrinsic(
            f"llvm.vector.reduce.add.v{CHANNELS}i32", fnty=ir.FunctionType(ir.IntType(32), [PRODUCTS])
        )
        return builder.sext(builder.call(total, [builder.mul(squares, weights)]), WORD)

    return types.int64(ROW, most, types.int64, types.int64), generate


# A number for each square


@intrinsic
def no_numbers(typing_context):
    """Return the number 0 for each bit."""

    def generate(context, builder, signature, arguments):
        return ir.Constant(BYTES, [0] * WORD_SQUARES)

    return NUMBERS(), generate


@intrinsic(prefer_literal=True)
def more_where(typing_context, numbers, word, by):
    """`more_where(numbers, word, by)`: add a constant wherever a bit of the word is set."""
    amount = by.literal_value

    def generate(context, builder, signature, arguments):
        numbers, word, _ = arguments
        is_set = _bits(builder, word, *context.codegen().magic_tuple()[2:])
        more = builder.add(numbers, ir.Constant(BYTES, [amount] * WORD_SQUARES))
        return builder.select(is_set, more, numbers)

    return NUMBERS(NUMBERS, types.int64, by), generate


def _bits(builder: Any, word: Any, features: str) -> Any:
    """Return the bits of a word as a vector.

    This is a single instruction with AVX-512. Other machines, and WebAssembly, would take the bits
    one by one, so each lane tests its bit in a copy of the bit's byte.
    """
    if "+avx512bw" in features:
        return builder.bitcast(word, BITS)
    word_bytes = builder.bitcast(word, ir.VectorType(ir.IntType(8), WORD_SQUARES // 8))
    places = ir.Constant(PLACES, [bit // 8 for bit in range(WORD_SQUARES)])
    copies = builder.shuffle_vector(word_bytes, word_bytes, places)
    own_bit = ir.Constant(BYTES, [1 << bit % 8 for bit in range(WORD_SQUARES)])
    none = ir.Constant(BYTES, [0] * WORD_SQUARES)
    return builder.icmp_unsigned("!=", builder.and_(copies, own_bit), none)


@intrinsic(prefer_literal=True)
def room_for_numbers(typing_context, many):
    """Return the address of memory for `many` values of type `Numbers`.

    `many` is a constant. The memory is valid until the calling function returns.
    """
    kind = ir.ArrayType(BYTES, many.literal_value)

    def generate(context, builder, signature, arguments):
        with builder.goto_entry_block():
            room = builder.alloca(kind)  # not `alloca_once`, which would clear it in every call
        return builder.ptrtoint(room, WORD)

    return types.int64(many), generate


@intrinsic
def store_numbers(typing_context, address, place, numbers):
    """`store_numbers(address, place, numbers)`: store into an array of `Numbers`."""

    def generate(context, builder, signature, arguments):
        address, place, numbers = arguments
        index = builder.mul(place, WORD(WORD_SQUARES // 8))
        pointer = builder.bitcast(word_pointer(builder, address, index), BYTES.as_pointer())
        builder.store(numbers, pointer, align=8)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, NUMBERS), generate


@intrinsic
def load_number(typing_context, address, number):
    """`load_number(address, number)`: load one number from an array of `Numbers`.

    Each `Numbers` value holds 64 numbers.
    """

    def generate(context, builder, signature, arguments):
        pointer = builder.inttoptr(builder.add(*arguments), ir.IntType(8).as_pointer())
        return builder.zext(builder.load(pointer), WORD)

    return types.int64(types.int64, types.int64), generate


@intrinsic
def lowest_bit(typing_context, word):
    """Return the number of the lowest bit of a word, which must not be 0."""

    def generate(context, builder, signature, arguments):
        return builder.cttz(arguments[0], ir.IntType(1)(1))

    return types.int64(types.int64), generate
