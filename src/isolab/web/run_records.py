"""Records of runs are files: they may come from anywhere, and be anything."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from isolab.errors import InputError


@contextmanager
def readable(name: str) -> Iterator[None]:
    """Within the block a record that is not what it should be is the fault of who put it there.

    Raises:
        InputError: it is not.
    """
    try:
        yield
    except InputError:
        raise
    except (sqlite3.Error, ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise InputError(f"{name}: its record cannot be read: {error!r}") from None
