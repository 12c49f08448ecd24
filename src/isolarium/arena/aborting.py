"""What ends a run before its time, with everything finished kept."""

from collections.abc import Iterator
from contextlib import contextmanager

from isolarium.arena.run_db import Record
from isolarium.errors import InputError


class RunAborted(Exception):  # noqa: N818 # not an error in what a person typed
    """The run cannot go on; its message says why. What was finished is kept."""


@contextmanager
def written(record: Record) -> Iterator[None]:
    """Within the block a record that cannot be written ends the run.

    Raises:
        RunAborted: it cannot.
    """
    try:
        yield
    except FileNotFoundError:
        raise RunAborted(
            f"{record.folder}: removed while the run was played; nothing of it is kept"
        ) from None
    except InputError as error:
        raise RunAborted(str(error)) from None
    except OSError as error:
        raise RunAborted(f"{record.folder}: {error.strerror}") from None
