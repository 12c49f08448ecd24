"""Columns of numbers as bytes, for batches of games and for openings.

Each column has the narrowest type that keeps all of its values exactly; a column of equal values is
stored as one value. The type is a code of one byte.
"""

import zlib
from hashlib import blake2b
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

LEVEL: Final = 1
"""The level of compression; higher levels take ten times as long to save a tenth."""
LEAST_COMPRESSED: Final = 128
"""Shorter bodies are not compressed."""
DIGEST_BYTES: Final = 8
TYPES: Final = tuple(map(np.dtype, ("u1", "<i1", "<u2", "<i2", "<u4", "<i4", "<i8", "<f4", "<f8")))
"""The types of columns, from narrow to wide; the code is the place here."""
_INTEGERS: Final = TYPES[:7]
ONE_VALUE: Final = 0x80
"""Marks a column of equal values, stored as one value."""
THOUSANDTHS: Final = 0x40
"""Marks times that are stored as whole thousandths."""
MOST_THOUSANDTHS: Final = float(1 << 42)
"""Larger floats are not stored as whole numbers."""
ABSENT: Final = 0xFF

Floats = NDArray[np.float64]


# Writing


def pack(values: NDArray[Any]) -> tuple[int, bytes]:
    """Return the code of a column's type and its bytes."""
    if values.size > 1 and _bits(values[:1]) == _bits(values).max() == _bits(values).min():
        code, narrow = _narrowed(values[:1])
        return code | ONE_VALUE, narrow.tobytes()
    code, narrow = _narrowed(values)
    return code, narrow.tobytes()


def deflate(body: bytes) -> bytes:
    """Return a body compressed, or unchanged if that does not make it smaller."""
    found = zlib.compress(body, LEVEL) if len(body) >= LEAST_COMPRESSED else body
    return found if len(found) < len(body) else body


def _narrowed(values: NDArray[Any]) -> tuple[int, NDArray[Any]]:
    """Return the code of the narrowest type that keeps all values, and the values in it."""
    if values.dtype.kind != "f":
        return _narrow_integers(values)
    is_small = values.size == 0 or bool(np.abs(values).max() < MOST_THOUSANDTHS)  # not if NaN
    for factor, mark in ((1.0, 0), (1000.0, THOUSANDTHS)) if is_small else ():
        whole = np.rint(values * factor)
        if _is_same(whole / factor, values):
            code, narrow = _narrow_integers(whole.astype(np.int64))
            return code | mark, narrow
    with np.errstate(over="ignore", invalid="ignore"):
        single = values.astype(TYPES[-2])
    if _is_same(single.astype(np.float64), values):
        return len(TYPES) - 2, single
    return len(TYPES) - 1, values.astype(TYPES[-1], copy=False)


def _narrow_integers(values: NDArray[Any]) -> tuple[int, NDArray[Any]]:
    least, most = (int(values.min()), int(values.max())) if values.size else (0, 0)
    for code, kind in enumerate(_INTEGERS):
        limits = np.iinfo(kind)
        if limits.min <= least and most <= limits.max:
            return code, values.astype(kind, copy=False)
    raise AssertionError(values.dtype)


def _is_same(found: Floats, values: Floats) -> bool:
    """Return whether two columns have the same bits; so -0.0 is not 0.0, and NaN is NaN."""
    return bool((found.view(np.int64) == values.view(np.int64)).all())


def _bits(values: NDArray[Any]) -> NDArray[Any]:
    return values.view(np.int64) if values.dtype.kind == "f" else values


def digest(data: bytes | memoryview) -> bytes:
    """Return the checksum of a batch."""
    return blake2b(data, digest_size=DIGEST_BYTES).digest()


# Reading


def size_of(code: int, count: int) -> int:
    """Return the size of a column in bytes.

    Raises:
        ValueError: If there is no such type.
    """
    if code == ABSENT:
        return 0
    kind = code & ~(ONE_VALUE | THOUSANDTHS)
    if kind >= len(TYPES):
        raise ValueError("a column of a batch has an unknown type")
    return TYPES[kind].itemsize * (min(1, count) if code & ONE_VALUE else count)


def inflate(body: bytes | memoryview, expected: int) -> memoryview:
    """Return a compressed body of a known size.

    Raises:
        ValueError: If the body is damaged or has another size.
    """
    reader = zlib.decompressobj()
    try:
        found = reader.decompress(body, expected + 1)
    except zlib.error as error:
        raise ValueError(f"a batch that cannot be decompressed: {error}") from None
    if not reader.eof or reader.unused_data:
        raise ValueError("a batch whose sizes are wrong")
    return memoryview(found)


def unpack(data: memoryview, code: int, count: int) -> NDArray[Any] | None:
    """Return a column of `count` values; None if it is absent."""
    if code == ABSENT:
        return None
    values: NDArray[Any] = np.frombuffer(data, TYPES[code & ~(ONE_VALUE | THOUSANDTHS)])
    if code & ONE_VALUE:
        values = np.repeat(values, count)
    return values / 1000.0 if code & THOUSANDTHS else values
