"""Bounded reading and atomic writing of files.

This module reads all files whose name or content is untrusted. Such a file may be sparse, a pipe, a device or a link,
may grow while it is read, or may be replaced before it is opened. So each function takes a limit in bytes, examines the
file only after opening it, and keeps no more bytes than the limit in memory.
"""

import io
import json
import os
from collections.abc import Iterable, Iterator
from errno import EISDIR, ELOOP
from hashlib import file_digest
from pathlib import Path
from stat import S_ISBLK, S_ISCHR, S_ISDIR, S_ISFIFO, S_ISREG, S_ISSOCK
from typing import IO, Any, Final

from isolarium.compat import AS_IT_IS, NO_LINKS, PATIENT
from isolarium.errors import InputError, quoted

MOST_TEXT: Final = 1 << 20
"""The limit in bytes of a study's file, and of settings and other texts in a folder of runs."""
MOST_SOURCE: Final = 1 << 26
"""The limit in bytes of the source files of an agent or heuristic, and of a database value.

Results databases store these source files.
"""
MOST_OWN: Final = 1 << 24
"""The limit in bytes of a file that comes with the package."""
PIECE_BYTES: Final = 1 << 20
PACKAGE: Final = Path(__file__).parent
REGULAR: Final = "a regular file"


def check_ordinary(path: Path, expected: str) -> None:
    """Check that an output file is regular or does not exist yet.

    Pipes and devices do not store what is written to them.

    Raises:
        InputError: If the file is not regular.
    """
    try:
        is_other = path.exists() and not path.is_file()
        mode = path.stat().st_mode if is_other else 0
    except OSError:  # Opening the file will report the reason.
        return
    if is_other:
        raise InputError(f"{path}: {_kind(mode)}; expected {expected}")


class TooLargeError(InputError):
    """A file that exceeds its limit in bytes."""


def read_small(path: Path, most: int, *, follow_links: bool = False, expected: str = REGULAR) -> bytes:
    """Read a regular file of at most `most` bytes into memory.

    Args:
        path: The file's path.
        most: The limit in bytes.
        follow_links: Whether `path` may be a link. Set this for paths that the user gave.
        expected: The kind of file that messages ask for.

    Raises:
        InputError: If it is not a regular file, or is larger.
        OSError: If it cannot be read.
    """
    with os.fdopen(_open(path, most, AS_IT_IS, follow_links, expected), "rb") as file:
        size = os.fstat(file.fileno()).st_size
        found = file.read(min(size, most) + 1)
        while len(found) <= most and (more := file.read(min(PIECE_BYTES, most + 1 - len(found)))):
            found += more  # The file has grown, or is in /proc, where sizes are 0.
    if len(found) > most:
        raise _too_large(path, most)
    return found


def read_text_file(
    path: Path, most: int, errors: str = "strict", *, follow_links: bool = False, expected: str = "a text file"
) -> str:
    """Read a regular UTF-8 file of at most `most` bytes.

    `errors` is passed to `bytes.decode`.

    Raises:
        InputError: If it cannot be read, is larger, or is not UTF-8.
    """
    try:
        found = read_small(path, most, follow_links=follow_links, expected=expected)
        return found.decode("utf-8", errors)
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 ({error.reason}); expected {expected}") from None
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; expected {expected}") from None


def read_json_file(path: Path, most: int) -> Any:
    """Read a regular JSON file of at most `most` bytes.

    Its texts must be valid Unicode, and its nesting must not exceed Python's recursion limit.

    Raises:
        InputError: If it cannot be read, is larger, or is not valid JSON of this form.
    """
    text = read_text_file(path, most)
    try:
        found = json.loads(text)
        json.dumps(found, ensure_ascii=False).encode()  # A lone surrogate cannot be encoded.
    except RecursionError:
        why = "nested too deep"
    except UnicodeEncodeError:
        why = "half a letter in a text"
    except json.JSONDecodeError as error:
        why = str(error)
    except ValueError:
        why = "a number with too many digits"
    else:
        return found
    raise InputError(f"{path}: {why}; expected JSON")


def read_json(text: str) -> Any:
    """Parse JSON strictly as the standard defines it.

    Raises:
        ValueError: If the text is not JSON, contains NaN or Infinity, is nested too deeply, or has a number with too
            many digits.
    """
    try:
        return _DECODER.decode(text)
    except RecursionError:
        raise ValueError("nested too deep") from None


def _refuse(text: str) -> float:
    raise ValueError(f"{text} is not a number")


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse)


def read_files(paths: Iterable[Path], most: int) -> dict[Path, bytes]:
    """Read regular files of at most `most` bytes in total; none may be a link.

    Raises:
        InputError: If a file cannot be read, or the files exceed the limit.
    """
    found: dict[Path, bytes] = {}
    left = most
    for path in paths:
        try:
            found[path] = read_small(path, left)
        except TooLargeError:
            raise TooLargeError(
                f"{path}: too large; expected at most {most:,} bytes with the files beside it"
            ) from None
        except OSError as error:
            raise InputError(f"{path}: {error.strerror}; expected a file") from None
        left -= len(found[path])
    return found


def own_text(name: str) -> str:
    """Read a text file that comes with the package, by its path within it."""
    return read_text_file(PACKAGE / name, MOST_OWN, follow_links=True)


