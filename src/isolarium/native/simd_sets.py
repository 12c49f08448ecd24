"""Several sets of squares in vector registers (SIMD).

A `Lanes` value holds 2, 4 or 8 sets, word by word: a vector of the lowest words of all sets, a
vector of the next words, and so on. In memory there is always room for eight sets: word w of lane i
is `8 * w + i` words after the first. LLVM splits vectors that are wider than the machine's
registers.
"""

# mypy: allow-untyped-defs, allow-untyped-decorators, allow-untyped-calls
# Numba's extension protocol has no types.

import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, overload, register_model

from isolarium.native.memory import WORD, invariant, word_pointer
from isolarium.native.squareset import MAX_WORDS, SET_TYPES, WORD_BITS, join_words, split_words

MOST_LANES = 8


class Lanes(types.Type):  # type: ignore[misc] # Numba has no types
    """Numba's type for `lanes` sets of squares of `words` 64-bit words each."""

    def __init__(self, words: int, lanes: int) -> None:
        self.words, self.lanes = words, lanes
        super().__init__(name=f"Lanes({words}, {lanes})")


LANE_TYPES = {(words, lanes): Lanes(words, lanes) for words in range(1, MAX_WORDS + 1) for lanes in (2, 4, 8)}


def _vector(kind: Lanes) -> ir.VectorType:
    return ir.VectorType(WORD, kind.lanes)


@register_model(Lanes)
class LanesModel(models.PrimitiveModel):  # type: ignore[misc] # Numba has no types
    """A vector for each word."""

    def __init__(self, manager: Any, kind: Lanes) -> None:
        super().__init__(manager, kind, ir.ArrayType(_vector(kind), kind.words))


def _vectors(builder: Any, value: Any, kind: Lanes) -> list[Any]:
    return [builder.extract_value(value, word) for word in range(kind.words)]


def _value(builder: Any, vectors: list[Any], kind: Lanes) -> Any:
    whole = ir.Constant(ir.ArrayType(_vector(kind), kind.words), ir.Undefined)
    for word, vector in enumerate(vectors):
        whole = builder.insert_value(whole, vector, word)
    return whole


def _all_lanes(builder: Any, word: Any, kind: Lanes) -> Any:
    """Return the vector with `word` in every lane."""
    undefined = ir.Constant(_vector(kind), ir.Undefined)
    first = builder.insert_element(undefined, word, ir.IntType(32)(0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), kind.lanes), [0] * kind.lanes)
    return builder.shuffle_vector(first, undefined, zeros)


def _pointer(builder: Any, address: Any, index: Any, kind: Lanes, word: int) -> Any:
    place = builder.add(index, WORD(word * MOST_LANES))
    return builder.bitcast(word_pointer(builder, address, place), _vector(kind).as_pointer())


@intrinsic(prefer_literal=True)
def load_lanes(typing_context, address, index, words, lanes):
    """`load_lanes(address, index, words, lanes)`: load the first `lanes` of eight sets."""
    kind = LANE_TYPES[words.literal_value, lanes.literal_value]

    def generate(context, builder, signature, arguments):
        vectors = [
            builder.load(_pointer(builder, arguments[0], arguments[1], kind, word), align=8)
            for word in range(kind.words)
        ]
        return _value(builder, vectors, kind)

    return kind(types.int64, types.int64, words, lanes), generate


@intrinsic
def store_lanes(typing_context, address, index, sets):
    """`store_lanes(address, index, sets)`: store into the first of eight sets."""

    def generate(context, builder, signature, arguments):
        for word, vector in enumerate(_vectors(builder, arguments[2], sets)):
            pointer = _pointer(builder, arguments[0], arguments[1], sets, word)
            builder.store(vector, pointer, align=8)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, sets), generate


@intrinsic(prefer_literal=True)
def load_lane(typing_context, address, index, words):
    """`load_lane(address, index, words)`: load one of eight sets.

    Its lowest word is at `index`.
    """
    count = words.literal_value

    def generate(context, builder, signature, arguments):
        address, index, _ = arguments
        places = [builder.add(index, WORD(word * MOST_LANES)) for word in range(count)]
        return join_words(builder, [builder.load(word_pointer(builder, address, place)) for place in places])

    return SET_TYPES[count](types.int64, types.int64, words), generate


@intrinsic
def store_lane(typing_context, address, index, squares):
    """`store_lane(address, index, squares)`: store one of eight sets.

    Its lowest word is at `index`.
    """

    def generate(context, builder, signature, arguments):
        address, index, value = arguments
        for word, part in enumerate(split_words(builder, value, squares.words)):
            place = builder.add(index, WORD(word * MOST_LANES))
            builder.store(part, word_pointer(builder, address, place))
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, squares), generate


@intrinsic(prefer_literal=True)
def in_every_lane(typing_context, squares, lanes):
    """`in_every_lane(squares, lanes)`: put the same set into every lane."""
    kind = LANE_TYPES[squares.words, lanes.literal_value]

    def generate(context, builder, signature, arguments):
        words = split_words(builder, arguments[0], kind.words)
        return _value(builder, [_all_lanes(builder, word, kind) for word in words], kind)

    return kind(squares, lanes), generate


