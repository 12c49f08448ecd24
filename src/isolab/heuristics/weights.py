"""Weights of a learned evaluation: read from a file that is what its name says, and packed for compiled code.

A file is NumPy's `.npz`, without pickles, and has the SHA-256 of its bytes in its name, so that an altered one is
refused. It holds a row of 32 whole numbers for each thing that there is to see in a position, once for either role of
the player to move, the runner first; `catalogue/learned.py` says what the rows are for:

    squares   int8 [2, 972, 32]      knights   int8 [2, 162, 32]
    offsets   int8 [2, 169, 32]      sizes     int8 [2, 96, 32]
    opinions  int16 [2, 31]          what each sum but the first says of the whole
"""

from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Final
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from isolab.errors import InputError
from isolab.files import read_small

FOLDER: Final = Path(__file__).parent / "data"
SHIPPED: Final = "shipped"
FILES: Final = {
    SHIPPED: "learned-0706fc96f740cdd08d7e5de7b6619c4543f0539026a11223f37615884d0a7f4b.npz",
}
"""What comes with Isolab, by name; a JSON beside each says what made it."""

ROWS: Final = {"squares": 972, "knights": 162, "offsets": 169, "sizes": 96}
CHANNELS: Final = 32
LANES: Final = 4
ROW_WORDS: Final = CHANNELS // LANES
"""Words of a row: each weight has 16 bits,"""
BIAS: Final = 128
"""and is stored as so much more, so that no sum ever borrows from its neighbour."""
MOST_OPINION: Final = 2047
ROLE_WORDS: Final = sum(ROWS.values()) * ROW_WORDS + CHANNELS
MOST_BYTES: Final = 500_000


def read_weights(path: Path) -> list[int]:
    """The words of a file of weights: for each role its rows, then its opinions, 0 for the first.

    Raises:
        InputError: it is no such file, or not the one that its name says.
    """
    try:
        content = read_small(path, MOST_BYTES)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; expected a file of weights") from None
    if not path.stem.endswith(sha256(content).hexdigest()):
        raise InputError(f"{path}: not the file that its name says; expected its SHA-256 there")
    try:
        with np.load(BytesIO(content), allow_pickle=False) as file:
            arrays = {name: file[name] for name in (*ROWS, "opinions")}
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        raise InputError(f"{path}: {error}; expected arrays of weights") from None
    for name, array in arrays.items():
        shape = (2, ROWS[name], CHANNELS) if name in ROWS else (2, CHANNELS - 1)
        kind = np.int8 if name in ROWS else np.int16
        if array.shape != shape or array.dtype != kind:
            raise InputError(f"{path}: {name}: expected {kind.__name__} {list(shape)}")
    if np.abs(arrays["opinions"]).max() > MOST_OPINION:
        raise InputError(f"{path}: opinions: expected at most {MOST_OPINION:,}")
    return _packed(arrays)


def _packed(arrays: dict[str, NDArray[np.integer]]) -> list[int]:
    words: list[int] = []
    for role in range(2):
        rows = np.concatenate([arrays[name][role] for name in ROWS]).astype(np.int64) + BIAS
        lanes = rows.reshape(len(rows) * ROW_WORDS, LANES)
        words += np.bitwise_or.reduce(lanes << 16 * np.arange(LANES), axis=1).tolist()
        words += [0, *arrays["opinions"][role].tolist()]
    return words


def shipped_words(name: str) -> list[int]:
    """The words of what comes with Isolab under a name."""
    return read_weights(FOLDER / FILES[name])
