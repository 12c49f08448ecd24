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

from isolarium.errors import InputError
from isolarium.native.simd_rows import CHANNELS, ROW_WORDS, WEIGHING_WORDS
from isolarium.safe_files import read_small

FOLDER: Final = Path(__file__).parent / "data"
SHIPPED: Final = "shipped"
FILES: Final = {
    SHIPPED: "learned-0706fc96f740cdd08d7e5de7b6619c4543f0539026a11223f37615884d0a7f4b.npz",
}
"""What comes with Isolarium, by name; a JSON beside each says what made it."""

ROWS: Final = {"squares": 972, "knights": 162, "offsets": 169, "sizes": 96}
MOST_OPINION: Final = 2047
ROLE_WORDS: Final = sum(ROWS.values()) * ROW_WORDS + WEIGHING_WORDS
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
    """The words of one role and then of the other: rows of bytes, then the opinions, of which the first sum has none.

    In a file the kinds of squares count neighbours of the square's owner nine times, here those of who waits: so they
    are counted in one way for all squares.
    """
    ours = {name: array.copy() for name, array in arrays.items()}
    for name in ("squares", "knights"):
        kinds = ours[name].reshape(2, 2, -1, 9, 9, CHANNELS)
        kinds[:, 1] = kinds[:, 1].swapaxes(2, 3).copy()
    words: list[int] = []
    for role in range(2):
        rows = np.concatenate([ours[name][role] for name in ROWS])
        opinions = np.concatenate([np.zeros(1, np.int16), ours["opinions"][role]])
        words += rows.ravel().view("<i8").tolist() + opinions.view("<i8").tolist()
    return words


def shipped_words(name: str) -> list[int]:
    """The words of what comes with Isolarium under a name."""
    return read_weights(FOLDER / FILES[name])
