"""Charts as pictures made of pixels."""

import struct
import zlib
from collections.abc import Iterator
from typing import Final

import vl_convert

SCALE: Final = 2
"""Pixels for each point of the drawing, for sharp screens."""
_SIGNATURE: Final = 8  # the bytes before the first chunk


def png(svg: str) -> bytes:
    """The picture of a drawing."""
    return _packed(vl_convert.svg_to_png(svg, scale=SCALE))


def _packed(picture: bytes) -> bytes:
    """The same picture in about a third of the bytes: the converter is in a hurry when it packs pixels."""
    chunks = list(_chunks(picture))
    pixels = zlib.decompress(b"".join(body for kind, body in chunks if kind == b"IDAT"))
    packed = [(kind, body) for kind, body in chunks if kind not in (b"IDAT", b"IEND")]
    packed += [(b"IDAT", zlib.compress(pixels)), (b"IEND", b"")]
    return picture[:_SIGNATURE] + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in packed
    )


def _chunks(picture: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The parts of a PNG file: what each is, and what is in it."""
    place = _SIGNATURE
    while place < len(picture):
        length, kind = struct.unpack(">I4s", picture[place : place + 8])
        yield kind, picture[place + 8 : place + 8 + length]
        place += length + 12
