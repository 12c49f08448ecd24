"""Read and write 64-bit words at raw addresses from compiled code.

An array argument requires reference counting in every call; an address does not. A caller that
passes an address to compiled code must keep the array at that address alive during the call.
"""

# mypy: allow-untyped-defs, allow-untyped-decorators, allow-untyped-calls
# Numba's extension protocol has no types.

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.callconv import excinfo_ptr_t
from numba.extending import intrinsic

WORD = ir.IntType(64)
DOUBLE = ir.DoubleType()


def word_pointer(builder: Any, address: Any, index: Any, kind: ir.Type = WORD) -> Any:
    """Return the pointer to word `index` after `address`."""
    return builder.gep(builder.inttoptr(address, kind.as_pointer()), [index])


def invariant(builder: Any, load: Any) -> Any:
    """Tell the optimiser that compiled code never changes the loaded memory."""
    load.set_metadata("invariant.load", builder.module.add_metadata([]))
    return load


@intrinsic
def load_word(typing_context, address, index):
    """`load_word(address, index)`: load a signed 64-bit word."""

    def generate(context, builder, signature, arguments):
        return builder.load(word_pointer(builder, *arguments))

    return types.int64(types.int64, types.int64), generate


@intrinsic
def load_constant(typing_context, address, index):
    """`load_constant(address, index)`: load a signed word that is never written.

    No compiled code may write this memory.
    """

    def generate(context, builder, signature, arguments):
        return invariant(builder, builder.load(word_pointer(builder, *arguments)))

    return types.int64(types.int64, types.int64), generate


@intrinsic
def store_word(typing_context, address, index, value):
    """`store_word(address, index, value)`: store a signed 64-bit word."""

    def generate(context, builder, signature, arguments):
        address, index, value = arguments
        builder.store(value, word_pointer(builder, address, index))
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), generate


@intrinsic
def load_float(typing_context, address, index):
    """`load_float(address, index)`: load a double."""

    def generate(context, builder, signature, arguments):
        return builder.load(word_pointer(builder, arguments[0], arguments[1], DOUBLE))

    return types.float64(types.int64, types.int64), generate


@intrinsic
def store_float(typing_context, address, index, value):
    """`store_float(address, index, value)`: store a double."""

    def generate(context, builder, signature, arguments):
        address, index, value = arguments
        builder.store(value, word_pointer(builder, address, index, DOUBLE))
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.float64), generate


@intrinsic
def call_address(typing_context, address, a, b, c, d, e, f, g):
    """`call_address(address, ...)`: call a C function with seven words as arguments.

    The C function returns a double.
    """

    def generate(context, builder, signature, arguments):
        kind = ir.FunctionType(DOUBLE, [WORD] * 7)
        return builder.call(builder.inttoptr(arguments[0], kind.as_pointer()), arguments[1:])

    return types.float64(*[types.int64] * 8), generate


@intrinsic
def call_compiled(typing_context, address, a, b):
    """`call_compiled(address, a, b)`: call an entry point of two words.

    The entry point returns a word and raises nothing; `entry_points.entry_address` returns its
    address.
    """
    return _call_of(2)


@intrinsic
def call_compiled_8(typing_context, address, a, b, c, d, e, f, g, h):
    """`call_compiled_8(address, ...)`: do the same with eight words."""
    return _call_of(8)


def _call_of(count: int) -> Any:
    """Return the signature and the code of a call with `count` words as arguments."""
    word = types.int64

    def generate(context, builder, signature, arguments):
        kind = context.call_conv.get_function_type(word, [word] * count)
        result = cgutils.alloca_once_value(builder, WORD(0))
        failure = cgutils.alloca_once(builder, excinfo_ptr_t)
        function = builder.inttoptr(arguments[0], kind.as_pointer())
        builder.call(function, [result, failure, *arguments[1:]])
        return builder.load(result)

    return word(*[word] * (count + 1)), generate


@intrinsic
def read_clock(typing_context, address, first, second):
    """`read_clock(address, first, second)`: call a C function of two words that returns an int.

    `arena/compiled_games.py` returns the function and its arguments.
    """

    def generate(context, builder, signature, arguments):
        kind = ir.FunctionType(ir.IntType(32), [WORD, WORD])
        function = builder.inttoptr(arguments[0], kind.as_pointer())
        builder.call(function, arguments[1:])
        return context.get_dummy_value()

    return types.void(*[types.int64] * 3), generate