def file_holds(path: Path, content: bytes) -> bool:
    """Return whether a regular file has exactly this content, without reading more."""
    try:
        return read_small(path, len(content), follow_links=True) == content
    except (OSError, InputError):
        return False


def digest_file(path: Path, most: int) -> str:
    """Return the SHA-256 of a regular file of at most `most` bytes, following links.

    Raises:
        InputError: If it is not a regular file, or is larger.
        OSError: If it cannot be read.
    """
    with open_file(path, most, follow_links=True) as file:
        return file_digest(file, "sha256").hexdigest()


def open_file(
    path: Path, most: int, *, follow_links: bool = False, pipes: bool = False, expected: str = REGULAR
) -> io.BufferedReader:
    """Open a file to read at most `most` bytes; reading more raises TooLargeError.

    Args:
        path: The file's path.
        most: The limit in bytes.
        follow_links: Whether `path` may be a link.
        pipes: Whether the file may be a pipe or a device, on which reads may block. Set this for paths that the user
            typed.
        expected: The kind of file that messages ask for.

    Raises:
        InputError: If the file is of another kind, or too large.
        OSError: If it cannot be read.
    """
    handle = _open(path, most, PATIENT if pipes else AS_IT_IS, follow_links, expected, pipes=pipes)
    return io.BufferedReader(_Bounded(handle, path, most))


def open_to_append(path: Path, expected: str) -> IO[bytes]:
    """Open a regular file for reading and appending, creating it if needed.

    Links are followed.

    Raises:
        InputError: If the file is not regular, or cannot be written to.
    """
    try:
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | AS_IT_IS
        handle = os.open(path, flags & ~NO_LINKS, 0o666)
        try:
            _check(handle, path, expected, pipes=False)
            return os.fdopen(handle, "a+b")
        except BaseException:
            os.close(handle)
            raise
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; expected {expected}") from None


def lines_of(file: IO[bytes], path: Path, most_line: int, most: int) -> Iterator[bytes]:
    """Yield the lines of an open file with their line ends.

    The last line may lack a line end.

    Args:
        file: The open file.
        path: The file's path, for messages.
        most_line: The limit of one line, in bytes.
        most: The limit of all lines together, in bytes.

    Raises:
        InputError: If a line, or all lines together, exceed the limit.
    """
    left, number = most, 0
    while line := file.readline(most_line + 1):
        number += 1
        left -= len(line)
        if len(line) > most_line:
            raise InputError(f"{path}: line {number}: too long; expected at most {most_line:,} bytes")
        if left < 0:
            raise _too_large(path, most)
        yield line


class _Bounded(io.RawIOBase):
    """A file that raises an error once it has read past its limit."""

    def __init__(self, handle: int, path: Path, most: int) -> None:
        super().__init__()
        self._raw = io.FileIO(handle, "rb")
        self._path, self._most, self._left = path, most, most

    def readable(self) -> bool:
        """Return True."""
        return True

    def fileno(self) -> int:
        """Return the descriptor."""
        return self._raw.fileno()

    def readinto(self, buffer: Any) -> int | None:
        """Read the next bytes; raise TooLargeError past the limit."""
        count = self._raw.readinto(memoryview(buffer)[: max(1, self._left)])
        if count and not self._left:
            raise _too_large(self._path, self._most)
        self._left -= count or 0
        return count

    def close(self) -> None:
        """Close the file."""
        self._raw.close()
        super().close()


def _open(path: Path, most: int, flags: int, follow_links: bool, expected: str, *, pipes: bool = False) -> int:
    """Open a file of an allowed kind and at most `most` bytes; return its descriptor."""
    try:
        handle = os.open(path, os.O_RDONLY | (flags & ~NO_LINKS if follow_links else flags))
    except OSError as error:
        if error.errno == ELOOP and not follow_links:
            raise InputError(f"{path}: a link; expected {expected}") from None
        raise
    except ValueError:  # A null byte, or a lone surrogate
        raise InputError(f"{quoted(str(path))}: not a file name; expected {expected}") from None
    try:
        _check(handle, path, expected, pipes=pipes)
        about = os.fstat(handle)
        if S_ISREG(about.st_mode) and about.st_size > most:
            raise _too_large(path, most)
    except BaseException:
        os.close(handle)
        raise
    return handle


def _check(handle: int, path: Path, expected: str, *, pipes: bool) -> None:
    mode = os.fstat(handle).st_mode
    if pipes and S_ISDIR(mode):
        raise IsADirectoryError(EISDIR, os.strerror(EISDIR), str(path))
    if not pipes and not S_ISREG(mode):
        raise InputError(f"{path}: {_kind(mode)}; expected {expected}")


def _kind(mode: int) -> str:
    """Describe the kind of a file that is not regular."""
    if S_ISDIR(mode):
        return "a folder"
    if S_ISFIFO(mode):
        return "a pipe"
    if S_ISCHR(mode) or S_ISBLK(mode):
        return "a device"
    return "a socket" if S_ISSOCK(mode) else "not a regular file"


def _too_large(path: Path, most: int) -> TooLargeError:
    return TooLargeError(f"{path}: too large; expected at most {most:,} bytes")


def write_whole(path: Path, text: str) -> None:
    """Write a text file atomically: it appears only when it is complete.

    Raises:
        OSError: If it cannot be written.
    """
    draft = path.with_name(f"{path.name}.draft")
    with draft.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