@intrinsic
def side_by_side(typing_context, one, other):
    """Put two sets into two lanes."""
    kind = LANE_TYPES[one.words, 2]

    def generate(context, builder, signature, arguments):
        pairs = zip(*(split_words(builder, value, kind.words) for value in arguments), strict=True)
        vectors = []
        for pair in pairs:
            vector = ir.Constant(_vector(kind), ir.Undefined)
            for place, word in enumerate(pair):
                vector = builder.insert_element(vector, word, ir.IntType(32)(place))
            vectors.append(vector)
        return _value(builder, vectors, kind)

    return kind(one, other), generate


@intrinsic(prefer_literal=True)
def lane(typing_context, sets, number):
    """Return the set in one lane, whose number is a constant."""
    place = ir.IntType(32)(number.literal_value)

    def generate(context, builder, signature, arguments):
        vectors = _vectors(builder, arguments[0], sets)
        return join_words(builder, [builder.extract_element(vector, place) for vector in vectors])

    return SET_TYPES[sets.words](sets, number), generate


@intrinsic
def load_table_lanes(typing_context, address, start, number, like):
    """Load a set, as `load_table_set` does, into every lane of a value like `like`."""

    def generate(context, builder, signature, arguments):
        address, start, number, _ = arguments
        first = builder.add(start, builder.mul(number, WORD(like.words)))
        vectors = []
        for word in range(like.words):
            pointer = word_pointer(builder, address, builder.add(first, WORD(word)))
            vectors.append(_all_lanes(builder, invariant(builder, builder.load(pointer)), like))
        return _value(builder, vectors, like)

    return like(types.int64, types.int64, types.int64, like), generate


@intrinsic
def shift_lanes(typing_context, sets, by):
    """Apply `shift` in every lane."""

    def generate(context, builder, signature, arguments):
        value, amount = arguments
        vectors, by, back = _to_shift(builder, value, amount, sets)
        parts = [builder.shl(vector, by) for vector in vectors]
        for word in range(1, sets.words):
            carried = builder.lshr(vectors[word - 1], back)
            parts[word] = builder.or_(parts[word], carried)
        return _value(builder, parts, sets)

    return sets(sets, types.int64), generate


@intrinsic
def shift_lanes_down(typing_context, sets, by):
    """Apply `shift_down` in every lane."""

    def generate(context, builder, signature, arguments):
        value, amount = arguments
        vectors, by, back = _to_shift(builder, value, amount, sets)
        parts = [builder.lshr(vector, by) for vector in vectors]
        for word in range(1, sets.words):
            carried = builder.shl(vectors[word], back)
            parts[word - 1] = builder.or_(parts[word - 1], carried)
        return _value(builder, parts, sets)

    return sets(sets, types.int64), generate


def _to_shift(builder: Any, value: Any, amount: Any, kind: Lanes) -> tuple[list[Any], Any, Any]:
    """Return the vectors, the shift, and the shift of the bits carried between words."""
    back = builder.sub(WORD(WORD_BITS), amount)
    return (_vectors(builder, value, kind), _all_lanes(builder, amount, kind), _all_lanes(builder, back, kind))


@intrinsic
def occupied(typing_context, sets):
    """Return the lanes that hold a non-empty set, as bit i for lane i."""

    def generate(context, builder, signature, arguments):
        whole, *others = _vectors(builder, arguments[0], sets)
        for vector in others:
            whole = builder.or_(whole, vector)
        zeros = ir.Constant(_vector(sets), [0] * sets.lanes)
        bits = builder.icmp_unsigned("!=", whole, zeros)
        return builder.zext(builder.bitcast(bits, ir.IntType(sets.lanes)), WORD)

    return types.int64(sets), generate


@intrinsic
def store_counts(typing_context, address, index, sets):
    """`store_counts(address, index, sets)`: store the size of each set as one word."""

    def generate(context, builder, signature, arguments):
        vector = _vector(sets)
        count = builder.module.declare_intrinsic(f"llvm.ctpop.v{sets.lanes}i64", fnty=ir.FunctionType(vector, [vector]))
        total = ir.Constant(vector, [0] * sets.lanes)
        for part in _vectors(builder, arguments[2], sets):
            total = builder.add(total, builder.call(count, [part]))
        builder.store(total, _pointer(builder, arguments[0], arguments[1], sets, 0), align=8)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, sets), generate


def _binary(name: str) -> Any:
    """Return an intrinsic for the operator NAME on two values, lane by lane."""

    @intrinsic
    def operation(typing_context, left, right):
        def generate(context, builder, signature, arguments):
            lefts, rights = (_vectors(builder, argument, left) for argument in arguments)
            if name == "minus":
                rights = [builder.not_(right) for right in rights]
            operate = builder.or_ if name == "or_" else builder.and_
            return _value(builder, list(map(operate, lefts, rights)), left)

        return left(left, right), generate

    return operation


def _overload_operator(operation: Any, intrinsic_function: Any) -> None:
    @overload(operation)
    def choose(left, right):
        if isinstance(left, Lanes) and left == right:
            return lambda left, right: intrinsic_function(left, right)
        return None


for _operation, _name in ((operator.and_, "and_"), (operator.or_, "or_"), (operator.sub, "minus")):
    _overload_operator(_operation, _binary(_name))
